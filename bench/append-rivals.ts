/**
 * Who appends in the append bench: Backscroll, and two floors of bare statements over `node:sqlite`.
 * - same rows: writes what Backscroll wrote, row by row, with everything ready-made (terms, JSON, place in the tree).
 * - by hand: what a program would do without Backscroll, a row of text and FTS5's own tokenizer.
 */
import { copyFileSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync, type SQLOutputValue, type StatementSync } from "node:sqlite";
import { open } from "../src/index.ts";
import { indexText } from "../src/text/index-text.ts";
import type { CorpusMessage } from "./corpus.ts";
import { agent, keyOf, messageId, toEntry } from "./fill.ts";

export type Durability = "full" | "normal";

export interface Rival {
  /** Appends one message in a transaction of its own. */
  append(message: CorpusMessage): void;
  close(): void;
}

/** A new home with a copy of another's database. The other one must be closed. */
export function copyHome(from: string, to: string): string {
  mkdirSync(dirname(fileOf(to)), { recursive: true });
  copyFileSync(fileOf(from), fileOf(to));
  return to;
}

export function backscroll(home: string, durability: Durability): Rival {
  const opened = open({ home, durability });
  const store = opened.store(agent);
  return {
    append: (message) => {
      const [outcome] = store.append(keyOf(message.session), [toEntry(message)]);
      if (outcome !== "added") throw new Error(`message ${message.no} was not added: ${outcome}`);
    },
    close: () => opened.close(),
  };
}

type Values = Record<string, SQLOutputValue>;

interface Rows {
  readonly entry: Values;
  readonly message: Values;
  readonly index: { readonly no: number; readonly text: string; readonly parts: string };
  readonly leaf: number;
  readonly timestamp: number;
  readonly transcript: number;
}

/** @param rehearsal Home that the messages were appended to before: the rows are read from there, ahead of time. */
export function sameRows(
  home: string,
  durability: Durability,
  rehearsal: string,
  messages: readonly CorpusMessage[],
): Rival {
  const rows = readRows(rehearsal, messages);
  const db = openBare(fileOf(home), durability);
  const [begin, commit] = [db.prepare("BEGIN IMMEDIATE"), db.prepare("COMMIT")];
  const first = rows.values().next().value;
  if (!first) throw new RangeError("there is nothing to append");
  const entry = insertInto(db, "entries", first.entry);
  const index = db.prepare("INSERT INTO message_index (rowid, text, parts) VALUES (:no, :text, :parts)");
  const message = insertInto(db, "messages", first.message);
  const transcript = db.prepare("UPDATE transcripts SET leaf = :leaf, next = next + 1 WHERE no = :transcript");
  const session = db.prepare(
    "UPDATE sessions SET updated_at = :timestamp WHERE no = (SELECT session FROM transcripts WHERE no = :transcript)",
  );
  return {
    append: ({ no }) => {
      const row = rows.get(no);
      if (!row) throw new RangeError(`message ${no} was not rehearsed`);
      begin.run();
      entry.run(row.entry);
      index.run(row.index);
      message.run(row.message);
      transcript.run({ leaf: row.leaf, transcript: row.transcript });
      session.run({ timestamp: row.timestamp, transcript: row.transcript });
      commit.run();
    },
    close: () => db.close(),
  };
}

function readRows(rehearsal: string, messages: readonly CorpusMessage[]): Map<number, Rows> {
  const db = new DatabaseSync(fileOf(rehearsal), { readOnly: true });
  const entryOf = db.prepare("SELECT * FROM entries WHERE id = ?");
  const messageOf = db.prepare("SELECT * FROM messages WHERE no = ?");
  const rows = new Map<number, Rows>();
  for (const { no, text } of messages) {
    const entry = entryOf.get(messageId(no));
    const leaf = Number(entry?.no);
    const message = messageOf.get(leaf);
    if (!entry || !message) throw new Error(`message ${no} is not in the rehearsal`);
    const terms = indexText(text);
    rows.set(no, {
      entry,
      message,
      index: { no: leaf, text: terms.text, parts: terms.parts },
      leaf,
      timestamp: Number(entry.timestamp),
      transcript: Math.floor(leaf / 2 ** 24),
    });
  }
  db.close();
  return rows;
}

function insertInto(db: DatabaseSync, table: string, row: Values): StatementSync {
  const columns = Object.keys(row);
  return db.prepare(
    `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map((column) => `:${column}`).join(", ")})`,
  );
}

/** @param before Messages that are there already, as in the other rivals' databases. */
export function byHand(file: string, durability: Durability, before: Iterable<CorpusMessage>): Rival {
  const db = openBare(file, durability);
  db.exec(`
    CREATE TABLE said (no INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, session TEXT NOT NULL, role TEXT, at INTEGER, text TEXT) STRICT;
    CREATE INDEX said_by_session ON said (session, no);
    CREATE VIRTUAL TABLE said_index USING fts5 (text, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2');
  `);
  const [begin, commit] = [db.prepare("BEGIN IMMEDIATE"), db.prepare("COMMIT")];
  const said = db.prepare("INSERT INTO said (no, id, session, role, at, text) VALUES (?, ?, ?, ?, ?, ?)");
  const index = db.prepare("INSERT INTO said_index (rowid, text) VALUES (?, ?)");
  const write = ({ no, session, role, timestamp, text }: CorpusMessage) => {
    said.run(no, messageId(no), keyOf(session), role, timestamp, text);
    index.run(no, text);
  };
  begin.run();
  for (const message of before) write(message);
  commit.run();
  return {
    append: (message) => {
      begin.run();
      write(message);
      commit.run();
    },
    close: () => db.close(),
  };
}

/** The pragmas of `store/open-database.ts`. */
function openBare(file: string, durability: Durability): DatabaseSync {
  const db = new DatabaseSync(file, { timeout: 10_000 });
  db.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = ${durability};
    PRAGMA secure_delete = ON;
    PRAGMA cache_size = -16384;
    PRAGMA temp_store = MEMORY;
    PRAGMA journal_size_limit = 67108864;
  `);
  return db;
}

function fileOf(home: string): string {
  return join(home, "agents", agent, "transcripts.sqlite");
}
