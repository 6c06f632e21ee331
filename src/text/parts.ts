/**
 * The parts of identifiers (SPEC 3.5): `maxRetryCount` is also `max retry count`, `v2.10.3` also `v 2 10 3`, `l'arbre`
 * also `l arbre`. Index, query and highlights cut by this one rule. Only chunks of text with such an inner border have
 * parts, and then the whole chunk is given, so that a path with one such name in it still matches as a phrase.
 * Hashes, UUIDs and base64 change between letters and digits all over; their pieces are noise and are not given.
 */
import { limits } from "../limits.ts";
import { characterOf, type Folded, type Shape } from "./fold.ts";
import { type Token, tokenize } from "./tokens.ts";

/**
 * Stands between the parts of two chunks, so that no phrase matches across them. Not ASCII, hence a token to FTS5's
 * `ascii` tokenizer; a separator to ours, hence never a term of a query.
 */
export const partsGap = "·";

/** UTF-16 units without white space after which any separator ends a chunk: minified code would be indexed twice. */
const wideChunk = 256;

/** Letters and digits in a row that can be a name; what is longer is not indexed whole either. */
const maxRun = limits.termLength.default;

/**
 * Terms of one word of a query when it is cut at its inner borders too, side by side; empty when it has none. The
 * caller searches for the word's own terms as well. White space in it just separates.
 */
export function partsOf(word: string): string[] {
  return cutParts(word, 0, word.length).map((token) => token.term);
}

/** The parts of a text, in text order: a list per chunk, none for a chunk without parts. Offsets count in `text`. */
export function partChunks(text: string): Token[][] {
  const chunks: Token[][] = [];
  const close = (start: number, end: number): void => {
    if (!mayHaveBorders(text, start, end)) return;
    const tokens = cutParts(text, start, end);
    if (tokens.length > 0) chunks.push(tokens);
  };
  let start = 0;
  let isWide = false;
  for (let at = 0, next = 0; at < text.length; at = next) {
    const codePoint = text.codePointAt(at) ?? 0;
    next = at + (codePoint > 0xffff ? 2 : 1);
    const [folded] = characterOf(codePoint).folded;
    const ends = endsChunk(codePoint, folded);
    isWide = !ends && (isWide || at - start > wideChunk);
    if (ends || (isWide && folded.class === "separator")) {
      close(start, at);
      start = next;
    } else if (at === start && folded.class === "word" && folded.shape === "none") {
      // A mark at the start belongs to what ended the last chunk.
      start = next;
    }
  }
  close(start, text.length);
  return chunks;
}

/** The parts of a text in one list, a {@link partsGap} between chunks: what the parts column holds, with offsets. */
export function partTokens(text: string): Token[] {
  const tokens: Token[] = [];
  for (const chunk of partChunks(text)) {
    const start = chunk[0]?.start ?? 0;
    if (tokens.length > 0) tokens.push({ term: partsGap, start, end: start });
    for (const token of chunk) tokens.push(token);
  }
  return tokens;
}

/** White space ends a chunk, and so does whatever separates without being ASCII, and a script that writes no spaces. */
function endsChunk(codePoint: number, folded: Folded): boolean {
  if (folded.class === "single") return true;
  return folded.class === "separator" && (codePoint <= 0x20 || codePoint >= 0x7f);
}

/** A quick look that lets nearly all words of prose pass: no capital but the first, no digit beside a letter. */
function mayHaveBorders(text: string, start: number, end: number): boolean {
  let before: Shape = "none";
  let capitals = 0;
  for (let at = start, next = start; at < end; at = next) {
    const codePoint = text.codePointAt(at) ?? 0;
    next = at + (codePoint > 0xffff ? 2 : 1);
    const { folded } = characterOf(codePoint);
    const [{ class: of, shape }] = folded;
    if (of === "apostrophe" && before !== "none") return true;
    if (of === "separator") before = "none";
    if (shape === "none") continue;
    if (folded.length > 1 || (before === "upper" && shape === "lower" && capitals > 1)) return true;
    if (before !== "none" && before !== shape && (before !== "upper" || shape === "digit")) return true;
    capitals = before === "upper" ? capitals + 1 : 1;
    before = shape;
  }
  return false;
}

/** Tokens of a chunk cut at its inner borders; none when it has no such border. */
function cutParts(text: string, start: number, end: number): Token[] {
  const borders = innerBorders(text, start, end);
  const tokens: Token[] = [];
  if (borders.length === 0) return tokens;
  let from = start;
  for (const to of [...borders, end]) {
    for (const token of tokenize(text.slice(from, to))) {
      tokens.push({ term: token.term, start: token.start + from, end: token.end + from });
    }
    from = to;
  }
  return tokens;
}

/** A letter or digit of a run without separators. */
interface Letter {
  readonly at: number;
  readonly shape: Shape;
  readonly text: string;
}

const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/iy;

/** Offsets where one word goes over into the next without a separator: ascending, inside the chunk. */
function innerBorders(text: string, start: number, end: number): number[] {
  const borders: number[] = [];
  let run: Letter[] = [];
  let afterApostrophe = false;
  let isEncoded = false;
  const endRun = (): void => {
    const inner = bordersOf(run);
    const noise = noiseOf(run, inner.length + 1);
    if (noise === "none") for (const border of inner) borders.push(border);
    isEncoded ||= noise === "encoded";
    run = [];
  };
  for (let at = start, next = start; at < end; at = next) {
    const codePoint = text.codePointAt(at) ?? 0;
    next = at + (codePoint > 0xffff ? 2 : 1);
    for (const folded of characterOf(codePoint).folded) {
      if (folded.class === "word") {
        if (folded.shape === "none") continue;
        if (run.length === 0) {
          if (afterApostrophe && folded.shape !== "digit") borders.push(at);
          uuid.lastIndex = at;
          if (uuid.test(text)) {
            next = uuid.lastIndex;
            break;
          }
        }
        if (run.length <= maxRun) run.push({ at, shape: folded.shape, text: folded.text });
      } else if (folded.class !== "mark" && folded.class !== "ignored") {
        const last = run.at(-1)?.shape ?? "none";
        afterApostrophe = folded.class === "apostrophe" && last !== "none" && last !== "digit";
        endRun();
      }
    }
  }
  endRun();
  // The stretches between the + and / of base64 can look like names.
  return isEncoded ? [] : borders;
}

function bordersOf(run: readonly Letter[]): number[] {
  const borders: number[] = [];
  for (let i = 1; i < run.length; i++) {
    const [before, here] = [run[i - 1], run[i]];
    // Letters that one character becomes (Ⅳ) can't be parted.
    if (!before || !here || before.at === here.at) continue;
    if (isBorder(run[i - 2]?.shape, before.shape, here, run[i + 1]?.shape, run[i + 2]?.shape)) borders.push(here.at);
  }
  return borders;
}

/** Whether a word begins at `here`, seen with the two letters on either side. */
function isBorder(
  before2: Shape | undefined,
  before: Shape,
  here: Letter,
  after: Shape | undefined,
  after2: Shape | undefined,
): boolean {
  if (before === "digit" || here.shape === "digit") return before !== here.shape;
  if (here.shape === "upper") {
    // fooBar; and HTTPServer before the S, whose word has at least two small letters.
    return before === "lower" || (before === "upper" && after === "lower" && after2 === "lower");
  }
  // One small letter after capitals: a word of its own in APIv2, a plural in URLs.
  return before === "upper" && before2 === "upper" && after !== "lower" && here.text !== "s";
}

/**
 * Tells hashes, colour codes and encoded data from names: their pieces are too short for their number. The bounds were
 * measured on random hex and base64 against the identifiers of real transcripts.
 */
function noiseOf(run: readonly Letter[], pieces: number): "none" | "code" | "encoded" {
  const mean = run.length / pieces;
  if (run.length > maxRun) return "code";
  if (run.length < 6 || mean >= 4) return "none";
  const word = run.map((letter) => letter.text).join("");
  if (/^[0-9a-f]+$/.test(word) && /[0-9]/.test(word)) return run.length >= 7 || mean < 2 ? "code" : "none";
  if (run.length >= 20 && mean < 2.75) return "encoded";
  return mean < 2 ? "code" : "none";
}
