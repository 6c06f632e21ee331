/**
 * A write-ahead log only ever takes its file further. One that was put beside it by hand, from another time of the same
 * store or from another machine's, can look whole and take it back: what the file says by itself is compared with what
 * both say together, by what never falls. A state in between, as a checkpoint that was killed leaves it, passes: each page
 * of it is of some moment before.
 */
import { setTimeout } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { BackscrollError } from "../../errors.ts";
import type { Database } from "../driver.ts";
import { openNodeDriver } from "../driver-node.ts";
import { positions } from "../entry-no.ts";
import { watchContent } from "../file-identity.ts";
import { readBtreePage } from "../repair/btree-page.ts";
import { PageFile } from "../repair/page-file.ts";
import { leastWriteCount, writeCountName } from "../write-count.ts";
import { mostTranscripts } from "./check-tables.ts";

/** Looks in a row, with nothing written to the file in between, that have to agree. */
const looks = 3;
const mostLooks = 12;
/** Milliseconds between two: longer than the clock of any file system stands still. */
const gap = 20;

interface Contradiction {
  readonly reason: string;
  /** Told by the numbers of transactions: they are right also in a file of which a checkpoint left pages of several moments. */
  readonly exact: boolean;
}

/**
 * Why the log can't be one of this file's; null where it can, and where there is no telling: a file that is damaged by
 * itself says little of the log, and in one that others write to right now nothing stands still.
 */
export async function foreignLog(path: string): Promise<string | null> {
  let isChanged = watchContent([path]);
  let found: Contradiction | null = null;
  let agreed = 0;
  for (let look = 0; agreed < looks; look++) {
    found = contradiction(path);
    if (found === null || look === mostLooks) return null;
    agreed += 1;
    if (isChanged()) {
      isChanged = watchContent([path]);
      agreed = 0;
    }
    await setTimeout(gap);
  }
  return found && (found.exact || isSoundAlone(path)) ? found.reason : null;
}

/** Whether SQLite finds nothing wrong with the file when it reads it without its log. */
export function isSoundAlone(path: string): boolean {
  const sound = unlessUnreadable(() =>
    reading(alone(path), (db) => db.prepare("PRAGMA integrity_check(1)").get()?.integrity_check === "ok"),
  );
  return sound === true;
}

/** The file first: a checkpoint in between takes it further, never back. */
function contradiction(path: string): Contradiction | null {
  const file = unlessUnreadable(() => reading(alone(path), read));
  if (file === null) return null;
  const both = unlessUnreadable(() => reading(openNodeDriver(path, { readOnly: true, busyWait: 10_000 }), read));
  const pages = new PageFile(path);
  try {
    const exact = (both && compareWrites(file, both)) ?? laterStart(pages, file.writes);
    if (exact !== null) return { reason: exact, exact: true };
    const reason = (both && compare(file, both)) ?? olderHeader(pages);
    return reason === null ? null : { reason, exact: false };
  } finally {
    pages.close();
  }
}

interface Facts {
  /** Number of the last transaction that is in it (see write-count.ts); null where it has none. */
  readonly writes: number | null;
  /** SQLite's number of the schema; rises where a table is made anew. */
  readonly schema: number;
  /** By table: the last number given. */
  readonly sequences: ReadonlyMap<string, number>;
  readonly transcripts: ReadonlyMap<number, { readonly id: string; readonly next: number; readonly there: number }>;
}

function read(db: Database): Facts {
  db.exec("BEGIN");
  const rows = db.prepare(`
    SELECT no, session_id AS id, next,
      (SELECT max(e.no) FROM entries e WHERE e.no BETWEEN t.no << 24 AND (t.no << 24) + ${positions - 1}) AS last
    FROM transcripts t
  `);
  const transcripts = rows.all().map(({ no, id, next, last }) => {
    const there = last === null ? 0 : (Number(last) % positions) + 1;
    return [Number(no), { id: String(id), next: Number(next), there }] as const;
  });
  const sequences = db.prepare("SELECT name, seq FROM sqlite_sequence WHERE typeof(seq) = 'integer' AND seq < :most");
  return {
    writes: writesOf(db),
    schema: Number(db.prepare("PRAGMA schema_version").get()?.schema_version),
    transcripts: new Map(transcripts),
    sequences: new Map(sequences.all({ most: mostTranscripts }).map(({ name, seq }) => [String(name), Number(seq)])),
  };
}

/** Before the second schema there is no such table. */
function writesOf(db: Database): number | null {
  if (!db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'index_state'").get()) return null;
  const value = db.prepare("SELECT value FROM index_state WHERE name = :name").get({ name: writeCountName })?.value;
  return typeof value === "number" && value >= leastWriteCount ? value : null;
}

/** Numbers of one store are not so far from one another. */
const apart = 2 ** 36;

function compareWrites(file: Facts, both: Facts): string | null {
  if (file.writes === null || both.writes === null) return null;
  // Where the table was made anew its numbers began anew.
  if (both.writes > file.writes + apart || both.writes < file.writes - apart)
    return both.schema > file.schema ? null : "it is of another store";
  const behind = file.writes - both.writes;
  return behind > 0 ? `with it, the last ${behind} transactions of the file alone are not there` : null;
}

function compare(file: Facts, both: Facts): string | null {
  for (const [table, last] of file.sequences) {
    const then = both.sequences.get(table) ?? 0;
    if (then < last) return `with it, the last number given in ${table} is ${then}; the file alone is at ${last}`;
  }
  for (const [no, { id, next, there }] of file.transcripts) {
    const then = both.transcripts.get(no);
    // Deleted since, or made up by a repair.
    if (then === undefined || then.id === `recovered-${no}`) continue;
    if (then.id !== id) return `with it, transcript ${no} is ${then.id}; in the file alone it is ${id}`;
    // A counter or a row that is wrong by itself is told elsewhere, and may have been put right since.
    const [least, most] = [Math.min(next, there), Math.max(then.next, then.there)];
    if (most < least) return `with it, transcript ${id} has ${most} entries; the file alone has ${least}`;
  }
  return null;
}

/** A log begins with the transaction behind the file, or before: it starts over only when the file has all of it. */
function laterStart(file: PageFile, writes: number | null): string | null {
  if (writes === null) return null;
  let start = Number.POSITIVE_INFINITY;
  for (const no of file.wal?.first.keys() ?? []) {
    const page = file.first(no);
    for (const { values } of page === null ? [] : readBtreePage(file, page, no).rows) {
      const [name, value] = values;
      if (name === writeCountName && typeof value === "number" && value >= leastWriteCount && values.length === 2)
        start = Math.min(start, value);
    }
  }
  const missing = start - writes - 1;
  if (missing <= 0 || missing > apart) return null;
  return `it begins ${missing} transactions after the last one of the file alone`;
}

/** SQLite's own counter of changes, which stands in the header twice; never falls, but does not rise with every change. */
function olderHeader(file: PageFile): string | null {
  const counter = (page: Buffer) => (page.readUInt32BE(24) === page.readUInt32BE(92) ? page.readUInt32BE(24) : null);
  const [before, then] = [counter(file.main(1)), counter(file.read(1))];
  if (before === null || then === null || then >= before) return null;
  return `with it, the counter of changes is ${then}; in the file alone it is ${before}`;
}

/** Read without its log and without any lock, as SQLite's `immutable`. */
function alone(path: string): Database {
  const location = pathToFileURL(path);
  location.searchParams.set("immutable", "1");
  return openNodeDriver(path, { readOnly: true, busyWait: 0, location });
}

function reading<T>(db: Database, work: (db: Database) => T): T {
  try {
    return work(db);
  } finally {
    db.close();
  }
}

function unlessUnreadable<T>(work: () => T): T | null {
  try {
    return work();
  } catch (error) {
    // Damage, an empty file, tables that are not there yet: the other checks name what is wrong with it.
    if (error instanceof BackscrollError && error.code !== "busy") return null;
    throw error;
  }
}
