/** The rows of tool calls and results in their own index (SPEC 3.7): add and remove. They lie as those of messages do. */
import { hash53 } from "../model/ids.ts";
import { type Spoken, shows } from "../text/searchable.ts";
import type { Database } from "./driver.ts";
import { indexColumns } from "./index-columns.ts";
import { addLanguage } from "./index-languages.ts";
import { rowOf, rowSql } from "./index-row.ts";
import { toolText } from "./tool-text.ts";
import { cutMasks } from "./without-secrets.ts";

export interface IndexedTools extends Spoken {
  readonly no: number;
  readonly timestamp: number;
}

/** Bits of `entries.shows` that an entry has for this index. */
export const toolBits = shows.tools;

/**
 * Adds what an entry's tool calls and results say. The caller has a transaction open and knows that the entry is on the
 * active branch and not in the index. Returns the length of what was indexed.
 */
export function addToToolIndex(db: Database, entry: IndexedTools): number {
  const said = toolText(entry);
  if (said === null) return 0;
  const { no, timestamp } = entry;
  const { text, parts, stems, length, language } = indexColumns(no, timestamp, cutMasks(said));
  db.prepare("INSERT INTO tool_index (rowid, text, parts, stems) VALUES (:row, :text, :parts, :stems)").run({
    row: rowOf(no),
    text,
    parts,
    stems,
  });
  if (language !== null) addLanguage(db, language);
  // OR FAIL: as for messages (see index-entry.ts).
  db.prepare(
    "INSERT OR FAIL INTO tool_messages (no, role, timestamp, length, copy) VALUES (:no, :role, :timestamp, :length, :copy)",
  ).run({ no, role: said.role, timestamp, length, copy: hash53(`tool ${said.role}\n${said.text}`) });
  return said.text.length;
}

/** Removes the rows of every entry with a number in the range, ends included; also where the index was just turned off. */
export function removeFromToolIndex(db: Database, from: number, to: number): void {
  const range = { from, to };
  const rows = `SELECT ${rowSql("no")} FROM tool_messages WHERE no BETWEEN :from AND :to`;
  db.prepare(`DELETE FROM tool_index WHERE rowid IN (${rows})`).run(range);
  db.prepare("DELETE FROM tool_messages WHERE no BETWEEN :from AND :to").run(range);
}
