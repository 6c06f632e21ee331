/**
 * Passages of a long message (SPEC 4.1): one that speaks of many things is judged by its best stretch, not by its length.
 * By places, so that the index needs no rows for them.
 */

/** Tokens of a passage: about 800 characters. Of 60 to 300 tried none was worse by more than a point but the largest. */
export const passageTokens = 128;
/** A message that is hardly longer than a passage is one. */
const longFrom = passageTokens * 1.25;

export function isLong(tokens: number): boolean {
  return tokens > longFrom;
}

/** Number of the passage that a token stands in. */
export function passageOf(offset: number): number {
  return Math.floor(offset / passageTokens);
}

/** Tokens of a passage of a message of so many. */
export function passageLength(tokens: number, passage: number): number {
  if (!isLong(tokens)) return tokens;
  return Math.max(1, Math.min(passageTokens, tokens - passage * passageTokens));
}
