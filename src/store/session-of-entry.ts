/** Which session holds an entry, by the entry's id alone: for facts that name an entry and not its session. */
import type { Database } from "./driver.ts";

/** The session's number; null when no transcript has the entry. Copies: the transcript that was stored first. */
export function sessionOfEntry(db: Database, entryId: string): number | null {
  const row = db
    .prepare(
      "SELECT t.session AS session FROM entries e JOIN transcripts t ON t.no = e.no >> 24 WHERE e.id = :entryId ORDER BY e.no LIMIT 1",
    )
    .get({ entryId });
  return row ? Number(row.session) : null;
}
