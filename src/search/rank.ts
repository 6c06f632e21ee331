/** The order of hits: a total one, so that the same query on the same data always gives the same answer (SPEC 4.1). */

export interface Ranked {
  /** Place of its tier; smaller is stricter. */
  readonly rank: number;
  readonly score: number;
  readonly timestamp: number;
  readonly sessionKey: string;
  readonly messageId: string;
  /** A run without a person: cron, hook, sub-agent. Comes after a person's own on equal score (SPEC 4.7). */
  readonly automatic: boolean;
}

export type Sort = "relevance" | "newest" | "oldest";

/** Before ids are known: within a session and a moment it leaves the order open. */
type Unnamed = Omit<Ranked, "messageId">;

export function compare(sort: Sort): (a: Ranked, b: Ranked) => number {
  const before = compareUnnamed(sort);
  return (a, b) => before(a, b) || order(a.messageId, b.messageId);
}

export function compareUnnamed(sort: Sort): (a: Unnamed, b: Unnamed) => number {
  const byName = (a: Unnamed, b: Unnamed) => order(a.sessionKey, b.sessionKey);
  const byTime = (a: Unnamed, b: Unnamed) => b.timestamp - a.timestamp;
  if (sort === "newest") return (a, b) => byTime(a, b) || byName(a, b);
  if (sort === "oldest") return (a, b) => byTime(b, a) || byName(a, b);
  return (a, b) =>
    a.rank - b.rank || b.score - a.score || Number(a.automatic) - Number(b.automatic) || byTime(a, b) || byName(a, b);
}

/** By code unit: independent of any locale. */
function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
