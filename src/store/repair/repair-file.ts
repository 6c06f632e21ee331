/**
 * Puts a new file, filled with everything that can be read of a damaged one, in its place. The damaged one goes into a
 * folder beside it as it is, its write-ahead log included: nothing is deleted. While this goes on no other process may
 * have the file open, as it would go on writing to the one that was moved away.
 */
import { existsSync, linkSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { BackscrollError, toIoError } from "../../errors.ts";
import type { AgentId } from "../../model/ids.ts";
import { WorkFolder } from "../backup/work-folder.ts";
import type { Database } from "../driver.ts";
import { checkIndexVersion } from "../index-version.ts";
import { openDatabase } from "../open-database.ts";
import { syncFolder } from "../private-files.ts";
import { reconcile } from "../reconcile.ts";
import { mirrorPath, readMirror } from "../tombstone-mirror.ts";
import { copyTombstones, readSourcesAnew, readTombstones } from "../tombstones.ts";
import { setToolIndex } from "../tool-choice.ts";
import { lockOut, lockOutBeside } from "./lock-out.ts";
import { type Salvaged, salvage } from "./salvage.ts";

export interface Replaced extends Salvaged {
  /** Where the damaged file is now. */
  readonly kept: string;
  /** Whether the mirror has every tombstone that was left in the file, and no line that can't be read. */
  readonly mirrorIsWhole: boolean;
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
  const work = new WorkFolder(dirname(path));
  let lock: Database | null = null;
  try {
    lock = lockOutBeside(path, work);
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
    work.remove();
  }
}

const suffixes = ["", "-wal", "-shm", "-journal"];

async function fill(
  fresh: string,
  path: string,
  agentId: AgentId,
  tick: (rows: number) => Promise<void>,
  hasTools: boolean,
): Promise<Omit<Replaced, "kept">> {
  const db = openDatabase(fresh, { durability: "normal" });
  try {
    checkIndexVersion(db);
    setToolIndex(db, hasTools);
    db.exec("PRAGMA foreign_keys = OFF");
    const salvaged = await salvage(path, db, agentId, tick);
    db.exec("PRAGMA foreign_keys = ON");
    const mirrorIsWhole = takeTombstones(db, path);
    const { lost, cut, madeUp, unread } = salvaged;
    if (lost + cut + madeUp + unread > 0) readSourcesAnew(db);
    // Whatever does not let itself be indexed (a body that is damaged) stays dirty, and is put right by the next repair.
    await reconcile(db, Number.POSITIVE_INFINITY, () => 0).catch((error: unknown) => {
      if (!(error instanceof BackscrollError) || error.code !== "bad_store") throw error;
    });
    db.exec("PRAGMA synchronous = FULL; PRAGMA wal_checkpoint(TRUNCATE)");
    return { ...salvaged, mirrorIsWhole };
  } finally {
    db.close();
  }
}

/** What the damaged file has lost of them its mirror may have. The other way round, the next round of checks sees to it. */
function takeTombstones(db: Database, path: string): boolean {
  const mirrored = mirrorPath(path);
  const mirror = mirrored === null ? null : readMirror(mirrored);
  if (!mirror?.isThere) return false;
  const names = new Set(mirror.rows.map(({ hash }) => hash));
  const isWhole = mirror.skipped === 0 && readTombstones(db).every(({ hash }) => names.has(hash));
  copyTombstones(db, mirror.rows);
  return isWhole;
}

/**
 * The log first: were the new file in place before, SQLite would apply the old log to it. A process killed in between is
 * noticed by {@link undoHalfMoved}.
 */
function moveAside(path: string, fresh: string, at: number): string {
  const folder = asideFolder(path, at);
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

/** Where a repair puts what it takes out of the way. Two can begin in the same millisecond. */
export function asideFolder(path: string, at: number): string {
  const name = join(dirname(path), `damaged-${stamp(at)}`);
  for (let count = 1; ; count++) {
    const free = count === 1 ? name : `${name}-${count}`;
    if (!existsSync(free)) return free;
  }
}

function stamp(at: number): string {
  return new Date(at).toISOString().replace(/[:.]/g, "-");
}
