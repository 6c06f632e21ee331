/**
 * Removes a session with everything derived from it, and leaves tombstones. FTS5 knows no foreign keys: the index rows have
 * to go by name, in the same transaction, before the numbers that lead to them are gone (SPEC 2.2).
 */
import { BackscrollError } from "../errors.ts";
import type { SessionKey } from "../model/ids.ts";
import type { Database } from "./driver.ts";
import { firstNo, lastNo } from "./entry-no.ts";
import { removeFromIndex } from "./index-entry.ts";
import { wantPurge } from "./purge.ts";
import { recreateIndex } from "./recreate-index.ts";
import { transcriptsOf } from "./sessions.ts";
import { forgetReaders } from "./source-files.ts";
import { addTombstones } from "./tombstones.ts";
import { transaction } from "./transaction.ts";

/** What a deletion took away, by table. */
export interface Removed {
  readonly sessions: number;
  readonly transcripts: number;
  readonly entries: number;
  /** Messages that were in the index. */
  readonly messages: number;
  readonly aliases: number;
  readonly titles: number;
}

export const nothingRemoved: Removed = { sessions: 0, transcripts: 0, entries: 0, messages: 0, aliases: 0, titles: 0 };

export function addRemoved(one: Removed, two: Removed): Removed {
  return {
    sessions: one.sessions + two.sessions,
    transcripts: one.transcripts + two.transcripts,
    entries: one.entries + two.entries,
    messages: one.messages + two.messages,
    aliases: one.aliases + two.aliases,
    titles: one.titles + two.titles,
  };
}

/** The caller has a transaction open. A session that is not there: nothing removed, no tombstone. */
export function deleteSession(db: Database, key: SessionKey, at: number): Removed {
  const transcripts = transcriptsOf(db, key);
  const [first] = transcripts;
  const session =
    first?.session ?? (db.prepare("SELECT no FROM sessions WHERE key = :key").get({ key })?.no as number | undefined);
  if (session === undefined) return nothingRemoved;
  addTombstones(
    db,
    key,
    transcripts.map(({ sessionId }) => sessionId),
    at,
  );
  for (const { sessionId } of transcripts) forgetReaders(db, sessionId);
  let removed: Removed = { ...nothingRemoved, sessions: 1, transcripts: transcripts.length };
  for (const { no } of transcripts) {
    const range = { from: firstNo(no), to: lastNo(no) };
    removed = addRemoved(removed, {
      ...nothingRemoved,
      titles: db
        .prepare("DELETE FROM pending_titles WHERE entry_id IN (SELECT id FROM entries WHERE no BETWEEN :from AND :to)")
        .run(range),
      aliases: db.prepare("DELETE FROM aliases WHERE transcript = :no").run({ no }),
      messages: removeAnyhow(db, range.from, range.to),
      entries: db.prepare("DELETE FROM entries WHERE no BETWEEN :from AND :to").run(range),
    });
  }
  // Transcripts and dirty ranges follow by their foreign keys.
  db.prepare("DELETE FROM sessions WHERE no = :session").run({ session });
  wantPurge(db);
  return removed;
}

/** A damaged index must not keep anybody from deleting: it is thrown away, and what stays is indexed anew. */
export function removeAnyhow(db: Database, from: number, to: number): number {
  try {
    return transaction(db, () => removeFromIndex(db, from, to));
  } catch (error) {
    // No damage: SQLite may have rolled back everything, and what followed would be a transaction of its own.
    if (error instanceof BackscrollError && (error.code === "io" || error.code === "busy")) throw error;
    const row = db.prepare("SELECT count(*) AS n FROM messages WHERE no BETWEEN :from AND :to").get({ from, to });
    recreateIndex(db);
    return Number(row?.n ?? 0);
  }
}
