/** Searchable text → what the full-text index stores of it: ready-made terms, one column as said and one of parts. */
import { partChunks, partsGap } from "./parts.ts";
import { terms } from "./tokens.ts";

/** The two columns of an index row. Both hold terms joined by single spaces, for FTS5's `ascii` tokenizer. */
export interface IndexedText {
  /** Every token of the text, in order. */
  readonly text: string;
  /** The parts of identifiers, chunk by chunk with {@link partsGap} between; each chunk once, however often it stands. */
  readonly parts: string;
  /** Number of tokens in `text`. */
  readonly length: number;
}

/** O(length of the text). The text is already masked and without its masks (SPEC 5.3). */
export function indexText(text: string): IndexedText {
  const all = terms(text);
  const chunks = new Set(partChunks(text).map((chunk) => chunk.map((token) => token.term).join(" ")));
  return { text: all.join(" "), parts: [...chunks].join(` ${partsGap} `), length: all.length };
}
