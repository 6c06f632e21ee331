/**
 * Transcripts that were deleted: an import passes them over, so that what was forgotten does not come back with the next
 * sync (SPEC 2.2). Only hashes are kept, as an id can say what a session was about.
 */
import { createHash } from "node:crypto";
import type { Database } from "./driver.ts";
import { transaction } from "./transaction.ts";

export function addTombstones(db: Database, sessionKey: string, sessionIds: readonly string[], at: number): void {
  const statement = db.prepare(`
    INSERT INTO tombstones (hash, session, at) VALUES (:hash, :session, :at)
    ON CONFLICT DO UPDATE SET session = excluded.session, at = excluded.at
  `);
  for (const id of sessionIds) statement.run({ hash: hashOf(id), session: hashOf(sessionKey), at });
}

/** Before the hash of a session whose title was forgotten: no hash begins so. */
const titlePrefix = "title:";
/** SQL: rows that stand for transcripts. */
const ofTranscripts = `hash NOT GLOB '${titlePrefix}*'`;

/** From now on no import gives the session a title: what it was made of is forgotten. */
export function addTitleTombstone(db: Database, sessionKey: string, at: number): void {
  const session = hashOf(sessionKey);
  db.prepare(`
    INSERT INTO tombstones (hash, session, at) VALUES (:hash, :session, :at) ON CONFLICT DO UPDATE SET at = excluded.at
  `).run({ hash: titlePrefix + session, session, at });
}

export function hasTitleTombstone(db: Database, sessionKey: string): boolean {
  const hash = titlePrefix + hashOf(sessionKey);
  return db.prepare("SELECT 1 FROM tombstones WHERE hash = :hash").get({ hash }) !== undefined;
}

/** Whether a transcript was deleted. O(1). */
export function hasTombstone(db: Database, sessionId: string): boolean {
  return db.prepare("SELECT 1 FROM tombstones WHERE hash = :hash").get({ hash: hashOf(sessionId) }) !== undefined;
}

/**
 * Takes tombstones away: of a session, by its key or the id of one of its transcripts. Source files are read anew by the
 * next import, as nobody knows which of them said it. Returns how many transcripts may come back.
 */
export function removeTombstones(db: Database, reference: string): number {
  const hash = hashOf(reference);
  const transcripts = tombstonesOf(db, reference);
  const removed = db
    .prepare(
      "DELETE FROM tombstones WHERE session = :hash OR session = (SELECT session FROM tombstones WHERE hash = :hash)",
    )
    .run({ hash });
  if (removed > 0) readSourcesAsNew(db);
  return transcripts;
}

/** Transcripts of a session that were deleted, by its key or the id of one of them. */
export function tombstonesOf(db: Database, reference: string): number {
  const row = db
    .prepare(
      `SELECT count(*) AS n FROM tombstones
       WHERE ${ofTranscripts} AND (session = :hash OR session = (SELECT session FROM tombstones WHERE hash = :hash))`,
    )
    .get({ hash: hashOf(reference) });
  return Number(row?.n);
}

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

/** A row of the table, as it is. */
export interface Tombstone {
  readonly hash: string;
  readonly session: string;
  readonly at: number;
}

/** All of them; none where the schema is older than they are. */
export function readTombstones(db: Database): Tombstone[] {
  const there = db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'tombstones'").get();
  return there ? (db.prepare("SELECT hash, session, at FROM tombstones").all() as unknown as Tombstone[]) : [];
}

/** Tombstones of another store of the same agent. */
export function copyTombstones(db: Database, tombstones: readonly Tombstone[]): void {
  const statement = db.prepare(`
    INSERT INTO tombstones (hash, session, at) VALUES (:hash, :session, :at)
    ON CONFLICT DO UPDATE SET session = excluded.session, at = max(at, excluded.at)
  `);
  transaction(db, () => {
    for (const { hash, session, at } of tombstones) statement.run({ hash, session, at });
  });
}

/** What of a copy is from before one of these deletions; what was begun again since carries a tombstone as new. */
export function isBefore(own: readonly Tombstone[], tombstones: readonly Tombstone[]) {
  const known = new Map(own.map(({ hash, at }) => [hash, at]));
  const deleted = new Set(
    tombstones.filter(({ hash, at }) => (known.get(hash) ?? Number.NEGATIVE_INFINITY) < at).map(({ hash }) => hash),
  );
  return {
    transcript: (sessionId: string) => deleted.has(hashOf(sessionId)),
    titleOf: (sessionKey: string) => deleted.has(titlePrefix + hashOf(sessionKey)),
  };
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}
