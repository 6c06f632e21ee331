import type { Migration } from "../migration.ts";
import { messageIndexSettings } from "./0003-life-cycle.ts";

export const messageIndexSql =
  "CREATE VIRTUAL TABLE message_index USING fts5 (text, parts, stems, content='', contentless_delete=1, tokenize='ascii')";

export const toolIndexSql =
  "CREATE VIRTUAL TABLE tool_index USING fts5 (text, parts, stems, content='', contentless_delete=1, tokenize='ascii')";

/** As those of the message index, and for the same reasons (see 0003-life-cycle.ts). */
export const toolIndexSettings = `
    INSERT INTO tool_index (tool_index, rank) VALUES ('deletemerge', 0);
    INSERT INTO tool_index (tool_index, rank) VALUES ('automerge', 4)`;

/**
 * A third column, for word forms; rows numbered so that they lie close (see index-row.ts); and how many tokens a transcript
 * has, which tells a long session from one that speaks of nothing else. The index is made anew, by reconciliation.
 *
 * And an index of tool calls and results, with tables like those of the messages: empty until the store is told to fill it.
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

    ${toolIndexSql};
    ${toolIndexSettings};
    CREATE TABLE tool_messages (
      no INTEGER PRIMARY KEY,             -- entry number
      role TEXT NOT NULL,
      timestamp INTEGER NOT NULL,
      length INTEGER NOT NULL,            -- tokens
      copy INTEGER NOT NULL               -- hash of role and masked text: equal for copies
    ) STRICT;
    -- In a table of its own, so that a transcript's row does not grow where nothing of this is wanted.
    CREATE TABLE tool_totals (
      transcript INTEGER PRIMARY KEY REFERENCES transcripts (no) ON DELETE CASCADE,
      messages INTEGER NOT NULL,
      tokens INTEGER NOT NULL
    ) STRICT;
    CREATE TRIGGER tool_message_added AFTER INSERT ON tool_messages BEGIN
      INSERT INTO tool_totals (transcript, messages, tokens) VALUES (new.no >> 24, 1, new.length)
        ON CONFLICT (transcript) DO UPDATE SET messages = messages + 1, tokens = tokens + excluded.tokens;
    END;
    CREATE TRIGGER tool_message_removed AFTER DELETE ON tool_messages BEGIN
      UPDATE tool_totals SET messages = messages - 1, tokens = tokens - old.length WHERE transcript = old.no >> 24;
    END;
  `,
};
