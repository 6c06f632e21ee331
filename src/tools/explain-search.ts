/** Why there are few hits or none: never a silent zero (SPEC 3.8). Counts are those of visible messages. */
import type { Explain } from "../model/answer.ts";
import type { Statistics } from "../search/rank.ts";
import type { SearchRequest } from "./search-input.ts";

export function explainSearch(request: SearchRequest, statistics: Statistics, hits: number): Explain {
  const { query, filters } = request;
  const terms = query.clauses.map((clause, at) => ({
    term: clause.map((term) => (term.quoted ? `"${term.text}"` : term.text)).join(" OR "),
    messages: statistics.withClause[at] ?? 0,
  }));
  return {
    ...(statistics.messages === 0 && { emptyStore: true }),
    terms,
    ...(query.ignored.length > 0 && { ignored: query.ignored }),
    ...(Object.keys(filters).length > 0 && { filters: filters as Record<string, string> }),
    ...(hits === 0 && { hint: hint(terms, statistics, Object.keys(filters)) }),
  };
}

function hint(terms: Explain["terms"], statistics: Statistics, filters: readonly string[]): string {
  if (statistics.messages === 0)
    return "There is nothing to search yet: no message that you can see has been imported.";
  if (terms.length === 0)
    return "The query has no letter or digit that could be searched for. Use words that were said.";
  const absent = terms.filter(({ messages }) => messages === 0).map(({ term }) => term);
  const present = terms.filter(({ messages }) => messages > 0).map(({ term }) => term);
  if (absent.length > 0 && present.length > 0) {
    return `No message you can see has ${absent.join(", ")}. Search again for ${present.join(" ")}, or use other words.`;
  }
  if (absent.length > 0)
    return `No message you can see has ${absent.join(", ")}. Use other words that may have been said.`;
  if (filters.length > 0)
    return `The words occur, but not together within the filters (${filters.join(", ")}). Leave a filter out, or use fewer words.`;
  return "Each word occurs, but no single message has them all. Use fewer words.";
}
