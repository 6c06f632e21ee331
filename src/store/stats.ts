/** Counts and sizes of one agent's store. Reads whole tables: for `stats`, not for a hot path. */
import type { Database } from "./driver.ts";

export interface StoreStats {
  readonly sessions: number;
  readonly transcripts: number;
  readonly entries: number;
  /** Messages in the index. */
  readonly messages: number;
  /** Transcripts waiting for reconciliation. */
  readonly dirty: number;
  readonly files: number;
  /** Bytes of the whole database, and of its index tables alone. */
  readonly bytes: number;
  readonly indexBytes: number;
  /** Epoch ms; null when there are no messages. */
  readonly oldest: number | null;
  readonly newest: number | null;
}

export function readStats(db: Database): StoreStats {
  const one = (sql: string) => Number(db.prepare(sql).get()?.n ?? 0);
  const times = db.prepare("SELECT min(timestamp) AS oldest, max(timestamp) AS newest FROM messages").get();
  return {
    sessions: one("SELECT count(*) AS n FROM sessions"),
    transcripts: one("SELECT count(*) AS n FROM transcripts"),
    entries: one("SELECT count(*) AS n FROM entries"),
    messages: one("SELECT count(*) AS n FROM messages"),
    dirty: one("SELECT count(*) AS n FROM dirty"),
    files: one("SELECT count(*) AS n FROM source_files"),
    bytes: one("SELECT page_count * page_size AS n FROM pragma_page_count, pragma_page_size"),
    indexBytes: one(
      "SELECT sum(pgsize) AS n FROM dbstat WHERE name = 'messages' OR name LIKE 'message_index%' OR name LIKE 'tool_%'",
    ),
    oldest: (times?.oldest ?? null) as number | null,
    newest: (times?.newest ?? null) as number | null,
  };
}

/** Rows of the tables that hold what was said; zero where a damaged one can't be counted. */
export function countRows(db: Database): Record<"sessions" | "transcripts" | "entries" | "messages", number> {
  const one = (table: string) => {
    try {
      return Number(db.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n ?? 0);
    } catch {
      return 0;
    }
  };
  return {
    sessions: one("sessions"),
    transcripts: one("transcripts"),
    entries: one("entries"),
    messages: one("messages"),
  };
}
