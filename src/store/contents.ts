/** What is in the tables as it lies there: for `forget`, which has to know what it deletes and prove that it is gone. */
import type { EntryId, SessionKey } from "../model/ids.ts";
import { ascending } from "./ascending.ts";
import type { Database, SqlValue } from "./driver.ts";
import { firstNo, lastNo } from "./entry-no.ts";
import { bothIndexes } from "./index-tables.ts";
import { transcriptsOf } from "./sessions.ts";
import { type SessionFilter, visibleSessions } from "./visible-sessions.ts";

export interface StoredBody {
  readonly no: number;
  readonly id: EntryId;
  /** JSON text, or a zstd frame of it. */
  readonly body: SqlValue;
}

/** Every entry of a session, all generations and branches. */
export function* storedBodies(db: Database, key: SessionKey): Generator<StoredBody> {
  for (const { no } of transcriptsOf(db, key)) yield* bodiesOf(db, no);
}

function* bodiesOf(db: Database, transcript: number): Generator<StoredBody> {
  const page = db.prepare("SELECT no, id, body FROM entries WHERE no BETWEEN :from AND :to ORDER BY no LIMIT 200");
  for (let from = firstNo(transcript); ; ) {
    const rows = page.all({ from, to: lastNo(transcript) });
    for (const row of rows) yield { no: Number(row.no), id: row.id as EntryId, body: row.body ?? null };
    const last = rows.at(-1);
    if (!last) return;
    from = ascending(from, Number(last.no) + 1);
  }
}

/** Keys of the sessions that a filter leaves. */
export function sessionKeys(db: Database, filter: SessionFilter): SessionKey[] {
  const condition = visibleSessions({ sees: "everything" }, filter);
  return db
    .prepare(`SELECT s.key AS key FROM sessions s WHERE ${condition?.where ?? "true"} ORDER BY s.key`)
    .all(condition?.params)
    .map(({ key }) => key as SessionKey);
}

/** The title that a session was given, unmasked; null when it goes by its first words. */
export function storedTitle(db: Database, key: SessionKey): string | null {
  return (db.prepare("SELECT title FROM sessions WHERE key = :key").get({ key })?.title ?? null) as string | null;
}

/** Takes a title away: the session goes by its first words again. */
export function clearTitle(db: Database, key: SessionKey): void {
  db.prepare("UPDATE sessions SET title = NULL, title_folded = NULL, title_rank = -1 WHERE key = :key").run({ key });
}

/** Every value of text or bytes that the store holds, table by table, and every term of the index. O(store). */
export function* everyValue(db: Database): Generator<Uint8Array> {
  // The file itself has words, too: its header, the names of tables and columns, FTS5's settings.
  yield Buffer.from("SQLite format 3");
  const tables = db
    .prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND (name NOT GLOB '*_index*' OR name GLOB '*_index_config')",
    )
    .all()
    .map(({ name }) => String(name));
  for (const table of ["sqlite_schema", ...tables]) {
    for (const row of db.prepare(`SELECT * FROM "${table}"`).iterate()) {
      for (const value of Object.values(row)) {
        if (typeof value === "string") yield Buffer.from(value);
        else if (value instanceof Uint8Array) yield value;
      }
    }
  }
  for (const { fts } of bothIndexes) {
    db.exec(`CREATE VIRTUAL TABLE IF NOT EXISTS temp.terms_of_${fts} USING fts5vocab (main, ${fts}, row)`);
    for (const { term } of db.prepare(`SELECT term FROM temp.terms_of_${fts}`).iterate())
      yield Buffer.from(String(term));
  }
}
