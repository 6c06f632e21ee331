/** The index rows of one message: add and remove. What goes in is the masked text without its masks (SPEC 5.3). */
import { hash53 } from "../model/ids.ts";
import type { Role } from "../model/transcript.ts";
import { redact } from "../redaction/redact.ts";
import { searchableText, shows } from "../text/searchable.ts";
import { decodeBody } from "./body.ts";
import type { Database } from "./driver.ts";
import { indexColumns } from "./index-columns.ts";
import { addLanguage } from "./index-languages.ts";
import { rowOf, rowSql } from "./index-row.ts";
import { addToToolIndex, removeFromToolIndex, toolBits } from "./tool-index.ts";
import { cutMasks } from "./without-secrets.ts";

export interface IndexedMessage {
  readonly no: number;
  readonly role: Role;
  readonly timestamp: number;
  /** Unmasked searchable text. */
  readonly text: string;
}

/** O(length of the text). The caller has a transaction open and knows that the message is not indexed. */
export function addToIndex(db: Database, message: IndexedMessage): void {
  const masked = redact(message.text);
  const { text, parts, stems, length, language } = indexColumns(message.no, message.timestamp, cutMasks(masked));
  db.prepare("INSERT INTO message_index (rowid, text, parts, stems) VALUES (:row, :text, :parts, :stems)").run({
    row: rowOf(message.no),
    text,
    parts,
    stems,
  });
  if (language !== null) addLanguage(db, language);
  // OR FAIL: the trigger makes SQLite guard a plain INSERT by a savepoint of its own, and at each savepoint FTS5 writes what it
  // has gathered: a segment for every message, four times the work of one for the transaction.
  db.prepare(
    "INSERT OR FAIL INTO messages (no, role, timestamp, length, copy) VALUES (:no, :role, :timestamp, :length, :copy)",
  ).run({
    no: message.no,
    role: message.role,
    timestamp: message.timestamp,
    length,
    copy: hash53(`${message.role}\n${masked.text}`),
  });
}

/** Removes the index rows of every entry with a number in the range, ends included. Returns how many messages there were. */
export function removeFromIndex(db: Database, from: number, to: number): number {
  const range = { from, to };
  removeFromToolIndex(db, from, to);
  db.prepare(
    `DELETE FROM message_index WHERE rowid IN (SELECT ${rowSql("no")} FROM messages WHERE no BETWEEN :from AND :to)`,
  ).run(range);
  return db.prepare("DELETE FROM messages WHERE no BETWEEN :from AND :to").run(range);
}

/**
 * Adds the index rows of a stored entry, if it has searchable text, or tool traffic that is to be indexed. Returns the length
 * of what was indexed.
 */
export function indexEntry(db: Database, no: number, tools: boolean): number {
  const row = db
    .prepare(
      "SELECT type, role, timestamp, shows, body FROM entries WHERE no = :no AND type = 'message' AND (shows & :bits) <> 0",
    )
    .get({ no, bits: tools ? shows.spoken | toolBits : shows.spoken });
  if (!row) return 0;
  const role = row.role as Role;
  const timestamp = Number(row.timestamp);
  const entry = { type: "message", role, parts: decodeBody(row.body).parts };
  const traffic = tools && (Number(row.shows) & toolBits) !== 0 ? addToToolIndex(db, { ...entry, no, timestamp }) : 0;
  const text = searchableText(entry);
  if (text === null) return traffic;
  addToIndex(db, { no, role, timestamp, text });
  return traffic + text.length;
}
