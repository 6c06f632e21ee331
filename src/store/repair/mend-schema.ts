/**
 * Makes missing and changed objects of the schema again, each by itself: one table that is there says nothing about the
 * others. What belongs to the index is thrown away and refilled from the entries; a changed table of transcripts can't
 * be mended in place.
 */
import { BackscrollError } from "../../errors.ts";
import { compareSchema, type SchemaDifference } from "../check/check-schema.ts";
import { markAllDirty } from "../dirty.ts";
import type { Database } from "../driver.ts";
import { openNodeDriver } from "../driver-node.ts";
import { bothIndexes, type IndexTables } from "../index-tables.ts";
import { applicationId, schemaVersion } from "../migrate.ts";
import { recreateIndex } from "../recreate-index.ts";
import { transaction } from "../transaction.ts";

/** What search and storing stand on; looked for at every opening (30 µs). Other objects are the doctor's. */
const essential = [
  "message_index",
  "message_index_data",
  "message_index_idx",
  "message_index_docsize",
  "message_index_config",
  "messages",
  "tool_index",
  "tool_index_data",
  "tool_index_idx",
  "tool_index_docsize",
  "tool_index_config",
  "tool_messages",
  "tool_totals",
  "tool_message_added",
  "tool_message_removed",
  "message_added",
  "message_removed",
  "dirty",
  "index_state",
  "entries_by_id",
  "entries_active",
  "entries_spoken",
];

/** Takes no lock when everything is there. */
export function ensureIndex(db: Database): void {
  const there = db
    .prepare("SELECT count(*) AS n FROM sqlite_schema WHERE name IN (SELECT value FROM json_each(:names))")
    .get({ names: JSON.stringify(essential) });
  if (Number(there?.n) < essential.length) mendSchema(db);
}

/**
 * Returns what was made again, and whether all is as it has to be now.
 * @throws {BackscrollError} `bad_store` when the damage is below what statements can reach.
 */
export function mendSchema(db: Database): { readonly made: readonly string[]; readonly complete: boolean } {
  const unsettled = mendConfig(db);
  return transaction(db, () => {
    const made: string[] = [];
    const wrong = compareSchema(db);
    const inFts = unsettled || wrong.some(({ name }) => isFts(name));
    const tables = wrong.filter(({ type, name }) => type === "table" && !isFts(name));
    let emptied = inFts;
    for (const difference of tables) {
      const { name, what, sql } = difference;
      const isIndex = ["messages", "tool_messages", "tool_totals", "dirty", "index_state"].includes(name);
      if ((what === "changed" && !isIndex) || sql === null || name.startsWith("sqlite_")) continue;
      db.exec(`DROP TABLE IF EXISTS ${name}; ${sql}`);
      made.push(`table ${name}`);
      emptied ||= isIndex;
    }
    if (inFts) made.push("table message_index");
    for (const difference of compareSchema(db)) {
      if (remake(db, difference)) made.push(`${difference.type} ${difference.name}`);
    }
    // Triggers count what is deleted: they have to be there before.
    if (emptied) recreateIndex(db);
    if (emptied) db.exec("UPDATE transcripts SET messages = 0, tokens = 0; DELETE FROM tool_totals");
    else if (made.length > 0) markAllDirty(db, "repair");
    return { made, complete: compareSchema(db).length === 0 };
  });
}

/** A full-text table, or one of its own. */
function isFts(name: string): boolean {
  return bothIndexes.some(({ fts }) => name === fts || name.startsWith(`${fts}_`));
}

/** For deletions, which must not fail for an index that is damaged: where it can't even be thrown away, it is mended first. */
export function mendingTransaction<T>(db: Database, work: () => T): T {
  try {
    return transaction(db, work);
  } catch (error) {
    if (!(error instanceof BackscrollError) || error.code !== "bad_store") throw error;
    mendSchema(db);
    return transaction(db, work);
  }
}

function remake(db: Database, { type, name, what, sql }: SchemaDifference): boolean {
  if (type !== "index" && type !== "trigger") return false;
  // An index that SQLite makes by itself comes and goes with its table.
  if (sql === null) return false;
  db.exec(`DROP ${type} IF EXISTS "${name.replaceAll('"', '""')}"`);
  if (what !== "extra") db.exec(sql);
  return true;
}

/**
 * Without its settings FTS5 can't even drop its table. With this one it can: then the table is made anew, with all of them.
 * Returns whether that was needed.
 */
function mendConfig(db: Database): boolean {
  return bothIndexes.map(({ fts }) => mendConfigOf(db, fts)).some(Boolean);
}

function mendConfigOf(db: Database, fts: IndexTables["fts"]): boolean {
  const says = () => {
    try {
      return db.prepare(`SELECT v FROM ${fts}_config WHERE k = 'version'`).get()?.v;
    } catch {
      return undefined;
    }
  };
  // From inside a transaction another connection would wait for it.
  if (db.path === ":memory:" || db.inTransaction || says() === 4) return false;
  if (!db.prepare("SELECT 1 FROM sqlite_schema WHERE name = :fts").get({ fts })) return false;
  const tables = openNodeDriver(db.path, { busyWait: 10_000, shadowWrites: true });
  try {
    tables.exec(`
      CREATE TABLE IF NOT EXISTS '${fts}_config'(k PRIMARY KEY, v) WITHOUT ROWID;
      INSERT OR REPLACE INTO ${fts}_config (k, v) VALUES ('version', 4);
    `);
  } finally {
    tables.close();
  }
  return true;
}

/** Sets the file's marks to those of this version, where its schema is. */
export function setMarks(db: Database): void {
  transaction(db, () => db.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${schemaVersion}`));
}
