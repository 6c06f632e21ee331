/**
 * One home, written to by one writer after the other, each killed: after each kill the home is what was acknowledged, or
 * that and the operation in flight, whole; the next writer goes on from there (SPEC 1.6, 2.1, 2.2, 2.4).
 */
import { cpSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { oracleSessions } from "../model/compare-tables.ts";
import { Oracle } from "../model/oracle.ts";
import { follow, readHome, settle } from "./check.ts";
import { Writer } from "./child.ts";
import type { Figures } from "./figures.ts";
import { plan } from "./plan.ts";
import type { Random } from "./random.ts";
import { checkTorn } from "./torn.ts";

/** After so many kills a home is left: what is checked after each has to stay small. */
const killsPerHome = 25;
const longestLife = 300;
/** Steps that no writer comes to the end of. */
const steps = 1000;

export async function killWriters(folder: string, kills: number, random: Random, figures: Figures): Promise<void> {
  let oracle = new Oracle();
  let home = "";
  for (let kill = 0; kill < kills; kill++) {
    if (kill % killsPerHome === 0) {
      if (home !== "") rmSync(home, { recursive: true });
      home = join(folder, `home${kill}`);
      oracle = new Oracle();
    }
    const seed = random.integer(1, 2 ** 31 - 1);
    const planned = plan(oracle, seed, steps);
    const writer = new Writer({
      home,
      steps: planned.steps,
      stepsFile: join(folder, "steps.json"),
      inlineEntries: random.pick([0, 10, 4000]),
    });
    // Most die at work; some while they open, which for a new home means that the file and its tables are being made.
    if (random.chance(0.15)) {
      await writer.until("opening");
      await setTimeout(random.integer(0, 40));
    } else {
      await writer.until("open");
      await setTimeout(random.integer(0, longestLife));
    }
    await writer.kill();
    figures.kills += 1;
    figures.acknowledged += writer.acknowledged.length;
    try {
      follow(oracle, planned.operations, writer.acknowledged);
      // A writer that is killed while it opens may have made nothing yet.
      if (existsSync(home) && random.chance(0.2)) {
        const copy = join(folder, "torn");
        cpSync(home, copy, { recursive: true });
        const done = planned.operations.slice(0, writer.acknowledged.length + 1);
        if (await checkTorn(copy, oracle, done, random)) figures.torn += 1;
        rmSync(copy, { recursive: true });
      }
      oracle = settle(await readHome(home), oracle, planned.operations, writer.acknowledged.length);
      if (oracleSessions(oracle).length > 0) figures.checked += 1;
    } catch (error) {
      figures.fail(`kill ${kill}, steps of seed ${seed}`, error);
      // What is in that home is not known any more.
      kill = Math.ceil((kill + 1) / killsPerHome) * killsPerHome - 1;
    }
  }
}
