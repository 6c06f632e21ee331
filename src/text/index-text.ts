/** Searchable text → what the full-text index stores of it: ready-made terms, one column as said, one of parts, one of stems. */

import { languageOf } from "./language.ts";
import type { Language } from "./languages.ts";
import { partChunks, partsGap } from "./parts.ts";
import { isLong } from "./passage.ts";
import { stemOfToken, stemTerm } from "./stems.ts";
import { type Token, tokenize } from "./tokens.ts";

/** The columns of an index row. All hold terms joined by single spaces, for FTS5's `ascii` tokenizer. */
export interface IndexedText {
  /** Every token of the text, in order. */
  readonly text: string;
  /** The parts of identifiers, chunk by chunk with {@link partsGap} between; each chunk once, however often it stands. */
  readonly parts: string;
  /**
   * Stems (SPEC 3.6): in English of the words that are not their own, elsewhere of every word. In a message of several
   * passages each stands where its word stands, with {@link partsGap} for the others, so that places can be compared.
   */
  readonly stems: string;
  /** Number of tokens in `text`. */
  readonly length: number;
  readonly language: Language | null;
}

/** O(length of the text). The text is already masked and without its masks (SPEC 5.3). */
export function indexText(text: string): IndexedText {
  const tokens = tokenize(text);
  const chunks = new Set(partChunks(text).map((chunk) => chunk.map((token) => token.term).join(" ")));
  const language = languageOf(tokens.map(({ term }) => term));
  return {
    text: tokens.map(({ term }) => term).join(" "),
    parts: [...chunks].join(` ${partsGap} `),
    stems: language === null ? "" : stemsOf(language, tokens, text),
    length: tokens.length,
    language,
  };
}

function stemsOf(language: Language, tokens: readonly Token[], text: string): string {
  const filler = isLong(tokens.length) ? partsGap : "";
  const stems: string[] = [];
  for (const token of tokens) {
    const stem = stemOfToken(language, token, text);
    const isStored = stem !== null && (language !== "en" || stem !== token.term);
    if (isStored) stems.push(stemTerm(language, stem));
    else if (filler !== "") stems.push(filler);
  }
  return stems.join(" ");
}
