/**
 * Why there are few hits or none: never a silent zero (SPEC 3.8). Counts are those of visible messages. Everything shown
 * is cut, so that no query and no filter makes the explanation larger than an answer may be (SPEC 7.1).
 */
import type { Explain } from "../model/answer.ts";
import { filterNames, type Query, type Term } from "../search/query.ts";
import { cutText } from "../text/cut.ts";
import type { SearchRequest } from "./search-input.ts";

/** UTF-16 units shown of a term, of an ignored piece, of a filter's value. */
const longestShown = 120;
/** Terms that a hint names. */
const mostNamed = 5;

/** What the caller could find at all, and with each clause alone. */
export interface Statistics {
  readonly messages: number;
  readonly withClause: readonly number[];
  /** The same of tool calls and results; absent where they were not searched. */
  readonly toolsWithClause?: readonly number[];
}

/** @param agents Agents that the caller can see at all, for a filter that names another one. */
export function explainSearch(
  request: SearchRequest,
  statistics: Statistics,
  hits: number,
  agents: readonly string[] = [],
): Explain {
  const { query, limit } = request;
  const terms = query.clauses.map((clause, at) => ({
    term: shown(clause.map(asTyped).join(" OR ")),
    messages: statistics.withClause[at] ?? 0,
    ...(statistics.toolsWithClause && { tools: statistics.toolsWithClause[at] ?? 0 }),
  }));
  const filters = Object.fromEntries(Object.entries(request.filters).map(([name, value]) => [name, shown(value)]));
  const names = Object.keys(filters);
  const hint =
    hits === 0 ? whyNone(request, terms, names, statistics, agents) : hits < limit ? nextStep(query, names) : null;
  return {
    ...(statistics.messages === 0 && request.agent === undefined && { emptyStore: true }),
    terms,
    ...(query.ignored.length > 0 && { ignored: query.ignored.map(shown) }),
    ...(names.length > 0 && { filters }),
    ...(hint !== null && { hint }),
  };
}

function whyNone(
  { query, agent }: SearchRequest,
  terms: Explain["terms"],
  filters: readonly string[],
  { messages }: Statistics,
  agents: readonly string[],
): string {
  if (messages === 0 && agent !== undefined) {
    const others = agents.length === 0 ? "none" : named(agents, ", ");
    return `There is no message of an agent ${shown(agent)} that you can see. Agents: ${others}.`;
  }
  if (messages === 0)
    return "There is nothing to search yet: the store holds no message that you can see. Transcripts are brought in by an import (`backscroll sync`) or appended.";
  if (terms.length === 0) {
    return filters.length > 0
      ? `The query holds nothing but filters (${filters.join(", ")}). Add words that were said.`
      : "The query has no letter or digit that could be searched for. Use words that were said.";
  }
  const absent = terms.filter((each) => !isThere(each)).map(({ term }) => term);
  const present = terms.filter(isThere).map(({ term }) => term);
  if (absent.length === 0) return `No message that you can see has all of this together. ${nextStep(query, filters)}`;
  return [
    `No message that you can see has ${named(absent, ", ")}.`,
    ...query.clauses
      .flat()
      .filter(isNearlyFilter)
      .slice(0, 1)
      .map(({ text }) => `${shown(text)} makes no sense as a filter and was searched for as text.`),
    present.length > 0
      ? `Search again for ${named(present, " ")}, or use other words.`
      : "Use other words that may have been said.",
  ].join(" ");
}

function isThere({ messages, tools = 0 }: Explain["terms"][number]): boolean {
  return messages + tools > 0;
}

function nextStep({ clauses, without }: Query, filters: readonly string[]): string {
  const steps = [
    ...(filters.length > 0 ? [`leave out a filter (${filters.join(", ")})`] : []),
    ...(without.length > 0
      ? [
          `put what begins with a minus in quotes (${named(
            without.map(({ text }) => `-${shown(text)}`),
            ", ",
          )})`,
        ]
      : []),
    clauses.length > 1 ? "use fewer words" : "use other words that may have been said",
  ];
  return `To find more, ${steps.join(", or ")}.`;
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
