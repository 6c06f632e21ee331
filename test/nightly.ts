/**
 * `npm run nightly -- [--programs n] [--length n] [--seed n]`: the model test at length. Ends with one line of JSON; exits 1
 * when a home differs from the oracle, after printing the shortest program that shows it.
 */
import { parseArgs } from "node:util";
import * as fc from "fast-check";
import { wholeNumber } from "./helpers/whole-number.ts";
import { programs } from "./model/program.ts";
import { runProgram, type Tally } from "./model/run-program.ts";

const { values } = parseArgs({
  options: { programs: { type: "string" }, length: { type: "string" }, seed: { type: "string" } },
});
const wanted = wholeNumber("programs", values.programs, 10_000);
const length = wholeNumber("length", values.length, 60);
const seed = wholeNumber("seed", values.seed, Math.floor(Math.random() * 2 ** 31));
const tally: Tally = { programs: 0, steps: 0, indexing: 0 };
const start = performance.now();
process.stdout.write(`seed ${seed}\n`);
const details = await fc.check(
  fc.asyncProperty(programs(length), async (program) => {
    await runProgram(program, tally);
    if (tally.programs % 1000 === 0) process.stdout.write(`${tally.programs} programs\n`);
  }),
  { numRuns: wanted, seed },
);
if (details.failed) {
  const { errorInstance: error } = details;
  process.stdout.write(`${fc.defaultReportMessage(details)}\n${error instanceof Error ? error.stack : error}\n`);
}
const seconds = Math.round((performance.now() - start) / 100) / 10;
const figures = { proof: "model", seed, ...tally, differences: details.failed ? 1 : 0, seconds };
process.stdout.write(`${JSON.stringify(figures)}\n`);
process.exitCode = details.failed ? 1 : 0;
