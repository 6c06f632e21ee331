/** Opens the file of one agent: folder and file modes, pragmas, our file and no other's, newest schema. */
import { closeSync, fchmodSync, fstatSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { BackscrollError } from "../errors.ts";
import { limits } from "../limits.ts";
import type { Database } from "./driver.ts";
import { openNodeDriver } from "./driver-node.ts";
import { check, migrate } from "./migrate.ts";
import { translate } from "./sqlite-error.ts";

export interface DatabaseOptions {
  /**
   * `full` (the default): what was acknowledged survives a power cut. `normal`: survives a crash of the process; for
   * bulk imports, which can be repeated (SPEC 1.6).
   */
  readonly durability?: "full" | "normal";
}

/**
 * @throws {BackscrollError} `bad_store`, `io`, `busy`, or `unsupported` when this SQLite lacks FTS5.
 */
export function openDatabase(path: string, options: DatabaseOptions = {}): Database {
  if (path !== ":memory:") privateFile(path);
  const db = openNodeDriver(path, { busyWait: limits.busyWait.default });
  try {
    prepareFile(db, options);
    return db;
  } catch (error) {
    db.close();
    throw translate(error, path);
  }
}

/**
 * Several processes may open a new file at once. SQLite waits for most locks by itself, but not for the one that turns a
 * file to WAL: whoever comes second is refused at once, and has to ask again.
 */
function prepareFile(db: Database, options: DatabaseOptions): void {
  const until = Date.now() + limits.busyWait.default;
  for (;;) {
    try {
      // Before anything is written, the journal mode included: another program's file, or a newer one, stays as it is.
      check(db);
      db.exec(`
        PRAGMA journal_mode = WAL;
        PRAGMA synchronous = ${options.durability === "normal" ? "NORMAL" : "FULL"};
        PRAGMA secure_delete = ON;
        PRAGMA cache_size = -16384;
        PRAGMA temp_store = MEMORY;
        PRAGMA journal_size_limit = 67108864;
        PRAGMA wal_autocheckpoint = ${options.durability === "normal" ? 8000 : 1000};
      `);
      probeFts(db);
      migrate(db);
      return;
    } catch (error) {
      const told = translate(error, db.path);
      if (!(told instanceof BackscrollError) || told.code !== "busy" || Date.now() >= until) throw told;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    }
  }
}

/** Some builds of Node on Windows came without FTS5; say so instead of failing in the middle of a migration. */
function probeFts(db: Database): void {
  const found = db.prepare("SELECT count(*) AS n FROM pragma_module_list WHERE name = 'fts5'").get()?.n;
  if (found === 0) {
    throw new BackscrollError(
      "unsupported",
      "this Node's SQLite has no FTS5",
      "Use an official build of Node 24.15 or newer.",
    );
  }
}

/**
 * Makes the file before SQLite does, so that it is never readable to others, not even for a moment; SQLite gives its
 * -wal and -shm files the mode of the main file.
 */
function privateFile(path: string): void {
  const folder = dirname(path);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const file = openSync(path, "a", 0o600);
    // A file that was copied or restored with wider modes becomes private again.
    if ((fstatSync(file).mode & 0o077) !== 0) fchmodSync(file, 0o600);
    closeSync(file);
  } catch (error) {
    throw new BackscrollError(
      "io",
      `can't write ${path}: ${error instanceof Error ? error.message : error}`,
      "Choose a home folder that can be written.",
      {
        cause: error,
      },
    );
  }
}
