/**
 * What the store holds of what a file says: the proof that a file was taken in, entry by entry. Reads only.
 */

import type { EntryDraft, Part } from "../model/transcript.ts";
import { bare, decodeBody, toJson } from "./body.ts";
import type { Database, Row } from "./driver.ts";
import { deletedType, storedType, undeletedType } from "./husk.ts";
import { transcriptById } from "./sessions.ts";
import { hasTombstone } from "./tombstones.ts";

/**
 * - `same`: stored with these words.
 * - `merged`: its id stands for another entry that holds it: a piece of a message, a copy that was left out.
 * - `deleted`: it was here and was deleted.
 * - `changed`: stored with other words.
 * - `missing`: not here.
 */
export type Held = "same" | "merged" | "deleted" | "changed" | "missing";

/** The number of the transcript with that session id. */
export function heldTranscript(db: Database, sessionId: string): number | "deleted" | "missing" {
  const row = transcriptById(db, sessionId);
  if (row) return row.no;
  return hasTombstone(db, sessionId) ? "deleted" : "missing";
}

export function heldEntry(db: Database, transcript: number, entry: EntryDraft): Held {
  const own = db
    .prepare("SELECT type, role, body FROM entries WHERE id = :id AND no >> 24 = :transcript")
    .get({ id: entry.id, transcript });
  if (own) return compare(own, entry, "same");
  const whole = db
    .prepare(`
      SELECT a.entry AS entry, e.type AS type, e.role AS role, e.body AS body
      FROM aliases a LEFT JOIN entries e ON e.no = a.entry WHERE a.transcript = :transcript AND a.id = :id
    `)
    .get({ id: entry.id, transcript });
  if (!whole) return "missing";
  // Only a piece has words of its own in what its id stands for.
  return whole.entry === null || entry.pieceOf === undefined ? "merged" : compare(whole, entry, "merged");
}

function compare({ type, role, body }: Row, entry: EntryDraft, found: "same" | "merged"): Held {
  if (type === deletedType) return "deleted";
  if (type === undeletedType || type === null || type === undefined) return "missing";
  const { parts } = decodeBody(body);
  if (entry.pieceOf !== undefined) return holdsAll(parts, entry.parts) ? found : "changed";
  const isSame = type === storedType(entry) && role === (entry.role ?? null) && words(parts) === words(entry.parts);
  return isSame ? found : "changed";
}

function words(parts: readonly Part[]): string {
  return toJson(parts.map(bare));
}

function holdsAll(stored: readonly Part[], parts: readonly Part[]): boolean {
  const there = new Set(stored.map((part) => toJson(bare(part))));
  return parts.every((part) => there.has(toJson(bare(part))));
}
