/** Calls reach the product as the case means them. */
import { describe, expect, test } from "vitest";
import { bakery, history, type Json, run, search, user } from "./own-case.ts";

describe("calls", () => {
  test("each of several queries and limits has to meet what is expected", async () => {
    const each = (args: Json, wanted: Json) =>
      run({ setup: bakery, action: { tool: "search_each", args }, expect: wanted });
    expect((await each({ queries: ["starter", "six"] }, { sessions: ["loaf"] })).outcome).toBe("passed");
    const failed = await each({ queries: ["starter", "hens"] }, { sessions: ["loaf"] });
    expect(failed.reasons).toHaveLength(1);
    expect(failed.reasons[0]).toContain('"query":"hens"');
    expect((await each({ queries: ["rye"], limits: [1, 2, 0] }, { okOrInvalid: true, maxCount: 2 })).outcome).toBe(
      "passed",
    );
    expect((await each({ queries: ["rye"], limits: [1, 3] }, { maxCount: 2 })).outcome).toBe("failed");
  });

  test("refusals that have to look alike may differ in the name that was asked for, and in nothing else", async () => {
    const alike = (...steps: Json[]) => ({
      setup: bakery,
      action: { tool: "sequence", args: { steps } },
      expect: { steps: steps.map(() => ({ count: 0 })), sameShape: true },
    });
    expect((await run(alike(history("nobody"), history("somebody else")))).reasons).toEqual([]);
    expect((await run(alike(history("nobody"), search("")))).reasons.join()).toContain("the refusals differ");
    expect((await run(alike(search("absent"), search("absent")))).reasons.join()).toContain("fewer than two refusals");
  });

  test("the last day is included, in the caller's zone", async () => {
    const setup = [user("a", "plum", { time: "2026-03-10T23:30:00Z" })];
    const on = (day: string, tz: string) => search("plum", { since: day, until: day, tz });
    expect((await run({ setup, action: on("2026-03-10", "UTC"), expect: { count: 1 } })).outcome).toBe("passed");
    expect((await run({ setup, action: on("2026-03-11", "Asia/Tokyo"), expect: { count: 1 } })).outcome).toBe("passed");
    expect((await run({ setup, action: on("2026-03-10", "Asia/Tokyo"), expect: { count: 0 } })).outcome).toBe("passed");
    const until = (moment: string) => run({ setup, action: search("plum", { until: moment }), expect: { count: 1 } });
    expect((await until("2026-03-10T23:30:00Z")).outcome).toBe("passed");
    expect((await until("2026-03-10T23:29:59Z")).outcome).toBe("failed");
  });

  test("a caller in a session sees its own agent's sessions", async () => {
    const as = { session: "crumb", visibility: "agent" };
    expect(
      (await run({ setup: bakery, action: { ...search("rye"), as }, expect: { sessions: ["crumb"] } })).reasons,
    ).toEqual([]);
  });

  test("pages are put together in reading order while new messages come in", async () => {
    const args = { sessionKey: "a", limit: 2, appendBetweenPages: ["late one", "late two"] };
    const setup = [user("a", "note {i}", { repeat: 5 })];
    const all = { texts: ["note 0", "note 1", "note 2", "note 3", "note 4"] };
    expect((await run({ setup, action: { tool: "history_all_pages", args }, expect: all })).reasons).toEqual([]);
  });

  test("around a message come as many before as after it", async () => {
    const setup = [user("a", "note {i}", { repeat: 7, id: "m{i}" })];
    const around = { ...history("a", { around: "m3", before: 1, after: 1 }) };
    expect((await run({ setup, action: around, expect: { texts: ["note 2", "note 3", "note 4"] } })).reasons).toEqual(
      [],
    );
  });

  test("the command is asked in a process of its own, and its exit code has to fit", async () => {
    const cli = (query: string, wanted: Json) =>
      run({ setup: bakery, action: { tool: "cli_search", args: { query } }, expect: wanted });
    expect((await cli("starter", { sessions: ["loaf"], snippetContains: ["fed at six"] })).reasons).toEqual([]);
    expect((await cli("--dry-run", { count: 0, noError: true })).reasons).toEqual([]);
    expect((await cli(" ", { okOrInvalid: true, count: 0 })).reasons).toEqual([]);
  });
});
