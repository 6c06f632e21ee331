/** BM25 (Robertson and Zaragoza 2009, section 3.2), in the pieces that passages, messages and sessions share. */

/**
 * Saturation and length weight: 0.9 and 0.4, the values that Lin and others found for passages of news and the web, and
 * the better ones on both sets that were tried (docs/evaluation.md). FTS5's own are fixed at 1.2 and 0.75.
 */
const k1 = 0.9;
const b = 0.4;
/** Of a session's document, which is judged by what it is about. */
const bOfSession = 0.75;

/** How rare something is: 0 where everything has it. @param having Of `all` how many have it. */
export function rarity(all: number, having: number): number {
  const n = Math.min(having, all);
  return Math.log1p((all - n + 0.5) / (n + 0.5));
}

/** What `count` of a term are worth in a text of `length` tokens: 0 to k1 + 1. */
export function weight(count: number, length: number, average: number): number {
  return saturate(count, b, length, average);
}

/** The same for all that a session's messages say. */
export function sessionWeight(count: number, length: number, average: number): number {
  return saturate(count, bOfSession, length, average);
}

function saturate(count: number, lengthWeight: number, length: number, average: number): number {
  if (count === 0) return 0;
  const norm = 1 - lengthWeight + (lengthWeight * length) / Math.max(1, average);
  return (count * (k1 + 1)) / (count + k1 * norm);
}
