/** What of tool calls and results is picked out for the index (SPEC 3.7). */
import { describe, expect, test } from "vitest";
import { limits } from "../../../src/limits.ts";
import { isErrorLine, keptOfResult, keptOfValue, readOf, valuesOf } from "../../../src/text/tool-traffic.ts";

const kept = (text: string, isError = false) =>
  keptOfResult(text, isError).map(({ start, end }) => text.slice(start, end));
const filler = (lines: number) => Array.from({ length: lines }, (_, at) => `plain output number ${at}\n`).join("");

describe("values of a call (SPEC 3.7)", () => {
  test("strings at any depth, not keys and not numbers; a list of strings is one command line", () => {
    const given = {
      command: ["git", "show", "HEAD"],
      options: { cwd: "/srv/weir", depth: 3, dry: true },
      edits: [{ path: "a.ts" }],
    };
    expect(valuesOf(given)).toEqual([
      { name: "command", value: "git show HEAD" },
      { name: "cwd", value: "/srv/weir" },
      { name: "path", value: "a.ts" },
    ]);
  });

  test("a path comes before the file that is written to it", () => {
    const values = valuesOf({ content: "x ".repeat(5000), file_path: "src/weir.ts" });
    expect(values.map(({ name }) => name)).toEqual(["file_path", "content"]);
  });

  test("nested without end: it ends", () => {
    let given: object = { path: "deep" };
    for (let depth = 0; depth < 100; depth++) given = { given };
    expect(valuesOf(given as never)).toEqual([]);
  });

  test("a long value is kept by its start and its paths, and what was kept before leaves less room", () => {
    const long = `${filler(100)}import { gate } from "../sluice/gate.ts";\n${filler(100)}`;
    const pieces = keptOfValue(long, 0).map(({ start, end }) => long.slice(start, end));
    expect(pieces[0]?.length).toBeLessThanOrEqual(limits.toolStart.default);
    expect(pieces.slice(1)).toEqual(["../sluice/gate.ts"]);
    expect(keptOfValue(long, limits.toolText.default)).toEqual([]);
  });
});

describe("lines of a result (SPEC 3.7)", () => {
  test("a short one is kept whole", () => {
    expect(kept("3 files changed")).toEqual(["3 files changed"]);
  });

  test("of a long one its start, its error lines and its paths, each path once", () => {
    const text = `${filler(60)}TypeError: gate is not a function\n${filler(60)}at src/sluice/gate.ts:41\nat src/sluice/gate.ts:90\n${filler(60)}`;
    const [start, ...rest] = kept(text);
    expect(text.startsWith(start ?? "-")).toBe(true);
    expect(rest).toEqual(["TypeError: gate is not a function", "src/sluice/gate.ts"]);
  });

  test("whatever it holds, what is kept is bounded", () => {
    const hostile = [
      "error ".repeat(100_000),
      "error: no\n".repeat(50_000),
      Array.from({ length: 20_000 }, (_, at) => `/srv/a${at}/b.ts`).join("\n"),
      "/".repeat(200_000),
      "a/".repeat(200_000),
      "\u{1f6b0}".repeat(50_000),
      "",
    ];
    const most = limits.toolText.default + limits.toolPaths.default;
    for (const text of hostile) {
      for (const isError of [false, true]) {
        const pieces = kept(text, isError);
        expect(pieces.join("").length, text.slice(0, 10)).toBeLessThanOrEqual(most);
        for (const piece of pieces) expect(piece.isWellFormed(), text.slice(0, 10)).toBe(true);
      }
    }
  });

  test("what a failed call says is kept up to the whole bound", () => {
    const text = filler(60);
    expect(kept(text, true)[0]?.length).toBeGreaterThan(limits.toolStart.default);
  });

  test("an endless result is read to a blank, and data without one not at all", () => {
    const text = "word ".repeat(100_000);
    expect(readOf(text).length).toBeLessThanOrEqual(limits.toolRead.default);
    expect(text[readOf(text).length]).toBe(" ");
    expect(readOf("x".repeat(limits.toolRead.default + 1))).toBe("");
  });
});

test.each([
  ["error: linker `cc` not found", true],
  ["FAIL test/gate.test.ts > opens", true],
  ["java.lang.NullPointerException", true],
  ["open ENOENT /srv/weir", true],
  ["gate.ts(19,5): TS2345", true],
  ["Command exited with code 2", true],
  ["bash: jq: command not found", true],
  ["thread 'main' panicked at src/main.rs:4", true],
  ["each gate even opens", false],
  ["exit code 0", false],
  ["export const terror = 1;", false],
  ["all 12 gates open", false],
])("is it an error line: %s", (line, wanted) => {
  expect(isErrorLine(line)).toBe(wanted);
});
