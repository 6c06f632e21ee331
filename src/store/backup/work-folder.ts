/**
 * A private folder for files that are not finished yet, on the file system of the one that they will become. It goes away
 * with the work; where the process was killed, the next one that works in the same place takes it away. An SQLite lock
 * tells a dead owner's folder from a living one's: the system lets go of it when the process ends, however it ends.
 */
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { BackscrollError, toIoError } from "../../errors.ts";
import type { Database } from "../driver.ts";
import { openNodeDriver } from "../driver-node.ts";
import { makePrivateFile } from "../private-files.ts";

const prefix = ".backscroll-unfinished-";
const lockName = "lock";
/** A folder this young may not have its lock yet. */
const youngMs = 60_000;

/** Tries to make one that nobody takes away before it is locked. */
const mostTries = 10;
/** Milliseconds to wait for somebody who looks whether the owner lives. */
const patience = 1000;

export class WorkFolder {
  readonly path: string;
  readonly #lock: Database;

  /** @throws {BackscrollError} `io` when the parent is missing or can't be written. */
  constructor(parent: string) {
    sweepWorkFolders(parent);
    for (let tries = 1; ; tries++) {
      const made = makeLocked(parent, tries === mostTries);
      if (made === null) continue;
      this.path = made.path;
      this.#lock = made.lock;
      return;
    }
  }

  file(name: string): string {
    return join(this.path, name);
  }

  /** Takes the folder away with everything in it. Idempotent. */
  remove(): void {
    this.#lock.close();
    removeFolder(this.path);
  }
}

/** Tried again while a process that looks whether the owner lives leaves a file of SQLite's in it. */
function removeFolder(path: string): void {
  rmSync(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 10 });
}

/** Null when another process took it for a dead owner's before it was locked. */
function makeLocked(parent: string, isLast: boolean): { readonly path: string; readonly lock: Database } | null {
  let path: string;
  try {
    path = mkdtempSync(join(parent, prefix));
  } catch (error) {
    throw toIoError(error, parent);
  }
  const name = join(path, lockName);
  let lock: Database | null = null;
  try {
    makePrivateFile(name);
    lock = openNodeDriver(name, { busyWait: patience });
    lock.exec("BEGIN EXCLUSIVE");
    if (existsSync(name)) return { path, lock };
  } catch (error) {
    if (isLast || existsSync(name)) {
      lock?.close();
      throw error;
    }
  }
  lock?.close();
  if (isLast) throw new BackscrollError("io", `${path} was taken away`, "Try again.");
  return null;
}

/** Takes away what killed processes left in a folder: it holds copies of transcripts. Returns how many there were. */
export function sweepWorkFolders(parent: string): number {
  if (!existsSync(parent)) return 0;
  return readdirSync(parent)
    .filter((name) => name.startsWith(prefix))
    .filter((name) => removeAbandoned(join(parent, name))).length;
}

function removeAbandoned(folder: string): boolean {
  const lock = join(folder, lockName);
  const remove = () => removeFolder(folder);
  const { mtimeMs = Date.now() } = statSync(folder, { throwIfNoEntry: false }) ?? {};
  if (!existsSync(lock)) {
    const isOld = Date.now() - mtimeMs > youngMs;
    if (isOld) remove();
    return isOld;
  }
  let db: Database | null = null;
  try {
    db = openNodeDriver(lock, { busyWait: 0 });
    db.exec("BEGIN EXCLUSIVE");
  } catch {
    // Held, or gone by now: its owner takes it away.
    db?.close();
    return false;
  }
  try {
    // While it is held: an owner that was about to take the lock finds it gone. Windows removes no file that is open.
    if (process.platform === "win32") db.close();
    remove();
    return true;
  } finally {
    db.close();
  }
}
