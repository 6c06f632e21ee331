/** Figures that were reached before, per set and kind: what a run is held against (SPEC 12.4). */
import { readFileSync, writeFileSync } from "node:fs";
import * as z from "zod";
import type { Figures, SetFigures } from "./figures.ts";
import { BadInput } from "./judged-query.ts";

const kept = z.object({
  n: z.number(),
  /** Percent; null where no label names a message. */
  messageR5: z.number().nullable(),
  sessionR1: z.number().nullable(),
  falseAnswers: z.number().nullable(),
});
const baselines = z.record(z.string(), z.record(z.string(), kept));
export type Baselines = z.infer<typeof baselines>;

/** Percentage points that a kind may lose before the run falls short. */
export const tolerance = 3;

/** @throws {BadInput} */
export function readBaselines(path: string): Baselines {
  try {
    return baselines.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch (error) {
    throw new BadInput(`${path}: no baselines: ${error instanceof Error ? error.message : error}`);
  }
}

export function writeBaselines(path: string, all: Baselines): void {
  writeFileSync(path, `${JSON.stringify(all, null, 2)}\n`);
}

/** Per kind, with `all` for the whole set. */
export function toBaseline({ all, kinds }: SetFigures): Baselines[string] {
  const toKept = ({ n, message, session, falseAnswers }: Figures) => ({
    n,
    messageR5: message?.r5 ?? null,
    sessionR1: session?.r1 ?? null,
    falseAnswers,
  });
  return Object.fromEntries(Object.entries({ ...kinds, all }).map(([kind, figures]) => [kind, toKept(figures)]));
}

/** What fell by more than {@link tolerance}, a line each; a set or kind that is gone fell too. */
export function fallenBelow(figures: SetFigures, baseline: Baselines[string] | undefined): string[] {
  if (baseline === undefined) return ["there is no baseline of this set"];
  const now = toBaseline(figures);
  return Object.entries(baseline).flatMap(([kind, before]) => {
    const have = now[kind];
    if (have === undefined || have.n < before.n) return [`${kind}: ${have?.n ?? 0} queries, were ${before.n}`];
    return [
      ...fall(kind, "message R@5", before.messageR5, have.messageR5),
      ...fall(kind, "session R@1", before.sessionR1, have.sessionR1),
      // More of these is worse.
      ...fall(kind, "without a false answer", rest(before.falseAnswers), rest(have.falseAnswers)),
    ];
  });
}

function fall(kind: string, what: string, before: number | null, have: number | null): string[] {
  if (before === null || (have !== null && have >= before - tolerance)) return [];
  return [`${kind}: ${what} was ${before}, is ${have ?? "nothing"}`];
}

function rest(share: number | null): number | null {
  return share === null ? null : 100 - share;
}
