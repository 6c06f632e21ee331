/**
 * A disk that is full: what fails says `io` and leaves no trace, what was acknowledged is there, and with space again the
 * same process goes on (SPEC 1.6). The disk is a limit on the size of the writer's files, which the system enforces like
 * a disk's end.
 */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { Oracle } from "../model/oracle.ts";
import { Mismatch, readHome, settle } from "./check.ts";
import { Writer } from "./child.ts";
import type { Figures } from "./figures.ts";
import { plan } from "./plan.ts";
import type { Random } from "./random.ts";
import type { Step } from "./step.ts";

const io = JSON.stringify({ threw: "io" });
const kib = 1024;

export async function fillDisks(folder: string, rounds: number, random: Random, figures: Figures): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const home = join(folder, `home${round}`);
    // Planned as if all went well. What comes after a failure is then asked of another state, which the oracle follows.
    const planned = plan(new Oracle(), random.integer(1, 2 ** 31 - 1), 400);
    const half = Math.ceil(planned.steps.length / 2);
    const steps: Step[] = [...planned.steps.slice(0, half), { does: "wait" }, ...planned.steps.slice(half)];
    const writer = new Writer({
      home,
      steps,
      stepsFile: join(folder, "steps.json"),
      inlineEntries: random.pick([0, 10, 4000]),
      // Blocks of 512 bytes; the soft limit alone, so that it can be taken back. An empty store fits.
      shell: `ulimit -S -f ${random.integer(500 * kib, 1500 * kib) / 512}`.replace(/\.\d+/, ""),
    });
    try {
      await writer.until("wait");
      const before = writer.acknowledged.length;
      execFileSync("prlimit", [`--pid=${writer.process.pid}`, "--fsize=unlimited"]);
      writer.goOn();
      await writer.until("end");
      await writer.kill();
      const { acknowledged } = writer;
      const done = planned.operations.filter((_, at) => acknowledged[at] !== io);
      figures.refused += acknowledged.length - done.length;
      figures.acknowledged += done.length;
      const failed = acknowledged.slice(before).indexOf(io);
      if (failed >= 0) throw new Mismatch(`with space again, operation ${before + failed} failed`, 0);
      settle(await readHome(home), new Oracle(), done, done.length);
    } catch (error) {
      figures.fail(`full disk ${round}`, error);
    }
  }
}
