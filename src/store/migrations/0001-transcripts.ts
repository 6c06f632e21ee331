import type { Migration } from "../migration.ts";

/**
 * Sessions, their transcripts (one per generation), entries, and how far each source file was read.
 *
 * `entries.no` is `transcript << 24 | position`: an entry's number alone tells its transcript and its order, a
 * transcript lies in one range of the table (a history page is one range read, a deletion one range delete), and the
 * index needs no map from its rows to sessions. Bounds: 2^24 entries a transcript, 2^29 transcripts an agent.
 * The parent of an entry always has a smaller number, so the order along a branch is the order of numbers.
 */
export const transcripts: Migration = {
  version: 1,
  name: "transcripts",
  sql: `
    CREATE TABLE sessions (
      no INTEGER PRIMARY KEY AUTOINCREMENT,
      key TEXT NOT NULL UNIQUE,
      kind TEXT NOT NULL DEFAULT 'other',
      source TEXT,                        -- format it was imported from; null when it was written through the library
      title TEXT,
      title_folded TEXT,                  -- lower case, for filters: SQLite's own lower() knows ASCII only
      title_rank INTEGER NOT NULL DEFAULT -1,
      project TEXT,
      project_folded TEXT,                -- lower case, one kind of slash
      git_branch TEXT,
      model TEXT,
      created_at INTEGER,                 -- epoch ms
      updated_at INTEGER,                 -- epoch ms of its newest entry
      spawned_by TEXT,                    -- session key, maybe of another agent
      parent_key TEXT,
      forked_from TEXT,
      archived INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE INDEX sessions_by_time ON sessions (updated_at);
    CREATE INDEX sessions_by_spawner ON sessions (spawned_by) WHERE spawned_by IS NOT NULL;

    CREATE TABLE transcripts (
      no INTEGER PRIMARY KEY AUTOINCREMENT,
      session INTEGER NOT NULL REFERENCES sessions (no) ON DELETE CASCADE,
      session_id TEXT NOT NULL UNIQUE,
      generation INTEGER NOT NULL,        -- 1, 2, 3 … in the order in which they were started
      leaf INTEGER,                       -- entry number
      next INTEGER NOT NULL DEFAULT 0,    -- position of the next entry
      messages INTEGER NOT NULL DEFAULT 0, -- indexed messages
      created_at INTEGER,
      UNIQUE (session, generation)
    ) STRICT;

    CREATE TABLE entries (
      no INTEGER PRIMARY KEY,
      id TEXT NOT NULL,
      parent INTEGER,                     -- entry number; null for a root
      type TEXT NOT NULL,
      role TEXT,
      timestamp INTEGER NOT NULL,         -- epoch ms
      active INTEGER NOT NULL,            -- 1 on the active branch (where the transcript is not dirty)
      typed INTEGER NOT NULL,             -- 1 for a message that a person typed
      shows INTEGER NOT NULL,             -- bits: 1 spoken text or image, 2 tool traffic, 4 thinking, 8 injected text, 16 other
      body ANY NOT NULL                   -- JSON text, or a zstd frame of it
    ) STRICT;
    CREATE UNIQUE INDEX entries_by_id ON entries (id, no >> 24);
    -- Leaving a branch must not read the dead branches before it: with thousands at one entry that was quadratic.
    CREATE INDEX entries_active ON entries (no) WHERE active = 1;
    -- What plain history shows: counts and pages without reading tool traffic in between.
    CREATE INDEX entries_spoken ON entries (no) WHERE active = 1 AND (shows & 1) = 1;

    -- Ids of records that are not kept (null: above the root) and of later pieces of a streamed message.
    CREATE TABLE aliases (
      transcript INTEGER NOT NULL REFERENCES transcripts (no) ON DELETE CASCADE,
      id TEXT NOT NULL,
      entry INTEGER,
      PRIMARY KEY (transcript, id)
    ) STRICT, WITHOUT ROWID;

    -- Titles that came before the message they hang on.
    CREATE TABLE pending_titles (
      entry_id TEXT PRIMARY KEY,
      text TEXT NOT NULL,
      rank TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE source_files (
      path TEXT PRIMARY KEY,
      source TEXT NOT NULL,
      device INTEGER NOT NULL,
      inode INTEGER NOT NULL,
      size INTEGER NOT NULL,              -- bytes, when it was last read
      mtime INTEGER NOT NULL,             -- epoch microseconds, when it was last read
      stage TEXT NOT NULL CHECK (stage IN ('whole', 'first', 'again')),
      position INTEGER NOT NULL,          -- byte offset of the next unread record
      line INTEGER NOT NULL,
      head TEXT NOT NULL,                 -- hash of the first bytes, and of the last ones before the offset
      tail TEXT NOT NULL,
      state TEXT NOT NULL,                -- the reader's memory, JSON
      agents TEXT NOT NULL                -- ids of the agents that the file feeds, JSON
    ) STRICT, WITHOUT ROWID;

    -- Each use of unmasked output (SPEC 5.7).
    CREATE TABLE audit (
      no INTEGER PRIMARY KEY AUTOINCREMENT,
      at INTEGER NOT NULL,
      what TEXT NOT NULL
    ) STRICT;
  `,
};
