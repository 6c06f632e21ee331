/**
 * Candidates of one agent's store, from the index alone. Messages are found by the rarest words first: all that have one,
 * and of commoner words those that have a rarer one, too. Only where every word is common do the newest sessions decide,
 * and the answer says so (SPEC 4.5).
 */
import { limits } from "../limits.ts";
import type { Scope } from "../model/caller.ts";
import { anyOf } from "../search/match-expression.ts";
import { type Plan, planQuery, type Unit } from "../search/plan.ts";
import type { Query } from "../search/query.ts";
import { anywhere, Scoreboard, type Statistics, type UnitStatistics } from "../search/scoreboard.ts";
import type { AgentStore } from "../store/agent-store.ts";
import { transcriptOf } from "../store/entry-no.ts";
import { languagesOf } from "../store/index-languages.ts";
import { type MessageFilter, type Place, totalsOf, VisibleMessages } from "../store/postings.ts";

export interface Gathered {
  readonly plan: Plan;
  readonly board: Scoreboard;
  readonly statistics: Statistics;
  /** Messages that have all words side by side. */
  readonly phrases: ReadonlySet<number>;
  /** Messages that match only with the last word as a beginning. */
  readonly beginnings: ReadonlySet<number>;
  /** Older matches were not looked at. */
  readonly isBounded: boolean;
}

/** Times that a part of an identifier counts: less than the word itself (SPEC 3.5). */
const partCount = 0.5;

/** Messages that have all words side by side, up to which they are told from others that have them all. */
const mostPhrases = 2000;

/** A unit with the messages that have it; no list where they are too many. */
interface LookedUp {
  readonly unit: Unit;
  readonly at: number;
  /** In any form. Empty for a common one until it is placed. */
  docs: readonly number[];
  /** As typed; the same list where there is no other form. */
  exact: ReadonlySet<number>;
  readonly isCommon: boolean;
}

/** @param wanted Hits that are wanted: where stricter tiers have so many, looser ones are not asked. */
export function gather(store: AgentStore, query: Query, scope: Scope, filter: MessageFilter, wanted: number): Gathered {
  const { db } = store;
  const plan = planQuery(query, languagesOf(db));
  const board = new Scoreboard(plan.units.length, transcriptOf);
  const messages = new VisibleMessages(db, scope, filter);
  const phrases = phrasesOf(plan, messages);
  const units = plan.units.map((unit, at) => lookUp(unit, at, plan, messages));
  const rare = units.filter(({ isCommon }) => !isCommon);
  for (const unit of rare) placeRare(unit, messages, board);
  const isBounded = rare.length === 0 && units.length > 0;
  if (isBounded) placeNewest(units, plan, messages, board, wanted);
  else for (const unit of units) if (unit.isCommon) placeCommon(unit, rare, messages, board);
  markClauses(plan, units, messages, board, isBounded);
  addPhrases(plan, phrases, board);
  board.demand(plan.clauses.filter(({ isRequired }) => isRequired).length);
  const beginnings = beginningsOf(plan, messages, board, wanted);
  const isFiltered = Object.keys(filter).length > 0 || plan.without !== null;
  const statistics = statisticsOf(store, scope, units, board, isFiltered);
  return { plan, board, statistics, phrases: new Set(phrases), beginnings, isBounded };
}

function phrasesOf({ phrase, without }: Plan, messages: VisibleMessages): readonly number[] {
  return phrase === null ? [] : (messages.matchingUpTo(leaving(phrase, without), mostPhrases) ?? []);
}

function leaving(expression: string, without: string | null): string {
  return without === null ? expression : `(${expression}) NOT ${without}`;
}

function lookUp(unit: Unit, at: number, { without }: Plan, messages: VisibleMessages): LookedUp {
  const docs = messages.matchingUpTo(leaving(unit.forms, without), limits.candidatePostings.default);
  return { unit, at, docs: docs ?? [], exact: new Set(), isCommon: docs === null };
}

/** All messages that have the unit, and how often in which passage. */
function placeRare(found: LookedUp, messages: VisibleMessages, board: Scoreboard): void {
  const { unit, at, docs } = found;
  if (docs.length === 0) return;
  const { exact, forms, single } = unit;
  if (single === null) {
    found.exact = new Set(exact === forms ? docs : messages.matching(exact));
    for (const no of docs) board.add(at, no, anywhere, found.exact.has(no) ? 1 : 0, 1);
    return;
  }
  const wanted = new Set(docs);
  const inExact = new Set<number>();
  const seen = new Set<number>();
  const add = ({ no, passage, count }: Place, isExact: boolean, isForm: boolean) => {
    if (!wanted.has(no)) return;
    seen.add(no);
    if (isExact) inExact.add(no);
    board.add(at, no, passage, isExact ? count : 0, isForm ? count : 0);
  };
  for (const term of single.exact) for (const each of messages.places(term)) add(each, true, single.isBeside);
  for (const term of single.forms) for (const each of messages.places(term)) add(each, false, true);
  // The others have it as a part of an identifier.
  for (const no of docs) {
    if (seen.has(no)) continue;
    board.add(at, no, anywhere, partCount, partCount);
    inExact.add(no);
  }
  found.exact = inExact;
}

/** Which candidates have a common unit, too; how often is not asked. */
function placeCommon(found: LookedUp, rare: readonly LookedUp[], messages: VisibleMessages, board: Scoreboard): void {
  const { unit, at } = found;
  const among = anyOf(rare.map(({ unit: each }) => each.forms));
  const docs = messages.matching(`${among} AND ${unit.forms}`).filter((no) => board.has(no));
  found.docs = docs;
  found.exact = new Set(unit.exact === unit.forms ? docs : messages.matching(`${among} AND ${unit.exact}`));
  for (const no of docs) board.add(at, no, anywhere, found.exact.has(no) ? 1 : 0, 1);
}

/** Every unit is common: those of the newest sessions that have them all, or else any. */
function placeNewest(
  units: readonly LookedUp[],
  { without }: Plan,
  messages: VisibleMessages,
  board: Scoreboard,
  wanted: number,
): void {
  const most = limits.newestMessages.default;
  const all = units.map(({ unit }) => unit.forms).join(" AND ");
  const together = messages.matchingNewest(leaving(all, without), most);
  for (const found of units) {
    const { unit, at } = found;
    const docs = together.length >= wanted ? together : messages.matchingNewest(leaving(unit.forms, without), most);
    found.docs = docs;
    found.exact = new Set(unit.exact === unit.forms ? docs : messages.matchingNewest(unit.exact, most));
    for (const no of docs) board.add(at, no, anywhere, found.exact.has(no) ? 1 : 0, 1);
  }
}

/** Tells the board which clauses a message has. */
function markClauses(
  plan: Plan,
  units: readonly LookedUp[],
  messages: VisibleMessages,
  board: Scoreboard,
  isBounded: boolean,
): void {
  plan.clauses.forEach((clause, number) => {
    if (clause.isIgnorable) return;
    const own = units.filter(({ unit }) => unit.clause === number);
    const [only] = own;
    if (own.length === 1 && only && only.unit.forms === clause.forms) {
      for (const no of only.docs) board.mark(no, only.exact.has(no), clause.isRequired);
      return;
    }
    // Scored by its pairs of characters; it matches where all stand side by side.
    const expression = leaving(clause.exact, plan.without);
    const docs = isBounded
      ? messages.matchingNewest(expression, limits.newestMessages.default)
      : messages.matching(expression);
    for (const no of docs) board.mark(no, true, clause.isRequired);
  });
}

/** Words that are all common can be rare side by side. */
function addPhrases(plan: Plan, phrases: readonly number[], board: Scoreboard): void {
  for (const no of phrases) {
    if (board.has(no)) continue;
    plan.units.forEach((_, at) => {
      board.add(at, no, anywhere, 1, 1);
    });
    for (const clause of plan.clauses) if (!clause.isIgnorable) board.mark(no, true, clause.isRequired);
  }
}

/** Messages that match with the last word as a beginning and not without; asked where stricter tiers leave room. */
function beginningsOf(plan: Plan, messages: VisibleMessages, board: Scoreboard, wanted: number): ReadonlySet<number> {
  const clauses = plan.clauses.filter(({ isIgnorable }) => !isIgnorable);
  const last = plan.clauses.at(-1);
  if (plan.isQuestion || !last || last.beginning === null || last.isIgnorable) return new Set();
  if (board.countExact(clauses.length) >= wanted) return new Set();
  const expression = [...clauses.slice(0, -1).map(({ exact }) => exact), last.beginning].join(" AND ");
  const docs = messages.matchingUpTo(leaving(expression, plan.without), limits.candidatePostings.default) ?? [];
  const unit = plan.units.findLastIndex(({ clause }) => clause === plan.clauses.length - 1);
  const beginnings = new Set<number>();
  for (const no of docs) {
    if (board.hasExact(no, clauses.length)) continue;
    beginnings.add(no);
    board.add(unit, no, anywhere, 0, partCount);
  }
  return beginnings;
}

/** Filters don't count here: what a word is worth is the same with and without. */
function statisticsOf(
  { db }: AgentStore,
  scope: Scope,
  units: readonly LookedUp[],
  board: Scoreboard,
  isFiltered: boolean,
): Statistics {
  const all = new VisibleMessages(db, scope, {});
  const totals = totalsOf(db, scope);
  const count = ({ unit, at, docs, exact, isCommon }: LookedUp): UnitStatistics => {
    const isCounted = !isFiltered && !isCommon;
    const forms = isCounted ? docs.length : all.count(unit.forms);
    const asTyped = unit.exact === unit.forms ? forms : isCounted ? exact.size : all.count(unit.exact);
    return { exact: asTyped, forms, transcripts: isCommon ? totals.transcripts : board.transcriptsWith(at) };
  };
  return { ...totals, units: units.map(count) };
}
