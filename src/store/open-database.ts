/** Opens the file of one agent: on a disk of this machine, ours and no other's, pragmas, newest schema; or for reading. */
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { BackscrollError, toIoError } from "../errors.ts";
import { limits } from "../limits.ts";
import { privateFile } from "./database-file.ts";
import type { Database } from "./driver.ts";
import { openNodeDriver } from "./driver-node.ts";
import { watchIdentity } from "./file-identity.ts";
import { type FileSystemProbe, probeFileSystem } from "./file-system.ts";
import { check, migrate } from "./migrate.ts";
import { openReadOnly } from "./read-only.ts";
import { resultCode, translate } from "./sqlite-error.ts";

export interface DatabaseOptions {
  /**
   * `full` (the default): what was acknowledged survives a power cut. `normal`: survives a crash of the process; for
   * bulk imports, which can be repeated (SPEC 1.6).
   */
  readonly durability?: "full" | "normal";
  /** Patience for another process's write lock, in milliseconds. */
  readonly busyWait?: number;
  /** Folder for private copies, which a store that can't be written may need (see read-only.ts). None: such a store is refused. */
  readonly scratch?: string;
  /** Tells network file systems from disks. The system is asked unless given. */
  readonly fileSystem?: FileSystemProbe;
}

/**
 * A store that can't be written is opened for reading: see `readOnly` of the result.
 * @throws {BackscrollError} `bad_store`, `io`, `busy`, or `unsupported` on a network file system and for an SQLite without FTS5.
 */
export function openDatabase(path: string, options: DatabaseOptions = {}): Database {
  if (path === ":memory:") return openToWrite(path, options);
  refuseNetwork(path, options.fileSystem ?? probeFileSystem);
  const refusal = privateFile(path);
  if (refusal !== null) return openReadOnly(path, refusal, readOnlyOptions(options));
  try {
    return openToWrite(path, options);
  } catch (error) {
    // The modes allow it and the system does not: a sandbox, an access list.
    if (![8, 14].includes((resultCode(error) ?? 0) & 0xff)) throw error;
    return openReadOnly(path, error, readOnlyOptions(options));
  }
}

function readOnlyOptions({ busyWait = limits.busyWait.default, scratch }: DatabaseOptions) {
  return { busyWait, ...(scratch !== undefined && { scratch }) };
}

/** Before anything is made there. The nearest folder that exists tells for those that don't yet. */
function refuseNetwork(path: string, probe: FileSystemProbe): void {
  let folder = dirname(path);
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  let found: string | null;
  try {
    found = probe(folder);
  } catch (error) {
    throw toIoError(error, folder);
  }
  if (found === null) return;
  throw new BackscrollError(
    "unsupported",
    `${path} is on a network or shared file system (${found}), where SQLite's locks don't hold and the store would be damaged`,
    "Choose a home on a disk of this machine (--home, BACKSCROLL_HOME); transcripts to import, and backups, may lie on the network.",
  );
}

function openToWrite(path: string, options: DatabaseOptions): Database {
  const db = openNodeDriver(path, {
    busyWait: options.busyWait ?? limits.busyWait.default,
    ...(path !== ":memory:" && { isStale: watchIdentity(path) }),
  });
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
  const until = Date.now() + (options.busyWait ?? limits.busyWait.default);
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
