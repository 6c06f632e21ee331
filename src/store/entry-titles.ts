/** Titles that name a message instead of a session: for the session that holds it, as soon as it is here. */
import type { TitleRank } from "../model/transcript.ts";
import type { Database } from "./driver.ts";
import { wantPurge } from "./purge.ts";
import { isTitleForgotten, setTitle } from "./sessions.ts";
import { countTombstones } from "./tombstones.ts";

/** Titles the session that holds the entry (of copies: the one stored first), or keeps the title until it comes. */
export function titleByEntry(db: Database, entryId: string, text: string, rank: TitleRank): void {
  const session = sessionOf(db, entryId);
  if (session !== null) giveTitle(db, session, text, rank);
  else {
    db.prepare(`
      INSERT INTO pending_titles (entry_id, text, rank) VALUES (:entryId, :text, :rank)
      ON CONFLICT DO UPDATE SET text = :text, rank = :rank
    `).run({ entryId, text, rank });
  }
}

function giveTitle(db: Database, session: number, text: string, rank: TitleRank): void {
  if (!isTitleForgotten(db, session)) setTitle(db, session, text, rank);
}

/**
 * Tries again what was kept. Returns how many titles still wait. O(waiting). In a store that has forgotten transcripts none
 * waits longer than one import: nothing tells whether it speaks of those.
 */
export function settleTitles(db: Database): number {
  let waiting = 0;
  for (const row of db.prepare("SELECT entry_id AS entryId, text, rank FROM pending_titles").all()) {
    const entryId = String(row.entryId);
    const session = sessionOf(db, entryId);
    if (session === null) waiting += 1;
    else {
      giveTitle(db, session, String(row.text), row.rank as TitleRank);
      db.prepare("DELETE FROM pending_titles WHERE entry_id = :entryId").run({ entryId });
    }
  }
  if (waiting > 0 && countTombstones(db) > 0) {
    db.prepare("DELETE FROM pending_titles").run();
    wantPurge(db);
  }
  return waiting;
}

function sessionOf(db: Database, entryId: string): number | null {
  const row = db
    .prepare(`
      SELECT t.session AS session FROM entries e JOIN transcripts t ON t.no = e.no >> 24
      WHERE e.id = :entryId ORDER BY e.no LIMIT 1
    `)
    .get({ entryId });
  return row ? Number(row.session) : null;
}
