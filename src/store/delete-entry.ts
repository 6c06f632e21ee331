/**
 * Deletes one entry. Its row stays in the tree as a husk, with its id and place and nothing else: what hangs below it stays
 * where it is, nothing has to be searched for, and an import that brings the id again finds it and passes it over.
 */

import { showsOf } from "../text/searchable.ts";
import { nothingRemoved, type Removed, removeAnyhow } from "./delete-session.ts";
import type { Database, Row } from "./driver.ts";
import { entryCrc } from "./entry-crc.ts";
import { firstNo, lastNo, transcriptOf } from "./entry-no.ts";
import { saidOf } from "./entry-tombstone.ts";
import { deletedType, isHusk, undeletedType } from "./husk.ts";
import { wantPurge } from "./purge.ts";
import type { TranscriptRow } from "./sessions.ts";
import { addEntryTombstone, removeEntryTombstones } from "./tombstones.ts";

const emptyBody = '{"parts":[]}';

/** The caller has a transaction open. @param at Epoch ms of the deletion. */
export function deleteEntry(db: Database, no: number, at: number): Removed {
  const row = db.prepare("SELECT id, type, role, timestamp, body FROM entries WHERE no = :no").get({ no });
  if (!row || row.type === deletedType) return nothingRemoved;
  if (row.type === "reset" && row.body === emptyBody) return nothingRemoved;
  remember(db, no, row, at);
  const messages = removeAnyhow(db, no, no);
  const titles = db.prepare("DELETE FROM pending_titles WHERE entry_id = :id").run({ id: String(row.id) });
  // A reset says nothing, and stays the barrier that it is.
  empty(db, no, row.type === "reset" ? "reset" : deletedType);
  wantPurge(db);
  return { ...nothingRemoved, entries: 1, messages, titles };
}

/** By what it says, as where ids are made from places in a file, a changed file brings it again under another one. */
function remember(db: Database, no: number, row: Row, at: number): void {
  const said = saidOf(row);
  const names = db
    .prepare(
      "SELECT t.session_id AS sessionId, s.key AS sessionKey FROM transcripts t JOIN sessions s ON s.no = t.session WHERE t.no = :no",
    )
    .get({ no: transcriptOf(no) });
  if (said && names) {
    addEntryTombstone(db, { sessionKey: String(names.sessionKey), sessionId: String(names.sessionId) }, said, at);
  }
}

/** Lets the next import fill the husks of a transcript again. Returns how many entries may come back. */
export function undelete(db: Database, { no: transcript, sessionId }: Pick<TranscriptRow, "no" | "sessionId">): number {
  const tombstones = removeEntryTombstones(db, sessionId);
  const husks = db
    .prepare("SELECT no FROM entries WHERE no BETWEEN :from AND :to AND type = :type")
    .all({ from: firstNo(transcript), to: lastNo(transcript), type: deletedType });
  for (const { no } of husks) {
    empty(db, Number(no), undeletedType);
    // Ids of later pieces: they come again as pieces, not as names for what is there.
    db.prepare(
      "DELETE FROM aliases WHERE transcript = :transcript AND entry = :no AND substr(id, 1, 1) <> char(1)",
    ).run({
      transcript,
      no: Number(no),
    });
  }
  // One that came under several ids has several.
  return Math.max(husks.length, tombstones);
}

function empty(db: Database, no: number, type: string): void {
  const place = db.prepare("SELECT id, parent, timestamp FROM entries WHERE no = :no").get({ no });
  if (!place) return;
  const husk = { type, role: null, timestamp: Number(place.timestamp), typed: 0, body: emptyBody };
  const crc = entryCrc({ ...husk, id: String(place.id), parent: place.parent as number | null });
  db.prepare(`
    UPDATE entries SET type = :type, role = :role, timestamp = :timestamp, typed = :typed, shows = :shows, body = :body,
      crc = :crc WHERE no = :no
  `).run({ no, ...husk, shows: isHusk(type) ? 0 : showsOf({ type, parts: [] }), crc });
}
