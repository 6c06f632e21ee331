/** Results against the list of known failures: figures, totals per kind, and whether the run falls short. */
import type { Topic } from "./known-failures.ts";
import type { Result } from "./run-case.ts";

/** - `known`: failed, and is on the list. - `mended`: passed, and is still on the list, which is an error. */
export type Verdict = "passed" | "failed" | "known" | "mended" | "notRun";

export interface Judged extends Result {
  readonly verdict: Verdict;
  /** Of the issue that will mend a known failure. */
  readonly topic?: Topic;
}

export interface Figures extends Readonly<Record<Verdict, number>> {
  readonly cases: number;
  /** Milliseconds, all cases together. */
  readonly ms: number;
}

export function judgeResult(result: Result, known: ReadonlyMap<string, Topic>): Judged {
  const topic = known.get(result.id);
  const verdict = verdictOf(result.outcome, topic !== undefined);
  return { ...result, verdict, ...(topic !== undefined && { topic }) };
}

function verdictOf(outcome: Result["outcome"], listed: boolean): Verdict {
  if (outcome === "not run") return "notRun";
  if (outcome === "passed") return listed ? "mended" : "passed";
  return listed ? "known" : "failed";
}

export function figuresOf(results: readonly Judged[]): Figures {
  const count = (verdict: Verdict) => results.filter((result) => result.verdict === verdict).length;
  return {
    cases: results.length,
    passed: count("passed"),
    failed: count("failed"),
    known: count("known"),
    mended: count("mended"),
    notRun: count("notRun"),
    ms: Math.round(results.reduce((sum, { ms }) => sum + ms, 0)),
  };
}

/** A run in which nothing was proved falls short too. */
export function fallsShort({ passed, failed, known, mended }: Figures): boolean {
  return failed > 0 || mended > 0 || passed + known === 0;
}

/** In the order in which the kinds first appear. */
export function perKind(results: readonly Judged[]): { kind: string; figures: Figures }[] {
  return [...Map.groupBy(results, ({ kind }) => kind)].map(([kind, own]) => ({ kind, figures: figuresOf(own) }));
}
