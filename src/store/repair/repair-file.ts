/**
 * Puts a new file, filled with everything that can be read of a damaged one, in its place. The damaged one goes into a
 * folder beside it as it is, its write-ahead log included: nothing is deleted. While this goes on no other process may
 * have the file open, as it would go on writing to the one that was moved away.
 */
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { BackscrollError, toIoError } from "../../errors.ts";
import type { AgentId } from "../../model/ids.ts";
import { WorkFolder } from "../backup/work-folder.ts";
import type { Database } from "../driver.ts";
import { openNodeDriver } from "../driver-node.ts";
import { checkIndexVersion } from "../index-version.ts";
import { openDatabase } from "../open-database.ts";
import { keepAs } from "../private-files.ts";
import { reconcile } from "../reconcile.ts";
import { translate } from "../sqlite-error.ts";
import { readSourcesAnew } from "../tombstones.ts";
import { setToolIndex } from "../tool-choice.ts";
import { type Salvaged, salvage } from "./salvage.ts";

/** Milliseconds to wait for whoever has the file open. */
const patience = 2000;

export interface Replaced extends Salvaged {
  /** Where the damaged file is now. */
  readonly kept: string;
}

/**
 * @param at Epoch ms; names the folder.
 * @param hasTools Whether the new file indexes tool calls and results, as the old one did.
 * @throws {BackscrollError} `busy` when another process has the file open, `io`; then everything is as it was.
 */
export async function replaceDamaged(
  path: string,
  agentId: AgentId,
  at: number,
  tick: (rows: number) => Promise<void>,
  hasTools = false,
): Promise<Replaced> {
  const fresh = join(dirname(path), `salvaged-${stamp(at)}.sqlite`);
  let lock = lockOut(path);
  try {
    // What repairs that were killed had begun: while the lock is held, nobody works on it.
    if (lock) removeBegun(dirname(path));
    for (const suffix of suffixes) rmSync(fresh + suffix, { force: true });
    const salvaged = await fill(fresh, path, agentId, tick, hasTools);
    // Windows moves no file that is open.
    if (process.platform === "win32") {
      lock?.close();
      lock = null;
    }
    return { ...salvaged, kept: moveAside(path, fresh, at) };
  } catch (error) {
    throw toIoError(error, path);
  } finally {
    for (const suffix of suffixes) rmSync(fresh + suffix, { force: true });
    lock?.close();
  }
}

const suffixes = ["", "-wal", "-shm", "-journal"];

async function fill(
  fresh: string,
  path: string,
  agentId: AgentId,
  tick: (rows: number) => Promise<void>,
  hasTools: boolean,
): Promise<Salvaged> {
  const db = openDatabase(fresh, { durability: "normal" });
  try {
    checkIndexVersion(db);
    setToolIndex(db, hasTools);
    db.exec("PRAGMA foreign_keys = OFF");
    const salvaged = await salvage(path, db, agentId, tick);
    db.exec("PRAGMA foreign_keys = ON");
    const { lost, cut, madeUp, unread } = salvaged;
    if (lost + cut + madeUp + unread > 0) readSourcesAnew(db);
    // Whatever does not let itself be indexed (a body that is damaged) stays dirty, and is put right by the next repair.
    await reconcile(db, Number.POSITIVE_INFINITY, () => 0).catch((error: unknown) => {
      if (!(error instanceof BackscrollError) || error.code !== "bad_store") throw error;
    });
    db.exec("PRAGMA synchronous = FULL; PRAGMA wal_checkpoint(TRUNCATE)");
    return salvaged;
  } finally {
    db.close();
  }
}

/**
 * Keeps every other process out, until closed. Null for a file so damaged that nobody can open it anyway.
 * @param name By which it is opened: locks are those of the file, its log goes by the name.
 */
function lockOut(path: string, name = path): Database | null {
  // Opening a file of no bytes would remove its log.
  if (statSync(path).size === 0) return null;
  let db: Database | null = null;
  try {
    db = openNodeDriver(name, { busyWait: patience });
    db.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE");
    return db;
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
}

/**
 * The log first: were the new file in place before, SQLite would apply the old log to it. A process killed in between is
 * noticed by {@link undoHalfMoved}.
 */
function moveAside(path: string, fresh: string, at: number): string {
  const folder = join(dirname(path), `damaged-${stamp(at)}`);
  mkdirSync(folder, { mode: 0o700 });
  for (const suffix of ["-wal", "-shm", "-journal"]) {
    if (existsSync(path + suffix)) renameSync(path + suffix, join(folder, basename(path) + suffix));
  }
  try {
    // A second name, so that there is a store at any moment.
    linkSync(path, join(folder, basename(path)));
  } catch {
    renameSync(path, join(folder, basename(path)));
  }
  renameSync(fresh, path);
  syncFolder(dirname(path));
  return folder;
}

/** A move that was cut short goes back: the log to its file, the file to its place; a new file that was begun goes. */
export function undoHalfMoved(path: string): void {
  const folder = dirname(path);
  if (!existsSync(folder)) return;
  const names = readdirSync(folder);
  // Only where the new file still waits for its turn.
  if (!names.some(isBegun)) return;
  const use = existsSync(path) ? useOf(path) : "none";
  // Somebody may be in the middle of it.
  if (use === "open") return;
  for (const name of names.filter((each) => each.startsWith("damaged-"))) {
    const main = join(folder, name, basename(path));
    const log = `${main}-wal`;
    if (existsSync(main)) {
      if (!existsSync(path)) renameSync(main, path);
      else if (statSync(main).ino === statSync(path).ino) rmSync(main);
    }
    if (!existsSync(main) && existsSync(log) && !existsSync(`${path}-wal`)) renameSync(log, `${path}-wal`);
  }
  // Copies of what the file itself has. Where nobody can lock it, there is no telling whether somebody works on them.
  if (use === "none") removeBegun(folder);
}

const isBegun = (name: string): boolean => name.startsWith("salvaged-");

function removeBegun(folder: string): void {
  for (const name of readdirSync(folder).filter(isBegun)) rmSync(join(folder, name), { force: true });
}

/** Whether any process has the file open; `unknown` for one that can't be opened. Reads it, and leaves its log alone. */
function useOf(path: string): "open" | "none" | "unknown" {
  // Opening and closing would take the log in.
  if (existsSync(`${path}-wal`)) return "unknown";
  try {
    const lock = lockOut(path);
    lock?.close();
    return lock === null ? "unknown" : "none";
  } catch (error) {
    if (error instanceof BackscrollError && error.code === "busy") return "open";
    throw error;
  }
}

/**
 * Moves a log that belongs to another database, or to another time, out of the way.
 * @throws {BackscrollError} `busy` when another process has the file open: it goes on with that log. `io`.
 */
export function moveLogAside(path: string, at: number): string {
  const folder = join(dirname(path), `damaged-${stamp(at)}`);
  const work = new WorkFolder(dirname(path));
  let lock: Database | null = null;
  try {
    lock = lockOut(path, secondName(path, work));
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    renameSync(`${path}-wal`, join(folder, "foreign-wal"));
    rmSync(`${path}-shm`, { force: true });
  } catch (error) {
    throw toIoError(error, path);
  } finally {
    lock?.close();
    work.remove();
  }
  return folder;
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

function syncFolder(folder: string): void {
  // Not every system lets a folder be opened.
  if (process.platform === "win32") return;
  const handle = openSync(folder, "r");
  fsyncSync(handle);
  closeSync(handle);
}

function stamp(at: number): string {
  return new Date(at).toISOString().replace(/[:.]/g, "-");
}
