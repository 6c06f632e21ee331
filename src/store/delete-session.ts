/**
 * Removes a session with everything derived from it. FTS5 knows no foreign keys: the index rows have to go by name,
 * in the same transaction, before the numbers that lead to them are gone.
 */
import type { SessionKey } from "../model/ids.ts";
import type { Database } from "./driver.ts";
import { firstNo, lastNo } from "./entry-no.ts";
import { removeFromIndex } from "./index-entry.ts";
import { transcriptsOf } from "./sessions.ts";

/** Returns whether there was such a session. The caller has a transaction open. */
export function deleteSession(db: Database, key: SessionKey): boolean {
  for (const { no } of transcriptsOf(db, key)) {
    removeFromIndex(db, firstNo(no), lastNo(no));
    db.prepare("DELETE FROM entries WHERE no BETWEEN :from AND :to").run({ from: firstNo(no), to: lastNo(no) });
  }
  // Transcripts, aliases and dirty marks follow by their foreign keys.
  return db.prepare("DELETE FROM sessions WHERE key = :key").run({ key }) > 0;
}
