/**
 * Puts dirty transcripts right: active flags and index rows from the leaf's path (SPEC 2.4). Works in slices, each in a
 * short transaction that also moves the start of the dirty range, so it can be killed at any point and several processes
 * can work on the same transcript: the range itself is the claim, read again in each transaction, and nobody has to wait
 * for the lease of a dead owner. Appends meanwhile go behind the range and never make more work.
 */
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { BackscrollError } from "../errors.ts";
import { limits } from "../limits.ts";
import { advanceDirty, clearDirty, type DirtyRange, dirtyRange, dirtyTranscripts } from "./dirty.ts";
import type { Database } from "./driver.ts";
import { lastNo } from "./entry-no.ts";
import { indexEntry, removeFromIndex } from "./index-entry.ts";
import { hasToolIndex } from "./tool-choice.ts";
import { impatiently, transaction } from "./transaction.ts";

/** Milliseconds between two slices. */
const gap = 2;
/** Times that a slice asks for the lock, a millisecond apart, before the run gives up. */
const mostBusy = 5000;
/** Rows that leave the index at once. FTS5 counts each like a page that it has written, and merges accordingly at once. */
const removedAtOnce = 32;
/** Rows of a path read without giving way to other work: about 5 ms. */
const pathSlice = 2000;

/**
 * Works until nothing is dirty or the time is over.
 * @param until Epoch ms by `now`.
 * @returns The transcripts still dirty.
 */
export async function reconcile(db: Database, until: number, now: () => number): Promise<number> {
  for (const transcript of db.readOnly ? [] : dirtyTranscripts(db)) {
    try {
      if (!(await reconcileTranscript(db, transcript, () => now() < until))) break;
    } catch (error) {
      // Somebody else is writing: the next read goes on.
      if (!db.readOnly && (!(error instanceof BackscrollError) || error.code !== "busy")) throw error;
      break;
    }
  }
  return dirtyTranscripts(db).length;
}

/**
 * Works on one transcript until it is clean, giving way to other work between slices.
 * @param goOn Asked after each slice: whoever comes with little time still moves it on by one.
 * @returns Whether it is clean.
 * @throws {BackscrollError} `busy` when somebody else writes: it does not wait for the lock, nor make others wait for it.
 */
export async function reconcileTranscript(db: Database, transcript: number, goOn: () => boolean): Promise<boolean> {
  for (;;) {
    const range = dirtyRange(db, transcript);
    if (!range) return true;
    // The long part, reading the path, holds no lock.
    const path = await readPath(db, transcript, range);
    for (let busy = 0; ; ) {
      const outcome = unlessBusy(db, () => reconcileSlice(db, transcript, range.epoch, path));
      if (outcome instanceof BackscrollError) {
        // Somebody else writes. The path stays good: read anew each time, it was all that a run beside a busy writer did.
        busy += 1;
        if (!goOn() || busy > mostBusy) throw outcome;
        await sleep(1);
        continue;
      }
      busy = 0;
      if (outcome === "clean") return true;
      if (!goOn()) return false;
      // The branch moved since the path was read: it is read anew.
      if (outcome === "moved") break;
      // Long enough for whoever waits for the lock, and looks every half millisecond, to get it.
      await sleep(gap);
    }
  }
}

function unlessBusy<T>(db: Database, work: () => T): T | BackscrollError {
  const usual = db.busyWait;
  db.busyWait = 0;
  try {
    return work();
  } catch (error) {
    if (error instanceof BackscrollError && error.code === "busy") return error;
    throw error;
  } finally {
    db.busyWait = usual;
  }
}

/**
 * Works on several transcripts in one transaction, as long as they are short and time allows: after a change of the rules
 * every transcript of a store is dirty, and a transaction for each would cost a write to the disk for each.
 * @returns How many of them, from the first on, are done with; those behind are as they were.
 */
export function reconcileShort(db: Database, transcripts: readonly number[]): number {
  const start = performance.now();
  return impatiently(db, () => transaction(db, () => mergingLittle(db, () => correctShort(db, transcripts, start))));
}

function correctShort(db: Database, transcripts: readonly number[], start: number): number {
  let done = 0;
  for (const transcript of transcripts) {
    const range = dirtyRange(db, transcript);
    if (range) {
      if (range.to - range.from >= pathSlice || performance.now() - start > limits.reconcileTime.default) break;
      const path = [...walkPath(db, transcript, range)].reverse();
      if (correct(db, transcript, range, path, start) === "more") break;
    }
    done += 1;
  }
  return done;
}

/**
 * The numbers on the leaf's path inside the range, descending. O(range): where the path enters the range is known without
 * walking what was appended since, as that is flagged.
 */
function* walkPath(db: Database, transcript: number, range: DirtyRange): Generator<number> {
  const parent = db.prepare("SELECT parent FROM entries WHERE no = :no");
  const behind = db
    .prepare("SELECT parent FROM entries WHERE no > :to AND no <= :last AND active = 1 ORDER BY no LIMIT 1")
    .get({ to: range.to, last: lastNo(transcript) });
  const entry =
    behind ?? db.prepare("SELECT leaf AS parent FROM transcripts WHERE no = :transcript").get({ transcript });
  for (let no = (entry?.parent ?? null) as number | null; no !== null && no >= range.from; ) {
    yield no;
    const next = (parent.get({ no })?.parent ?? null) as number | null;
    no = next !== null && next < no ? next : null;
  }
}

async function readPath(db: Database, transcript: number, range: DirtyRange): Promise<number[]> {
  const path: number[] = [];
  for (const no of walkPath(db, transcript, range)) {
    path.push(no);
    if (path.length % pathSlice === 0) await setImmediate();
  }
  return path.reverse();
}

function reconcileSlice(
  db: Database,
  transcript: number,
  epoch: number,
  path: readonly number[],
): "clean" | "more" | "moved" {
  const start = performance.now();
  return transaction(db, () => {
    const range = dirtyRange(db, transcript);
    if (!range) return "clean";
    if (range.epoch !== epoch) return "moved";
    return mergingLittle(db, () => correct(db, transcript, range, path, start));
  });
}

/**
 * FTS5 merges by itself at a commit, up to 64 pages for every level at once: 50 ms in a large index. In a slice it merges
 * a fixed, small number of pages instead.
 */
function mergingLittle<T>(db: Database, work: () => T): T {
  const tables = hasToolIndex(db) ? (["message_index", "tool_index"] as const) : (["message_index"] as const);
  const tell = (what: string, value: number) => {
    for (const table of tables) db.exec(`INSERT INTO ${table} (${table}, rank) VALUES ('${what}', ${value})`);
  };
  tell("automerge", 0);
  const result = work();
  // Writes out what was gathered, too, while the automatic merge is off.
  tell("merge", limits.purgeSlice.default);
  tell("automerge", 4);
  return result;
}

/** @param path Numbers on the leaf's path, ascending: at least those in the range. */
function correct(
  db: Database,
  transcript: number,
  { from, to }: DirtyRange,
  path: readonly number[],
  start: number,
): "clean" | "more" {
  const rows = db
    .prepare("SELECT no, active FROM entries WHERE no BETWEEN :from AND :to ORDER BY no LIMIT :most")
    .all({ from, to, most: limits.reconcileSlice.default });
  const last = Number(rows.at(-1)?.no ?? to);
  const tools = hasToolIndex(db);
  if (rows.length === 0) removeFromIndex(db, from, last);
  let removed = from - 1;
  let at = lowerBound(path, from);
  let text = 0;
  for (const [index, row] of rows.entries()) {
    const no = Number(row.no);
    if (no > removed) {
      const end = Number(rows[index + removedAtOnce - 1]?.no ?? last);
      removeFromIndex(db, removed + 1, end);
      removed = end;
    }
    const wanted = path[at] === no;
    if (wanted !== (row.active === 1))
      db.prepare("UPDATE entries SET active = :active WHERE no = :no").run({ no, active: Number(wanted) });
    if (wanted) {
      at += 1;
      text += indexEntry(db, no, tools);
    }
    const spent = text > limits.reconcileText.default || performance.now() - start > limits.reconcileTime.default;
    if (spent && index < rows.length - 1) {
      advanceDirty(db, transcript, no + 1);
      return "more";
    }
  }
  if (rows.length < limits.reconcileSlice.default || last >= to) {
    clearDirty(db, transcript);
    return "clean";
  }
  advanceDirty(db, transcript, last + 1);
  return "more";
}

/** Index of the first number that is not below `from`. */
function lowerBound(numbers: readonly number[], from: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) < from) low = middle + 1;
    else high = middle;
  }
  return low;
}
