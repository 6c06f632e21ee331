/**
 * Reads FTS5's own record of its segments (row 10 of the `_data` table, as fts5_index.c describes it): the only place that
 * says whether the terms of deleted rows are still in the file. Contentless tables with deletion mark such rows in a
 * tombstone page of their segment and drop the terms when the segment is next merged.
 */
import type { Database } from "./driver.ts";
import type { IndexTables } from "./index-tables.ts";

export interface FtsStructure {
  /** Pages with terms. */
  readonly pages: number;
  /** Pages that list rows which are deleted, but whose terms are still in a segment. */
  readonly tombstonePages: number;
  /** Rows in all segments, and those of them that are deleted. */
  readonly rows: number;
  readonly deletedRows: number;
}

/** Marks the second version of the record, the one of tables with `contentless_delete`. */
const secondVersion = [0xff, 0x00, 0x00, 0x01];

/** Null when the record is not there or not as this version of SQLite writes it. */
export function readFtsStructure(db: Database, table: IndexTables["fts"] = "message_index"): FtsStructure | null {
  const block = db.prepare(`SELECT block FROM ${table}_data WHERE id = 10`).get()?.block;
  return block instanceof Uint8Array ? parseFtsStructure(block) : null;
}

export function parseFtsStructure(block: Uint8Array): FtsStructure | null {
  if (secondVersion.some((byte, at) => block[4 + at] !== byte)) return null;
  const reader = new VarintReader(block, 8);
  const levels = reader.next();
  const segments = reader.next();
  reader.next(); // leaves written so far: FTS5's own measure for automatic merges
  let pages = 0;
  let tombstonePages = 0;
  let rows = 0;
  let deletedRows = 0;
  let seen = 0;
  for (let level = 0; level < levels && !reader.ended; level++) {
    reader.next(); // inputs of a merge that is under way
    const count = reader.next();
    for (let at = 0; at < count && !reader.ended; at++) {
      reader.next(); // segment id
      const first = reader.next();
      pages += reader.next() - first + 1;
      reader.next(); // first and last origin
      reader.next();
      tombstonePages += reader.next();
      deletedRows += reader.next();
      rows += reader.next();
      seen += 1;
    }
  }
  return reader.ended || seen !== segments ? null : { pages, tombstonePages, rows, deletedRows };
}

/** SQLite's variable-length integers. */
class VarintReader {
  readonly #bytes: Uint8Array;
  #at: number;
  /** Whether it was asked for more than there is. */
  ended = false;

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes;
    this.#at = at;
  }

  next(): number {
    let value = 0;
    for (let count = 1; ; count++) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) {
        this.ended = true;
        return 0;
      }
      if (count === 9) return value * 256 + byte;
      value = value * 128 + (byte & 0x7f);
      if ((byte & 0x80) === 0) return value;
    }
  }
}
