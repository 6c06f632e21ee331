/** What a writer is to do, decided before it starts: the same seed gives the same steps, and the oracle knows them all. */
import * as fc from "fast-check";
import type { SessionKey } from "../../src/model/ids.ts";
import type { Operation } from "../model/operation.ts";
import type { Oracle } from "../model/oracle.ts";
import { type Command, type EntryPlan, meaning, operations } from "../model/program.ts";
import { isOperation, type Step } from "./step.ts";

/**
 * Fewer deletions than in the model test, as transcripts have to grow to span many pages, and none of the whole agent: that
 * is a transaction a session, so a kill may leave any number of them.
 */
const weights: Partial<Record<Operation["does"], number>> = { deleteSession: 1, deleteAgent: 0 };
const commands = fc.oneof(
  ...Object.entries(operations)
    .map(([does, { weight, arbitrary }]) => ({
      weight: weights[does as Operation["does"]] ?? weight * 3,
      arbitrary,
    }))
    .filter(({ weight }) => weight > 0),
);
const more = fc.record({ command: commands, chance: fc.nat({ max: 99 }), size: fc.integer({ min: 5, max: 60 }) });

export interface Planned {
  readonly steps: readonly Step[];
  /** The operations among them. */
  readonly operations: readonly Operation[];
}

/** Takes the oracle as it is before the first step, and leaves it so. */
export function plan(oracle: Oracle, seed: number, length: number, keys?: readonly SessionKey[]): Planned {
  const ahead = oracle.clone();
  const steps: Step[] = [];
  for (const { command, chance, size } of fc.sample(more, { seed, numRuns: length })) {
    if (chance < 8) steps.push({ does: "reconcile" });
    if (chance === 99) steps.push({ does: "reopen" });
    const operation = meaning(chance % 6 === 0 ? enlarged(command, size) : command, ahead, keys);
    if (operation === null) continue;
    ahead.apply(operation);
    steps.push(operation);
  }
  return { steps, operations: steps.filter(isOperation) };
}

/** An append of many entries and long texts: a transaction over many pages, and a branch that no slice holds. */
function enlarged(command: Command, size: number): Command {
  if (command.does !== "append") return command;
  const [first] = command.entries;
  const grown = (plan: EntryPlan): EntryPlan => ({
    ...plan,
    id: null,
    words: Array.from({ length: size * 4 }, (_, at) => at + plan.time),
  });
  const rest = Array.from({ length: size }, (_, at) =>
    grown({ id: null, kind: at % 2 ? "user" : "assistant", words: [], time: at % 7 }),
  );
  return { ...command, entries: first ? [grown(first), ...rest] : rest };
}
