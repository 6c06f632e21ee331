/**
 * Query → FTS5 match expression. Every index term stands in double quotes, so nothing a caller types has the power of
 * an operator, a column filter or a syntax error (SPEC 3.1). Index terms hold letters and digits only, never a quote.
 */
import type { Clause, Query, Term } from "./query.ts";

/** The whole query; null when it holds nothing to search for. */
export function matchExpression(query: Query): string | null {
  if (query.clauses.length === 0) return null;
  const wanted = query.clauses.map(clauseExpression).join(" AND ");
  return query.without.length === 0 ? wanted : `(${wanted}) NOT (${query.without.map(termExpression).join(" OR ")})`;
}

export function clauseExpression(clause: Clause): string {
  return `(${clause.map(termExpression).join(" OR ")})`;
}

function termExpression(term: Term): string {
  return term.forms.map((form) => `"${form.join(" ")}"${term.prefix ? " *" : ""}`).join(" OR ");
}
