/**
 * Text → tokens (SPEC 3.3, 3.4): the one tokenizer of index, query, score and highlight, so that they can't disagree.
 * A word is a run of letters, digits and marks; all punctuation separates, so `rotate_seed_trays` is three tokens side
 * by side and matches as a phrase. Scripts without spaces give a token per code point, and any substring is a phrase.
 * Linear in the text, whatever it holds; nothing throws.
 */
import { limits } from "../limits.ts";
import { characterOf, type Folded } from "./fold.ts";

export interface Token {
  /**
   * Folded form, 1 to `limits.termLength` UTF-16 units: lower-case ASCII letters, digits and non-ASCII characters; no
   * white space, no punctuation, no lone surrogate. Terms joined by single spaces can go to FTS5's `ascii` tokenizer.
   */
  readonly term: string;
  /** Where it stands in the given text, in UTF-16 units, end exclusive. Covers what was dropped inside the word. */
  readonly start: number;
  readonly end: number;
}

/**
 * All tokens in text order. Starts and ends never go back; pieces of one character (½) share a range.
 * Combining marks lie in the range of their base; a word longer than a term keeps its whole range.
 */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  scan(text, (term, start, end) => {
    tokens.push({ term, start, end });
  });
  return tokens;
}

/** The terms of {@link tokenize}, without where they stand. */
export function terms(text: string): string[] {
  const found: string[] = [];
  scan(text, (term) => {
    found.push(term);
  });
  return found;
}

type Emit = (term: string, start: number, end: number) => void;

const maxTerm = limits.termLength.default;

/**
 * Longest cluster that is normalised in one piece: UAX #15's stream-safe bound. Canonical ordering is quadratic in the
 * marks of one cluster (20,000 pairs took 0.27 s), and no language stacks thirty.
 */
const maxCluster = 31;

/**
 * UTF-16 units up to which a cluster that normalisation changes is taken apart, so that its tokens keep exact ranges
 * (of น้ำ only the vowel changes). It takes a square of normalisations; longer stacks share one range.
 */
const maxFinelyCut = 6;

const none = 0;
const lower = 1;
const upper = 2;
const digit = 3;
const quote = 4;
/** What the first 128 code points are to a word. */
const ascii = Uint8Array.from({ length: 128 }, (_, code) => {
  const char = String.fromCharCode(code);
  if (/[a-z]/.test(char)) return lower;
  if (/[A-Z]/.test(char)) return upper;
  if (/[0-9]/.test(char)) return digit;
  return char === "'" ? quote : none;
});

function scan(text: string, emit: Emit): void {
  const word = new Word(emit);
  const { length } = text;
  let at = 0;
  while (at < length) {
    const code = text.charCodeAt(at);
    if (code >= 128) {
      at = scanCluster(text, at, word);
      continue;
    }
    const first = ascii[code] ?? none;
    if (first === none || first === quote) {
      if (first === quote) word.apostrophe();
      else word.close();
      at += 1;
      continue;
    }
    // A run of ASCII letters and digits; nearly all of most texts. It is a whole word when nothing that continues a
    // word stands on either side.
    let end = at + 1;
    let last: number = first;
    let hasUpper = first === upper;
    let next = none;
    for (; end < length; end++) {
      const nextCode = text.charCodeAt(end);
      next = nextCode < 128 ? (ascii[nextCode] ?? none) : quote;
      if (next === none || next === quote) break;
      last = next;
      if (next === upper) hasUpper = true;
    }
    const run = text.slice(at, Math.min(end, at + maxTerm));
    const folded = hasUpper ? run.toLowerCase() : run;
    word.closeSingle();
    if (!word.isOpen && next !== quote) emit(folded, at, end);
    else word.addRun(folded, at, end, first !== digit, last !== digit);
    at = end;
  }
  word.close();
}

/** One code point, with the marks and jamo that normalisation may join to it. Returns where the next one starts. */
function scanCluster(text: string, start: number, word: Word): number {
  const codePoint = text.codePointAt(start) ?? 0;
  const character = characterOf(codePoint);
  let end = start + (codePoint > 0xffff ? 2 : 1);
  let count = 1;
  // Marks on a separator change nothing about it. ™ must not meet NFKC, see fold.ts.
  const longest = character.folded[0].class === "separator" && character.folded.length === 1 ? 1 : maxCluster;
  for (; end < text.length && count < longest; count++) {
    const next = text.codePointAt(end) ?? 0;
    if (next < 0x300 || !characterOf(next).extends) break;
    end += next > 0xffff ? 2 : 1;
  }
  if (count === 1) {
    for (const folded of character.folded) word.add(folded, start, end);
  } else {
    addCluster(text.slice(start, end), start, word);
  }
  return end;
}

/** Folds a cluster by its NFKC form. Code points that this joins or reorders share one range; others keep their own. */
function addCluster(cluster: string, start: number, word: Word): void {
  const normal = cluster.normalize("NFKC");
  if (normal === cluster) {
    let at = start;
    for (const char of cluster) {
      addAll(char, at, at + char.length, word);
      at += char.length;
    }
    return;
  }
  const cut = normal.length > 1 && cluster.length <= maxFinelyCut ? safeCut(cluster, normal) : 0;
  if (cut > 0) {
    addCluster(cluster.slice(0, cut), start, word);
    addCluster(cluster.slice(cut), start + cut, word);
  } else {
    addAll(normal, start, start + cluster.length, word);
  }
}

/** End of the shortest beginning of a cluster that can be normalised apart from what follows; 0 if there is none. */
function safeCut(cluster: string, normal: string): number {
  let cut = 0;
  for (const char of cluster) {
    cut += char.length;
    if (cut === cluster.length) break;
    if (cluster.slice(0, cut).normalize("NFKC") + cluster.slice(cut).normalize("NFKC") === normal) return cut;
  }
  return 0;
}

function addAll(normal: string, start: number, end: number, word: Word): void {
  for (const char of normal) {
    for (const folded of characterOf(char.codePointAt(0) ?? 0).folded) word.add(folded, start, end);
  }
}

/** The word being put together. */
class Word {
  readonly #emit: Emit;
  #term = "";
  #start = 0;
  #end = 0;
  #endsInLetter = false;
  /** An apostrophe stands after the last letter: the word goes on if a letter follows. */
  #apostrophe = false;
  #isFolded = false;
  #isSingle = false;

  constructor(emit: Emit) {
    this.#emit = emit;
  }

  get isOpen(): boolean {
    return this.#term !== "";
  }

  add(folded: Folded, start: number, end: number): void {
    switch (folded.class) {
      case "word": {
        const isLetter = folded.shape !== "digit";
        this.closeSingle();
        this.#isFolded = true;
        this.addRun(folded.text, start, end, isLetter, isLetter);
        break;
      }
      case "single":
        // ヷ has no hiragana of its own and becomes わ and a voicing mark.
        for (const char of folded.text) {
          this.close();
          this.addRun(char, start, end, false, false);
          this.#isSingle = true;
        }
        break;
      case "apostrophe":
        this.apostrophe();
        break;
      case "mark":
        if (this.isOpen && this.#end === start) this.#end = end;
        break;
      case "ignored":
        break;
      case "separator":
        this.close();
        break;
    }
  }

  addRun(run: string, start: number, end: number, startsWithLetter: boolean, endsInLetter: boolean): void {
    if (this.#apostrophe && !startsWithLetter) this.close();
    if (!this.isOpen) this.#start = start;
    if (this.#term.length < maxTerm) this.#term += run;
    this.#end = end;
    this.#endsInLetter = endsInLetter;
    this.#apostrophe = false;
  }

  apostrophe(): void {
    if (this.isOpen && this.#endsInLetter && !this.#apostrophe) this.#apostrophe = true;
    else this.close();
  }

  close(): void {
    if (!this.isOpen) return;
    // A dropped character can have kept two marks apart that compose.
    const term = this.#isFolded ? this.#term.normalize("NFC") : this.#term;
    this.#emit(cutTerm(term), this.#start, this.#end);
    this.#term = "";
    this.#apostrophe = false;
    this.#isFolded = false;
    this.#isSingle = false;
  }

  /** A token of one code point stays open only for the marks that follow it. */
  closeSingle(): void {
    if (this.#isSingle) this.close();
  }
}

function cutTerm(term: string): string {
  if (term.length <= maxTerm) return term;
  const last = term.charCodeAt(maxTerm - 1);
  const isHigh = last >= 0xd800 && last < 0xdc00;
  return term.slice(0, isHigh ? maxTerm - 1 : maxTerm);
}
