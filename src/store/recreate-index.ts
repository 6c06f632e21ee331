/** The index thrown away and made anew, empty: for one that is damaged. Every transcript is indexed again (SPEC 2.2). */
import { markAllDirty } from "./dirty.ts";
import type { Database } from "./driver.ts";
import { messageIndexSettings } from "./migrations/0003-life-cycle.ts";
import { messageIndexSql, toolIndexSettings, toolIndexSql } from "./migrations/0004-word-forms.ts";
import { transaction } from "./transaction.ts";

/** The caller has a transaction open. */
export function recreateIndex(db: Database): void {
  db.exec(`DROP TABLE IF EXISTS message_index; ${messageIndexSql}; ${messageIndexSettings}`);
  db.exec(`DROP TABLE IF EXISTS tool_index; ${toolIndexSql}; ${toolIndexSettings}`);
  db.exec("DELETE FROM messages; DELETE FROM tool_messages");
  markAllDirty(db, "repair");
}

/** As {@link recreateIndex}, in a transaction of its own. */
export function remakeIndex(db: Database): void {
  transaction(db, () => {
    recreateIndex(db);
    db.prepare("UPDATE transcripts SET messages = 0, tokens = 0").run();
    db.prepare("DELETE FROM tool_totals").run();
  });
}

/** Makes SQLite's own indexes anew, from their tables. */
export function remakeSqliteIndexes(db: Database): void {
  transaction(db, () => db.exec("REINDEX"));
}
