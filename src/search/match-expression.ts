/**
 * Terms → FTS5 match expressions. Every index term stands in double quotes, so nothing a caller types has the power of
 * an operator, a column filter or a syntax error (SPEC 3.1). Index terms hold letters and digits only, never a quote.
 */
import type { Clause, Term } from "./query.ts";

/** One of several expressions. */
export function anyOf(expressions: readonly string[]): string {
  const distinct = [...new Set(expressions)];
  return distinct.length === 1 ? (distinct[0] ?? "") : `(${distinct.join(" OR ")})`;
}

/** Sequences of index terms, each side by side; with `prefix` the last term of each is only a beginning. */
export function formExpression(forms: readonly (readonly string[])[], prefix: boolean): string {
  return anyOf(forms.map((form) => `"${form.join(" ")}"${prefix ? " *" : ""}`));
}

/** Any of the terms, as they were said or by their parts. */
export function clauseExpression(clause: Clause): string {
  return anyOf(clause.map((term: Term) => formExpression(term.forms, term.prefix)));
}
