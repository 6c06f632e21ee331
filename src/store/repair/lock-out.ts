/** Keeps every other process from a database while its files are moved, without taking its log in. */
import { linkSync, statSync } from "node:fs";
import { BackscrollError } from "../../errors.ts";
import type { WorkFolder } from "../backup/work-folder.ts";
import type { Database } from "../driver.ts";
import { openNodeDriver } from "../driver-node.ts";
import { translate } from "../sqlite-error.ts";

/** Milliseconds to wait for whoever has the file open. */
const patience = 2000;

/** Which file a name stands for. */
export function inodeOf(path: string): bigint {
  return statSync(path, { bigint: true }).ino;
}

/**
 * Keeps every other process out, until closed. Null for a file so damaged that nobody can open it anyway.
 * @param name By which it is opened: locks are those of the file, its log goes by the name.
 * @param inode Of the file that is to be locked, asked before the name was made.
 * @throws {BackscrollError} `busy` when another process has the file open, or put another one in its place meanwhile.
 */
export function lockOut(path: string, name = path, inode = inodeOf(path)): Database | null {
  // Opening a file of no bytes would remove its log.
  if (statSync(path).size === 0) return null;
  let db: Database | null = null;
  try {
    db = openNodeDriver(name, { busyWait: patience });
    db.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE");
  } catch (error) {
    db?.close();
    const told = translate(error, path);
    if (!(told instanceof BackscrollError)) throw error;
    if (told.code === "bad_store" || told.code === "io") return null;
    throw new BackscrollError(
      "busy",
      `another process has ${path} open`,
      "End the programs that use this home (servers, a running sync) and try again: the file has to be replaced.",
      { cause: error },
    );
  }
  if (inodeOf(path) === inode) return db;
  // What is locked is the file that a repair or a restore had put aside while this one waited for it.
  db.close();
  throw new BackscrollError("busy", `another process has replaced ${path} meanwhile`, "Try again.");
}

/**
 * As {@link lockOut}, by another name, beside which there is no log: by its own, SQLite would take the log in when the lock is
 * let go, what can be read of it, and remove the rest. By its own name only where no other will do.
 */
export function lockOutBeside(path: string, work: WorkFolder): Database | null {
  const name = work.file("locked");
  const inode = inodeOf(path);
  try {
    linkSync(path, name);
  } catch {
    return lockOut(path);
  }
  return lockOut(path, name, inode) ?? lockOut(path);
}
