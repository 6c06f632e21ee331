/** What the index has of one message, made from its text once more: for a few messages that is cheaper than a word's whole list. */
import type { Role } from "../model/transcript.ts";
import { redact } from "../redaction/redact.ts";
import { indexText } from "../text/index-text.ts";
import { searchableText } from "../text/searchable.ts";
import { decodeBody } from "./body.ts";
import type { Database } from "./driver.ts";
import type { IndexTables } from "./index-tables.ts";
import { toolText } from "./tool-text.ts";
import { cutMasks } from "./without-secrets.ts";

/** The terms of each column, in their places. */
export interface IndexedWords {
  readonly text: readonly string[];
  readonly parts: readonly string[];
  readonly stems: readonly string[];
}

const nothing: IndexedWords = { text: [], parts: [], stems: [] };

/** O(length of the text). */
export function indexedWords(db: Database, no: number, { map }: IndexTables): IndexedWords {
  const row = db.prepare("SELECT type, role, body FROM entries WHERE no = :no").get({ no });
  if (!row) return nothing;
  const spoken = { type: String(row.type), role: row.role as Role | null, parts: decodeBody(row.body).parts };
  const masked = map === "tool_messages" ? toolText(spoken) : redact(searchableText(spoken) ?? "");
  if (masked === null) return nothing;
  const { text, parts, stems } = indexText(cutMasks(masked));
  return { text: text.split(" "), parts: parts.split(" "), stems: stems.split(" ") };
}
