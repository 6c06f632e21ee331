/** The runner as a whole: what it can't do never passes, files are read whole, known failures count apart, exit codes. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readRows } from "../cases/case.ts";
import { knownFailures, topics } from "../cases/known-failures.ts";
import { bakery, history, type Json, run, search, user } from "../cases/own-case.ts";
import type { Result } from "../cases/run-case.ts";
import { fallsShort, figuresOf, judgeResult, perKind } from "../cases/tally.ts";

describe("what is not supported", () => {
  const setup = bakery;
  const action = search("rye");
  test.each([
    ["a need", { setup, action, expect: { count: 3 }, needs: ["sort", "teleport"] }, "needs teleport"],
    ["a step", { setup: [{ op: "levitate", session: "loaf" }], action, expect: { count: 3 } }, "levitate"],
    ["a key of a message", { setup: [user("loaf", "rye", { mood: "glad" })], action, expect: { count: 1 } }, "mood"],
    [
      "a key of a step",
      { setup: [...setup, { op: "delete_session", session: "loaf", softly: true }], action, expect: { count: 1 } },
      "softly",
    ],
    [
      "a block",
      { setup: [{ session: "a", role: "user", content: [{ type: "hologram" }] }], action, expect: { count: 0 } },
      "setup[0].content.0",
    ],
    [
      "a property of a message",
      { setup: [user("loaf", "rye", { whispered: true })], action, expect: { count: 0 } },
      "whispered",
    ],
    [
      "a format",
      { setup: [{ op: "import", format: "papyrus", path: "a.jsonl", lines: [] }], action, expect: { count: 0 } },
      "papyrus",
    ],
    ["a tool", { setup, action: { tool: "divine", args: {} }, expect: { count: 3 } }, "the tool divine"],
    ["an argument", { setup, action: search("rye", { volume: 11 }), expect: { count: 3 } }, "volume"],
    ["an end without a zone", { setup, action: search("rye", { until: "7d" }), expect: { count: 3 } }, "until"],
    [
      "a caller",
      {
        setup,
        action: { ...action, as: { session: "loaf", visibility: "all", sandboxed: true } },
        expect: { count: 3 },
      },
      "sandboxed",
    ],
    [
      "a visibility",
      { setup, action: { ...action, as: { session: "loaf", visibility: "psychic" } }, expect: { count: 3 } },
      "visibility",
    ],
    ["an expectation", { setup, action, expect: { count: 3, pleasantness: 1 } }, "pleasantness"],
    ["an expectation of Object's", { setup, action, expect: { count: 3, toString: 1 } }, "toString"],
    ["an expectation's value", { setup, action, expect: { count: "three" } }, "expect.count"],
    [
      "an expectation of another tool",
      { setup, action: history("loaf"), expect: { snippetNotContains: ["x"] } },
      "says nothing about history",
    ],
    ["a flag", { setup, action, expect: { flag: "sparkling" } }, "expect.flag"],
    ["an empty expectation", { setup, action, expect: {} }, "expects nothing"],
    ["a key of the case", { setup, action, expect: { count: 3 }, aside: "x" }, "aside"],
    [
      "a sequence with too few expectations",
      { setup, action: { tool: "sequence", args: { steps: [action, action] } }, expect: { steps: [{ count: 3 }] } },
      "1 for 2",
    ],
    [
      "an expectation beside the steps",
      { setup, action: { tool: "sequence", args: { steps: [action] } }, expect: { steps: [{ count: 3 }], count: 3 } },
      "count",
    ],
    [
      "an expectation of a step",
      { setup, action: { tool: "sequence", args: { steps: [{ op: "reopen" }] } }, expect: { steps: [{ count: 3 }] } },
      "nothing can be expected",
    ],
  ])("%s counts as not run, with the reason", async (_, given, reason) => {
    const result = await run(given);
    expect(result.outcome).toBe("not run");
    expect(result.reasons.join()).toContain(reason);
  });
});

describe("the file", () => {
  const row = '{"id":"a","kind":"k","level":"must","action":{},"expect":{}}';
  test("blank lines, CRLF and a byte-order mark do no harm", () => {
    expect(readRows(`\uFEFF${row}\r\n\r\n`).map(({ id }) => id)).toEqual(["a"]);
  });

  test.each([
    ["a broken line", `${row}\n{"id":`, /line 2 is not JSON/],
    ["a row without an id", '{"kind":"k","level":"must"}', /line 1 is no case: id/],
    ["an unknown level", row.replace("must", "perhaps"), /line 1 is no case: level/],
    ["an id that is there twice", `${row}\n${row}`, /line 2: the id a is there twice/],
  ])("%s is an error, not a case less", (_, text, message) => {
    expect(() => readRows(text)).toThrow(message);
  });
});

describe("the tally", () => {
  const result = (id: string, outcome: Result["outcome"]): Result => ({
    id,
    kind: id.slice(0, 1),
    level: "must",
    outcome,
    reasons: [],
    ms: 1,
  });
  const known = new Map([
    ["K1", topics[0]],
    ["K2", topics[1]],
    ["K3", topics[2]],
  ]);
  const judged = (...results: Result[]) => results.map((each) => judgeResult(each, known));

  test("a listed failure is known, a listed pass is an error, an unlisted failure is one", () => {
    const all = judged(
      result("K1", "failed"),
      result("K2", "passed"),
      result("K3", "not run"),
      result("A1", "failed"),
      result("A2", "passed"),
    );
    expect(all.map(({ verdict }) => verdict)).toEqual(["known", "mended", "notRun", "failed", "passed"]);
    expect(figuresOf(all)).toEqual({ cases: 5, passed: 1, failed: 1, known: 1, mended: 1, notRun: 1, ms: 5 });
    expect(perKind(all).map(({ kind, figures }) => [kind, figures.cases])).toEqual([
      ["K", 3],
      ["A", 2],
    ]);
  });

  // SPEC 12.3
  test.each([
    ["passes", [result("A1", "passed"), result("K1", "failed"), result("A2", "not run")], false],
    ["fails on an unlisted failure", [result("A1", "passed"), result("A2", "failed")], true],
    ["fails on a listed case that passes", [result("A1", "passed"), result("K2", "passed")], true],
    ["fails when nothing was run", [result("A1", "not run")], true],
    ["fails when there are no cases", [], true],
  ])("a run %s", (_, results, short) => {
    expect(fallsShort(figuresOf(judged(...results)))).toBe(short);
  });

  test("each known failure names a topic", () => {
    for (const topic of knownFailures.values()) expect(topics).toContain(topic);
  });
});

// SPEC 12.2, 12.3
describe("npm run cases", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "backscroll-cases-test-"));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  const good = {
    id: "own-1",
    kind: "own",
    level: "must",
    setup: [user("a", "plum")],
    action: search("plum"),
    expect: { count: 1 },
  };
  const bad = { ...good, id: "own-2", level: "should", expect: { count: 2 } };
  const strange = { ...good, id: "own-3", level: "stretch", needs: ["teleport"] };

  function cases(rows: readonly Json[], ...flags: string[]): { code: number; lines: string[] } {
    const file = join(folder, "cases.jsonl");
    writeFileSync(file, rows.map((each) => JSON.stringify(each)).join("\n"));
    return start([file, ...flags]);
  }

  function start(args: readonly string[]): { code: number; lines: string[] } {
    const script = fileURLToPath(new URL("../cases/run.ts", import.meta.url));
    const lines = (out: string) => out.trimEnd().split("\n");
    try {
      return {
        code: 0,
        lines: lines(
          execFileSync(process.execPath, [script, ...args], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }),
        ),
      };
    } catch (error) {
      const { status, stdout } = error as { status: number; stdout: string };
      return { code: status, lines: lines(stdout) };
    }
  }

  test("ends with the figures, and with 1 when a case fails", () => {
    const { code, lines } = cases([good, bad, strange]);
    expect(code).toBe(1);
    expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({
      cases: 3,
      passed: 1,
      failed: 1,
      known: 0,
      mended: 0,
      notRun: 1,
    });
    expect(lines.join("\n")).toMatch(/FAILED {3}own-2 {2}own, should\n.*search .*plum.*\n.*count: wanted 2, came 1/);
    expect(lines.join("\n")).toContain("not run  own-3  own, stretch: needs teleport");
    expect(lines.join("\n")).not.toContain("own-1");
  });

  test("--level leaves out what is less than that", () => {
    const { code, lines } = cases([good, bad, strange], "--level", "must");
    expect(code).toBe(0);
    expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({ cases: 1, passed: 1 });
    expect(JSON.parse(cases([good, bad, strange], "--level", "should").lines.at(-1) ?? "")).toMatchObject({ cases: 2 });
  });

  test("--json gives a line of JSON per case", () => {
    const { lines } = cases([good, bad, strange], "--json");
    const rows = lines.map((line) => JSON.parse(line) as Json);
    expect(rows.slice(0, 3).map(({ id, verdict }) => [id, verdict])).toEqual([
      ["own-1", "passed"],
      ["own-2", "failed"],
      ["own-3", "notRun"],
    ]);
    expect(rows).toHaveLength(4);
  });

  test("a file that can't be read, a broken line and a wrong flag are errors", () => {
    for (const args of [[join(folder, "nothing.jsonl")], [], ["--level", "perhaps", "x"], ["--colour"]]) {
      const { code, lines } = start(args);
      expect(code).toBe(2);
      expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({ cases: 0, passed: 0 });
    }
  });
});
