/** BM25 (Robertson and Zaragoza 2009, section 3.2), in the pieces that passages, messages and sessions share. */

import { signals } from "./signals.ts";

/** Of a session's document, which is judged by what it is about. */
const bOfSession = 0.75;

/** How rare something is: 0 where everything has it. @param having Of `all` how many have it. */
export function rarity(all: number, having: number): number {
  const n = Math.min(having, all);
  return Math.log1p((all - n + 0.5) / (n + 0.5));
}

/** What `count` of a term are worth in a text of `length` tokens: 0 to k1 + 1. */
export function weight(count: number, length: number, average: number): number {
  return saturate(count, signals.lengthWeight.value, length, average);
}

/** The same for all that a session's messages say. */
export function sessionWeight(count: number, length: number, average: number): number {
  return saturate(count, bOfSession, length, average);
}

function saturate(count: number, lengthWeight: number, length: number, average: number): number {
  if (count === 0) return 0;
  const k1 = signals.saturation.value;
  const norm = 1 - lengthWeight + (lengthWeight * length) / Math.max(1, average);
  return (count * (k1 + 1)) / (count + k1 * norm);
}
