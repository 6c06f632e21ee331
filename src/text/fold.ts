/**
 * What each code point becomes in a term (SPEC 3.3): the one table behind index, query and highlights.
 * The rule is defined on NFKC text, code point by code point, so that every spelling Unicode calls compatible gives the
 * same terms: case folding, diacritics off, kana, digits and letter variants unified. A cluster with combining marks is
 * normalised as a whole by whoever scans the text; here lies only what single code points do.
 */
import { apostrophes, plainLetters, silentLetters } from "./letters.ts";

/** Bump on any change of the terms or parts of any text: all is then indexed anew (SPEC 2.7). */
export const foldVersion = 2;

/**
 * What a code point does in a text.
 * - `separator` ends a word.
 * - `word` belongs to the word around it.
 * - `single` is a token of its own: scripts without spaces, pictographs, private use (SPEC 3.4).
 * - `apostrophe` is dropped between letters, and separates elsewhere.
 * - `mark` is dropped and belongs to the character before it; `ignored` is dropped anywhere.
 */
export type CharacterClass = "separator" | "word" | "single" | "apostrophe" | "mark" | "ignored";

/** What a letter or digit looks like, for the borders inside identifiers (SPEC 3.5). Letters without case are lower; marks have none. */
export type Shape = "lower" | "upper" | "digit" | "none";

export interface Folded {
  readonly class: CharacterClass;
  /** What it adds to a term: never empty for `word` and `single`, empty for all others. Holds no ASCII but [a-z0-9]. */
  readonly text: string;
  readonly shape: Shape;
}

/** A code point as it stands in a text, before normalisation. */
export interface Character {
  /** What its NFKC form becomes: one item for nearly all; ½ gives three, ㎏ two. */
  readonly folded: readonly [Folded, ...Folded[]];
  /** Whether normalisation can join it to, or reorder it with, the code point before it: combining marks, jamo. */
  readonly extends: boolean;
}

const separator: Folded = { class: "separator", text: "", shape: "none" };
const apostrophe: Folded = { class: "apostrophe", text: "", shape: "none" };
const mark: Folded = { class: "mark", text: "", shape: "none" };
const ignored: Folded = { class: "ignored", text: "", shape: "none" };

/** Matches one code point of the given scripts. */
function scripts(property: "sc" | "scx", codes: string): string {
  return `[${codes.replace(/\w+ ?/g, (code) => `\\p{${property}=${code.trim()}}`)}]`;
}

// Marks of these scripts are diacritics or vowel points. In other scripts (Indic, Thai, Thaana…) marks are letters in
// all but name, and words differ by nothing else. Dakuten are Inherited, but か and が differ.
const diacritic = new RegExp(
  `^(?![\\u3099\\u309A])(?=\\p{M})${scripts("sc", "Zinh Zyyy Latn Grek Cyrl Hebr Arab Syrc")}$`,
  "u",
);
// Scripts written without spaces: ideographs, kana and syllabaries, those of UAX #14's class SA, Javanese, Balinese.
// Script extensions put ー and 々 where they belong.
const spaceless = new RegExp(
  `^${scripts("scx", "Hani Hira Kana Hang Bopo Yiii Tang Nshu Kits Thai Laoo Khmr Mymr Tale Talu Lana Tavt Ahom Java Bali")}$`,
  "u",
);
const letterOrMark = /^[\p{L}\p{M}]$/u;
// © and ® are Extended_Pictographic by history; in text they stick to a name that is searched for without them.
const pictograph = /^(?![\p{P}©®])[\p{ExtPict}\p{RI}]$/u;
const invisible = /^\p{DI}$/u;
// What belongs to the character before it: variation selectors, skin tones.
const modifier = /^(?:(?=\p{DI})\p{M}|\p{EMod})$/u;
// Trade marks would become letters of the word before them by NFKC (kettle™ → kettletm), so they are taken off before.
const tradeMark = /^[™℠]$/u;
// Starters that compose with what precedes them and aren't marks: Hangul vowels and finals, Kirat Rai vowels (UAX #15,
// NFC_Quick_Check=Maybe). A larger set would be safe too, only slower.
const composesBackward = /^[\p{M}\u1160-\u11FF\u{16D63}\u{16D67}]/u;

const plainSeparator: Character = { folded: [separator], extends: false };

/** Rows kept, 9 MB at most: a text that holds all of Unicode costs time, not memory. */
const maxRows = 65_536;
const pages: Character[][] = [];
let rows = 0;

/** The table's row of a code point, 0 to 0x10FFFF, lone surrogates included. Rows are made when first met. */
export function characterOf(codePoint: number): Character {
  let page = pages[codePoint >> 8];
  if (page === undefined) {
    page = [];
    pages[codePoint >> 8] = page;
  }
  let character = page[codePoint & 255];
  if (character === undefined) {
    if (rows >= maxRows) {
      pages.length = 0;
      page.length = 0;
      pages[codePoint >> 8] = page;
      rows = 0;
    }
    character = makeCharacter(String.fromCodePoint(codePoint));
    page[codePoint & 255] = character;
    if (character !== plainSeparator) rows += 1;
  }
  return character;
}

function makeCharacter(char: string): Character {
  const [first = separator, ...rest] = tradeMark.test(char) ? [] : [...char.normalize("NFKC")].map(foldCodePoint);
  const extending = composesBackward.test(char.normalize("NFKD"));
  return first === separator && rest.length === 0 && !extending
    ? plainSeparator
    : { folded: [first, ...rest], extends: extending };
}

function foldCodePoint(char: string): Folded {
  if (diacritic.test(char) || modifier.test(char)) return mark;
  if (invisible.test(char) || silentLetters.has(char)) return ignored;
  if (apostrophes.has(char)) return apostrophe;
  const isLetter = letterOrMark.test(char);
  if (isLetter || /\p{N}/u.test(char)) {
    const text = plain(char);
    if (text === "") return ignored;
    // Decimal digits become ASCII and make numbers, in Thai text too.
    if (spaceless.test(char) && !/\p{Nd}/u.test(char)) return { class: "single", text, shape: "none" };
    return { class: "word", text, shape: isLetter ? shapeOf(char) : "digit" };
  }
  if (/\p{Co}/u.test(char) || pictograph.test(char)) return { class: "single", text: char, shape: "none" };
  return separator;
}

function shapeOf(char: string): Shape {
  if (/\p{M}/u.test(char)) return "none";
  return /[\p{Lu}\p{Lt}]/u.test(char) ? "upper" : "lower";
}

/** Folds until nothing changes, since a fold can lay bare another (ẞ → ß → ss): a term folded again is the same term. */
function plain(char: string): string {
  let text = char;
  for (let rounds = 0; rounds < 4; rounds++) {
    const next = [...text.normalize("NFD")].map(plainCodePoint).join("").normalize("NFC");
    if (next === text) break;
    text = next;
  }
  return text;
}

function plainCodePoint(char: string): string {
  if (diacritic.test(char)) return "";
  if (/\p{Nd}/u.test(char)) return String(digitValue(char.codePointAt(0) ?? 0));
  // Upper then lower is full case folding: ß → SS → ss, ς → Σ → σ, and Turkish ı → I → i (CaseFolding, C and F).
  const lower = char.toUpperCase().toLowerCase();
  return plainLetters.get(lower) ?? hiragana(lower);
}

/** Decimal digits stand in runs of ten, zero first (Unicode stability policy, Numeric_Type=Decimal). */
function digitValue(codePoint: number): number {
  let zero = codePoint;
  while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return (codePoint - zero) % 10;
}

/** Katakana lies 0x60 above hiragana. */
function hiragana(char: string): string {
  return /^[\u30A1-\u30F6\u30FD\u30FE]$/u.test(char) ? String.fromCharCode(char.charCodeAt(0) - 0x60) : char;
}
