/**
 * The one transaction helper: everything that `work` writes happens together or not at all. Starts IMMEDIATE, so that
 * waiting for another writer happens at the start and never in the middle; nested calls become savepoints.
 */
import { BackscrollError } from "../errors.ts";
import type { Database } from "./driver.ts";

export function transaction<T>(db: Database, work: () => T): T {
  const nested = db.inTransaction;
  run(db, nested ? "SAVEPOINT nested" : "BEGIN IMMEDIATE");
  try {
    const result = work();
    if (result instanceof Promise) {
      throw new TypeError("a transaction can't wait for a promise: the write lock would be held meanwhile");
    }
    run(db, nested ? "RELEASE nested" : "COMMIT");
    return result;
  } catch (error) {
    // SQLite itself rolls back on some errors (a full disk): then there is nothing left to undo.
    if (db.inTransaction) db.exec(nested ? "ROLLBACK TO nested; RELEASE nested" : "ROLLBACK");
    throw translate(error, db);
  }
}

function run(db: Database, sql: string): void {
  db.prepare(sql).run();
}

/** SQLite's result codes that a user can do something about, in our words. Others pass unchanged. */
export function translate(error: unknown, db: Database): unknown {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number") return error;
  const cause = { cause: error };
  switch (error.errcode & 0xff) {
    case 5:
    case 6:
      return new BackscrollError(
        "busy",
        `another process holds the write lock of ${db.path}`,
        "Nothing was stored. Try again; if it lasts, see which process has the file open.",
        cause,
      );
    case 13:
      return new BackscrollError(
        "io",
        `no space left to write ${db.path}`,
        "Nothing was stored. Free some disk space and try again.",
        cause,
      );
    case 8:
      return new BackscrollError(
        "io",
        `${db.path} can't be written`,
        "Check the permissions of the file and its folder.",
        cause,
      );
    case 10:
      return new BackscrollError(
        "io",
        `reading or writing ${db.path} failed: ${error.message}`,
        "Check the disk and its free space.",
        cause,
      );
    case 11:
    case 26:
      return new BackscrollError(
        "bad_store",
        `${db.path} is damaged or not a store: ${error.message}`,
        "Move the file away and import again; the transcripts of the agents themselves are not touched.",
        cause,
      );
    default:
      return error;
  }
}
