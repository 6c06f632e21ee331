/** `npm run eval` as a process: last line of JSON, exit codes, and what it says of sets that are wrong (SPEC 12.1, 12.3). */
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { judge } from "../../eval/judged-answer.ts";
import { BadInput } from "../../eval/judged-query.ts";
import { openSet } from "../../eval/judged-set.ts";
import { temporaryFolder } from "../helpers/temporary.ts";

const program = resolve(import.meta.dirname, "../../eval/run.ts");

function evaluate(...args: readonly string[]) {
  const { stdout, stderr, status } = spawnSync(process.execPath, [program, ...args], { encoding: "utf8" });
  const last = stdout.trimEnd().split("\n").at(-1) ?? "";
  return { status, stdout, stderr, figures: JSON.parse(last) as Record<string, never> };
}

const said = (session: string, id: string, role: string, text: string, timestamp: string) => ({
  type: "message",
  sessionKey: `agent:${session}`,
  id,
  role,
  text,
  timestamp,
});
const sessions = [
  said("u1:hut", "m1", "user", "The saltmarsh hut needs a new stove.", "2026-03-01T10:00:00Z"),
  said("u1:hut", "m2", "assistant", "A stove for the saltmarsh hut: the small one.", "2026-03-01T10:01:00Z"),
  said("u2:boat", "m1", "user", "The saltmarsh ferry is late.", "2026-03-09T10:00:00Z"),
];
const relevant = [{ sessionKey: "agent:u1:hut", messageId: "m1", grade: 1 }];

function set(queries: readonly object[] | string, transcripts: readonly object[] = sessions): string {
  const folder = join(temporaryFolder(), "marsh");
  mkdirSync(folder);
  const lines = (all: readonly object[]) => all.map((one) => `${JSON.stringify(one)}\n`).join("");
  writeFileSync(join(folder, "sessions.jsonl"), lines(transcripts));
  writeFileSync(join(folder, "queries.jsonl"), typeof queries === "string" ? queries : lines(queries));
  return folder;
}

describe("a judged set (SPEC 12.1, 12.3)", () => {
  test("figures per kind and part; a query that nothing answers is judged by its confidence", () => {
    const folder = set([
      { id: "1", kind: "word", query: "stove hut", relevant, split: "tune" },
      { id: "2", kind: "nothing", query: "zeppelin", relevant: [] },
      { id: "3", kind: "nothing", query: "ferry", relevant: [] },
    ]);
    const { status, figures, stdout } = evaluate("--dataset", folder);
    expect(status).toBe(0);
    expect(figures).toMatchObject({
      set: "marsh",
      all: { n: 3, session: { r1: 100 }, message: { r5: 100 }, empty: 0, falseAnswers: 50 },
      kinds: { word: { n: 1, message: { r5: 100 } }, nothing: { n: 2, message: null } },
      splits: { tune: { n: 1 } },
    });
    expect(stdout).toContain("sessions, %");
  });

  test("`as` is the caller and `now` the clock; `--agent` asks as one where a query does not", () => {
    const query = { kind: "word", query: "saltmarsh", relevant: [{ sessionKey: "agent:u2:boat", grade: 1 }] };
    const folder = set([
      { ...query, id: "1", kind: "as", as: { agentId: "u2", visibility: "agent" } },
      { ...query, id: "2", kind: "owner" },
      { ...query, id: "3", kind: "now", query: "saltmarsh after:2d", now: "2026-03-10T00:00:00Z" },
    ]);
    const shown = evaluate("--dataset", folder, "--json")
      .stdout.split("\n")
      .slice(0, 3)
      .map((line) => (JSON.parse(line) as { order: string[] }).order);
    expect(shown.map((order) => order.length)).toEqual([1, 3, 1]);
    const { figures } = evaluate("--dataset", folder, "--agent", "u1");
    expect(figures).toMatchObject({ kinds: { as: { empty: 0 }, owner: { session: { r10: 0 } }, now: { empty: 100 } } });
  });

  test("a session that is labelled without a message counts for sessions alone", () => {
    const folder = set([{ id: "1", kind: "k", query: "stove", relevant: [{ sessionKey: "agent:u1:hut" }] }]);
    expect(evaluate("--dataset", folder).figures).toMatchObject({ all: { message: null, session: { r1: 100 } } });
  });

  test("falling short of a baseline is exit code 1", () => {
    const folder = set([{ id: "1", kind: "word", query: "stove hut", relevant }]);
    const baseline = join(temporaryFolder(), "baseline.json");
    const keep = (messageR5: number) =>
      writeFileSync(
        baseline,
        JSON.stringify({ marsh: { word: { n: 1, messageR5, sessionR1: 100, falseAnswers: null } } }),
      );
    keep(100);
    expect(evaluate("--dataset", folder, "--baseline", baseline).status).toBe(0);
    writeFileSync(
      join(folder, "queries.jsonl"),
      `${JSON.stringify({ id: "1", kind: "word", query: "ferry", relevant })}\n`,
    );
    const fallen = evaluate("--dataset", folder, "--baseline", baseline);
    expect(fallen.status).toBe(1);
    expect(fallen.figures).toMatchObject({ fallen: [expect.stringContaining("R@5 was 100, is 0"), expect.anything()] });
  });

  test("among generated messages (`--mix`)", () => {
    const folder = set([{ id: "1", kind: "word", query: "stove hut", relevant }]);
    const { status, figures } = evaluate("--dataset", folder, "--mix", "600");
    expect(status).toBe(0);
    expect(figures).toMatchObject({ mix: 600, all: { message: { r10: 100 } } });
    expect(figures).toHaveProperty("unbounded");
  });
});

describe("what is wrong with a set is said, with exit code 2 and a last line of JSON (SPEC 12.1, 12.3)", () => {
  const good = { id: "1", kind: "k", query: "stove", relevant };
  test.each([
    ["no such folder", () => join(temporaryFolder(), "nowhere"), "there is no sessions.jsonl"],
    ["no JSON", () => set(`${JSON.stringify(good)}\n{"id":`), "line 2: not JSON"],
    ["a missing field", () => set([{ ...good, query: undefined }]), "line 1: query"],
    ["a relevant that is no list", () => set([{ ...good, relevant: "all" }]), "line 1: relevant"],
    ["an id twice", () => set([good, good]), 'line 2: id "1" is that of line 1'],
    ["a caller without a name", () => set([{ ...good, as: { visibility: "agent" } }]), "line 1: as"],
    ["a clock that is none", () => set([{ ...good, now: "soon" }]), "line 1: now"],
    ["no query", () => set("\n"), "holds no query"],
    [
      "an unknown session",
      () => set([{ ...good, relevant: [{ sessionKey: "agent:u1:shed" }] }]),
      "no session agent:u1:shed",
    ],
    [
      "an unknown message",
      () => set([{ ...good, relevant: [{ sessionKey: "agent:u1:hut", messageId: "m7" }] }]),
      "no message m7 in agent:u1:hut",
    ],
    ["no transcripts", () => set([good], [{ type: "session", sessionKey: "agent:u1:hut" }]), "no searchable message"],
    ["a query that is refused", () => set([{ ...good, query: "  " }]), "query 1 was refused"],
  ])("%s", async (_, folder, reason) => {
    const judged = openSet(folder()).then(async (opened) => {
      try {
        for (const query of opened.queries) await judge(opened, query);
      } finally {
        opened.close();
      }
    });
    await expect(judged).rejects.toThrow(BadInput);
    await expect(judged).rejects.toThrow(reason);
  });

  test("the process says it without a stack", () => {
    const { status, stderr, figures } = evaluate("--dataset", set([good, good]));
    expect([status, Object.keys(figures)]).toEqual([2, ["error"]]);
    expect(stderr).toContain('line 2: id "1"');
    expect(stderr).not.toContain("    at ");
  });

  test.each([[["--colour"]], [["--mix", "5"]], [["--dataset", "x", "--save"]]])("flags %j", (args) => {
    const { status, figures } = evaluate(...args);
    expect([status, Object.keys(figures)]).toEqual([2, ["error"]]);
  });
});

test("known items of any folder that an import reads (SPEC 12.1)", () => {
  const folder = set("", [
    said("u1:hut", "m1", "user", "Please rename holdSeats in src/booking/hold.ts", "2026-03-01T10:00:00Z"),
    said("u1:hut", "m2", "assistant", "Done, see #1234.", "2026-03-01T10:01:00Z"),
  ]);
  const { status, figures, stdout } = evaluate("--known-items", folder);
  expect(status).toBe(0);
  expect(figures).toMatchObject({
    messages: 2,
    masked: 0,
    byForm: { "as typed": { n: 3, first5: 100, mrr: 100, empty: 0 } },
  });
  expect(stdout).toContain("in the first 5, %");
  expect(evaluate("--known-items", join(temporaryFolder(), "nowhere")).status).toBe(2);
});
