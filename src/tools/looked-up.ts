import type { Unit } from "../search/plan.ts";

/** A unit with the messages that have it; no list where they are too many. */
export interface LookedUp {
  readonly unit: Unit;
  readonly at: number;
  /** In any form. Empty for a common one until it is placed. */
  docs: readonly number[];
  /** As typed; the same list where there is no other form. */
  exact: Set<number>;
  /** How many there are; null where they were not counted. */
  readonly count: number | null;
  readonly isCommon: boolean;
}

/** Messages that have a word, up to which they are counted: commoner words are worth little, and all the same. */
export const countedUpTo = 50_000;
