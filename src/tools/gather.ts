/**
 * Candidates of one agent's store, from the index alone. Messages are found by the rarest words first: all that have one,
 * and of commoner words those that have a rarer one, too. Only where every word is common do the newest sessions decide,
 * and the answer says so (SPEC 4.5).
 */
import { limits } from "../limits.ts";
import type { Scope } from "../model/caller.ts";
import { anyOf } from "../search/match-expression.ts";
import { type Plan, planQuery } from "../search/plan.ts";
import type { Query } from "../search/query.ts";
import { anywhere, Scoreboard, type Statistics } from "../search/scoreboard.ts";
import type { AgentStore } from "../store/agent-store.ts";
import { transcriptOf } from "../store/entry-no.ts";
import { languagesOf } from "../store/index-languages.ts";
import { type IndexTables, messageTables } from "../store/index-tables.ts";
import { type End, type MessageFilter, VisibleMessages } from "../store/postings.ts";
import { countedUpTo, type LookedUp } from "./looked-up.ts";
import { statisticsOf } from "./unit-statistics.ts";

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
  /** Looser matches were not asked for, as there seemed to be enough. */
  readonly isPartial: boolean;
  /** The index that they are in. */
  readonly tables: IndexTables;
}

export interface GatherOptions {
  /** Hits that are wanted: where stricter tiers have so many, looser ones are not asked. Infinity asks them all. */
  readonly wanted: number;
  /** Function words have to match as well. */
  readonly isAll: boolean;
  /** From which end messages are looked through that are too many. */
  readonly end: End;
}

/** Times that a part of an identifier counts: less than the word itself (SPEC 3.5). */
const partCount = 0.5;

/** Messages that have all words side by side, up to which they are told from others that have them all. */
const mostPhrases = 2000;

export function gather(
  store: AgentStore,
  query: Query,
  scope: Scope,
  filter: MessageFilter,
  { wanted, isAll, end }: GatherOptions,
  tables: IndexTables = messageTables,
): Gathered {
  const { db } = store;
  const plan = planQuery(query, languagesOf(db), isAll);
  const board = new Scoreboard(plan.units.length, transcriptOf);
  const messages = new VisibleMessages(db, scope, filter, tables);
  const phrases = phrasesOf(plan, messages, end);
  const together = togetherOf(plan, messages);
  const isEnough = !plan.isQuestion && together !== null && together.length >= enough * wanted;
  const units = lookUp(plan, messages, wanted);
  let isBounded = false;
  if (isEnough) placeTogether(units, together, plan, messages, board);
  else isBounded = placeAll(units, together, plan, messages, board, wanted, end);
  markClauses(plan, units, messages, board, isBounded);
  addPhrases(plan, phrases, board);
  board.demand(plan.clauses.filter(({ isRequired }) => isRequired).length);
  const { beginnings, isCut } = beginningsOf(plan, messages, board, { wanted, isAll, end });
  const isPartial =
    wanted !== Number.POSITIVE_INFINITY &&
    (isEnough || units.some(({ isCommon }) => isCommon) || board.countExact(wordsOf(plan)) >= wanted);
  const isFiltered = Object.keys(filter).length > 0 || plan.without !== null;
  const statistics = statisticsOf(store, scope, units, board, isFiltered, tables);
  return {
    plan,
    board,
    statistics,
    phrases: new Set(phrases),
    beginnings,
    isBounded: isBounded || isCut,
    isPartial,
    tables,
  };
}

/** Times the wanted hits: with so many that have all words, those with some of them are not asked for. */
const enough = 5;
/** Messages that have a word, up to which its places are read though only some of them are wanted. */
const readAnyway = 5000;

/** Messages that have all units in any form; null where they are too many, or there is one unit. */
function togetherOf({ units, without }: Plan, messages: VisibleMessages): readonly number[] | null {
  if (units.length < 2) return null;
  const all = units.map(({ forms }) => forms).join(" AND ");
  return messages.matchingUpTo(leaving(all, without), limits.candidatePostings.default);
}

/** Candidates by the rarest units first. Returns whether only the newest (or oldest) messages were looked through. */
function placeAll(
  units: readonly LookedUp[],
  together: readonly number[] | null,
  plan: Plan,
  messages: VisibleMessages,
  board: Scoreboard,
  wanted: number,
  end: End,
): boolean {
  const isExcluding = plan.without !== null;
  // A word that no message has makes none of the others rare.
  const rare = units.filter(({ isCommon, docs }) => !isCommon && docs.length > 0);
  for (const unit of rare) placeRare(unit, isExcluding, messages, board);
  const common = units.filter(({ isCommon }) => isCommon);
  if (common.length === 0) return false;
  if (rare.length > 0) {
    const among = anyOf([...rare.map(({ unit }) => unit.forms), ...pairsOfCommon(common, plan, messages)]);
    for (const unit of common) placeCommon(unit, among, plan, messages, board);
  } else {
    const some = together !== null && together.length > 0 ? together : pairsTogether(common, plan, messages);
    if (some !== null && some.length > 0) placeTogether(units, some, plan, messages, board);
  }
  // Where a rarer word was found, what has the common ones alone is asked for only when the answer is short.
  if (board.size >= enough * wanted || (rare.length > 0 && wanted !== Number.POSITIVE_INFINITY)) return false;
  placeAtEnd(units, plan, messages, board, wanted, end);
  return true;
}

/** Two common words together can be as rare as one: of a question, expressions for pairs of its rarest common words. */
function pairsOfCommon(
  common: readonly LookedUp[],
  { isQuestion, without }: Plan,
  messages: VisibleMessages,
): string[] {
  if (!isQuestion || common.length < 2) return [];
  const [a, b, c] = common
    .map(({ unit }) => ({ unit, count: messages.count(unit.forms, countedUpTo) }))
    .filter(({ count }) => count < countedUpTo)
    .sort((one, two) => one.count - two.count)
    .map(({ unit }) => unit.forms);
  return [
    [a, b],
    [a, c],
    [b, c],
  ].flatMap(([one, two]) => {
    if (one === undefined || two === undefined) return [];
    const pair = `(${one} AND ${two})`;
    return messages.matchingUpTo(leaving(pair, without), limits.candidatePostings.default) === null ? [] : [pair];
  });
}

/** Every unit is common, and so are all together: what has two of the rarest three. Null where that is too many, too. */
function pairsTogether(units: readonly LookedUp[], { without }: Plan, messages: VisibleMessages): number[] | null {
  if (units.length < 3) return null;
  const counted = units.map(({ unit }) => ({ unit, count: messages.count(unit.forms, countedUpTo) }));
  const [a, b, c] = counted.sort((one, two) => one.count - two.count).map(({ unit }) => unit.forms);
  const found = new Set<number>();
  for (const pair of [`${a} AND ${b}`, `${a} AND ${c}`, `${b} AND ${c}`]) {
    for (const no of messages.matchingUpTo(leaving(pair, without), limits.candidatePostings.default) ?? [])
      found.add(no);
  }
  return [...found];
}

/** Only certain messages are candidates; how often a common word stands in them is not asked. */
function placeTogether(
  units: readonly LookedUp[],
  docs: readonly number[],
  plan: Plan,
  messages: VisibleMessages,
  board: Scoreboard,
): void {
  const isKept = keeps(docs);
  for (const found of units) {
    const { unit, at } = found;
    if (!found.isCommon && found.docs.length <= readAnyway) {
      placeRare(found, true, messages, board, isKept);
      found.docs = found.docs.filter(isKept);
      continue;
    }
    const others = units.filter((each) => each !== found).map((each) => each.unit.forms);
    const among = others.length === 0 ? unit.forms : `${anyOf(others)} AND ${unit.forms}`;
    const having = new Set(found.isCommon ? messages.matching(leaving(among, plan.without)) : found.docs);
    const asTyped =
      unit.exact === unit.forms ? having : new Set(messages.matching(`${anyOf(others)} AND ${unit.exact}`));
    found.docs = docs.filter((no) => having.has(no));
    found.exact = asTyped;
    for (const no of found.docs) board.add(at, no, anywhere, asTyped.has(no) ? 1 : 0, 1);
  }
}

/** Of too many those at the end that is looked through; the others count as having all words. */
function phrasesOf({ phrase, without }: Plan, messages: VisibleMessages, end: End): readonly number[] {
  if (phrase === null) return [];
  const expression = leaving(phrase, without);
  const most = limits.newestMessages.default;
  return messages.matchingUpTo(expression, Math.min(mostPhrases, most)) ?? messages.matchingAt(end, expression, most);
}

function leaving(expression: string, without: string | null): string {
  return without === null ? expression : `(${expression}) NOT ${without}`;
}

/** The rarest units first, as long as all that have them are few enough together. */
function lookUp({ units, without, isQuestion }: Plan, messages: VisibleMessages, wanted: number): LookedUp[] {
  // Beside what has all words, those that have some only fill up.
  const isFew = !isQuestion && units.length > 1 && wanted !== Number.POSITIVE_INFINITY;
  let room = isFew ? Math.min(readAnyway, limits.candidatePostings.default) : limits.candidatePostings.default;
  const listed = units
    .map((unit, at) => ({ unit, at, docs: messages.matchingUpTo(leaving(unit.forms, without), room) }))
    .sort(
      (one, two) => (one.docs?.length ?? Number.POSITIVE_INFINITY) - (two.docs?.length ?? Number.POSITIVE_INFINITY),
    );
  const found = listed.map(({ unit, at, docs }): LookedUp => {
    const isCommon = docs === null || docs.length > room;
    if (!isCommon) room -= docs.length;
    return { unit, at, docs: isCommon ? [] : docs, count: docs?.length ?? null, exact: new Set(), isCommon };
  });
  return found.sort((one, two) => one.at - two.at);
}

/** All messages that have the unit, and how often in which passage. */
function placeRare(
  found: LookedUp,
  isExcluding: boolean,
  messages: VisibleMessages,
  board: Scoreboard,
  isWanted: (no: number) => boolean = () => true,
): void {
  const { unit, at, docs } = found;
  if (docs.length === 0) return;
  const { exact, forms, single } = unit;
  if (single === null) {
    found.exact = new Set(exact === forms ? docs : messages.matching(exact));
    for (const no of docs) if (isWanted(no)) board.add(at, no, anywhere, found.exact.has(no) ? 1 : 0, 1);
    return;
  }
  const isMatch = messages.isEverything && !isExcluding ? () => true : keeps(docs);
  const isKept = (no: number) => isWanted(no) && isMatch(no);
  const inExact = new Set<number>();
  const parts = new Set<number>();
  const add = (isExact: boolean, isForm: boolean) => (no: number, passage: number, count: number, isPart: boolean) => {
    if (!isKept(no)) return;
    if (isPart) {
      parts.add(no);
      return;
    }
    if (isExact) inExact.add(no);
    board.add(at, no, passage, isExact ? count : 0, isForm ? count : 0);
  };
  const inForms = new Set<number>();
  for (const term of single.forms) {
    const look = add(false, true);
    messages.eachPlace(term, docs, (no, passage, count, isPart) => {
      inForms.add(no);
      look(no, passage, count, isPart);
    });
  }
  // A message that is in another language than the query's has the word, and no stem of it that is known here.
  for (const term of single.exact) {
    messages.eachPlace(term, docs, (no, passage, count, isPart) =>
      add(true, single.isBeside || !inForms.has(no))(no, passage, count, isPart),
    );
  }
  for (const no of parts) {
    // Less than the word itself, and nothing beside it.
    if (inExact.has(no)) continue;
    board.add(at, no, anywhere, partCount, partCount);
    inExact.add(no);
  }
  found.exact = inExact;
}

function keeps(docs: readonly number[]): (no: number) => boolean {
  const kept = new Set(docs);
  return (no) => kept.has(no);
}

/** Which candidates have a common unit, too; how often is not asked. */
function placeCommon(
  found: LookedUp,
  among: string,
  { isQuestion, without }: Plan,
  messages: VisibleMessages,
  board: Scoreboard,
): void {
  const { unit, at } = found;
  const docs = messages.matching(leaving(`${among} AND ${unit.forms}`, without));
  found.docs = docs;
  // Whether as typed is asked only where tiers are ranked apart; it counts as if it were.
  if (unit.exact === unit.forms) found.exact = new Set(docs);
  else if (!isQuestion) found.exact = new Set(messages.matching(`${among} AND ${unit.exact}`));
  for (const no of docs) board.add(at, no, anywhere, isQuestion || found.exact.has(no) ? 1 : 0, 1);
}

/** Every unit is common: of the messages at one end of time those that have them all, or else any. */
function placeAtEnd(
  units: readonly LookedUp[],
  { without }: Plan,
  messages: VisibleMessages,
  board: Scoreboard,
  wanted: number,
  end: End,
): void {
  const most = limits.newestMessages.default;
  const all = units.map(({ unit }) => unit.forms).join(" AND ");
  const together = messages.matchingAt(end, leaving(all, without), most);
  const before = new Set(board.numbers());
  for (const found of units) {
    const { unit, at } = found;
    const docs = together.length >= wanted ? together : messages.matchingAt(end, leaving(unit.forms, without), most);
    const asTyped = new Set(unit.exact === unit.forms ? docs : messages.matchingAt(end, unit.exact, most));
    const added = docs.filter((no) => !before.has(no));
    for (const no of added) board.add(at, no, anywhere, asTyped.has(no) ? 1 : 0, 1);
    found.docs = [...found.docs, ...added];
    found.exact = found.exact.union(asTyped);
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
    const docs = messages.matching(leaving(clause.exact, plan.without));
    for (const no of docs) if (!isBounded || board.has(no)) board.mark(no, true, clause.isRequired);
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

/** Clauses that a message has to have to have all words. */
function wordsOf({ clauses }: Plan): number {
  return clauses.reduce((sum, { isIgnorable }) => sum + Number(!isIgnorable), 0);
}

/** Messages that match with the last word as a beginning and not without; asked where stricter tiers leave room. */
function beginningsOf(
  plan: Plan,
  messages: VisibleMessages,
  board: Scoreboard,
  { wanted, end }: GatherOptions,
): { readonly beginnings: ReadonlySet<number>; readonly isCut: boolean } {
  const clauses = plan.clauses.filter(({ isIgnorable }) => !isIgnorable);
  const last = plan.clauses.at(-1);
  const none = { beginnings: new Set<number>(), isCut: false };
  if (!last || last.beginning === null || last.isIgnorable) return none;
  if (board.countExact(clauses.length) >= wanted) return none;
  const all = [...clauses.slice(0, -1).map(({ exact }) => exact), last.beginning].join(" AND ");
  const expression = leaving(all, plan.without);
  const few = messages.matchingUpTo(expression, limits.candidatePostings.default);
  const docs = few ?? messages.matchingAt(end, expression, limits.newestMessages.default);
  const unit = plan.units.findLastIndex(({ clause }) => clause === plan.clauses.length - 1);
  const beginnings = new Set<number>();
  for (const no of docs) {
    if (board.hasExact(no, clauses.length)) continue;
    beginnings.add(no);
    // One that was no candidate yet has its quoted words all the same.
    if (!board.has(no)) for (const clause of clauses) if (clause.isRequired) board.mark(no, true, true);
    board.add(unit, no, anywhere, 0, partCount);
  }
  return { beginnings, isCut: few === null };
}
