/** Setup steps do what they say, and one that can't be done fails its case. */
import { describe, expect, test } from "vitest";
import { history, type Json, run, search, user } from "./own-case.ts";
import type { Result } from "./run-case.ts";

describe("steps", () => {
  /** What two searches find after the steps. */
  const findsAfter = (setup: Json[], ...wanted: [query: string, sessions: string[]][]) =>
    run({
      setup,
      action: { tool: "sequence", args: { steps: wanted.map(([query]) => search(query)) } },
      expect: { steps: wanted.map(([, sessions]) => ({ sessions })) },
    });
  const passes = (result: Result) => {
    expect(result.reasons).toEqual([]);
    expect(result.outcome).toBe("passed");
  };

  test("rewind and set_leaf move the leaf", async () => {
    const setup = [
      user("a", "one plum", { id: "1" }),
      user("a", "two pears", { id: "2" }),
      { op: "rewind", session: "a", to: "1" },
    ];
    passes(await findsAfter([...setup, user("a", "three figs")], ["plum", ["a"]], ["pears", []], ["figs", ["a"]]));
    passes(await findsAfter([...setup, { op: "set_leaf", session: "a", id: "2" }], ["pears", ["a"]]));
  });

  test("an upsert and an edit replace", async () => {
    const plum = user("a", "one plum", { id: "1" });
    passes(await findsAfter([plum, user("a", "one pear", { id: "1", upsert: true })], ["plum", []], ["pear", ["a"]]));
    passes(
      await findsAfter(
        [plum, { op: "edit_message", session: "a", id: "1", text: "one fig" }],
        ["plum", []],
        ["fig", ["a"]],
      ),
    );
  });

  test("a session is deleted, also in the middle of a sequence", async () => {
    const steps = [search("plum"), { op: "delete_session", session: "a" }, search("plum"), history("a")];
    passes(
      await run({
        setup: [user("a", "one plum")],
        action: { tool: "sequence", args: { steps } },
        expect: { steps: [{ count: 1 }, {}, { count: 0 }, { denied: true }] },
      }),
    );
  });

  test("a step that can't be done fails the case", async () => {
    const { outcome, reasons } = await findsAfter(
      [user("a", "plum"), { op: "delete_session", session: "b" }],
      ["plum", ["a"]],
    );
    expect(outcome).toBe("failed");
    expect(reasons.join()).toContain('there is no session "b"');
  });

  test("a reset keeps what was said findable, and reopening the store too", async () => {
    const setup = [user("a", "one plum"), { op: "reset_session", session: "a" }, user("a", "a pear")];
    passes(
      await findsAfter(
        [...setup, { op: "reopen" }, { op: "vacuum" }, { op: "close" }],
        ["plum", ["a"]],
        ["pear", ["a"]],
      ),
    );
  });

  test("without a time a message is one second after the last one", async () => {
    const setup = [user("a", "plum", { time: "2026-05-01T08:00:00Z" }), user("b", "pear")];
    passes(await run({ setup, action: search("pear"), expect: { allTimes: "2026-05-01T08:00:01Z" } }));
  });

  test("blocks are parts: only spoken text is found", async () => {
    const content = [
      { type: "text", text: "a plum" },
      { type: "thinking", thinking: "a pear" },
      { type: "tool_use", id: "t", name: "look", input: { what: "a fig" } },
      { type: "image", data: "UExVTQ==", mime: "image/png" },
    ];
    passes(
      await findsAfter([{ session: "a", role: "assistant", content }], ["plum", ["a"]], ["pear", []], ["fig", []]),
    );
    passes(await findsAfter([{ session: "a", role: "toolResult", text: "a plum" }], ["plum", []]));
  });

  test("repeat counts the message and its session", async () => {
    const setup = [user("s{i}", "plum {i1} {i2} {r2}", { repeat: 3, id: "m{i}" })];
    passes(
      await run({
        setup,
        action: search("plum"),
        expect: { sessions: ["s0", "s1", "s2"], snippetContains: ["plum 3 02 97"] },
      }),
    );
  });

  test("a file is imported as it is now; one that went keeps what it brought", async () => {
    const line = (id: string, text: string) => ({
      type: "message",
      sessionKey: "agent:yard:hens",
      id,
      role: "user",
      text,
      timestamp: 1,
    });
    const put = (...lines: Json[]) => ({ op: "import", format: "jsonl", path: "coop/hens.jsonl", lines });
    passes(
      await findsAfter(
        [put(line("1", "plum")), put(line("1", "plum"), line("2", "pear"))],
        ["plum", ["hens"]],
        ["pear", ["hens"]],
      ),
    );
    const gone = [put(line("1", "plum")), { op: "remove_file", path: "coop/hens.jsonl" }, { op: "refresh" }];
    passes(await findsAfter(gone, ["plum", ["hens"]]));
    const repeated = [put({ repeat: 5, line: line("m{i}", "plum {i}") })];
    passes(await run({ setup: repeated, action: search("plum"), expect: { minCount: 3, count: 3, hasMore: true } }));
  });

  test("what an import could not take in is shown where the case fails", async () => {
    const setup = [
      {
        op: "import",
        format: "jsonl",
        path: "a.jsonl",
        raw: '{"type":"message","sessionKey":"agent:a:b","id":"1","role":"user","text":"plum"}\n{"type":\n',
      },
    ];
    expect((await run({ setup, action: search("plum"), expect: { count: 2 } })).reasons.join()).toContain(
      "import: bad-line at line 2",
    );
  });

  test("a file never leaves the source's folder", async () => {
    const setup = [{ op: "import", format: "jsonl", path: "../../a.jsonl", raw: "" }];
    expect((await run({ setup, action: search("plum"), expect: { count: 0 } })).outcome).toBe("not run");
  });
});
