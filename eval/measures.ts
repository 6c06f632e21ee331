/** Measures of one ranking against what is relevant. Pure. All are shares in [0, 1]. */
import type { Gains } from "./truth.ts";

export interface Measures {
  /** Evidence among the first k, as a share of what could stand there: of all, or of k where there is more. */
  readonly r1: number;
  readonly r5: number;
  readonly r10: number;
  /** Any evidence among the first five. */
  readonly hit5: number;
  /** All evidence among the first five. */
  readonly all5: number;
  /** 1 / rank of the first evidence; 0 when there is none. */
  readonly mrr: number;
  /** Gain 2^grade - 1, discount log2(rank + 1), against the best order there is. */
  readonly ndcg10: number;
}

export const measureNames = ["r1", "r5", "r10", "hit5", "all5", "mrr", "ndcg10"] as const;

/**
 * @param ranking Names, best first. A piece of evidence that is shown again counts once, and keeps its place.
 * @param gains Never empty: where nothing is relevant there is nothing to measure.
 */
export function measure(ranking: readonly string[], gains: Gains): Measures {
  const firstAt = new Map<string, number>();
  ranking.forEach((name, at) => {
    if (gains.has(name) && !firstAt.has(name)) firstAt.set(name, at);
  });
  const places = [...firstAt.values()];
  const within = (k: number) => places.filter((at) => at < k).length;
  const recall = (k: number) => within(k) / Math.min(k, gains.size);
  const gain = (grade: number, at: number) => (2 ** grade - 1) / Math.log2(at + 2);
  const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
  const best = [...gains.values()].sort((a, b) => b - a).slice(0, 10);
  const found = [...firstAt].filter(([, at]) => at < 10).map(([name, at]) => gain(gains.get(name) ?? 0, at));
  return {
    r1: recall(1),
    r5: recall(5),
    r10: recall(10),
    hit5: within(5) > 0 ? 1 : 0,
    all5: within(5) === gains.size ? 1 : 0,
    mrr: places.length === 0 ? 0 : 1 / (Math.min(...places) + 1),
    ndcg10: sum(found) / sum(best.map(gain)),
  };
}

/** The mean of each measure; null of nothing. */
export function meanOf(all: readonly Measures[]): Measures | null {
  if (all.length === 0) return null;
  const mean = (name: keyof Measures) => all.reduce((sum, measures) => sum + measures[name], 0) / all.length;
  return {
    r1: mean("r1"),
    r5: mean("r5"),
    r10: mean("r10"),
    hit5: mean("hit5"),
    all5: mean("all5"),
    mrr: mean("mrr"),
    ndcg10: mean("ndcg10"),
  };
}

/** The number that this share of the numbers does not exceed (nearest rank). */
export function percentile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}
