/**
 * Transcripts that were deleted: an import passes them over, so that what was forgotten does not come back with the next
 * sync (SPEC 2.2). Only hashes are kept, as an id can say what a session was about.
 */
import { createHash } from "node:crypto";
import type { Database } from "./driver.ts";

export function addTombstones(db: Database, sessionKey: string, sessionIds: readonly string[], at: number): void {
  const statement = db.prepare(`
    INSERT INTO tombstones (hash, session, at) VALUES (:hash, :session, :at)
    ON CONFLICT DO UPDATE SET session = excluded.session, at = excluded.at
  `);
  for (const id of sessionIds) statement.run({ hash: hashOf(id), session: hashOf(sessionKey), at });
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
  const removed = db
    .prepare(
      "DELETE FROM tombstones WHERE session = :hash OR session = (SELECT session FROM tombstones WHERE hash = :hash)",
    )
    .run({ hash });
  if (removed > 0) readSourcesAnew(db);
  return removed;
}

export function countTombstones(db: Database): number {
  return Number(db.prepare("SELECT count(*) AS n FROM tombstones").get()?.n ?? 0);
}

/** Marks every source file as one that has to be read again from its start. */
export function readSourcesAnew(db: Database): void {
  db.prepare("UPDATE source_files SET stage = 'again'").run();
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}
