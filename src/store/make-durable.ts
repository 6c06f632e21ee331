/**
 * Makes everything committed so far survive a power cut, also where the store was opened for imports (SPEC 1.6). Needed
 * before what was imported from is taken away. Costs one checkpoint.
 */
import { closeSync, fsyncSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { BackscrollError } from "../errors.ts";
import type { Database } from "./driver.ts";
import { translate } from "./sqlite-error.ts";

/** @throws {BackscrollError} `busy` when a reader keeps the log from being written back. */
export function makeDurable(db: Database): void {
  if (db.path === ":memory:") return;
  let row: ReturnType<ReturnType<Database["prepare"]>["get"]>;
  try {
    row = db.prepare("PRAGMA wal_checkpoint(FULL)").get();
  } catch (error) {
    throw translate(error, db.path);
  }
  if (row?.busy !== 0) {
    throw new BackscrollError(
      "busy",
      `${db.path}: another process reads or writes it, so that it can't be written to disk for good`,
      "Try again when the other process is done.",
    );
  }
  // The names of the file and of its folders, up to the home.
  let folder = dirname(db.path);
  for (let up = 0; up < 3; up++) {
    flushFolder(folder);
    folder = dirname(folder);
  }
}

/** Makes what was added to or taken from a folder survive a power cut. Also where that can't be asked for: then the system decides. */
export function flushFolder(folder: string): void {
  let file: number;
  try {
    file = openSync(folder, "r");
  } catch {
    return;
  }
  try {
    fsyncSync(file);
  } catch (error) {
    // Windows and some network file systems can't flush a folder; a disk that fails says EIO, and that counts.
    if (error instanceof Error && "code" in error && error.code === "EIO") throw error;
  } finally {
    closeSync(file);
  }
}
