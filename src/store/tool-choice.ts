/**
 * Whether a store indexes tool calls and results (SPEC 3.7). The choice stands in the database itself, so that every process
 * that writes to it keeps that index in step.
 */
import { toolTrafficVersion } from "../text/tool-traffic.ts";
import { markAllDirty } from "./dirty.ts";
import type { Database } from "./driver.ts";
import { toolIndexSettings, toolIndexSql } from "./migrations/0004-word-forms.ts";
import { wantPurge } from "./purge.ts";
import { transaction } from "./transaction.ts";

/** Name in `index_state`. There: tools are indexed, by the extraction of that version. Not there: they are not. */
export const toolsName = "tools";

/** SQL: whether this store indexes tools, 1 or null. Part of statements that run anyway: an append asks nothing more. */
export const hasToolIndexSql = `(SELECT 1 FROM index_state WHERE name = '${toolsName}')`;

export function hasToolIndex(db: Database): boolean {
  return db.prepare(`SELECT ${hasToolIndexSql} AS has`).get()?.has === 1;
}

/**
 * Turns the index on, which makes every transcript dirty and is done by reconciliation, or off, which empties it at once; the
 * words leave the file with the next purge. Returns whether that changed anything. O(index) to turn it off.
 */
export function setToolIndex(db: Database, on: boolean): boolean {
  if (hasToolIndex(db) === on) return false;
  return transaction(db, () => {
    if (hasToolIndex(db) === on) return false;
    if (on) {
      noteVersion(db);
      markAllDirty(db, "version");
    } else {
      db.prepare("DELETE FROM index_state WHERE name = :name").run({ name: toolsName });
      emptyToolIndex(db);
      wantPurge(db);
    }
    return true;
  });
}

/** Whether the index was made by another extraction than the program's. */
export function isToolIndexOutdated(db: Database): boolean {
  const row = db.prepare("SELECT value FROM index_state WHERE name = :name").get({ name: toolsName });
  return row !== undefined && row.value !== toolTrafficVersion;
}

/** Where there is such an index, it is of the program's extraction from now on. */
export function renewToolIndex(db: Database): void {
  if (hasToolIndex(db)) noteVersion(db);
}

function noteVersion(db: Database): void {
  db.prepare(
    "INSERT INTO index_state (name, value) VALUES (:name, :value) ON CONFLICT DO UPDATE SET value = :value",
  ).run({ name: toolsName, value: toolTrafficVersion });
}

/** Made anew: after FTS5's `delete-all`, the model test met a structure that named pages which were gone. */
function emptyToolIndex(db: Database): void {
  db.exec(`DROP TABLE IF EXISTS tool_index; ${toolIndexSql}; ${toolIndexSettings}`);
  db.exec("DELETE FROM tool_messages; DELETE FROM tool_totals");
}
