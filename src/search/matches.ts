/** Where a query's terms stand in a text: the same rule as the index, so scores and highlights agree with what matched. */
import type { Range } from "../model/answer.ts";
import { languageOf } from "../text/language.ts";
import type { Language } from "../text/languages.ts";
import { partTokens } from "../text/parts.ts";
import { stemOf, stemOfToken } from "../text/stems.ts";
import { type Token, tokenize } from "../text/tokens.ts";
import { bare, isWritten, pairsOf } from "./plan.ts";
import type { Clause, Term } from "./query.ts";

/** One place where a clause matches. */
export interface Match extends Range {
  /** Index of the clause in the query. */
  readonly clause: number;
}

export interface Matches {
  /** In order of `start`. */
  readonly all: readonly Match[];
  /** Matches per clause. */
  readonly perClause: readonly number[];
  /** Tokens in the text. */
  readonly length: number;
  /** Whether the clauses stand side by side in typed order somewhere. */
  readonly adjacent: boolean;
}

export interface MatchOptions {
  /** Clauses that are looked for; all unless given. */
  readonly isWanted?: (clause: number) => boolean;
  /** Only words as they were typed, or as parts: no other form, no piece of a run of characters. */
  readonly asTyped?: boolean;
  /** Clause whose words may go on. */
  readonly beginning?: number | null;
}

/**
 * O(text × index terms of the query); in practice each place is left at its first wrong term.
 * @param hidden Ranges of the text that are not indexed (masks), in order, not overlapping: nothing matches inside them.
 */
export function findMatches(
  text: string,
  clauses: readonly Clause[],
  hidden: readonly Range[],
  { isWanted, asTyped = false, beginning = null }: MatchOptions = {},
): Matches {
  const seen = blank(text, hidden);
  const tokens = tokenize(seen);
  const parts = partTokens(seen);
  const language = asTyped ? null : languageOf(tokens.map(({ term }) => term));
  // Made once, for all clauses: most of what a long message costs here.
  let stems: readonly (string | null)[] | undefined;
  const stemAt = (at: number): string | null => {
    stems ??= language === null ? [] : tokens.map((token) => stemOfToken(language, token, seen));
    return stems[at] ?? null;
  };
  const perClause: Match[][] = [];
  /** Token positions right behind a stretch that has all clauses so far side by side. */
  let reached: ReadonlySet<number> | null = null;
  clauses.forEach((clause, number) => {
    const found: Match[] = [];
    const behind = new Set<number>();
    for (const term of isWanted === undefined || isWanted(number) ? clause : []) {
      const prefix = term.prefix || beginning === number;
      for (const form of term.forms) {
        for (const at of places(tokens, form, prefix)) {
          found.push(matchAt(tokens, at, form.length, number));
          if (reached === null || reached.has(at)) behind.add(at + form.length);
        }
        for (const at of places(parts, form, prefix)) found.push(matchAt(parts, at, form.length, number));
      }
      if (asTyped) continue;
      found.push(...otherForms(tokens, language, stemAt, term, number));
      if (isWritten(term)) {
        for (const pair of pairsOf(term.forms[0] ?? []))
          for (const at of places(tokens, pair, false)) found.push(matchAt(tokens, at, 2, number));
      }
    }
    perClause.push(distinct(found));
    reached = behind;
  });
  return {
    all: perClause.flat().sort(byPlace),
    perClause: perClause.map((found) => found.length),
    length: tokens.length,
    adjacent: reached !== null && (reached as ReadonlySet<number>).size > 0,
  };
}

/** Words of a text that are other forms of a term (SPEC 3.6). */
function otherForms(
  tokens: readonly Token[],
  language: Language | null,
  stemAt: (at: number) => string | null,
  { forms, text: typed, quoted, prefix }: Term,
  clause: number,
): Match[] {
  const [own = []] = forms;
  const [term] = own;
  if (quoted || prefix || forms.length > 1 || own.length !== 1 || term === undefined) return [];
  const stem = language === null ? null : stemOf(language, term, bare(typed));
  // In the index an English stem stands as a word like any other: it is found whatever the message is in.
  const english = stemOf("en", term, bare(typed));
  if (stem === null && english === null) return [];
  const isForm = (token: Token, at: number) => token.term === english || (stem !== null && stemAt(at) === stem);
  return tokens.flatMap((token, at) =>
    token.term !== term && isForm(token, at) ? [matchAt(tokens, at, 1, clause)] : [],
  );
}

/** The text as the index saw it, every offset unchanged: a word that touches a mask ends there. */
function blank(text: string, hidden: readonly Range[]): string {
  let seen = "";
  let from = 0;
  for (const { start, end } of hidden) {
    seen += text.slice(from, start) + " ".repeat(end - start);
    from = end;
  }
  return seen + text.slice(from);
}

/** Positions where a form stands. */
function places(list: readonly Token[], form: readonly string[], prefix: boolean): number[] {
  const found: number[] = [];
  for (let at = 0; at + form.length <= list.length; at++) if (standsAt(list, at, form, prefix)) found.push(at);
  return found;
}

function standsAt(list: readonly Token[], at: number, form: readonly string[], prefix: boolean): boolean {
  for (let k = 0; k < form.length; k++) {
    const have = list[at + k]?.term;
    const want = form[k];
    if (have === undefined || want === undefined) return false;
    const isLast = k === form.length - 1;
    if (prefix && isLast ? !have.startsWith(want) : have !== want) return false;
  }
  return true;
}

function matchAt(list: readonly Token[], at: number, count: number, clause: number): Match {
  const start = list[at]?.start ?? 0;
  return { start, end: list[at + count - 1]?.end ?? start, clause };
}

/** In order; what was found both as a word and as its parts is one match. */
function distinct(found: Match[]): Match[] {
  return found.sort(byPlace).filter(({ start, end }, at) => {
    const before = found[at - 1];
    return start !== before?.start || end !== before.end;
  });
}

function byPlace(a: Match, b: Match): number {
  return a.start - b.start || a.end - b.end;
}
