/** Where a query's terms stand in a text: the same rule as the index, so scores and highlights agree with what matched. */
import type { Range } from "../model/answer.ts";
import { partTokens } from "../text/parts.ts";
import { type Token, tokenize } from "../text/tokens.ts";
import type { Clause } from "./query.ts";

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

/**
 * O(text × index terms of the query); in practice each place is left at its first wrong term.
 * @param hidden Ranges of the text that are not indexed (masks), in order, not overlapping: nothing matches inside them.
 */
export function findMatches(text: string, clauses: readonly Clause[], hidden: readonly Range[]): Matches {
  const seen = blank(text, hidden);
  const tokens = tokenize(seen);
  const parts = partTokens(seen);
  const perClause: Match[][] = [];
  /** Token positions right behind a stretch that has all clauses so far side by side. */
  let reached: ReadonlySet<number> | null = null;
  for (const clause of clauses) {
    const found: Match[] = [];
    const behind = new Set<number>();
    for (const { forms, prefix } of clause) {
      for (const form of forms) {
        for (const at of places(tokens, form, prefix)) {
          found.push(matchAt(tokens, at, form.length, perClause.length));
          if (reached === null || reached.has(at)) behind.add(at + form.length);
        }
        for (const at of places(parts, form, prefix)) found.push(matchAt(parts, at, form.length, perClause.length));
      }
    }
    perClause.push(distinct(found));
    reached = behind;
  }
  return {
    all: perClause.flat().sort(byPlace),
    perClause: perClause.map((found) => found.length),
    length: tokens.length,
    adjacent: reached !== null && reached.size > 0,
  };
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
