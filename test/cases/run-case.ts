/** Runs one case in a world of its own. */
import { runCall } from "./call.ts";
import { type Level, type Row, toCase } from "./case.ts";
import { judge } from "./expectation.ts";
import { firstAnswerCounts, looserTiersWanted } from "./features.ts";
import { NotRun } from "./not-run.ts";
import { type Observation, summary } from "./observation.ts";
import { runStep } from "./step.ts";
import { World } from "./world.ts";

export interface Result {
  readonly id: string;
  readonly kind: string;
  readonly level: Level;
  readonly outcome: "passed" | "failed" | "not run";
  /** Why it failed, or why it was not run; empty when it passed. */
  readonly reasons: readonly string[];
  /** Milliseconds, all together. */
  readonly ms: number;
}

/** Milliseconds for which an answer that says `indexing` is asked for again. */
const patience = 10_000;

/** Never throws: a fault of the product or of the case is a result. */
export async function runCase(row: Row): Promise<Result> {
  const start = performance.now();
  const { id, kind, level } = row;
  const result = (outcome: Result["outcome"], reasons: readonly string[]): Result => ({
    id,
    kind,
    level,
    outcome,
    reasons,
    ms: performance.now() - start,
  });
  try {
    const wrong = await play(row);
    return result(wrong.length === 0 ? "passed" : "failed", wrong);
  } catch (error) {
    if (error instanceof NotRun) return result("not run", [error.message]);
    return result("failed", [error instanceof Error ? (error.stack ?? error.message) : String(error)]);
  }
}

async function play(row: Row): Promise<string[]> {
  const { setup, moves, sameShape } = toCase(row);
  const world = new World();
  const manner = {
    world,
    patience: firstAnswerCounts.has(row.id) ? 0 : patience,
    match: looserTiersWanted.has(row.id) ? undefined : ("all" as const),
  };
  try {
    for (const step of setup) await runStep(step, world);
    const wrong: string[] = [];
    const all: Observation[] = [];
    for (const move of moves) {
      if ("steps" in move) {
        for (const step of move.steps) await runStep(step, world);
        continue;
      }
      for (const seen of await runCall(move.call, manner)) {
        const here = judge(seen, move.expectations, world);
        if (here.length > 0) wrong.push(`${seen.label}\n${here.join("\n")}\nanswer: ${summary(seen)}`);
        all.push(seen);
      }
    }
    if (sameShape) wrong.push(...differences(all));
    return wrong.length === 0 ? [] : [...wrong, ...world.notes];
  } finally {
    world.end();
  }
}

/** Refusals that differ in more than the name that was asked for. */
function differences(all: readonly Observation[]): string[] {
  const shapes = all
    .filter(({ failure }) => failure !== null)
    .map(({ json }) => json.join("").replace(/\\"[^"]*\\"/g, "…"));
  if (shapes.length < 2) return ["sameShape: fewer than two refusals to compare"];
  return new Set(shapes).size > 1 ? [`sameShape: the refusals differ\n${shapes.join("\n")}`] : [];
}
