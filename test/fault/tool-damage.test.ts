/** Damage to the index of tool calls and results: named row by row, repaired from the transcripts (SPEC 2.8, 3.7). */
import { beforeAll, expect, test } from "vitest";
import { type Backscroll, open } from "../../src/index.ts";
import { rowOf } from "../../src/store/index-row.ts";
import { copyStore, file, tamper } from "../helpers/damaged-store.ts";
import { call, key, result, user } from "../helpers/entries.ts";
import { temporaryFolder } from "../helpers/temporary.ts";

let base = "";
const first = 16_777_216;

beforeAll(async () => {
  const { mkdtempSync } = await import("node:fs");
  const { tmpdir } = await import("node:os");
  base = mkdtempSync(`${tmpdir()}/backscroll-test-`);
  const home = open({ home: base, index: { tools: true }, timeZone: "UTC" });
  home
    .store("main")
    .append(key("a"), [
      user("m0", "go on"),
      ...Array.from({ length: 40 }, (_, at) => [
        call(`c${at}`, { command: `open sluice${at}` }),
        result(`r${at}`, `gate ${at} of weir${at}: permission denied`),
      ]).flat(),
    ]);
  await home.settle();
  home.close();
});

function damaged(statements: string): Backscroll {
  const folder = temporaryFolder();
  copyStore(base, folder);
  tamper(file(folder), (db) => db.exec(statements));
  return open({ home: folder, timeZone: "UTC" });
}

async function worth(home: Backscroll): Promise<string[]> {
  const found: string[] = [];
  for (const query of ["sluice7", "weir11", "denied", "gate"]) {
    const { results } = await home.search({ query, includeTools: true, limit: 25, perSession: 25, waitMs: 60_000 });
    found.push(results.map(({ messageId, part, snippet }) => `${messageId} ${part} ${snippet}`).join("\n"));
  }
  return found;
}

test.each([
  ["a full-text row that is missing", `DELETE FROM tool_index WHERE rowid = ${rowOf(first + 3)}`, "missing-message"],
  ["a row that is missing in the map", `DELETE FROM tool_messages WHERE no = ${first + 3}`, "missing-message"],
  [
    "a full-text row too many",
    `INSERT INTO tool_index (rowid, text, parts, stems) VALUES (${rowOf(first)}, 'heron', '', '')`,
    "extra-message",
  ],
  [
    "a full-text row of no entry",
    "INSERT INTO tool_index (rowid, text, parts, stems) VALUES (99999999999, 'heron', '', '')",
    "extra-message",
  ],
  ["a map row too many", `INSERT INTO tool_messages VALUES (${first}, 'user', 1, 1, 1)`, "extra-message"],
  [
    "other words",
    `DELETE FROM tool_index WHERE rowid = ${rowOf(first + 3)}; INSERT INTO tool_index (rowid, text, parts, stems) VALUES (${rowOf(first + 3)}, 'heron', '', '')`,
    "stale-message",
  ],
  ["another role", `UPDATE tool_messages SET role = 'user' WHERE no = ${first + 3}`, "stale-message"],
  ["wrong counters", "UPDATE tool_totals SET tokens = tokens + 1", "wrong-counter"],
  ["no structure", "DELETE FROM tool_index_data WHERE id = 10", "damaged-search-index"],
  ["no table", "DROP TABLE tool_messages", "schema-object"],
])("%s", async (_, statements, code) => {
  const whole = open({ home: base, timeZone: "UTC" });
  const wanted = await worth(whole);
  whole.close();
  expect(wanted.every((each) => each !== "")).toBe(true);
  const home = damaged(statements);
  const before = await home.doctor();
  expect(before.findings.map((finding) => finding.code)).toContain(code);
  const after = await home.doctor({ fix: true });
  expect(after.findings.filter(({ severity }) => severity === "fault")).toEqual([]);
  expect(await worth(home)).toEqual(wanted);
  home.close();
});

test("a file that is put together anew still indexes tools", async () => {
  const home = damaged("UPDATE entries SET body = body");
  const { path } = home.store("main").db;
  home.close();
  const { readFileSync, writeFileSync } = await import("node:fs");
  const bytes = readFileSync(path);
  // A page of the tree of entries: its kind is none.
  const page = bytes.indexOf("weir20:");
  bytes[Math.floor(page / 4096) * 4096] = 0x63;
  writeFileSync(path, bytes);
  const again = open({ home: path.slice(0, path.indexOf("/agents/")), timeZone: "UTC" });
  const report = await again.doctor({ fix: true });
  expect(report.repairs?.map(({ what }) => what).join()).toContain("copied into a new file");
  expect(again.toolIndexes().agents).toEqual({ main: true });
  again.close();
});
