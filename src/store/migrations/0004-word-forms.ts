import type { Migration } from "../migration.ts";
import { messageIndexSettings } from "./0003-life-cycle.ts";

export const messageIndexSql =
  "CREATE VIRTUAL TABLE message_index USING fts5 (text, parts, stems, content='', contentless_delete=1, tokenize='ascii')";

/**
 * A third column, for word forms; rows numbered so that they lie close (see index-row.ts); and how many tokens a transcript
 * has, which tells a long session from one that speaks of nothing else. The index is made anew, by reconciliation.
 */
export const wordForms: Migration = {
  version: 4,
  name: "word-forms",
  sql: `
    DROP TABLE message_index;
    ${messageIndexSql};
    ${messageIndexSettings};
    DELETE FROM messages;

    ALTER TABLE transcripts ADD COLUMN tokens INTEGER NOT NULL DEFAULT 0; -- of its indexed messages together
    DROP TRIGGER message_added;
    DROP TRIGGER message_removed;
    CREATE TRIGGER message_added AFTER INSERT ON messages BEGIN
      UPDATE transcripts SET messages = messages + 1, tokens = tokens + new.length WHERE no = new.no >> 24;
    END;
    CREATE TRIGGER message_removed AFTER DELETE ON messages BEGIN
      UPDATE transcripts SET messages = messages - 1, tokens = tokens - old.length WHERE no = old.no >> 24;
    END;
  `,
};
