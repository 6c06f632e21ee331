import type { Migration } from "../migration.ts";

export const messageIndexSql =
  "CREATE VIRTUAL TABLE message_index USING fts5 (text, parts, content='', contentless_delete=1, tokenize='ascii')";

/**
 * The full-text index. Contentless: it holds terms and positions, no text, so it costs little and leaks no message;
 * snippets are cut from the entries themselves after masking. Terms come from `text/` ready-made, so the tokenizer is
 * the plainest there is: it splits at ASCII non-alphanumerics and nothing else.
 *
 * `messages` is the row map: one narrow row per indexed message, same number as the entry and the FTS row. Filters, sort
 * by time and copy groups read it instead of the wide entries (reading those was 1.6 µs a row in measurements).
 */
export const searchIndex: Migration = {
  version: 2,
  name: "search-index",
  sql: `
    ${messageIndexSql};

    CREATE TABLE messages (
      no INTEGER PRIMARY KEY,             -- entry number
      role TEXT NOT NULL,
      timestamp INTEGER NOT NULL,
      length INTEGER NOT NULL,            -- tokens
      copy INTEGER NOT NULL               -- hash of role and masked text: equal for copies
    ) STRICT;

    -- Every search wants to know how many messages there are; counting them took longer than finding the hits. Triggers,
    -- so that no way of writing can forget it.
    CREATE TRIGGER message_added AFTER INSERT ON messages BEGIN
      UPDATE transcripts SET messages = messages + 1 WHERE no = new.no >> 24;
    END;
    CREATE TRIGGER message_removed AFTER DELETE ON messages BEGIN
      UPDATE transcripts SET messages = messages - 1 WHERE no = old.no >> 24;
    END;

    -- Transcripts whose flags and index rows are not to be trusted from an entry on; everything before it is right.
    CREATE TABLE dirty (
      transcript INTEGER PRIMARY KEY REFERENCES transcripts (no) ON DELETE CASCADE,
      "from" INTEGER NOT NULL,            -- entry number
      reason TEXT NOT NULL
    ) STRICT;

    CREATE TABLE index_state (
      name TEXT PRIMARY KEY,
      value INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
  `,
};
