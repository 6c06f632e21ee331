/**
 * What a person or a model typed → a typed query (SPEC 3.1, 3.2). Any string is valid: what isn't syntax is text, what
 * can't be searched for is named in `ignored`. Pure; the words go through the same folding as the indexed text.
 */
import { limits } from "../limits.ts";
import { partsOf } from "../text/parts.ts";
import { terms } from "../text/tokens.ts";

/** Something to find: a word, a quoted phrase, or a beginning. Matches where any of its forms stands. */
export interface Term {
  /** As typed, without quotes and operators. */
  readonly text: string;
  /** Sequences of index terms; each matches side by side, in order. The first is the word as it is. */
  readonly forms: readonly (readonly string[])[];
  /** Whether the last index term is only a beginning (`word*`). */
  readonly prefix: boolean;
  /** Whether it was quoted. */
  readonly quoted: boolean;
}

/** Terms of which one has to match: more than one where `OR` stood between them. */
export type Clause = readonly Term[];

export interface Query {
  /** All have to match, in typed order. */
  readonly clauses: readonly Clause[];
  /** None may match. */
  readonly without: readonly Term[];
  readonly filters: Filters;
  /** Parts of the query, as typed, that have no effect: punctuation, terms over the limit, filters given anew. */
  readonly ignored: readonly string[];
  /** Asked as a question: ends in a question mark, or begins with a question word of English. */
  readonly isQuestion: boolean;
}

export const filterNames = [
  "agent",
  "project",
  "role",
  "session",
  "source",
  "kind",
  "branch",
  "after",
  "before",
] as const;
export type FilterName = (typeof filterNames)[number];
/** Raw values, as typed; their meaning is checked by who applies them. */
export type Filters = { readonly [name in FilterName]?: string };

/** Tells whether a value makes sense for a filter; a word that doesn't (`role:walnut`) is text like any other. */
export type FilterCheck = (name: FilterName, value: string) => boolean;

interface Piece {
  /** Without surrounding quotes. */
  readonly text: string;
  readonly quoted: boolean;
  readonly minus: boolean;
  readonly filter?: FilterName;
}

/** Linear in the input; callers refuse more than `limits.queryLength` of it. */
export function parseQuery(input: string, isFilter: FilterCheck): Query {
  const clauses: Term[][] = [];
  const without: Term[] = [];
  const filters: { [name in FilterName]?: string } = {};
  const ignored: string[] = [];
  let count = 0;
  let or = false;

  const pieces = split(input, isFilter);
  const isSomething = pieces.map(({ text, filter }) => filter !== undefined || terms(text).length > 0);
  const [first, last] = [isSomething.indexOf(true), isSomething.lastIndexOf(true)];
  pieces.forEach((piece, at) => {
    if (piece.filter) {
      // The last of a name holds.
      const earlier = filters[piece.filter];
      if (earlier !== undefined) ignored.push(`${piece.filter}:${earlier}`);
      filters[piece.filter] = piece.text;
      return;
    }
    // At the start and at the end it is a word.
    if (isOr(piece) && at > first && at < last) {
      or = true;
      return;
    }
    const term = toTerm(piece);
    if (term === null || count >= limits.queryTerms.default) {
      if (piece.text.trim() !== "") ignored.push(piece.text);
      return;
    }
    count += 1;
    const before = or ? clauses.at(-1) : undefined;
    // "Either this or not that" can't be asked for, nor "either this or that filter".
    if (or && (piece.minus || !before)) ignored.push("OR");
    or = false;
    if (piece.minus) without.push(term);
    else if (before) before.push(term);
    else clauses.push([term]);
  });
  if (or) ignored.push("OR");
  // "None of these words" alone would match nearly everything: then the minus was text, as in a list or a flag.
  if (clauses.length === 0) clauses.push(...without.splice(0).map((term) => [term]));
  return { clauses, without, filters, ignored, isQuestion: asks.test(input) };
}

const asks =
  /[?？؟]\s*$|^\s*(?:who|whom|whose|what|when|where|why|how|which|did|does|do|is|are|was|were|can|could|should)\s/iu;

function isOr({ text, quoted, minus }: Piece): boolean {
  return text === "OR" && !quoted && !minus;
}

/** What keyboards and editors make of the `"` key. */
const curly = "“”„‟«»＂";
/** Punctuation around quotes, with which it is not searched for: `("blue heron").` */
const around = (but: string) => `(?:(?!["${curly}${but}])\\p{P})*`;
/**
 * `"quoted"`, with what may stand right before it; or else a word. A quote that is never closed is part of a word, and
 * so is U+FEFF: white space to JavaScript, nothing to the index.
 */
const shape = new RegExp(
  `${around("-")}(-?)(?:([a-z]+):)?(?:"([^"]*)"|[${curly}]([^${curly}]*)[${curly}])${around("")}|[\\S\uFEFF]+`,
  "gu",
);

function split(input: string, isFilter: FilterCheck): Piece[] {
  const pieces: Piece[] = [];
  for (const [whole, sign = "", name, straight, other] of input.matchAll(shape)) {
    const quoted = straight ?? other;
    if (quoted === undefined || (name !== undefined && !isFilterName(name))) {
      pieces.push(toWord(whole, isFilter));
      continue;
    }
    const minus = sign === "-";
    if (name !== undefined && !minus && isFilter(name, quoted)) {
      pieces.push({ text: quoted, quoted: true, minus, filter: name });
    } else {
      pieces.push({ text: name === undefined ? quoted : `${name}:${quoted}`, quoted: true, minus });
    }
  }
  return pieces;
}

/** Of a filter whose quotes are never closed. */
const openQuotes = new RegExp(`^["${curly}]+`, "u");

/**
 * `-word` leaves out; `--flag` and one-letter flags (`-m`, `-x=1`) are what people search for. One letter is a word only
 * in scripts of which one is.
 */
const leavesOut = /^-(?![A-Za-z0-9](?![\p{L}\p{M}\p{N}]))[\p{L}\p{N}\p{ExtPict}\p{RI}]/u;

function toWord(word: string, isFilter: FilterCheck): Piece {
  const colon = word.indexOf(":");
  const name = word.slice(0, colon);
  if (colon > 0 && isFilterName(name)) {
    const value = word.slice(colon + 1).replace(openQuotes, "");
    if (value !== "" && isFilter(name, value)) return { text: value, quoted: false, minus: false, filter: name };
  }
  const minus = leavesOut.test(word);
  return { text: minus ? word.slice(1) : word, quoted: false, minus };
}

function isFilterName(name: string): name is FilterName {
  return (filterNames as readonly string[]).includes(name);
}

function toTerm(piece: Pick<Piece, "text" | "quoted" | "minus">): Term | null {
  const own = terms(piece.text);
  if (own.length === 0) return null;
  const prefix = !piece.quoted && /[\p{L}\p{M}\p{N}]\*$/u.test(piece.text);
  const parts = piece.quoted ? [] : partsOf(piece.text);
  const forms = parts.length > 0 && parts.join(" ") !== own.join(" ") ? [own, parts] : [own];
  return { text: piece.text, forms, prefix, quoted: piece.quoted };
}
