/**
 * The one transaction helper: everything that `work` writes happens together or not at all. Starts IMMEDIATE, so that
 * waiting for another writer happens at the start and never in the middle; nested calls become savepoints.
 */
import { BackscrollError } from "../errors.ts";
import { limits } from "../limits.ts";
import type { Database } from "./driver.ts";
import { makeWritable, translate } from "./sqlite-error.ts";
import { changesSoFar, countWrite } from "./write-count.ts";

export function transaction<T>(db: Database, work: () => T): T {
  const nested = db.inTransaction;
  if (!nested) refuseUnwritable(db);
  const result = told(db, nested, work);
  if (!nested) runWaiting(db);
  return result;
}

function told<T>(db: Database, nested: boolean, work: () => T): T {
  try {
    if (nested) run(db, "SAVEPOINT nested");
    else begin(db);
    const before = nested ? 0 : changesSoFar(db);
    const result = work();
    if (result instanceof Promise) {
      throw new TypeError("a transaction can't wait for a promise: the write lock would be held meanwhile");
    }
    if (!nested) countWrite(db, before);
    run(db, nested ? "RELEASE nested" : "COMMIT");
    return result;
  } catch (error) {
    // SQLite itself rolls back on some errors (a full disk): then there is nothing left to undo.
    if (db.inTransaction) db.exec(nested ? "ROLLBACK TO nested; RELEASE nested" : "ROLLBACK");
    if (!db.inTransaction) waiting.delete(db);
    throw translate(error, db.path);
  }
}

const waiting = new WeakMap<Database, Set<() => void>>();

/**
 * Runs once after the outermost transaction is committed, and not at all when that is rolled back. What a savepoint that was
 * rolled back asked for runs all the same. `work` must not throw: what was committed stands.
 */
export function afterCommit(db: Database, work: () => void): void {
  if (!db.inTransaction) {
    work();
    return;
  }
  const works = waiting.get(db) ?? new Set();
  waiting.set(db, works.add(work));
}

function runWaiting(db: Database): void {
  const works = waiting.get(db) ?? [];
  waiting.delete(db);
  for (const work of works) work();
}

const cell = new Int32Array(new SharedArrayBuffer(4));
/** Milliseconds between two looks at a lock. */
const look = 0.5;

/**
 * Waits for the write lock by looking often. SQLite's own wait looks less and less often, every 100 ms in the end: beside a
 * process that takes the lock for 12 ms again and again it found it taken each time, for seconds.
 */
function begin(db: Database): void {
  const patience = db.busyWait;
  const until = performance.now() + patience;
  db.busyWait = 0;
  try {
    for (;;) {
      try {
        run(db, "BEGIN IMMEDIATE");
        return;
      } catch (error) {
        const told = translate(error, db.path);
        if (!(told instanceof BackscrollError) || told.code !== "busy" || performance.now() >= until) throw told;
        Atomics.wait(cell, 0, 0, look);
      }
    }
  } finally {
    db.busyWait = patience;
  }
}

/** Work in the background waits for a lock no longer than a reader would notice; who writes on request waits longer. */
export function impatiently<T>(db: Database, work: () => T): T {
  const usual = db.busyWait;
  db.busyWait = Math.min(usual, limits.backgroundWait.default);
  try {
    return work();
  } finally {
    db.busyWait = usual;
  }
}

function run(db: Database, sql: string): void {
  db.prepare(sql).run();
}

/** SQLite itself would go on writing into a file that was removed, and say that it is stored. */
function refuseUnwritable(db: Database): void {
  if (db.readOnly) {
    throw new BackscrollError("io", `${db.path} can't be written; it was opened for reading`, makeWritable);
  }
  if (db.stale) {
    throw new BackscrollError(
      "io",
      `${db.path} was removed or replaced while it was open`,
      "Nothing was stored. Open the store again and repeat.",
    );
  }
}
