/** Files that only their owner reads, and that are either whole or not there: made private, synced, renamed into place. */
import {
  closeSync,
  copyFileSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  type WriteFileOptions,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { BackscrollError, toIoError } from "../errors.ts";

const privately = { mode: 0o600, flag: "wx" } satisfies WriteFileOptions;

/** Makes a file before anybody else does, SQLite included, so that it is never readable to others. */
export function makePrivateFile(path: string, content: Uint8Array | string = ""): void {
  told(path, () => writeFileSync(path, content, privately));
}

/** Makes a folder and those above it that are missing. */
export function makePrivateFolder(path: string): void {
  told(path, () => mkdirSync(path, { recursive: true, mode: 0o700 }));
}

/** What was written to the file is on the disk when this returns. */
export function syncFile(path: string): void {
  told(path, () => {
    const file = openSync(path, "r+");
    try {
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  });
}

/** Names made or changed in the folder survive a power cut when this returns. Windows knows no such thing. */
export function syncFolder(path: string): void {
  if (process.platform === "win32") return;
  told(path, () => {
    const folder = openSync(path, "r");
    try {
      fsyncSync(folder);
    } finally {
      closeSync(folder);
    }
  });
}

/** Replaces whatever has that name, in one step. The file is synced already. */
export function renameInto(from: string, to: string): void {
  told(to, () => renameSync(from, to));
  syncFolder(dirname(to));
}

/**
 * Gives a synced file its final name unless something has that name by now: a second name and the first one taken away,
 * as a rename would replace what it finds.
 * @throws {BackscrollError} `io` when the name is taken.
 */
export function placeNew(from: string, to: string): void {
  try {
    linkSync(from, to);
    rmSync(from);
  } catch (error) {
    if (codeOf(error) === "EEXIST") throw nameTaken(to, error);
    // File systems without second names: the moment between looking and renaming has to be good enough.
    told(to, () => renameSync(from, to));
  }
  syncFolder(dirname(to));
}

/** A second name for a file, or a copy of it where the file system knows no second names. */
export function keepAs(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (error) {
    if (codeOf(error) === "EEXIST") throw nameTaken(to, error);
    told(to, () => copyFileSync(from, to));
    syncFile(to);
  }
}

export function nameTaken(path: string, cause?: unknown): BackscrollError {
  return new BackscrollError("io", `${path} is there already`, "Choose a file that does not exist yet.", { cause });
}

export function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

function told<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw toIoError(error, path);
  }
}
