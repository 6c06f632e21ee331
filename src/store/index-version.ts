/**
 * The index remembers which folding, extraction and redaction it was made with. When the program's differ, every
 * transcript becomes dirty and is indexed anew by reconciliation; nobody has to run a command (SPEC 2.7).
 */
import { redactionVersion } from "../redaction/redact.ts";
import { foldVersion } from "../text/fold.ts";
import { searchableVersion } from "../text/searchable.ts";
import { markAllDirty } from "./dirty.ts";
import type { Database } from "./driver.ts";
import { positions } from "./entry-no.ts";
import { isToolIndexOutdated, renewToolIndex } from "./tool-choice.ts";
import { transaction } from "./transaction.ts";

const versions = { fold: foldVersion, searchable: searchableVersion, redaction: redactionVersion };

/** Takes no write lock when the versions agree. */
export function checkIndexVersion(db: Database): void {
  if (isCurrent(db)) return;
  transaction(db, () => {
    if (isCurrent(db)) return;
    for (const [name, value] of Object.entries(versions)) {
      db.prepare(
        "INSERT INTO index_state (name, value) VALUES (:name, :value) ON CONFLICT DO UPDATE SET value = :value",
      ).run({ name, value });
    }
    renewToolIndex(db);
    markAllDirty(db, "version");
  });
}

/**
 * The same for a store that can't be written: a search must not answer from an index that newer redaction would not have
 * made. Temporary tables of this connection hide the stored ones: no message is in the index, every transcript counts as
 * dirty, and its range holds nothing but the last entry number there can be, so that histories are whole.
 */
export function hideOutdated(db: Database): void {
  if (isCurrent(db)) return;
  db.exec(`
    CREATE TEMP TABLE messages AS SELECT * FROM main.messages LIMIT 0;
    CREATE TEMP TABLE tool_messages AS SELECT * FROM main.tool_messages LIMIT 0;
    CREATE TEMP TABLE dirty AS
      SELECT no AS transcript, (no << 24) + ${positions - 1} AS "from", NULL AS "to", 'version' AS reason, 0 AS epoch FROM transcripts;
  `);
}

function isCurrent(db: Database): boolean {
  const stored = new Map(
    db
      .prepare("SELECT name, value FROM index_state")
      .all()
      .map((row) => [row.name, row.value]),
  );
  return !isToolIndexOutdated(db) && Object.entries(versions).every(([name, value]) => stored.get(name) === value);
}
