/**
 * Rows that are gone, and a leaf that is another: nothing in the file is damaged that SQLite could see. The doctor names
 * them, keeps the tree as it was, and what a source still has comes back where it was.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { type Backscroll, builtInSources, type DoctorReport, open } from "../../src/index.ts";
import { copyStore, file, fillStore, tamper, worth } from "../helpers/damaged-store.ts";
import { key, user } from "../helpers/entries.ts";
import { temporaryFolder } from "../helpers/temporary.ts";

let sound: string;
let wanted: Awaited<ReturnType<typeof worth>>;
/** Of every entry: its number and parent. */
let parents: Map<number, number | null>;

beforeAll(async () => {
  sound = mkdtempSync(join(tmpdir(), "backscroll-sound-"));
  await fillStore(sound);
  const store = open({ home: sound, timeZone: "UTC" });
  wanted = await worth(store);
  parents = treeOf(store);
  store.close();
});
afterAll(() => rmSync(sound, { recursive: true, force: true }));

function damaged(sql: string): Backscroll & { readonly folder: string } {
  const home = temporaryFolder();
  tamper(copyStore(sound, home), (db) => db.exec(sql));
  const store = open({ home, timeZone: "UTC" });
  onTestFinished(() => store.close());
  return Object.assign(store, { folder: home });
}

function treeOf(store: Backscroll): Map<number, number | null> {
  const rows = store.store("main").db.prepare("SELECT no, parent FROM entries ORDER BY no").all();
  return new Map(rows.map(({ no, parent }) => [Number(no), parent as number | null]));
}

const codes = ({ findings }: DoctorReport) => findings.map(({ code }) => code);
const first = 16_777_216;

/** Which lines of what was said are gone; none may be new but the places of lost ones. */
function expectOnlyLost(now: Awaited<ReturnType<typeof worth>>, most: number): void {
  const [was, is] = [wanted, now].map(({ said }) =>
    said.filter((line) => !line.includes('"entryType":"lost"')).map(bare),
  );
  expect(is?.filter((line) => !was?.includes(line))).toEqual([]);
  expect(was?.filter((line) => !is?.includes(line)).length).toBeLessThanOrEqual(most);
  const hits = now.found.flat();
  expect(new Set(wanted.found.flat().filter((hit) => !hits.includes(hit))).size).toBeLessThanOrEqual(most);
}

/** A parent by its id, which is gone where the parent is; and who hangs beside the branch follows from the other rows. */
const bare = (line: string) => line.replace(/,"parentId":"[^"]*"/, "");

describe("a row of entries that is gone (SPEC 2.15)", () => {
  test.each([
    ["in the middle of the branch", "DELETE FROM entries WHERE id = 'cliff40'"],
    ["at the end of a branch that was left", "DELETE FROM entries WHERE id = 'brook149'"],
    ["where branches part", "DELETE FROM entries WHERE id = 'brook99'"],
    ["at the root", "DELETE FROM entries WHERE id = 'dune0'"],
    ["at the leaf", "DELETE FROM entries WHERE id = 'meadow59'"],
  ])("%s: named, its place kept, and its children below their parent", async (_what, sql) => {
    const store = damaged(sql);
    const [gone = 0] = [...parents.keys()].filter((no) => !treeOf(store).has(no));
    const before = await store.doctor();
    expect(before.healthy).toBe(false);
    const finding = before.findings.find(({ code }) => code === "missing-entry");
    expect(finding).toMatchObject({ count: 1, places: [expect.stringMatching(/^agent:main:\S+: place \d+$/)] });
    expect(codes(before)).not.toContain("wrong-parent");
    expect(finding?.places[0]).toContain(`place ${gone % first}`);
    const after = await store.doctor({ fix: true });
    expect([after.healthy, codes(after)]).toEqual([true, ["lost-entry"]]);
    const tree = treeOf(store);
    for (const [no, parent] of parents) if (no !== gone) expect(tree.get(no)).toBe(parent);
    expect(tree.has(gone)).toBe(true);
    expectOnlyLost(await worth(store), 1);
    // Known by now: nothing more is done about it.
    expect((await store.doctor({ fix: true })).repairs).toEqual([]);
  });

  test("ten thousand of them are one line", async () => {
    const home = temporaryFolder();
    const writer = open({ home, durability: "normal", timeZone: "UTC" });
    writer.store("main").append(
      key("long"),
      Array.from({ length: 12_000 }, (_, at) => user(`m${at}`, `long ${at}`)),
    );
    await writer.settle();
    writer.close();
    tamper(file(home), (db) => db.exec(`DELETE FROM entries WHERE no BETWEEN ${first + 1000} AND ${first + 10_999}`));
    const store = open({ home, timeZone: "UTC" });
    onTestFinished(() => store.close());
    const finding = (await store.doctor()).findings.find(({ code }) => code === "missing-entry");
    expect(finding).toMatchObject({ count: 10_000, places: [`${key("long")}: places 1000 to 10999`] });
    const report = await store.doctor({ fix: true });
    expect([report.healthy, codes(report)]).toEqual([true, ["lost-entry"]]);
    const found = await store.search({ query: "long", limit: 25, perSession: 25, sort: "oldest" });
    expect(found.results.map(({ messageId }) => messageId)).toContain("m0");
    expect((await store.search({ query: '"long 999"' })).results.map(({ messageId }) => messageId)).toEqual(["m999"]);
  }, 60_000);

  test("the index of ids still knows it: its id comes back", async () => {
    const store = damaged(`
      PRAGMA writable_schema = ON;
      CREATE TABLE kept AS SELECT * FROM sqlite_schema WHERE name = 'entries_by_id';
      DELETE FROM sqlite_schema WHERE name = 'entries_by_id';
    `);
    store.close();
    const path = file(store.folder);
    tamper(path, (db) => db.exec("DELETE FROM entries WHERE id = 'cliff40'"));
    tamper(path, (db) => {
      db.exec("PRAGMA writable_schema = ON; INSERT INTO sqlite_schema SELECT * FROM kept");
      db.exec("DELETE FROM sqlite_schema WHERE name = 'kept'");
    });
    const again = open({ home: store.folder, timeZone: "UTC" });
    onTestFinished(() => again.close());
    expect(codes(await again.doctor())).toEqual(expect.arrayContaining(["missing-entry"]));
    const report = await again.doctor({ fix: true });
    expect([report.healthy, codes(report)]).toEqual([true, ["lost-entry"]]);
    const { db } = again.store("main");
    const no = [...parents.keys()].find((each) => each === first * 2 + 40);
    expect(db.prepare("SELECT id, type FROM entries WHERE no = :no").get({ no: no ?? 0 })).toEqual({
      id: "cliff40",
      type: "lost",
    });
  });

  test("what a source still has comes back where it was", async () => {
    const folder = temporaryFolder();
    const lines = Array.from({ length: 60 }, (_, at) => {
      const record = {
        type: "message",
        sessionKey: key("src"),
        id: `s${at}`,
        role: "user",
        timestamp: 1_760_000_000_000 + at,
      };
      return JSON.stringify({ ...record, text: `sourced ${at}` });
    });
    writeFileSync(join(folder, "talk.jsonl"), `${lines.join("\n")}\n`);
    const home = temporaryFolder();
    const roots = builtInSources.filter(({ id }) => id === "jsonl").map((source) => ({ source, folder }));
    const store = open({ home, timeZone: "UTC" });
    await store.import(roots);
    const before = [...store.export({ reveal: true })];
    store.close();
    for (const gone of ["no % 16777216 = 20", "no % 16777216 BETWEEN 30 AND 33", "no % 16777216 IN (0, 41, 43, 59)"]) {
      tamper(file(home), (db) => db.exec(`DELETE FROM entries WHERE ${gone}`));
      const again = open({ home, timeZone: "UTC" });
      const report = await again.doctor({ fix: true, roots });
      expect([report.healthy, codes(report)], gone).toEqual([true, []]);
      expect([...again.export({ reveal: true })], gone).toEqual(before);
      expect((await again.search({ query: "sourced", limit: 25, perSession: 25 })).results.length).toBe(25);
      expect((await again.search({ query: '"sourced 20"' })).results.length).toBe(1);
      again.close();
    }
  });

  test("any row, or a few: named, and the rest is as it was", async () => {
    const all = [...parents.keys()];
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.nat({ max: all.length - 1 }), { minLength: 1, maxLength: 4 }),
        async (picked) => {
          const numbers = picked.map((at) => all[at] ?? 0);
          const store = damaged(`DELETE FROM entries WHERE no IN (${numbers.join(", ")})`);
          const finding = (await store.doctor()).findings.find(({ code }) => code === "missing-entry");
          expect(finding?.count).toBe(numbers.length);
          const report = await store.doctor({ fix: true });
          expect([report.healthy, codes(report)]).toEqual([true, ["lost-entry"]]);
          const tree = treeOf(store);
          for (const [no, parent] of parents) if (!numbers.includes(no)) expect(tree.get(no)).toBe(parent);
          expectOnlyLost(await worth(store), numbers.length);
          store.close();
        },
      ),
      { numRuns: 12 },
    );
  }, 120_000);
});

describe("a leaf that the flags contradict (SPEC 2.16)", () => {
  test.each([
    ["an entry of the branch", "cliff40"],
    ["an entry of a branch that was left", "brook120"],
  ])("%s: the leaf goes back, and no flag changes", async (_what, id) => {
    const store = damaged(`
      UPDATE transcripts SET leaf = (SELECT no FROM entries WHERE id = '${id}')
      WHERE no = (SELECT no >> 24 FROM entries WHERE id = '${id}')
    `);
    const before = await store.doctor();
    expect(codes(before)).toEqual(["wrong-leaf"]);
    expect(before.findings[0]?.places[0]).toMatch(new RegExp(`entry ${id}, its entries say entry \\w+$`));
    const after = await store.doctor({ fix: true });
    expect([after.healthy, codes(after)]).toEqual([true, []]);
    expect(after.repairs?.map(({ what }) => what)).toEqual(["transcripts that end again where their flags lead"]);
    expect(await worth(store)).toEqual(wanted);
  });

  test.each(["NULL", "2 * 16777216 + 9000", "1"])("%s: the same", async (leaf) => {
    const store = damaged(`UPDATE transcripts SET leaf = ${leaf} WHERE no = 1`);
    expect(codes(await store.doctor())).toEqual(["wrong-leaf"]);
    expect((await store.doctor({ fix: true })).healthy).toBe(true);
    expect(await worth(store)).toEqual(wanted);
  });

  test("flags that form no path, and a flag that the index contradicts: the leaf is followed", async () => {
    for (const flags of ["id IN ('meadow20', 'meadow40')", "id = 'meadow59'"]) {
      const store = damaged(`UPDATE entries SET active = 0 WHERE ${flags}`);
      expect(codes(await store.doctor())).toContain("wrong-flag");
      expect((await store.doctor({ fix: true })).healthy).toBe(true);
      expect(await worth(store)).toEqual(wanted);
    }
  });

  test("where a transcript waits for indexing, its flags say nothing", async () => {
    const store = damaged(`
      UPDATE transcripts SET leaf = (SELECT no FROM entries WHERE id = 'cliff40') WHERE no = 2;
      INSERT INTO dirty (transcript, "from", "to", reason) SELECT 2, 2 << 24, (2 << 24) + next - 1, 'branch' FROM transcripts WHERE no = 2;
    `);
    expect(codes(await store.doctor())).toEqual(["pending"]);
  });
});
