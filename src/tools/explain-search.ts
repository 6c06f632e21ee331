/**
 * Why there are few hits or none: never a silent zero (SPEC 3.8). Counts are those of visible messages. Everything shown
 * is cut, so that no query and no filter makes the explanation larger than an answer may be (SPEC 7.1).
 */
import type { Explain } from "../model/answer.ts";
import { type FilterName, filterNames, type Term } from "../search/query.ts";
import { cutText } from "../text/cut.ts";
import type { ExplainCounts, Nearest } from "./explain-counts.ts";
import type { SearchRequest } from "./search-input.ts";

/** UTF-16 units shown of a term, of an ignored piece, of a filter's value. */
const longestShown = 120;
/** Terms that a hint names. */
const mostNamed = 5;

export interface ShownHits {
  readonly count: number;
  /** Clauses that no hit has, where every hit has only some of the words; null where one has them all. */
  readonly missing: readonly number[] | null;
}

/** @param agents Agents that the caller can see at all, for a filter that names another one. */
export function explainSearch(
  request: SearchRequest,
  counts: ExplainCounts,
  hits: ShownHits,
  agents: readonly string[] = [],
): Explain {
  const { query } = request;
  const all = query.clauses.map((clause, at) => ({
    term: shown(clause.map(asTyped).join(" OR ")),
    messages: counts.withClause[at] ?? null,
    ...(counts.toolsWithClause && { tools: counts.toolsWithClause[at] ?? 0 }),
  }));
  const terms = all.flatMap(({ messages, ...rest }) => (messages === null ? [] : [{ ...rest, messages }]));
  const ignored = [
    ...query.ignored.map(shown),
    ...all.flatMap(({ term, messages }) => (messages === null ? [term] : [])),
  ];
  const filters = Object.fromEntries(Object.entries(request.filters).map(([name, value]) => [name, shown(value)]));
  const removed = Object.fromEntries(counts.removed);
  const nearest = counts.nearest && { query: shown(counts.nearest.query), messages: counts.nearest.messages };
  const hint = hintOf(request, counts, hits, { terms, all: all.map(({ term }) => term), agents });
  return {
    ...(counts.messages === 0 && request.agent === undefined && { emptyStore: true }),
    terms,
    ...(ignored.length > 0 && { ignored }),
    ...(Object.keys(filters).length > 0 && { filters }),
    ...(Object.keys(removed).length > 0 && { removed }),
    ...(nearest && { nearest }),
    ...(hint !== null && { hint }),
  };
}

interface Shown {
  readonly terms: Explain["terms"];
  /** Every clause, ignored ones too. */
  readonly all: readonly string[];
  readonly agents: readonly string[];
}

function hintOf(request: SearchRequest, counts: ExplainCounts, hits: ShownHits, words: Shown): string | null {
  if (hits.count === 0) return whyNone(request, counts, words);
  const step = hits.count < request.limit ? nextStep(request, counts) : null;
  if (hits.missing === null) return step;
  const missing = hits.missing.map((at) => words.all[at] ?? "");
  return [
    missing.length > 0
      ? `No message found has all the words: none of these has ${named(missing, ", ")}.`
      : "No message found has all the words; each of these has some of them.",
    ...(step === null ? [] : [step]),
  ].join(" ");
}

function whyNone(request: SearchRequest, counts: ExplainCounts, { terms, agents }: Shown): string {
  const { query, agent } = request;
  if (counts.messages === 0 && agent !== undefined) {
    const others = agents.length === 0 ? "none" : named(agents, ", ");
    return `There is no message of an agent ${shown(agent)} that you can see. Agents: ${others}.`;
  }
  if (counts.messages === 0)
    return "There is nothing to search yet: the store holds no message that you can see. Transcripts are brought in by an import (`backscroll sync`) or appended.";
  if (query.clauses.length === 0) {
    const filters = Object.keys(request.filters);
    return filters.length > 0
      ? `The query holds nothing but filters (${filters.join(", ")}). Add words that were said.`
      : "The query has no letter or digit that could be searched for. Use words that were said.";
  }
  const absent = terms.filter((each) => !isThere(each)).map(({ term }) => term);
  return [
    absent.length > 0
      ? `No message that you can see has ${named(absent, ", ")}.`
      : request.isAll
        ? "No message that you can see has all of these words."
        : "No message that you can see has this together.",
    ...query.clauses
      .flat()
      .filter(isNearlyFilter)
      .slice(0, 1)
      .map(({ text }) => `${shown(text)} makes no sense as a filter and was searched for as text.`),
    counts.nearest ? nearestStep(counts.nearest) : nextStep(request, counts),
  ].join(" ");
}

function isThere({ messages, tools = 0 }: Explain["terms"][number]): boolean {
  return messages + tools > 0;
}

function nearestStep({ query, without, messages }: Nearest): string {
  const many = messages === 1 ? "1 message" : `${messages} messages`;
  return without === undefined
    ? `Nearest: search again for ${shown(query)} (${many}).`
    : `The filter ${without} keeps out ${many}: search again without it.`;
}

function nextStep(
  { query: { clauses, without }, filters, isAll }: SearchRequest,
  { removed, withClause, toolsWithClause }: ExplainCounts,
): string {
  const isAnyThere = [...withClause, ...(toolsWithClause ?? [])].some((count) => (count ?? 0) > 0);
  const names = Object.keys(filters);
  const steps = [
    ...(names.length > 0 ? [`leave out a filter (${names.map((name) => filterNamed(name, removed)).join(", ")})`] : []),
    ...(without.length > 0
      ? [
          `put what begins with a minus in quotes (${named(
            without.map(({ text }) => `-${shown(text)}`),
            ", ",
          )})`,
        ]
      : []),
    ...(isAll ? ["leave out match"] : []),
    // Of words that nobody said, fewer find nothing either.
    clauses.length > 1 && isAnyThere ? "use fewer words" : "use other words that may have been said",
  ];
  return `To find more, ${steps.join(", or ")}.`;
}

function filterNamed(name: string, removed: ExplainCounts["removed"]): string {
  const count = removed.get(name as FilterName);
  return count === undefined ? name : `${name}: ${count} more without it`;
}

function isNearlyFilter({ text, quoted }: Term): boolean {
  return !quoted && filterNames.some((name) => text.startsWith(`${name}:`));
}

function asTyped({ text, quoted }: Term): string {
  return quoted ? `"${text}"` : text;
}

function shown(text: string): string {
  const plain = text.replace(/\p{Cc}+/gu, " ").toWellFormed();
  return plain.length <= longestShown ? plain : `${cutText(plain, longestShown - 1)}…`;
}

function named(list: readonly string[], separator: string): string {
  return list.length <= mostNamed ? list.join(separator) : `${list.slice(0, mostNamed).join(separator)}${separator}…`;
}
