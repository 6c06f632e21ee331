/**
 * What an explanation goes by (SPEC 3.8): how many visible messages have what. Read only where an answer has something to
 * explain; every count is under the caller's scope.
 */
import { BackscrollError } from "../errors.ts";
import type { Scope } from "../model/caller.ts";
import { anyOf, formExpression } from "../search/match-expression.ts";
import { planQuery } from "../search/plan.ts";
import { type FilterName, parseQuery, type Query, type Term } from "../search/query.ts";
import type { AgentStore } from "../store/agent-store.ts";
import { languagesOf } from "../store/index-languages.ts";
import { type MessageFilter, VisibleMessages } from "../store/postings.ts";
import type { Gathered } from "./gather.ts";
import { countedUpTo } from "./looked-up.ts";
import type { SearchRequest } from "./search-input.ts";

/** What the caller could find at all, with each clause alone, and with less of the query. */
export interface ExplainCounts {
  readonly messages: number;
  /** Null for a function word that need not match. */
  readonly withClause: readonly (number | null)[];
  /** Matches that each filter alone keeps out. */
  readonly removed: ReadonlyMap<FilterName, number>;
  readonly nearest: Nearest | null;
  /** The same of tool calls and results; absent where they were not searched. */
  readonly toolsWithClause?: readonly number[];
}

/** A query that finds something. */
export interface Nearest {
  readonly query: string;
  /** Filter that it leaves out. */
  readonly without?: FilterName;
  readonly messages: number;
}

export interface CountSources {
  readonly found: readonly { readonly store: AgentStore; readonly gathered: Gathered }[];
  /** Stores of all agents that the caller can see, for what an agent or a session as a filter keeps out. */
  readonly everywhere: readonly AgentStore[];
  readonly scope: Scope;
}

/** Letters that are left of a word when its end is cut off to find something like it. */
const shortestStart = 3;

/** @param hits Hits of the answer: a nearest query is looked for where there are none. */
export function countForExplain(
  request: SearchRequest,
  messages: number,
  hits: number,
  sources: CountSources,
): ExplainCounts {
  const { query } = request;
  const removed = hits < 3 ? countRemoved(request, sources) : new Map<FilterName, number>();
  return {
    messages,
    withClause: countClauses(query, sources),
    removed,
    nearest: hits === 0 && messages > 0 ? findNearest(request, removed, sources) : null,
  };
}

/** Visible messages that have each clause in any form. */
function countClauses({ clauses }: Query, { found, scope }: CountSources): (number | null)[] {
  const counts: (number | null)[] = clauses.map(() => 0);
  for (const { store, gathered } of found) {
    const all = new VisibleMessages(store.db, scope, {});
    gathered.plan.clauses.forEach(({ forms, isIgnorable }, at) => {
      const known = gathered.plan.units.findIndex(({ clause, forms: own }) => clause === at && own === forms);
      const count = gathered.statistics.units[known]?.forms ?? (isIgnorable ? 0 : all.count(forms));
      counts[at] = isIgnorable ? null : (counts[at] ?? 0) + count;
    });
  }
  return counts;
}

/** Messages that have all words in any form; where none has, those that have some. */
function countRemoved(request: SearchRequest, sources: CountSources): Map<FilterName, number> {
  const removed = new Map<FilterName, number>();
  const names = Object.keys(request.filters) as FilterName[];
  if (names.length === 0 || request.query.clauses.length === 0) return removed;
  for (const loose of [false, true]) {
    const count = (name: FilterName | null) => countQuery(request, request.query, name, sources, loose);
    const kept = count(null);
    for (const name of names) {
      const more = count(name) - kept;
      if (more > 0) removed.set(name, more);
    }
    if (removed.size > 0 || kept > 0) break;
  }
  return removed;
}

/** @param without Filter that is left out. */
function countQuery(
  { filter, isAll }: SearchRequest,
  query: Query,
  without: FilterName | null,
  { found, everywhere, scope }: CountSources,
  loose: boolean,
): number {
  const own: MessageFilter = Object.fromEntries(Object.entries(filter).filter(([name]) => name !== without));
  const stores = without === "agent" || without === "session" ? everywhere : found.map(({ store }) => store);
  return sumOf(stores, ({ db }) => {
    const plan = planQuery(query, languagesOf(db), isAll);
    const wanted = plan.clauses.filter(({ isIgnorable }) => !isIgnorable);
    if (wanted.length === 0) return 0;
    const required = wanted.filter(({ isRequired }) => isRequired).map(({ exact }) => exact);
    const forms = wanted.map(({ forms, exact }) => (isAll ? exact : forms));
    const all = loose && !isAll ? [...required, anyOf(forms)] : forms;
    const expression = plan.without === null ? all.join(" AND ") : `(${all.join(" AND ")}) NOT ${plan.without}`;
    return new VisibleMessages(db, scope, own).count(expression, countedUpTo);
  });
}

/** A store that turns out to be damaged counts for nothing: the answer names it already where it matters. */
function sumOf(stores: readonly AgentStore[], count: (store: AgentStore) => number): number {
  return stores.reduce((sum, store) => {
    try {
      return sum + count(store);
    } catch (error) {
      if (!(error instanceof BackscrollError) || error.code !== "bad_store") throw error;
      return sum;
    }
  }, 0);
}

/** Less of the query, the smallest change first, until something is found. */
function findNearest(
  request: SearchRequest,
  removed: ReadonlyMap<FilterName, number>,
  sources: CountSources,
): Nearest | null {
  const { query } = request;
  if (query.clauses.length === 0) return null;
  const counts = countClauses(query, sources);
  const asTyped = query.clauses.map((clause) =>
    clause.map(({ text, quoted }) => (quoted ? `"${text}"` : text)).join(" OR "),
  );
  const excluded = query.without.map(({ text, quoted }) => (quoted ? `-"${text}"` : `-${text}`));
  const filters = Object.entries(query.filters).map(
    ([name, value]) => `${name}:${/\s/.test(value) ? `"${value}"` : value}`,
  );
  const [filter] = [...removed].sort((a, b) => b[1] - a[1]);
  if (filter) {
    const kept = filters.filter((each) => !each.startsWith(`${filter[0]}:`));
    return { query: [...asTyped, ...excluded, ...kept].join(" "), without: filter[0], messages: filter[1] };
  }
  const present = asTyped.filter((_, at) => counts[at] !== 0);
  const similar = query.clauses.map((clause, at) => (counts[at] === 0 ? likeIt(clause, sources) : (asTyped[at] ?? "")));
  const bare = query.clauses.flatMap((clause) => clause.map(({ text }) => text));
  for (const words of [asTyped, present, similar.filter((word) => word !== ""), bare]) {
    for (const minus of excluded.length > 0 ? [excluded, []] : [[]]) {
      const text = [...words, ...minus].join(" ");
      const other = parseQuery(text, () => false);
      if (words.length === 0 || other.clauses.length === 0) continue;
      const messages =
        countQuery(request, other, null, sources, false) || countQuery(request, other, null, sources, true);
      if (messages > 0) return { query: [text, ...filters].join(" "), messages };
    }
  }
  return null;
}

/** A beginning of a word that nobody said as it stands, which visible messages have; empty where there is none. */
function likeIt([term]: readonly Term[], { found, scope }: CountSources): string {
  const own = term?.forms[0] ?? [];
  const [word = ""] = own;
  if (!term || own.length !== 1 || !/^[\p{L}\p{N}]+$/u.test(word)) return "";
  for (let length = word.length; length >= Math.max(shortestStart, Math.ceil(word.length / 2)); length--) {
    const start = word.slice(0, length);
    const expression = formExpression([[start]], true);
    if (found.some(({ store }) => new VisibleMessages(store.db, scope, {}).count(expression, 1) > 0))
      return `${start}*`;
  }
  return "";
}
