/** What stands in place of an entry whose content damage took: its children keep their parent, a source can fill it again. */
import { toJson } from "../body.ts";
import type { Database, SqlValue } from "../driver.ts";
import { entryCrc } from "../entry-crc.ts";
import { firstNo, transcriptOf } from "../entry-no.ts";
import { lostType } from "../husk.ts";

/** Its parent is the entry before it, as nearly every entry's is; so is its time. */
export function insertLost(db: Database, no: number, id: string): void {
  const before = db
    .prepare("SELECT no, timestamp FROM entries WHERE no < :no AND no >= :first ORDER BY no DESC LIMIT 1")
    .get({ no, first: firstNo(transcriptOf(no)) });
  const row = {
    id,
    parent: (before?.no ?? null) as number | null,
    type: lostType,
    role: null,
    timestamp: Number(before?.timestamp ?? 0),
    typed: 0,
    body: toJson({ parts: [] }),
  };
  db.prepare(`
    INSERT INTO entries (no, id, parent, type, role, timestamp, active, typed, shows, body, crc)
    VALUES (:no, :id, :parent, :type, :role, :timestamp, 0, :typed, 0, :body, :crc)
  `).run({ ...row, no, crc: entryCrc(row) });
}

/** A body that can't be read, as it is: nothing is thrown away. */
export function rawBody(body: SqlValue): string {
  const raw =
    body instanceof Uint8Array ? { base64: Buffer.from(body).toString("base64") } : { text: String(body ?? "") };
  return toJson({ parts: [{ type: "other", value: { damaged: raw } }] });
}
