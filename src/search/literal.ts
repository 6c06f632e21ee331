/**
 * Signs that make a word another one: `--from`, `#417`, `C++`, `$PATH`. The index knows letters and digits only, so what
 * holds the sign too is told by the text, among the best candidates (SPEC 3.5: an exact hit ranks above a part hit).
 */
import type { Query } from "./query.ts";

const signed = /^(?:-{1,2}|[#$@.~])[\p{L}\p{N}]|[\p{L}\p{N}](?:\+\+|#)$/u;

/** Words of a query that have such a sign, in lower case. */
export function literalsOf({ clauses }: Query): readonly string[] {
  return clauses.flatMap((clause) => clause.map(({ text }) => text.toLowerCase())).filter((text) => signed.test(text));
}

/** Whether a text holds all of them, each as a whole word. */
export function holdsLiterals(text: string, literals: readonly string[]): boolean {
  const plain = text.toLowerCase();
  return literals.every((literal) => {
    for (let at = plain.indexOf(literal); at >= 0; at = plain.indexOf(literal, at + 1)) {
      if (!/[\p{L}\p{N}_-]/u.test(plain.charAt(at - 1)) && !/[\p{L}\p{N}_+]/u.test(plain.charAt(at + literal.length)))
        return true;
    }
    return false;
  });
}
