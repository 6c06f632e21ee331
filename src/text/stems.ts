/**
 * Word forms (SPEC 3.6): `deployments`, `deployed` and `deploy` have one stem. Only plain words have stems, never
 * identifiers or anything with a digit: `ENOENT` stays what it is.
 */
import { characterOf } from "./fold.ts";
import { isFunctionWord } from "./function-words.ts";
import { type Language, stemmerOf } from "./languages.ts";
import { type Token, terms } from "./tokens.ts";

/** Before every stem in the index: not ASCII, so FTS5's `ascii` tokenizer keeps it; never part of a query's own term. */
const stemMark = "·";

const shortest = 3;
const longest = 30;

/** Per language: word → stem. Texts repeat their words; a stemmer costs 0.2 to 3 µs. */
const known = new Map<Language, Map<string, string>>();
const mostKnown = 50_000;

/**
 * The stem of a word, folded; null where the word has no forms.
 * @param term Folded.
 * @param word The same in lower case with its accents, where they are known: stemmers go by them.
 */
export function stemOf(language: Language, term: string, word = term): string | null {
  if (term.length < shortest || term.length > longest) return null;
  let stems = known.get(language);
  if (stems === undefined || stems.size > mostKnown) {
    stems = new Map();
    known.set(language, stems);
  }
  let stem = stems.get(word);
  if (stem === undefined) {
    stem = makeStem(language, term, word) ?? "";
    stems.set(word, stem);
  }
  return stem === "" ? null : stem;
}

function makeStem(language: Language, term: string, word: string): string | null {
  if (isFunctionWord(term, language)) return null;
  // English doesn't go by accents, so the folded word is stemmed, and its stem needs no folding.
  if (language === "en") return /^[a-z]+$/.test(term) ? stemmerOf(language)(term) : null;
  if (!/^[\p{L}\p{M}]+$/u.test(term) || isSpaceless(term)) return null;
  const [stem, ...rest] = terms(stemmerOf(language)(word));
  return stem === undefined || rest.length > 0 ? null : stem;
}

function isSpaceless(term: string): boolean {
  return characterOf(term.codePointAt(0) ?? 0).folded[0].class === "single";
}

/** The stem of a token where it stands; null where it is no plain word there: a name, or a piece of one. */
export function stemOfToken(language: Language, { term, start, end }: Token, text: string): string | null {
  if (isPieceOfName(text, start, end)) return null;
  const word = text.slice(start, end);
  // fooBar, ENOENT: a capital that does not begin the word.
  if (word !== term && word.slice(1).toLowerCase() !== word.slice(1)) return null;
  return stemOf(language, term, word.toLowerCase().normalize("NFC"));
}

/** Between `_`, slashes, and dots or colons without white space: `retry_count`, `src/users.ts`, `std::moves`. */
function isPieceOfName(text: string, start: number, end: number): boolean {
  return (
    /[_/\\]/.test(text.charAt(start - 1)) ||
    /[_/\\]/.test(text.charAt(end)) ||
    (/[.:]/.test(text.charAt(start - 1)) && /[\p{L}\p{N}:]/u.test(text.charAt(start - 2))) ||
    (/[.:]/.test(text.charAt(end)) && /[\p{L}\p{N}:]/u.test(text.charAt(end + 1)))
  );
}

/** How a stem stands in the index. English ones stand without their language, as most of them do. */
export function stemTerm(language: Language, stem: string): string {
  return language === "en" ? `${stemMark}${stem}` : `${stemMark}${language}${stemMark}${stem}`;
}

/**
 * Index terms that one of a word's forms has. In English a word that is its own stem is not stored again, so the stem
 * itself is a form.
 */
export function formsOf(language: Language, term: string, word = term): readonly string[] {
  const stem = stemOf(language, term, word);
  if (stem === null) return [];
  const stored = stemTerm(language, stem);
  return language === "en" && stem !== term ? [stored, stem] : [stored];
}
