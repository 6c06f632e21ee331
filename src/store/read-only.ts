/**
 * Opens a store that can't be written: another user's, on a disk mounted for reading, in a sandbox. Nothing in it changes:
 * no migration, no marks, no modes, no -wal or -shm file.
 */
import { chmodSync, constants, copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { BackscrollError } from "../errors.ts";
import { cantWrite } from "./database-file.ts";
import type { Database, OpenOptions } from "./driver.ts";
import { openNodeDriver } from "./driver-node.ts";
import { watchContent, watchIdentity } from "./file-identity.ts";
import { check, schemaVersion } from "./migrate.ts";
import { resultCode } from "./sqlite-error.ts";

export interface ReadOnlyOptions {
  readonly busyWait: number;
  /** Folder for private copies. */
  readonly scratch?: string;
}

/**
 * Three ways, the first that works:
 * - As it is, which needs the -wal and -shm files of a process that has it open (or left them behind). Sees every write.
 * - Without them and with nothing in a write-ahead log, the file alone is the whole store: read without any lock, as
 *   SQLite's `immutable`. When somebody writes after all, the store counts as stale and is opened again.
 * - A write-ahead log that nobody has merged, without its -shm: only a copy of both can be read. It costs the time and
 *   space of copying the file (nothing where the file system can share blocks).
 *
 * @param refusal Why it can't be written.
 * @throws {BackscrollError} `io` when it can't be read either or is not there; `bad_store` for an older schema.
 */
export function openReadOnly(path: string, refusal: unknown, options: ReadOnlyOptions): Database {
  if (!existsSync(path)) throw cantWrite(path, refusal);
  const { busyWait } = options;
  try {
    return opened(path, { readOnly: true, busyWait, isStale: watchIdentity(path) });
  } catch (error) {
    // 8: read-only, 14: can't be opened; SQLite says either where it would have to make -wal or -shm.
    if (![8, 14].includes((resultCode(error) ?? 0) & 0xff)) throw error;
  }
  const isStale = watchContent([path, `${path}-wal`]);
  if (!hasLog(path)) {
    const location = pathToFileURL(path);
    location.searchParams.set("immutable", "1");
    return opened(path, { readOnly: true, busyWait, location, isStale });
  }
  return openCopy(path, { readOnly: true, busyWait, isStale }, options.scratch);
}

function opened(path: string, options: OpenOptions): Database {
  const db = openNodeDriver(path, options);
  try {
    const version = check(db);
    if (version < schemaVersion) {
      throw new BackscrollError(
        "bad_store",
        version === 0
          ? `${path} is empty, and can't be written`
          : `${path} has schema ${version}, this version of Backscroll reads ${schemaVersion}, and the file can't be written`,
        "Open it once where it can be written (backscroll stats does); that brings it up to date.",
      );
    }
    db.exec("PRAGMA cache_size = -16384; PRAGMA temp_store = MEMORY");
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function hasLog(path: string): boolean {
  return (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

function openCopy(path: string, options: OpenOptions, scratch: string | undefined): Database {
  if (scratch === undefined) {
    throw new BackscrollError(
      "io",
      `${path} has a write-ahead log that is not merged, and can't be written`,
      "Open it once where it can be written, or name a scratch folder in which a copy may be made.",
    );
  }
  let folder: string | null = null;
  const remove = () => {
    if (folder !== null) rmSync(folder, { recursive: true, force: true });
  };
  try {
    // Made with mode 0700; what lies in it is as private as the store.
    folder = mkdtempSync(join(scratch, "backscroll-read-"));
    const copy = join(folder, basename(path));
    for (const end of ["", "-wal"]) {
      copyFileSync(`${path}${end}`, `${copy}${end}`, constants.COPYFILE_FICLONE);
      chmodSync(`${copy}${end}`, 0o600);
    }
    if (options.isStale?.()) {
      throw new BackscrollError("busy", `${path} was written while it was copied for reading`, "Try again.");
    }
    const db = opened(path, { ...options, location: copy, onClose: remove });
    // Open handles keep it readable; so nothing is left behind when the process is killed. Windows has to wait for closing.
    if (process.platform !== "win32") remove();
    return db;
  } catch (error) {
    remove();
    if (error instanceof BackscrollError) throw error;
    throw new BackscrollError(
      "io",
      `${path} has a write-ahead log that is not merged, and copying both to ${scratch} failed: ${error instanceof Error ? error.message : error}`,
      "Make room there, or open the store once where it can be written.",
      { cause: error },
    );
  }
}
