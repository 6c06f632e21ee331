/**
 * Transcripts and single entries that were deleted: an import passes them over, so that what was forgotten does not come back
 * with the next sync (SPEC 2.2). Only hashes are kept, as an id can say what a session was about. Each stands in the store's
 * table and, from the commit on, in the mirror beside it (SPEC 2.18).
 */
import { existsSync } from "node:fs";
import { BackscrollError } from "../errors.ts";
import type { Database } from "./driver.ts";
import { entryHash, entryPrefix, rangeOf, type Said } from "./entry-tombstone.ts";
import { hashOf } from "./tombstone-hash.ts";
import { appendToMirror, mirrorPath, readMirror, type Tombstone, writeMirror } from "./tombstone-mirror.ts";
import { afterCommit, transaction } from "./transaction.ts";

export function addTombstones(db: Database, sessionKey: string, sessionIds: readonly string[], at: number): void {
  const session = hashOf(sessionKey);
  for (const id of sessionIds) add(db, { hash: hashOf(id), session, at });
}

/** Before the hash of a session whose title was forgotten: no hash begins so. */
const titlePrefix = "title:";
/** SQL: rows that stand for transcripts. The others have a prefix. */
const ofTranscripts = "instr(hash, ':') = 0";

/** From now on no import gives the session a title: what it was made of is forgotten. */
export function addTitleTombstone(db: Database, sessionKey: string, at: number): void {
  const session = hashOf(sessionKey);
  add(db, { hash: titlePrefix + session, session, at });
}

/** From now on no import takes in such an entry of the transcript, whatever its id. */
export function addEntryTombstone(
  db: Database,
  { sessionKey, sessionId }: { readonly sessionKey: string; readonly sessionId: string },
  entry: Said,
  at: number,
): void {
  add(db, { hash: entryHash(sessionId, entry), session: hashOf(sessionKey), at });
}

function add(db: Database, row: Tombstone): void {
  db.prepare(`
    INSERT INTO tombstones (hash, session, at) VALUES (:hash, :session, :at)
    ON CONFLICT DO UPDATE SET session = excluded.session, at = excluded.at
  `).run({ ...row });
  mirrorLater(db, row.hash);
}

export function hasTitleTombstone(db: Database, sessionKey: string): boolean {
  return has(db, titlePrefix + hashOf(sessionKey));
}

/** Whether a transcript was deleted. O(1). */
export function hasTombstone(db: Database, sessionId: string): boolean {
  return has(db, hashOf(sessionId));
}

function has(db: Database, hash: string): boolean {
  return db.prepare("SELECT 1 FROM tombstones WHERE hash = :hash").get({ hash }) !== undefined;
}

/** SQL: rows of the session that a key, the id of a transcript, or that of one that lost entries means. */
const ofReference = `(session = :hash OR session IN (
  SELECT session FROM tombstones WHERE hash = :hash OR (hash >= :from AND hash < :to)
))`;

function referred(reference: string) {
  return { hash: hashOf(reference), ...rangeOf(reference) };
}

/**
 * Takes tombstones away: of a session, by its key or the id of one of its transcripts. Source files are read anew by the
 * next import, as nobody knows which of them said it. Returns how many transcripts and entries may come back. The caller has
 * a transaction open.
 */
export function removeTombstones(db: Database, reference: string): { transcripts: number; entries: number } {
  takeFromMirror(db);
  const row = db
    .prepare(`
      SELECT count(*) FILTER (WHERE ${ofTranscripts}) AS transcripts,
        count(*) FILTER (WHERE hash GLOB '${entryPrefix}*') AS entries
      FROM tombstones WHERE ${ofReference}
    `)
    .get(referred(reference));
  if (db.prepare(`DELETE FROM tombstones WHERE ${ofReference}`).run(referred(reference)) > 0) removed(db);
  return { transcripts: Number(row?.transcripts), entries: Number(row?.entries) };
}

/** Those of a transcript's entries, whatever its session was called then. Returns how many there were. */
export function removeEntryTombstones(db: Database, sessionId: string): number {
  takeFromMirror(db);
  const count = db.prepare("DELETE FROM tombstones WHERE hash >= :from AND hash < :to").run(rangeOf(sessionId));
  if (count > 0) removed(db);
  return count;
}

/** Before the commit: killed in between, the mirror has less than the table, and what was not undone yet stays forgotten. */
function removed(db: Database): void {
  readSourcesAsNew(db);
  const path = mirrorPath(db.path);
  if (path !== null) writeMirror(path, readTombstones(db));
}

/** Transcripts of a session that were deleted, by its key or the id of one of them. */
export function tombstonesOf(db: Database, reference: string): number {
  const row = db
    .prepare(`SELECT count(*) AS n FROM tombstones WHERE ${ofTranscripts} AND ${ofReference}`)
    .get(referred(reference));
  return Number(row?.n);
}

/** Transcripts that were deleted. */
export function countTombstones(db: Database): number {
  return Number(db.prepare(`SELECT count(*) AS n FROM tombstones WHERE ${ofTranscripts}`).get()?.n ?? 0);
}

/**
 * Marks every source file as one that has to be read again from its start: it decides where its transcripts end, as damage
 * may have moved that. Returns how many there are.
 */
export function readSourcesAnew(db: Database): number {
  return db.prepare("UPDATE source_files SET stage = 'again'").run();
}

/**
 * Every source file is read from its start, as one that is new: what is stored stays where it is, and what was deleted comes
 * as it first did. Read as changed ones, the last of several files of a transcript would decide where it ends.
 */
export function readSourcesAsNew(db: Database): void {
  db.prepare("DELETE FROM source_files").run();
}

/** All of them; none where the schema is older than they are. */
export function readTombstones(db: Database): Tombstone[] {
  const there = db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'tombstones'").get();
  return there ? (db.prepare("SELECT hash, session, at FROM tombstones").all() as unknown as Tombstone[]) : [];
}

/** Tombstones of another store of the same agent, or of the mirror. Returns how many were not there. */
export function copyTombstones(db: Database, tombstones: readonly Tombstone[]): number {
  const statement = db.prepare(`
    INSERT INTO tombstones (hash, session, at) VALUES (:hash, :session, :at)
    ON CONFLICT DO UPDATE SET session = excluded.session, at = max(at, excluded.at)
  `);
  const count = () => Number(db.prepare("SELECT count(*) AS n FROM tombstones").get()?.n);
  return transaction(db, () => {
    const before = count();
    for (const { hash, session, at } of tombstones) statement.run({ hash, session, at });
    return count() - before;
  });
}

/** What of a copy is from before one of these deletions; what was begun again since carries a tombstone as new. */
export function isBefore(own: readonly Tombstone[], tombstones: readonly Tombstone[]) {
  const known = new Map(own.map(({ hash, at }) => [hash, at]));
  const deleted = new Set(
    tombstones.filter(({ hash, at }) => (known.get(hash) ?? Number.NEGATIVE_INFINITY) < at).map(({ hash }) => hash),
  );
  const begins = new Set([...deleted].map((hash) => hash.slice(0, rangeOf("").from.length)));
  return {
    transcript: (sessionId: string) => deleted.has(hashOf(sessionId)),
    titleOf: (sessionKey: string) => deleted.has(titlePrefix + hashOf(sessionKey)),
    /** Whether any entry of a transcript is. */
    entriesOf: (sessionId: string) => begins.has(rangeOf(sessionId).from),
    entry: (sessionId: string, entry: Said) => deleted.has(entryHash(sessionId, entry)),
  };
}

/** Takes into the table what only the mirror has: the database is new or damaged, or the mirror is about to be written anew. */
export function takeFromMirror(db: Database): void {
  const path = mirrorPath(db.path);
  if (path !== null) copyTombstones(db, readMirror(path).rows);
}

/**
 * What stands in the table or in the mirror stands in both then. Returns how many were missing in each, and how many lines of
 * the mirror were none, which are gone. @throws {BackscrollError} `busy`, `io`.
 */
export function uniteWithMirror(db: Database): { toTable: number; toMirror: number; skipped: number } {
  const path = mirrorPath(db.path);
  if (path === null) return { toTable: 0, toMirror: 0, skipped: 0 };
  return transaction(db, () => {
    const mirror = readMirror(path);
    const toTable = copyTombstones(db, mirror.rows);
    const mirrored = new Set(mirror.rows.map(({ hash }) => hash));
    const rows = readTombstones(db);
    const missing = rows.filter(({ hash }) => !mirrored.has(hash));
    if (mirror.skipped > 0) writeMirror(path, rows);
    else if (missing.length > 0) appendToMirror(path, missing);
    return { toTable, toMirror: missing.length, skipped: mirror.skipped };
  });
}

/**
 * Adds to the mirror what it lacks, where that can be done. Returns why not, null where it lacks nothing: for whoever says that
 * something is forgotten.
 */
export function catchUpMirror(db: Database): BackscrollError | null {
  const path = mirrorPath(db.path);
  if (path === null) return null;
  const mirrored = new Set(readMirror(path).rows.map(({ hash }) => hash));
  if (readTombstones(db).every(({ hash }) => mirrored.has(hash))) return null;
  try {
    uniteWithMirror(db);
    return null;
  } catch (error) {
    if (!(error instanceof BackscrollError)) throw error;
    return error;
  }
}

/**
 * Adds to the mirror of a database that was put in place what it lacks of these rows, which are that database's. What can't be
 * written, the doctor says and adds.
 */
export function completeMirror(database: string, rows: readonly Tombstone[]): void {
  const path = mirrorPath(database);
  if (path === null) return;
  const mirrored = new Set(readMirror(path).rows.map(({ hash }) => hash));
  const missing = rows.filter(({ hash }) => !mirrored.has(hash));
  try {
    if (missing.length > 0) appendToMirror(path, missing);
  } catch {
    // The store is in place by now, and that is what counts.
  }
}

/** By database: hashes that are in the table and not in the mirror yet. */
const unmirrored = new WeakMap<Database, { readonly hashes: Set<string>; readonly work: () => void }>();

/** After the commit, never before: the mirror must hold nothing that the store does not know. */
function mirrorLater(db: Database, hash: string): void {
  const path = mirrorPath(db.path);
  if (path === null) return;
  let waiting = unmirrored.get(db);
  if (!waiting) {
    const hashes = new Set<string>();
    waiting = { hashes, work: () => mirrorNow(db, path, hashes) };
    unmirrored.set(db, waiting);
  }
  waiting.hashes.add(hash);
  afterCommit(db, waiting.work);
}

/** Under the write lock: another process that undoes a deletion meanwhile writes the mirror anew. */
function mirrorNow(db: Database, path: string, hashes: Set<string>): void {
  const asked = [...hashes];
  hashes.clear();
  try {
    transaction(db, () => {
      if (!existsSync(path)) {
        writeMirror(path, readTombstones(db));
        return;
      }
      // What was rolled back or undone since is not there.
      const row = db.prepare("SELECT hash, session, at FROM tombstones WHERE hash = :hash");
      const rows = asked.map((hash) => row.get({ hash })).filter((found) => found !== undefined);
      if (rows.length > 0) appendToMirror(path, rows as unknown as Tombstone[]);
    });
  } catch {
    // The deletion stands, whatever keeps its second copy from being written (a full disk, a process that holds the lock for
    // long): the doctor says what the mirror lacks, and adds it.
  }
}
