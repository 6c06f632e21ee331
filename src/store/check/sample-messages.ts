/** Messages drawn from a store, for real searches after them. */
import { trusted } from "../dirty.ts";
import type { Database } from "../driver.ts";
import { loadMessages, type MessageRow } from "../match.ts";

/** @param draw Gives numbers from 0 to below 1. */
export function sampleMessages(db: Database, count: number, draw: () => number): MessageRow[] {
  const all = Number(db.prepare("SELECT count(*) AS n FROM messages").get()?.n ?? 0);
  const places = new Set(Array.from({ length: Math.min(count, all) }, () => Math.floor(draw() * all)));
  const at = db.prepare(`SELECT no FROM messages WHERE ${trusted("no")} ORDER BY no LIMIT 1 OFFSET :place`);
  const numbers = [...places].flatMap((place) => {
    const row = at.get({ place });
    return row ? [Number(row.no)] : [];
  });
  return loadMessages(db, numbers);
}

/** By what copies of one another are told; null for a message that is not in the index. */
export function copyOf(db: Database, sessionId: string, messageId: string): number | null {
  const row = db
    .prepare(`
      SELECT m.copy AS copy FROM transcripts t JOIN entries e ON e.id = :messageId AND e.no >> 24 = t.no
      JOIN messages m ON m.no = e.no WHERE t.session_id = :sessionId
    `)
    .get({ sessionId, messageId });
  return row ? Number(row.copy) : null;
}
