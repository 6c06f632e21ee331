/**
 * Score and order (SPEC 4.1 in simple form): BM25 computed here from visible messages' statistics, so that scores are
 * comparable across the agents' databases and tell nothing of what the caller can't see (SPEC 4.4).
 */
import type { Matches } from "./matches.ts";

/** What is known of the messages that the caller may see. */
export interface Statistics {
  /** Visible messages, all agents together. */
  readonly messages: number;
  /** Per clause: visible messages that have it. */
  readonly withClause: readonly number[];
}

/** BM25's usual saturation and length weight (Robertson and Zaragoza 2009, section 3.2). */
const k1 = 1.2;
const b = 0.75;
/** Tokens of a message that counts as of average length. Fixed, as a measured average would tell of unseen messages. */
const averageLength = 60;
/** What the words side by side in typed order are worth, as a share of the score. */
const adjacencyBonus = 0.25;

/** Higher is better; 0 only when nothing matches. */
export function score(matches: Matches, statistics: Statistics): number {
  let sum = 0;
  matches.perClause.forEach((count, at) => {
    if (count === 0) return;
    const having = Math.min(statistics.withClause[at] ?? 0, statistics.messages);
    const rarity = Math.log1p((statistics.messages - having + 0.5) / (having + 0.5));
    sum += (rarity * count * (k1 + 1)) / (count + k1 * (1 - b + (b * matches.length) / averageLength));
  });
  return matches.adjacent && matches.perClause.length > 1 ? sum * (1 + adjacencyBonus) : sum;
}

export interface Ranked {
  readonly score: number;
  readonly timestamp: number;
  readonly sessionKey: string;
  readonly messageId: string;
  /** A run without a person: cron, hook, sub-agent. Comes after a person's own on equal score (SPEC 4.7). */
  readonly automatic: boolean;
}

export type Sort = "relevance" | "newest" | "oldest";

/** A total order: the same hits on the same data always stand in the same order (SPEC 4.1). */
export function compare(sort: Sort): (a: Ranked, b: Ranked) => number {
  const byName = (a: Ranked, b: Ranked) => order(a.sessionKey, b.sessionKey) || order(a.messageId, b.messageId);
  const byTime = (a: Ranked, b: Ranked) => b.timestamp - a.timestamp;
  if (sort === "newest") return (a, b) => byTime(a, b) || byName(a, b);
  if (sort === "oldest") return (a, b) => byTime(b, a) || byName(a, b);
  return (a, b) => b.score - a.score || Number(a.automatic) - Number(b.automatic) || byTime(a, b) || byName(a, b);
}

/** By code unit: independent of any locale. */
function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
