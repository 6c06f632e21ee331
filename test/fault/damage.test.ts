/**
 * Damage of every kind: the doctor names it, `--fix` repairs it from the transcripts, real searches work afterwards, and
 * what could be read is still there (SPEC 2.8). Cases X07, X09, X13, X15 and Y10 of the collected faults.
 */

import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import {
  type Backscroll,
  BackscrollError,
  builtInSources,
  type DoctorReport,
  open,
  toEntryId,
} from "../../src/index.ts";
import type { Database } from "../../src/store/driver.ts";
import { openNodeDriver } from "../../src/store/driver-node.ts";
import { rowOf, rowSql } from "../../src/store/index-row.ts";
import { copyStore, file, fillStore, flip, tamper, worth } from "../helpers/damaged-store.ts";
import { assistant, key, user } from "../helpers/entries.ts";
import { temporaryFolder } from "../helpers/temporary.ts";

let sound: string;
let wanted: Awaited<ReturnType<typeof worth>>;

beforeAll(async () => {
  sound = mkdtempSync(join(tmpdir(), "backscroll-sound-"));
  await fillStore(sound);
  const store = open({ home: sound, timeZone: "UTC" });
  wanted = await worth(store);
  store.close();
  tamper(file(sound), (db) => db.exec("PRAGMA wal_checkpoint(TRUNCATE)"));
});
afterAll(() => rmSync(sound, { recursive: true, force: true }));

/** A copy of the sound store, damaged before it is opened. */
function damaged(damage: (path: string) => void): Backscroll & { readonly folder: string } {
  const home = temporaryFolder();
  damage(copyStore(sound, home));
  const store = open({ home, timeZone: "UTC" });
  onTestFinished(() => store.close());
  return Object.assign(store, { folder: home });
}

const codes = ({ findings }: DoctorReport) => findings.map(({ code }) => code);

/** Names the damage, repairs it, and has everything again. */
async function expectMended(store: Backscroll, ...code: string[]): Promise<DoctorReport> {
  const before = await store.doctor();
  expect(before.healthy).toBe(false);
  expect(codes(before)).toEqual(expect.arrayContaining(code));
  const after = await store.doctor({ fix: true });
  expect(codes(after)).toEqual([]);
  expect(after.healthy).toBe(true);
  expect(await worth(store)).toEqual(wanted);
  return after;
}

const sql = (statements: string) => (path: string) => tamper(path, (db) => db.exec(statements));

test("a sound store is healthy, and was looked at (SPEC 2.8)", async () => {
  const report = await damaged(() => undefined).doctor();
  expect(report).toMatchObject({ healthy: true, findings: [] });
  const [agent] = report.agents;
  expect(agent?.checked.entries).toBeGreaterThan(800);
  expect(agent?.checked.messages).toBeGreaterThan(700);
  expect(agent?.checked.terms).toBeGreaterThan(10_000);
  expect(agent?.checked.searches).toBeGreaterThan(15);
});

describe("a flipped byte in each kind of page (SPEC 2.8)", () => {
  /** One page of each tree and kind, out of its middle. */
  function kinds(): { name: string; kind: string; page: number }[] {
    const db = openNodeDriver(file(sound), { readOnly: true, busyWait: 0 });
    const rows = db
      .prepare("SELECT name, pagetype AS kind, pageno AS page FROM dbstat ORDER BY name, kind, page")
      .all();
    const free = db.prepare("PRAGMA freelist_count").get()?.freelist_count;
    const first = openNodeDriver(file(sound), { readOnly: true, busyWait: 0 });
    first.close();
    db.close();
    expect(free).toBe(0);
    return [...Map.groupBy(rows, ({ name, kind }) => `${name} ${kind}`).values()].flatMap((group) => {
      const middle = group[Math.floor(group.length / 2)];
      return middle ? [{ name: String(middle.name), kind: String(middle.kind), page: Number(middle.page) }] : [];
    });
  }

  test("is named and repaired wherever it means anything", async () => {
    const all = kinds();
    const seen = new Set(all.map(({ name, kind }) => `${name} ${kind}`));
    for (const needed of [
      "entries internal",
      "entries leaf",
      "entries overflow",
      "sessions leaf",
      "messages leaf",
      "message_index_data internal",
      "message_index_data leaf",
      "message_index_docsize leaf",
      "entries_by_id leaf",
      "sqlite_schema leaf",
    ])
      expect(seen).toContain(needed);
    for (const { name, kind, page } of all) {
      for (const offset of [0, 3, 2500]) {
        const place = `${name} ${kind}, byte ${offset} of page ${page}`;
        const store = damaged((path) => flip(path, (page - 1) * 4096 + offset));
        const before = await store.doctor();
        const after = await store.doctor({ fix: true });
        expect(codes(after), place).toEqual([]);
        const now = await worth(store);
        if (before.healthy) expect(now, place).toEqual(wanted);
        // What lay on the damaged page of a long body is lost; everything else is as it was.
        const lost = wanted.said.filter((line) => !now.said.includes(line));
        expect(lost.length, place).toBeLessThanOrEqual(kind === "overflow" ? 1 : 0);
        if (lost.length === 0) expect(now.found, place).toEqual(wanted.found);
        store.close();
      }
    }
  }, 600_000);

  test("in the header: the file is put together again; one that another program's would have is left alone", async () => {
    for (const offset of [0, 16, 18, 28, 32, 44, 56]) {
      const store = damaged((path) => flip(path, offset, 0x40));
      const after = await store.doctor({ fix: true });
      expect(codes(after), `byte ${offset}`).toEqual([]);
      expect(await worth(store), `byte ${offset}`).toEqual(wanted);
      store.close();
    }
  }, 120_000);

  test("on the free list", async () => {
    const store = damaged((path) => {
      tamper(path, (db) => {
        db.exec("CREATE TABLE passing (text); INSERT INTO passing SELECT hex(zeroblob(9000)) FROM entries LIMIT 40");
        db.exec("DROP TABLE passing; PRAGMA wal_checkpoint(TRUNCATE)");
      });
      const trunk = readFileSync(path).readUInt32BE(32);
      flip(path, (trunk - 1) * 4096 + 4, 0x7f);
    });
    await expectMended(store, "damaged-pages");
  });
});

describe("the index (SPEC 2.8)", () => {
  test.each([
    [
      "a row that is missing in the full-text table",
      "DELETE FROM message_index WHERE rowid IN (SELECT id FROM message_index_docsize LIMIT 3)",
      "missing-message",
    ],
    [
      "a row that is missing in the row map",
      "DELETE FROM messages WHERE no IN (SELECT no FROM messages LIMIT 3)",
      "missing-message",
    ],
    [
      "a row too many",
      "INSERT INTO message_index (rowid, text, parts) VALUES (99999999999, 'heron0', '')",
      "extra-message",
    ],
    [
      "rows too many",
      `INSERT INTO message_index (rowid, text, parts) VALUES (${rowOf(16777217 + 100)}, 'heron0', ''); INSERT INTO messages VALUES (16777216 * 900 + 1, 'user', 1, 1, 1)`,
      "extra-message",
    ],
    [
      "other words",
      `DELETE FROM message_index WHERE rowid = ${rowOf(16777217)}; INSERT INTO message_index (rowid, text, parts) VALUES (${rowOf(16777217)}, 'brook message 1 outdated', '')`,
      "stale-message",
    ],
    [
      "words of a branch that was left",
      `INSERT INTO message_index (rowid, text, parts) SELECT ${rowSql("no")}, 'heron0', '' FROM entries WHERE id = 'brook120'; INSERT INTO messages SELECT no, role, timestamp, 1, 1 FROM entries WHERE id = 'brook120'`,
      "off-branch-message",
    ],
    ["another time", "UPDATE messages SET timestamp = timestamp + 5 WHERE no = 16777220", "stale-message"],
    ["another role", "UPDATE messages SET role = 'assistant' WHERE no = 16777216", "stale-message"],
    ["another copy group", "UPDATE messages SET copy = copy + 1 WHERE no = 16777216", "stale-message"],
    [
      "sizes that BM25 goes by",
      `UPDATE message_index_docsize SET sz = x'0101' WHERE id = ${rowOf(16777216)}`,
      "stale-message",
    ],
    [
      "a structure without segments, which FTS5's own check calls sound",
      "UPDATE message_index_data SET block = zeroblob(length(block)) WHERE id = 10",
      "stale-message",
    ],
    ["no structure", "DELETE FROM message_index_data WHERE id = 10", "damaged-search-index"],
    ["no averages", "DELETE FROM message_index_data WHERE id = 1", "search-failed"],
    ["settings of another version", "UPDATE message_index_config SET v = 9", "damaged-search-index"],
  ])("%s", async (_, statements, code) => {
    await expectMended(damaged(sql(statements)), code);
  });

  test("200 bytes of the largest segment overwritten (X07)", async () => {
    const store = damaged((path) =>
      tamper(path, (db) => {
        const row = db.prepare("SELECT id, block FROM message_index_data ORDER BY length(block) DESC LIMIT 1").get();
        const block = Buffer.from(row?.block as Uint8Array).fill(0xa7, 100, 300);
        db.prepare("UPDATE message_index_data SET block = :block WHERE id = :id").run({ id: Number(row?.id), block });
      }),
    );
    await expectMended(store);
  });

  test("a repair of an index that is out of step harms nothing (X09)", async () => {
    const store = damaged(
      sql(
        "DELETE FROM messages WHERE no BETWEEN 16777220 AND 16777230; UPDATE entries SET active = 0 WHERE no = 16777240",
      ),
    );
    await expectMended(store, "missing-message", "wrong-flag");
    const { db } = store.store("main");
    expect(db.prepare("PRAGMA integrity_check").all()).toEqual([{ integrity_check: "ok" }]);
  });

  test.each([
    "message_index",
    "messages",
    "dirty",
    "index_state",
    "message_index_docsize",
    "message_index_config",
    "message_index_idx",
  ])("%s dropped by hand: opening makes it again and search refills it (X13)", async (table) => {
    const store = damaged(sql(`DROP TABLE ${table}`));
    expect(await worth(store)).toEqual(wanted);
    expect(await store.doctor()).toMatchObject({ healthy: true, findings: [] });
  });

  test.each([
    "DROP TABLE message_index",
    "DROP TABLE messages",
    "DROP INDEX entries_active",
    "DROP TRIGGER message_added",
    "DROP INDEX sessions_by_time",
  ])("%s: named before anything opens it, and made again", async (statement) => {
    await expectMended(damaged(sql(statement)), "schema-object");
  });

  test("7 messages edited 50 times leave 7 rows behind (X15)", async () => {
    const store = open({ home: temporaryFolder(), timeZone: "UTC" });
    onTestFinished(() => store.close());
    const agent = store.store("main");
    agent.append(
      key("a"),
      Array.from({ length: 7 }, (_, at) => user(`m${at}`, `first words ${at}`)),
    );
    for (let edit = 0; edit < 50; edit++)
      for (let at = 0; at < 7; at++) agent.upsert(key("a"), user(`m${at}`, `edit ${edit} of ${at}`));
    const count = (table: string) => agent.db.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n;
    expect([count("message_index_docsize"), count("messages"), count("entries")]).toEqual([7, 7, 7]);
    expect(await store.doctor()).toMatchObject({ healthy: true });
  });

  test.each([
    ["damaged", "UPDATE message_index_data SET block = zeroblob(length(block)) WHERE id > 100"],
    ["without settings", "DELETE FROM message_index_config"],
    ["dropped", "DROP TABLE message_index"],
    ["without a row map", "DROP TABLE messages"],
  ])("a session can be deleted although the index is %s (Y10)", async (_, statements) => {
    const store = damaged(sql(statements));
    expect(store.store("main").deleteSession(key("cliff"))).toBe(true);
    expect((await store.doctor({ fix: true })).healthy).toBe(true);
    expect((await store.search({ query: "cliff message", match: "all" })).results).toEqual([]);
    expect((await store.sessions()).sessions.map(({ sessionKey }) => sessionKey)).not.toContain(key("cliff"));
    expect((await store.search({ query: "meadow message 12" })).results.length).toBeGreaterThan(0);
  });
});

describe("transcripts (SPEC 2.8)", () => {
  test.each([
    ["flags", "UPDATE entries SET active = 1 - active WHERE id IN ('brook3', 'brook120')", "wrong-flag"],
    ["counters", "UPDATE transcripts SET messages = messages + 3, next = 5 WHERE no = 2", "wrong-counter"],
    ["filing", "UPDATE entries SET shows = 16 WHERE id = 'dune5'", "wrong-facts"],
    ["a parent that is not there", "UPDATE entries SET parent = no + 7 WHERE id = 'dune9'", "wrong-parent"],
    ["a parent of another branch", "UPDATE entries SET parent = no - 40 WHERE id = 'dune90'", "changed-entry"],
    ["a time", "UPDATE entries SET timestamp = timestamp + 4096 WHERE id = 'dune9'", "changed-entry"],
    ["a role", "UPDATE entries SET role = 'assistant' WHERE id = 'dune8'", "changed-entry"],
    [
      "a changed letter",
      "UPDATE entries SET body = replace(body, 'dune message 7:', 'dune mezsage 7:') WHERE id = 'dune7'",
      "changed-entry",
    ],
    [
      "a letter that is none",
      "UPDATE entries SET body = replace(body, '{\"parts\"', '~\"parts\"') WHERE id = 'dune7'",
      "unreadable-entry",
    ],
    ["folded names", "UPDATE sessions SET title_folded = 'nothing', project_folded = NULL WHERE no = 1", "wrong-name"],
    [
      "an alias",
      "INSERT INTO aliases (transcript, id, entry) VALUES (2, 'nowhere', 2 * 16777216 + 9000000)",
      "wrong-alias",
    ],
    [
      "a dirty range",
      'INSERT INTO dirty (transcript, "from", "to", reason) VALUES (2, 1, 0, \'branch\')',
      "wrong-dirty",
    ],
    [
      "rows of nobody",
      "INSERT INTO aliases (transcript, id, entry) VALUES (77, 'x', NULL); INSERT INTO dirty (transcript, \"from\", reason) VALUES (78, 1, 'branch')",
      "orphan-row",
    ],
    ["marks of the file", "PRAGMA user_version = 1", "wrong-version"],
    ["marks of another program", "PRAGMA application_id = 7", "wrong-version"],
  ])("%s", async (_, statements, code) => {
    await expectMended(damaged(sql(statements)), code);
  });

  test("a leaf that is not there: the transcript ends at its newest entry", async () => {
    const store = damaged(sql("UPDATE transcripts SET leaf = leaf + 1000 WHERE no = 2"));
    await expectMended(store, "wrong-leaf");
  });

  test("entries and transcripts that lost what they belong to get something to belong to", async () => {
    const store = damaged(sql("DELETE FROM transcripts WHERE no = 2; DELETE FROM sessions WHERE no = 3"));
    expect(codes(await store.doctor())).toContain("orphan-row");
    expect((await store.doctor({ fix: true })).healthy).toBe(true);
    expect((await store.search({ query: "cliff message 12" })).results.map(({ messageId }) => messageId)).toContain(
      "cliff12",
    );
    expect((await store.search({ query: "dune message 12" })).results.map(({ messageId }) => messageId)).toContain(
      "dune12",
    );
    const keys = (await store.sessions()).sessions.map(({ sessionKey }) => sessionKey);
    expect(keys).toEqual(expect.arrayContaining([key("recovered-2"), key("recovered-session-3")]));
  });

  test("what nobody can correct stays as it is, and is named", async () => {
    const store = damaged(
      sql(`
        UPDATE entries SET body = '{"parts":[{"type":"text","text":"quite another text"}]}' WHERE id = 'dune7';
        UPDATE entries SET body = 'no body at all' WHERE id = 'dune8';
      `),
    );
    await expect(store.history({ sessionKey: key("dune"), sessionId: "dune", messageId: "dune8" })).rejects.toThrow(
      expect.objectContaining({ code: "bad_store", hint: expect.stringContaining("backscroll doctor --fix") }),
    );
    const report = await store.doctor({ fix: true });
    expect(report.healthy).toBe(true);
    expect(report.repairs?.map(({ what }) => what).join("\n")).toMatch(/kept as they are[\s\S]*raw content/);
    expect((await store.search({ query: "quite another text" })).results).toHaveLength(1);
    const page = await store.history({
      sessionKey: key("dune"),
      sessionId: "dune",
      messageId: "dune8",
      includeTools: true,
    });
    expect(JSON.stringify(page.messages)).toContain("no body at all");
  });

  test("entries of an older version get their checksums", async () => {
    const home = temporaryFolder();
    mkdirSync(dirname(file(home)), { recursive: true, mode: 0o700 });
    copyFileSync(join(import.meta.dirname, "../fixtures/databases/schema-2.sqlite"), file(home));
    chmodSync(file(home), 0o600);
    const store = open({ home });
    onTestFinished(() => store.close());
    const before = await store.doctor();
    expect([before.healthy, codes(before).includes("no-checksum")]).toEqual([true, true]);
    expect(codes(await store.doctor({ fix: true }))).toEqual([]);
  });
});

describe("files (SPEC 1.1, 2.8, 2.9)", () => {
  test("modes that let others read", async () => {
    const store = damaged(() => undefined);
    chmodSync(file(store.folder), 0o644);
    chmodSync(dirname(file(store.folder)), 0o755);
    const report = await store.doctor();
    expect(codes(report)).toEqual(["open-mode"]);
    expect(report.findings[0]?.count).toBe(2);
    expect((await store.doctor({ fix: true })).healthy).toBe(true);
    expect(statSync(file(store.folder)).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(file(store.folder))).mode & 0o777).toBe(0o700);
  });

  test("a file that does not belong is named and left alone", async () => {
    const store = damaged((path) => writeFileSync(join(dirname(path), "notes.txt"), "mine", { mode: 0o600 }));
    const report = await store.doctor({ fix: true });
    expect([report.healthy, codes(report)]).toEqual([true, ["stray-file"]]);
    expect(readFileSync(join(dirname(file(store.folder)), "notes.txt"), "utf8")).toBe("mine");
  });

  test.each([
    ["of a newer schema", "PRAGMA user_version = 99", "newer-schema"],
    [
      "of another program",
      "DROP TABLE entries; DROP TABLE aliases; DROP TABLE transcripts; PRAGMA application_id = 7",
      "foreign-file",
    ],
  ])("a file %s is named and left untouched", async (_, statements, code) => {
    const store = damaged((path) => {
      sql(statements)(path);
      tamper(path, (db) => db.exec("PRAGMA wal_checkpoint(TRUNCATE)"));
    });
    const bytes = readFileSync(file(store.folder));
    const report = await store.doctor({ fix: true });
    expect([report.healthy, codes(report)]).toEqual([false, [code]]);
    expect(readFileSync(file(store.folder)).equals(bytes)).toBe(true);
  });

  test("a file cut short: what is left comes back", async () => {
    const store = damaged((path) => truncateSync(path, Math.floor(statSync(path).size / 8192) * 4096));
    expect((await store.doctor()).healthy).toBe(false);
    const report = await store.doctor({ fix: true });
    expect(codes(report).filter((code) => code !== "lost-entry")).toEqual([]);
    const now = await worth(store);
    const kept = now.said.filter((line) => wanted.said.includes(line));
    expect(kept.length).toBeGreaterThan(100);
    // The damaged file is still there.
    const folder = readdirSync(dirname(file(store.folder))).find((name) => name.startsWith("damaged-"));
    expect(existsSync(join(dirname(file(store.folder)), folder ?? "", "transcripts.sqlite"))).toBe(true);
  });

  test("a file of which next to nothing is left: the report says where it is kept, and that the list of what was forgotten may lack some", async () => {
    const store = damaged((path) => {
      truncateSync(path, 600);
      rmSync(join(dirname(path), "tombstones.txt"));
    });
    const { repairs } = await store.doctor({ fix: true });
    const said = repairs?.map(({ what }) => what).join("\n");
    expect(said).toMatch(/the damaged one is kept in .*damaged-/);
    expect(said).toMatch(/could not be read/);
    expect(said).toMatch(/list of what was forgotten that may be incomplete/);
  });

  test("an agent's broken file does not keep the others from being looked at", async () => {
    const store = damaged(() => undefined);
    store.store("other").append(key("o", "other"), [user("o1", "a sound one", {}), assistant("o2", "indeed")]);
    store.close();
    writeFileSync(file(store.folder), Buffer.alloc(40_960, 7));
    const again = open({ home: store.folder, timeZone: "UTC" });
    onTestFinished(() => again.close());
    const report = await again.doctor();
    expect(report.healthy).toBe(false);
    expect(report.agents.find(({ agentId }) => agentId === "other")?.checked.messages).toBe(2);
    expect(report.findings.every(({ agentId }) => agentId === "main")).toBe(true);
  });

  test("a file that another process has open is not replaced", async () => {
    const store = damaged((path) => flip(path, 4096 * 8 + 3, 0x70));
    const other = openNodeDriver(file(store.folder), { busyWait: 0 });
    onTestFinished(() => other.close());
    other.prepare("SELECT count(*) FROM sqlite_schema").get();
    const before = await store.doctor();
    if (!codes(before).includes("damaged-pages")) throw new Error("the damage was none");
    const report = await store.doctor({ fix: true });
    expect(report.healthy).toBe(false);
    expect(report.agents[0]?.failed).toMatch(/another process has/);
    expect(readdirSync(dirname(file(store.folder))).filter((name) => name.startsWith("damaged-"))).toEqual([]);
  });
});

describe("the write-ahead log (SPEC 2.8)", () => {
  /** The sound store with a log beside it that was not taken in yet, as a kill leaves it. */
  function withLog(damage: (log: string) => void): Backscroll & { readonly folder: string } {
    const left = temporaryFolder();
    const path = copyStore(sound, left);
    const db: Database = openNodeDriver(path, { busyWait: 0 });
    db.exec("PRAGMA wal_autocheckpoint = 0");
    const writer = open({ home: left, timeZone: "UTC" });
    const store = writer.store("main");
    store.db.exec("PRAGMA wal_autocheckpoint = 0");
    for (let at = 0; at < 20; at++) store.append(key("log"), [user(`log${at}`, `logged message ${at}`)]);
    const home = temporaryFolder();
    copyStore(left, home);
    writer.close();
    db.close();
    damage(`${file(home)}-wal`);
    const opened = open({ home, timeZone: "UTC" });
    onTestFinished(() => opened.close());
    return Object.assign(opened, { folder: home });
  }
  const logged = async (store: Backscroll) =>
    (await store.search({ query: "logged message", match: "all", limit: 25, perSession: 25 })).results.length;

  test("whole: healthy, and applied", async () => {
    const store = withLog(() => undefined);
    expect(await store.doctor()).toMatchObject({ healthy: true, findings: [] });
    expect(await logged(store)).toBe(20);
  });

  test("cut inside a frame: said, and harmless to what was acknowledged before", async () => {
    const store = withLog((log) => truncateSync(log, statSync(log).size - 1000));
    const report = await store.doctor();
    expect([report.healthy, codes(report)]).toEqual([true, ["wal-unfinished"]]);
    expect(codes(await store.doctor({ fix: true }))).toEqual([]);
    expect(await logged(store)).toBe(19);
  });

  test("the file itself emptied: what the log has comes back", async () => {
    const store = withLog(() => undefined);
    truncateSync(file(store.folder), 0);
    const before = await store.doctor();
    expect(codes(before)).toContain("wal-damaged");
    const report = await store.doctor({ fix: true });
    expect(codes(report).filter((code) => code !== "lost-entry")).toEqual([]);
    expect(await logged(store)).toBeGreaterThan(0);
  });

  test("others write meanwhile: their store is healthy, and nothing waits", async () => {
    const store = damaged(() => undefined);
    const agent = store.store("main");
    let at = 0;
    const writer = setInterval(() => {
      agent.append(key("busy"), [user(`busy${at}`, `written meanwhile ${at}`)]);
      if (at % 7 === 3) agent.setLeaf(key("busy"), toEntryId(`busy${at - 2}`));
      at += 1;
    }, 1);
    try {
      for (let round = 0; round < 4; round++) {
        const report = await store.doctor();
        expect(report.findings.filter(({ severity }) => severity === "fault")).toEqual([]);
      }
    } finally {
      clearInterval(writer);
    }
    expect(at).toBeGreaterThan(5);
  });

  test.each([
    ["a frame in its middle", (size: number) => Math.floor(size / 2)],
    ["its header", () => 9],
    ["the sum of its header", () => 26],
  ])("a flipped byte in %s: nothing that was acknowledged is lost", async (_, at) => {
    const store = withLog((log) => flip(log, at(statSync(log).size)));
    expect(codes(await store.doctor())).toContain("wal-damaged");
    expect((await store.doctor({ fix: true })).healthy).toBe(true);
    expect(await logged(store)).toBe(20);
  });

  test("of another database: moved out of the way", async () => {
    const store = damaged((path) => {
      const elsewhere = join(temporaryFolder(), "other.sqlite");
      const other = openNodeDriver(elsewhere, { busyWait: 0 });
      other.exec("PRAGMA application_id = 7; PRAGMA journal_mode = WAL; CREATE TABLE t (a); INSERT INTO t VALUES (1)");
      copyFileSync(`${elsewhere}-wal`, `${path}-wal`);
      chmodSync(`${path}-wal`, 0o600);
      other.close();
    });
    await expectMended(store, "wal-foreign");
  });
});

test("what a source still has comes back with the import that follows a repair (SPEC 2.8)", async () => {
  const folder = temporaryFolder();
  const lines = Array.from({ length: 60 }, (_, at) =>
    JSON.stringify({
      type: "message",
      sessionKey: key("src"),
      id: `s${at}`,
      role: "user",
      text: `sourced ${at} ${"pad ".repeat(400)}`,
      timestamp: 1_760_000_000_000 + at,
    }),
  );
  writeFileSync(join(folder, "talk.jsonl"), `${lines.join("\n")}\n`);
  const roots = builtInSources.filter(({ id }) => id === "jsonl").map((source) => ({ source, folder }));
  const home = temporaryFolder();
  const store = open({ home, timeZone: "UTC" });
  await store.import(roots);
  const before = await worth(store);
  store.close();
  // A whole page of entries is gone, and one text is another.
  tamper(file(home), (db) => {
    db.exec(`UPDATE entries SET body = '{"parts":[{"type":"text","text":"not what was said"}]}' WHERE id = 's40'`);
    db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  });
  const db = openNodeDriver(file(home), { busyWait: 0, readOnly: true });
  const page = db
    .prepare(
      "SELECT pageno AS n FROM dbstat WHERE name = 'entries' AND pagetype = 'leaf' ORDER BY pageno LIMIT 1 OFFSET 3",
    )
    .get();
  db.close();
  const bytes = readFileSync(file(home)).fill(0xff, (Number(page?.n) - 1) * 4096, Number(page?.n) * 4096);
  writeFileSync(file(home), bytes);
  const again = open({ home, timeZone: "UTC" });
  onTestFinished(() => again.close());
  const report = await again.doctor({ fix: true, roots });
  expect(report.repairs?.some(({ what }) => what.startsWith("entries lost: s"))).toBe(true);
  expect([report.healthy, codes(report)]).toEqual([true, []]);
  expect(report.imported?.entries.changed).toBeGreaterThan(1);
  expect(await worth(again)).toEqual(before);
});

test("a byte anywhere: nothing but our own errors, and healthy means worth the same (SPEC 2.8)", async () => {
  const bytes = readFileSync(file(sound));
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: bytes.length - 1 }),
      fc.integer({ min: 1, max: 255 }),
      async (at, bits) => {
        const home = mkdtempSync(join(tmpdir(), "backscroll-flip-"));
        flip(copyStore(sound, home), at, bits);
        const store = open({ home, timeZone: "UTC" });
        try {
          const { healthy } = await store.doctor();
          const now = await worth(store).catch((error: unknown) => {
            if (error instanceof BackscrollError) return null;
            throw error;
          });
          if (healthy) expect(now).toEqual(wanted);
        } finally {
          store.close();
          rmSync(home, { recursive: true, force: true });
        }
      },
    ),
    { numRuns: 40 },
  );
}, 300_000);
