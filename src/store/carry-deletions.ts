/**
 * What was forgotten stays forgotten when an older copy comes back: the deletions of the store that is replaced are made
 * again in the one that takes its place.
 */
import { createHash } from "node:crypto";
import type { EntryId, SessionKey } from "../model/ids.ts";
import type { AgentStore } from "./agent-store.ts";
import type { Database } from "./driver.ts";

export interface Deletions {
  readonly tombstones: readonly { readonly hash: string; readonly session: string; readonly at: number }[];
  /** Single entries. */
  readonly entries: readonly { readonly sessionId: string; readonly id: EntryId }[];
}

/** Sessions and single entries that were deleted again. */
export interface DeletedAgain {
  readonly sessions: number;
  readonly entries: number;
}

/** The deletions that a store of any schema remembers. */
export function readDeletions(db: Database): Deletions {
  const has = (table: string) =>
    db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = :table").get({ table }) !== undefined;
  const tombstones = has("tombstones") ? db.prepare("SELECT hash, session, at FROM tombstones").all() : [];
  return { tombstones: tombstones as unknown as Deletions["tombstones"], entries: [] };
}

export function deleteAgain(store: AgentStore, { tombstones }: Deletions): DeletedAgain {
  const hashes = new Set(tombstones.map(({ hash }) => hash));
  const keys = new Set<SessionKey>();
  for (const row of store.db
    .prepare("SELECT t.session_id AS id, s.key AS key FROM transcripts t JOIN sessions s ON s.no = t.session")
    .iterate()) {
    if (hashes.has(hashOf(String(row.id)))) keys.add(row.key as SessionKey);
  }
  for (const key of keys) store.deleteSession(key);
  const remember = store.db.prepare(`
    INSERT INTO tombstones (hash, session, at) VALUES (:hash, :session, :at)
    ON CONFLICT DO UPDATE SET session = excluded.session, at = excluded.at
  `);
  for (const tombstone of tombstones) remember.run({ ...tombstone });
  return { sessions: keys.size, entries: 0 };
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}
