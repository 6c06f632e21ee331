/**
 * After a deletion the words are gone from the file, not only from the answers (SPEC 2.2). What FTS5 calls secure-delete
 * does nothing for contentless tables that delete by tombstone, so the index is merged until no segment has a tombstone:
 * that rewrites it without the deleted terms. Pages that become free are zeroed by `secure_delete`, the file is
 * rewritten to get rid of the slack inside pages, and the write-ahead log, where old pages stand, is cut to nothing as soon
 * as no reader holds it.
 *
 * A merge rewrites the whole index: 0.3 s for 100,000 messages, in slices under 10 ms. Several deletions share one.
 */
import { BackscrollError } from "../errors.ts";
import { limits } from "../limits.ts";
import type { Database } from "./driver.ts";
import { type FtsStructure, readFtsStructure } from "./fts-structure.ts";
import { bothIndexes, type IndexTables } from "./index-tables.ts";
import { translate } from "./sqlite-error.ts";
import { impatiently, transaction } from "./transaction.ts";

/** How far a purge is. Kept in `index_state`, so that whoever comes next goes on after a kill. */
const stages = { wanted: 1, merging: 2, slack: 3, log: 4, tidy: 5, tidying: 6 } as const;

/** Deleted rows in the index from which on it is tidied up, where they are a fifth of all. */
const tidyFrom = 2000;
const tidyShare = 5;

const indexes = bothIndexes.map(({ fts }) => fts);

/** Above this, a rewrite of the file keeps its copy on disk instead of in memory. */
const vacuumInMemory = 64 * 1024 * 1024;

/** To be called in the transaction that deletes. */
export function wantPurge(db: Database): void {
  // A merge that is under way goes on to its end first: starting anew at each deletion would never end.
  db.prepare(`
    INSERT INTO index_state (name, value) VALUES ('purge', ${stages.wanted})
    ON CONFLICT DO UPDATE SET
      value = CASE WHEN value IN (${stages.merging}, ${stages.tidying}) THEN ${stages.merging} ELSE ${stages.wanted} END
  `).run();
}

/**
 * Many rewinds and edits leave many deleted rows in the index, which every search passes over: then they are merged away,
 * as in a purge, but nothing more. Writes only where that is due.
 */
export function tidyIfDue(db: Database): void {
  if (!indexes.some((table) => isUntidy(readFtsStructure(db, table)))) return;
  if (stage(db) !== null) return;
  impatiently(db, () =>
    db.prepare(`INSERT INTO index_state (name, value) VALUES ('purge', ${stages.tidy}) ON CONFLICT DO NOTHING`).run(),
  );
}

function isUntidy(structure: FtsStructure | null): boolean {
  if (structure === null) return false;
  return structure.deletedRows >= tidyFrom && structure.deletedRows * tidyShare >= structure.rows;
}

/** Whether deleted words may still be in the files. */
export function isPurgeWanted(db: Database): boolean {
  const at = stage(db);
  return at !== null && at !== stages.tidy && at !== stages.tidying;
}

/** Whether there is something to purge that can be done beside other work. */
export function canPurge(db: Database): boolean {
  const at = stage(db);
  return at !== null && (at !== stages.slack || isSmall(db));
}

/**
 * One step: a short transaction, or, at the end, the rewrite of a small file. Returns whether there is more to do; false
 * also where the log is held by a reader, or where a large file is left to a {@link purgeAll}.
 */
export function purgeSlice(db: Database): boolean {
  return step(db, false);
}

/**
 * Everything, without giving way: a large file is rewritten as a whole (11 ms a MB), and writers wait meanwhile.
 * @returns Whether it is done; a reader that holds the log is not waited for.
 */
export function purgeAll(db: Database): boolean {
  while (step(db, true));
  return stage(db) === null;
}

/** The purge of a deletion, at once where the index is small. Throws nothing: what is left is done by the next who comes. */
export function purgeIfSmall(db: Database): void {
  const pages = indexes.map((table) => readFtsStructure(db, table)?.pages ?? Number.POSITIVE_INFINITY);
  if (pages.reduce((sum, each) => sum + each) > limits.purgeInline.default) return;
  try {
    while (purgeSlice(db));
  } catch {
    // The deletion stands, whatever comes up here (mostly another process that writes): the stage says what is left, and the
    // next who comes meets the same error where he can be told.
  }
}

function step(db: Database, thorough: boolean): boolean {
  switch (stage(db)) {
    case null:
      return false;
    case stages.log:
      if (truncateLog(db)) finish(db);
      return false;
    case stages.slack:
      if (!thorough && !isSmall(db)) {
        // As much as can be done without stopping everybody.
        truncateLog(db);
        return false;
      }
      return rewrite(db);
    default:
      impatiently(db, () => transaction(db, () => mergeOn(db)));
      return true;
  }
}

function mergeOn(db: Database): void {
  const now = stage(db);
  if (now === null || now === stages.slack || now === stages.log) return;
  const isTidy = now === stages.tidy || now === stages.tidying;
  // One after the other. Told to go on with a merge that it has not begun, FTS5 does nothing, and it begins anew below.
  const table = indexes.find((each) => readFtsStructure(db, each)?.tombstonePages !== 0);
  const end = () => (isTidy ? drop(db) : setStage(db, stages.slack));
  if (table === undefined) end();
  else if (readFtsStructure(db, table) === null) {
    // A record that we can't read: all at once, and nothing to watch.
    for (const each of indexes) db.exec(`INSERT INTO ${each} (${each}) VALUES ('optimize')`);
    end();
  } else {
    const isFirst = now === stages.wanted || now === stages.tidy;
    const worked = merge(db, table, isFirst ? -limits.purgeSlice.default : limits.purgeSlice.default);
    if (!worked && isTidy) end();
    // Nothing left to merge, but rows deleted since: once more from the start.
    else if (!worked) setStage(db, stages.wanted);
    else setStage(db, isTidy ? stages.tidying : stages.merging);
  }
}

/**
 * Rewrites the file. `secure_delete` zeroes what is deleted and pages that become free, but not the copies that SQLite
 * leaves behind inside a page when it moves rows to the page beside it.
 */
function rewrite(db: Database): boolean {
  try {
    if (db.path !== ":memory:") {
      db.exec(`PRAGMA temp_store = ${bytesOf(db) > vacuumInMemory ? "FILE" : "MEMORY"}`);
      impatiently(db, () => db.exec("VACUUM"));
    }
  } catch (error) {
    // A statement of this connection is still being read, or somebody writes: later.
    if (translate(error, db.path) instanceof BackscrollError) throw translate(error, db.path);
    return false;
  } finally {
    db.exec("PRAGMA temp_store = MEMORY");
  }
  // Unless somebody deleted since: then there is more to merge first.
  impatiently(db, () =>
    db.prepare(`UPDATE index_state SET value = ${stages.log} WHERE name = 'purge' AND value = ${stages.slack}`).run(),
  );
  return true;
}

function isSmall(db: Database): boolean {
  return bytesOf(db) <= limits.vacuumInline.default;
}

function bytesOf(db: Database): number {
  return Number(db.prepare("SELECT page_count * page_size AS n FROM pragma_page_count, pragma_page_size").get()?.n);
}

/** Cuts the write-ahead log to nothing. Returns false when a reader or writer holds it: then nothing was waited for. */
export function truncateLog(db: Database): boolean {
  if (db.path === ":memory:") return true;
  return impatiently(db, () => db.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()?.busy === 0);
}

function drop(db: Database): void {
  db.prepare("DELETE FROM index_state WHERE name = 'purge'").run();
}

function finish(db: Database): void {
  impatiently(db, () => db.prepare(`DELETE FROM index_state WHERE name = 'purge' AND value = ${stages.log}`).run());
}

/** A negative number of pages begins a merge of everything into one segment, a positive one goes on with it. */
function merge(db: Database, table: IndexTables["fts"], pages: number): boolean {
  const changes = () => Number(db.prepare("SELECT total_changes() AS n").get()?.n);
  const before = changes();
  db.prepare(`INSERT INTO ${table} (${table}, rank) VALUES ('merge', :pages)`).run({ pages });
  // One change is the command's own.
  return changes() - before >= 2;
}

function stage(db: Database): number | null {
  const value = db.prepare("SELECT value FROM index_state WHERE name = 'purge'").get()?.value;
  return value === undefined ? null : Number(value);
}

function setStage(db: Database, value: number): void {
  db.prepare("UPDATE index_state SET value = :value WHERE name = 'purge'").run({ value });
}
