/**
 * A private folder for files that are not finished yet, on the file system of the one that they will become. It goes away
 * with the work; where the process was killed, the next one that works in the same place takes it away. An SQLite lock
 * tells a dead owner's folder from a living one's: the system lets go of it when the process ends, however it ends.
 */
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { toIoError } from "../../errors.ts";
import type { Database } from "../driver.ts";
import { openNodeDriver } from "../driver-node.ts";
import { makePrivateFile } from "../private-files.ts";

const prefix = ".backscroll-unfinished-";
/** A folder this young may not have its lock yet. */
const youngMs = 60_000;

export class WorkFolder {
  readonly path: string;
  readonly #lock: Database;

  /** @throws {BackscrollError} `io` when the parent is missing or can't be written. */
  constructor(parent: string) {
    sweepWorkFolders(parent);
    try {
      this.path = mkdtempSync(join(parent, prefix));
    } catch (error) {
      throw toIoError(error, parent);
    }
    makePrivateFile(this.file("lock"));
    this.#lock = openNodeDriver(this.file("lock"), { busyWait: 0 });
    this.#lock.exec("BEGIN EXCLUSIVE");
  }

  file(name: string): string {
    return join(this.path, name);
  }

  /** Takes the folder away with everything in it. Idempotent. */
  remove(): void {
    this.#lock.close();
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** Takes away what killed processes left in a folder: it holds copies of transcripts. Returns how many there were. */
export function sweepWorkFolders(parent: string): number {
  if (!existsSync(parent)) return 0;
  const dead = readdirSync(parent)
    .filter((name) => name.startsWith(prefix))
    .map((name) => join(parent, name))
    .filter(isAbandoned);
  for (const folder of dead) rmSync(folder, { recursive: true, force: true });
  return dead.length;
}

function isAbandoned(folder: string): boolean {
  const lock = join(folder, "lock");
  const { mtimeMs = Date.now() } = statSync(folder, { throwIfNoEntry: false }) ?? {};
  if (!existsSync(lock)) return Date.now() - mtimeMs > youngMs;
  const db = openNodeDriver(lock, { busyWait: 0 });
  try {
    db.exec("BEGIN EXCLUSIVE");
    return true;
  } catch {
    return false;
  } finally {
    db.close();
  }
}
