/** A write-ahead log of another database, or of another time, goes out of the way; the file is then what it is by itself. */
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { toIoError } from "../../errors.ts";
import { WorkFolder } from "../backup/work-folder.ts";
import type { Database } from "../driver.ts";
import { keepAs, makePrivateFile, syncFolder } from "../private-files.ts";
import { closeRaw, openRaw } from "../raw-handle.ts";
import { inodeOf, lockOut } from "./lock-out.ts";
import { asideFolder } from "./repair-file.ts";

export interface MovedLog {
  /** Where it is now. */
  readonly folder: string;
  /** Whether this process had taken it into the file, which lies there as it was with it. */
  readonly takenIn: boolean;
}

/**
 * @param release Lets go of the file where this process has it open. Closing takes the log in, so the file is copied before, and
 *   the copy put in its place if that happened.
 * @throws {BackscrollError} `busy` when another process has the file open: it goes on with that log. `io`.
 */
export function moveLogAside(path: string, at: number, release: () => void): MovedLog {
  const folder = asideFolder(path, at);
  const work = new WorkFolder(dirname(path));
  let lock: Database | null = null;
  try {
    const alone = work.file("alone.sqlite");
    copyAlone(path, alone);
    release();
    const inode = inodeOf(path);
    lock = lockOut(path, secondName(path, work), inode);
    const takenIn = !isSame(path, alone);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (existsSync(`${path}-wal`)) renameSync(`${path}-wal`, join(folder, "foreign-wal"));
    rmSync(`${path}-shm`, { force: true });
    if (takenIn) {
      // Windows moves no file that is open.
      if (process.platform === "win32") {
        lock?.close();
        lock = null;
      }
      keepAs(path, join(folder, basename(path)));
      renameSync(alone, path);
    }
    syncFolder(dirname(path));
    return { folder, takenIn };
  } catch (error) {
    throw toIoError(error, path);
  } finally {
    lock?.close();
    work.remove();
  }
}

/**
 * Another name for the file, beside which there is no log: opened by its own, SQLite would take the log in when it closes.
 * A copy, which nobody has open, where the file system knows no second names.
 */
function secondName(path: string, work: WorkFolder): string {
  const name = work.file("locked");
  keepAs(path, name);
  return name;
}

const chunk = 1024 * 1024;

function copyAlone(path: string, copy: string): void {
  makePrivateFile(copy);
  const to = openSync(copy, "r+");
  try {
    for (const bytes of chunksOf(path)) for (let done = 0; done < bytes.length; ) done += writeSync(to, bytes, done);
    fsyncSync(to);
  } finally {
    closeSync(to);
  }
}

function isSame(path: string, other: string): boolean {
  const others = chunksOf(other);
  for (const bytes of chunksOf(path)) {
    const { value } = others.next();
    if (!value || !bytes.equals(value)) return false;
  }
  return others.next().done === true;
}

/** Of a file that this process may have open through SQLite. Each has to be used before the next is asked for. */
function* chunksOf(path: string): Generator<Buffer, undefined> {
  const file = openRaw(path);
  try {
    const buffer = Buffer.alloc(chunk);
    for (let at = 0; ; ) {
      const read = readSync(file, buffer, 0, chunk, at);
      if (read === 0) return;
      at += read;
      yield buffer.subarray(0, read);
    }
  } finally {
    closeRaw(file);
  }
}
