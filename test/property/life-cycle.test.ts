/**
 * Any program of operations, over two connections to one home, leaves what the oracle says: after each step search,
 * history and list are compared (SPEC 1.4, 1.5, 2.1, 2.2, 2.3, 2.4, 2.6, 3.7, 6.5). `npm run nightly` runs ten thousand.
 */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { programs } from "../model/program.ts";
import { runProgram, type Tally } from "../model/run-program.ts";

test("a home equals the oracle after each step of any program", async () => {
  const tally: Tally = { programs: 0, steps: 0, indexing: 0 };
  await fc.assert(
    fc.asyncProperty(programs(40), (program) => runProgram(program, tally)),
    { numRuns: 200 },
  );
  // Both ways are walked: corrected at once, and left to reconciliation.
  expect(tally.indexing).toBeGreaterThan(tally.steps / 50);
  expect(tally.steps).toBeGreaterThan(1000);
}, 300_000);
