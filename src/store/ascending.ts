/** Pages by number have to get on: a damaged b-tree can give the same rows for ever. */
import { BackscrollError } from "../errors.ts";

/**
 * The next place to read from.
 * @throws {BackscrollError} `bad_store` when it does not lie behind the last one.
 */
export function ascending(last: number, next: number): number {
  if (next > last) return next;
  throw new BackscrollError(
    "bad_store",
    "rows are out of order",
    "Run backscroll doctor, which names the damage, and backscroll doctor --fix, which repairs it.",
  );
}
