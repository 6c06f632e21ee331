import type { Migration } from "../migration.ts";

/**
 * FTS5 would merge a whole segment in the very transaction that brings its deleted rows to a tenth: 0.7 s of 100,000
 * messages. A purge does it in slices. The other setting is the usual one, which reconciliation turns off and on. (Written
 * out, as the driver binds numbers as floats and FTS5 takes whole ones.)
 */
export const messageIndexSettings = `
    INSERT INTO message_index (message_index, rank) VALUES ('deletemerge', 0);
    INSERT INTO message_index (message_index, rank) VALUES ('automerge', 4)`;

/**
 * What it takes to change one's mind: ranges that are dirty instead of everything behind a mark, sessions that stay
 * forgotten, and a checksum by which damage to what was said is noticed.
 */
export const lifeCycle: Migration = {
  version: 3,
  name: "life-cycle",
  sql: `
    -- CRC-32 of what the row says (see entry-crc.ts): SQLite notices a damaged page, not a changed letter. Null where an
    -- older version wrote the row.
    ALTER TABLE entries ADD COLUMN crc INTEGER;

    -- Append position, an entry number (-1: above the root); null where it is the leaf. Whoever names it as its parent
    -- continues the leaf.
    ALTER TABLE transcripts ADD COLUMN append_at INTEGER;
    -- Few or none: whether one bars the way back must not cost a look at every entry.
    CREATE INDEX entries_resets ON entries (no) WHERE type = 'reset';

    -- Last entry number not to be trusted (null: every one after "from"). What is appended behind it is indexed at once.
    ALTER TABLE dirty ADD COLUMN "to" INTEGER;
    -- Changes with every mark, so that whoever reconciles notices that the branch moved under its hands.
    ALTER TABLE dirty ADD COLUMN epoch INTEGER NOT NULL DEFAULT 0;

    ${messageIndexSettings};

    -- Transcripts that were deleted: an import passes them over. Hashes, as an id can say what a session was about.
    CREATE TABLE tombstones (
      hash TEXT PRIMARY KEY,              -- of a session id
      session TEXT NOT NULL,              -- hash of the session key that it belonged to
      at INTEGER NOT NULL                 -- epoch ms
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX tombstones_by_session ON tombstones (session);
  `,
};
