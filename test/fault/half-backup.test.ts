/**
 * A file and a write-ahead log of different times, as somebody leaves them who puts back half a backup (SPEC 2.17): what the
 * doctor calls healthy is a state that the store was in, and none from before the file; a log that goes with its file is never
 * called foreign, whatever was done meanwhile.
 */
import { execFileSync, fork } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { type Backscroll, type DoctorReport, open } from "../../src/index.ts";
import { foreignLog } from "../../src/store/check/log-against-file.ts";
import type { Database } from "../../src/store/driver.ts";
import { openNodeDriver } from "../../src/store/driver-node.ts";
import { file } from "../helpers/damaged-store.ts";
import { key, user } from "../helpers/entries.ts";
import { temporaryFolder } from "../helpers/temporary.ts";
import { Oracle } from "../model/oracle.ts";
import { perform } from "../model/perform.ts";
import { agent, meaning, type Program, programs } from "../model/program.ts";

/** File and log as they were at one moment. */
interface Moment {
  readonly folder: string;
  readonly hasLog: boolean;
  /** Digest of what the file alone says; null where it can't be read by itself. */
  readonly alone: string | null;
}

interface Run {
  /** Digest after each step. */
  readonly states: readonly string[];
  readonly moments: readonly Moment[];
}

/** Everything that was said and known. Flags and index follow from it. */
function digest(db: Database): string {
  const hash = createHash("sha256");
  for (const table of ["sessions", "transcripts", "entries", "aliases", "tombstones"]) {
    for (const { active: _a, messages: _m, ...row } of db.prepare(`SELECT * FROM ${table} ORDER BY 1, 2`).iterate())
      hash.update(JSON.stringify(row));
  }
  return hash.digest("hex");
}

function reading<T>(path: string, immutable: boolean, work: (db: Database) => T): T | null {
  const location = pathToFileURL(path);
  if (immutable) location.searchParams.set("immutable", "1");
  let db: Database | null = null;
  try {
    db = openNodeDriver(path, { readOnly: true, busyWait: 1000, location });
    return work(db);
  } catch {
    return null;
  } finally {
    db?.close();
  }
}

/** Runs a program beside a reader that comes and goes, and keeps a copy of both files after each step. */
function runOn(program: Program, root: string): Run {
  const home = join(root, "home");
  mkdirSync(home);
  const opened = () => open({ home, durability: "normal", timeZone: "UTC", now: () => 1_760_000_100_000 });
  let store: Backscroll = opened();
  let reader: Database | null = null;
  const oracle = new Oracle();
  const states: string[] = [];
  const moments: Moment[] = [];
  const letGo = () => {
    reader?.close();
    reader = null;
  };
  for (const [step, command] of program.commands.entries()) {
    if (command.does === "reopen") {
      letGo();
      store.close();
      store = opened();
    } else {
      const operation = meaning(command, oracle);
      if (operation !== null) {
        perform(store, agent, operation);
        oracle.apply(operation);
      }
    }
    if (!existsSync(file(home))) continue;
    if (step % 7 === 3) {
      letGo();
      reader = openNodeDriver(file(home), { readOnly: true, busyWait: 0 });
      reader.exec("BEGIN");
      reader.prepare("SELECT count(*) FROM entries").get();
    }
    if (step % 7 === 6) letGo();
    const { db } = store.store(agent);
    if (step % 5 === 0) db.exec("PRAGMA wal_checkpoint(PASSIVE)");
    states.push(digest(db));
    const folder = join(root, `moment-${step}`);
    mkdirSync(folder);
    // By another process: closing the file here would drop the locks that the store has on it.
    execFileSync("cp", [file(home), folder]);
    const hasLog = existsSync(`${file(home)}-wal`);
    if (hasLog) execFileSync("cp", [`${file(home)}-wal`, folder]);
    moments.push({ folder, hasLog, alone: reading(join(folder, "transcripts.sqlite"), true, digest) });
  }
  letGo();
  store.close();
  return { states, moments };
}

/** A home with the file of one moment and the log of another. */
function paired(one: Moment, other: Moment, home: string): string {
  mkdirSync(dirname(file(home)), { recursive: true, mode: 0o700 });
  copyFileSync(join(one.folder, "transcripts.sqlite"), file(home));
  copyFileSync(join(other.folder, "transcripts.sqlite-wal"), `${file(home)}-wal`);
  for (const path of [file(home), `${file(home)}-wal`]) chmodSync(path, 0o600);
  return file(home);
}

async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "backscroll-half-"));
  try {
    await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const codes = ({ findings }: DoctorReport) => findings.map(({ code }) => code);
const entriesOf = (db: Database) =>
  db
    .prepare("SELECT no, id, type, body FROM entries")
    .all()
    .map((row) => JSON.stringify(row));

test("any file with any log: healthy is a state that was, not older than the file; else --fix keeps the file's content and the log (SPEC 2.17)", async () => {
  await fc.assert(
    fc.asyncProperty(
      programs(40),
      fc.array(fc.tuple(fc.nat(), fc.nat()), { minLength: 4, maxLength: 4 }),
      (program, picks) =>
        inFolder(async (root) => {
          const { states, moments } = runOn(program, root);
          const files = moments.filter(({ alone }) => alone !== null);
          const logs = moments.filter(({ hasLog }) => hasLog);
          if (files.length === 0 || logs.length === 0) return;
          for (const [at, [a, b]] of picks.entries()) {
            const [one, other] = [files[a % files.length], logs[b % logs.length]];
            if (!one || !other) continue;
            const home = join(root, `pair-${at}`);
            const path = paired(one, other, home);
            const before = reading(path, true, entriesOf) ?? [];
            const store = open({ home, timeZone: "UTC" });
            const report = await store.doctor();
            if (report.healthy) {
              const now = reading(path, false, digest) ?? "";
              expect(states.lastIndexOf(now)).toBeGreaterThanOrEqual(Math.max(0, states.indexOf(one.alone ?? "")));
            } else if (codes(report).includes("wal-foreign")) {
              const fixed = await store.doctor({ fix: true });
              expect(fixed.healthy).toBe(true);
              const after = new Set(reading(path, false, entriesOf));
              expect(before.filter((entry) => !after.has(entry))).toEqual([]);
              const kept = readdirSync(dirname(path)).find((name) => name.startsWith("damaged-")) ?? "";
              const log = readFileSync(join(dirname(path), kept, "foreign-wal"));
              expect(log.equals(readFileSync(join(other.folder, "transcripts.sqlite-wal")))).toBe(true);
            }
            store.close();
          }
        }),
    ),
    { numRuns: 12 },
  );
}, 300_000);

test("a log that goes with its file is never foreign (SPEC 2.17)", async () => {
  let seen = 0;
  await fc.assert(
    fc.asyncProperty(programs(60), (program) =>
      inFolder(async (root) => {
        const { moments } = runOn(program, root);
        for (const [at, moment] of moments.entries()) {
          if (!moment.hasLog) continue;
          expect(await foreignLog(paired(moment, moment, join(root, `same-${at}`)))).toBeNull();
          seen += 1;
        }
      }),
    ),
    { numRuns: 12 },
  );
  expect(seen).toBeGreaterThan(100);
}, 300_000);

test("a store brought up from an older schema, with all of that in its log (SPEC 2.17)", async () => {
  const home = temporaryFolder();
  mkdirSync(dirname(file(home)), { recursive: true, mode: 0o700 });
  copyFileSync(join(import.meta.dirname, "../fixtures/databases/schema-2.sqlite"), file(home));
  chmodSync(file(home), 0o600);
  const reader = openNodeDriver(file(home), { busyWait: 0 });
  reader.exec("PRAGMA journal_mode = WAL; BEGIN");
  reader.prepare("SELECT count(*) FROM entries").get();
  const store = open({ home, timeZone: "UTC" });
  onTestFinished(() => {
    reader.close();
    store.close();
  });
  store.store("main").append(key("new"), [user("n1", "after the migration")]);
  await store.settle();
  const { findings } = await store.doctor();
  expect(findings.filter(({ severity }) => severity === "fault")).toEqual([]);
});

test("other processes append and checkpoint while the doctor looks (SPEC 2.17)", async () => {
  const home = temporaryFolder();
  const store = open({ home, durability: "normal", timeZone: "UTC" });
  onTestFinished(() => store.close());
  store.store("main").append(key("first"), [user("f1", "the first")]);
  const writers = [0, 1].map(() => fork(join(import.meta.dirname, "../helpers/append-steadily.ts"), [home]));
  onTestFinished(() => {
    for (const writer of writers) writer.kill("SIGKILL");
  });
  while (!(await store.sessions()).sessions.some(({ sessionKey }) => sessionKey === key("steady")))
    await setTimeout(20);
  for (let round = 0; round < 8; round++) {
    const { findings } = await store.doctor();
    expect(findings.filter(({ severity }) => severity === "fault")).toEqual([]);
    store.store("main").db.exec(`PRAGMA wal_checkpoint(${round % 2 === 0 ? "PASSIVE" : "RESTART"})`);
  }
  const counts = writers.map((writer) => once(writer, "message"));
  for (const writer of writers) writer.send("count");
  for (const [count] of await Promise.all(counts)) expect(count).toBeGreaterThan(15);
}, 120_000);

test("a foreign log is not moved away from under a process that has the file open (SPEC 2.17)", async () => {
  await inFolder(async (root) => {
    const home = join(root, "home");
    const store = open({ home, timeZone: "UTC" });
    for (let at = 0; at < 5; at++) store.store("main").append(key("a"), [user(`m${at}`, `word ${at}`)]);
    execFileSync("cp", [`${file(home)}-wal`, join(root, "early")]);
    store.close();
    const later = open({ home, timeZone: "UTC" });
    later.store("main").append(key("a"), [user("m9", "later")]);
    later.close();
    copyFileSync(join(root, "early"), `${file(home)}-wal`);
    chmodSync(`${file(home)}-wal`, 0o600);
    const held = openNodeDriver(file(home), { readOnly: true, busyWait: 0 });
    held.prepare("SELECT count(*) FROM sqlite_schema").get();
    const again = open({ home, timeZone: "UTC" });
    const report = await again.doctor({ fix: true });
    expect([report.healthy, report.agents[0]?.failed]).toEqual([false, expect.stringMatching(/another process has/)]);
    expect(existsSync(`${file(home)}-wal`)).toBe(true);
    held.close();
    expect((await again.doctor({ fix: true })).healthy).toBe(true);
    expect((await again.search({ query: "later" })).results).toHaveLength(1);
    again.close();
  });
});

test("a foreign log that this process itself has open: what it does to the file when it is let go is taken back (SPEC 2.17)", async () => {
  await inFolder(async (root) => {
    const home = join(root, "home");
    const store = open({ home, timeZone: "UTC" });
    for (let at = 0; at < 5; at++) store.store("main").append(key("a"), [user(`m${at}`, `word ${at}`)]);
    execFileSync("cp", [`${file(home)}-wal`, join(root, "early")]);
    store.close();
    const later = open({ home, timeZone: "UTC" });
    later.store("main").append(key("a"), [user("m9", "later")]);
    later.close();
    copyFileSync(join(root, "early"), `${file(home)}-wal`);
    chmodSync(`${file(home)}-wal`, 0o600);
    const again = open({ home, timeZone: "UTC" });
    expect((await again.search({ query: "later" })).results).toEqual([]);
    const report = await again.doctor({ fix: true });
    expect([report.healthy, codes({ ...report, findings: report.before ?? [] })]).toEqual([true, ["wal-foreign"]]);
    expect((await again.search({ query: "later" })).results).toHaveLength(1);
    // What it had in it is kept.
    const aside = readdirSync(dirname(file(home))).find((name) => name.startsWith("damaged-")) ?? "";
    expect(report.repairs?.map(({ what }) => what).join()).toContain(aside);
    expect(existsSync(join(dirname(file(home)), aside, "transcripts.sqlite"))).toBe(true);
    again.close();
  });
});
