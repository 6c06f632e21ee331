/**
 * Puts another database in an agent's place. While it holds the present one locked, nobody else has it open: a process that
 * did would go on writing to a file that nobody reads any more, and what it acknowledged would be lost.
 *
 * At every moment the name leads to a whole database, the old one or the new: the old file gets a second name beside, then
 * the new one takes over its first in one rename.
 */
import { existsSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { BackscrollError } from "../../errors.ts";
import { limits } from "../../limits.ts";
import type { Database } from "../driver.ts";
import { openNodeDriver } from "../driver-node.ts";
import { check } from "../migrate.ts";
import { keepAs, makePrivateFolder, renameInto, syncFolder } from "../private-files.ts";
import { isDamage, translate } from "../sqlite-error.ts";

/** A database and the files that SQLite keeps beside it. */
const suffixes = ["", "-wal", "-shm", "-journal"];

/** Whether anything of a database is there: a log without its database would be taken for that of the next one. */
export function databaseExists(path: string): boolean {
  return suffixes.some((suffix) => existsSync(path + suffix));
}

export class PresentDatabase {
  readonly path: string;
  /** Locked against everybody else; null when it is too damaged for that. */
  readonly db: Database | null;

  private constructor(path: string, db: Database | null) {
    this.path = path;
    this.db = db;
  }

  /**
   * @throws {BackscrollError} `busy` when any other connection has it open; `bad_store` when it is another program's file
   * or of a newer schema.
   */
  static async lock(path: string): Promise<PresentDatabase> {
    if (!existsSync(path) || isDamaged(path)) return new PresentDatabase(path, null);
    const until = Date.now() + limits.replaceWait.default;
    for (;;) {
      const db = openNodeDriver(path, { busyWait: limits.replaceWait.default });
      try {
        lockOut(db);
        return new PresentDatabase(path, db);
      } catch (error) {
        db.close();
        const told = translate(error, path);
        if (isDamage(error)) return new PresentDatabase(path, null);
        if (!(told instanceof BackscrollError) || told.code !== "busy") throw told;
        if (Date.now() >= until) throw inUse(path, error);
        await setTimeout(20);
      }
    }
  }

  /** Gives the present set a second name in a folder, and the first one to the new database. Both are on the disk then. */
  replaceBy(staged: string, aside: string): void {
    makePrivateFolder(aside);
    for (const file of this.#files()) keepAs(file, join(aside, basename(file)));
    syncFolder(aside);
    syncFolder(dirname(aside));
    // Windows lets nobody rename over an open file.
    if (process.platform === "win32") this.release();
    // Left by a damaged one only; they must not be taken for the new one's.
    for (const file of this.#files().filter((each) => each !== this.path)) rmSync(file);
    renameInto(staged, this.path);
  }

  /** Idempotent. */
  release(): void {
    this.db?.close();
  }

  #files(): string[] {
    return suffixes.map((suffix) => this.path + suffix).filter((file) => existsSync(file));
  }
}

/** Asked without the right to write: a connection that has it folds the log into the file when it closes. */
function isDamaged(path: string): boolean {
  const db = openNodeDriver(path, { readOnly: true, busyWait: limits.replaceWait.default });
  try {
    check(db);
    return false;
  } catch (error) {
    if (isDamage(error)) return true;
    throw translate(error, path);
  } finally {
    db.close();
  }
}

function lockOut(db: Database): void {
  check(db);
  // SQLite leaves the write-ahead log only for whoever has the file alone; what stood in the log is in the file then.
  db.prepare("PRAGMA journal_mode = DELETE").get();
  db.prepare("BEGIN EXCLUSIVE").run();
}

function inUse(path: string, cause: unknown): BackscrollError {
  return new BackscrollError(
    "busy",
    `another process has ${path} open`,
    "Nothing was changed. Close the programs that use this home, then restore again.",
    { cause },
  );
}
