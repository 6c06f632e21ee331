/** Two writers in processes of their own, on different sessions of one agent, both killed at once (SPEC 1.6). */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { Oracle } from "../model/oracle.ts";
import { keys } from "../model/program.ts";
import { follow, readHome, settle } from "./check.ts";
import { Writer } from "./child.ts";
import type { Figures } from "./figures.ts";
import { plan } from "./plan.ts";
import type { Random } from "./random.ts";

const roundsPerHome = 10;
const shares = [keys.slice(0, 2), keys.slice(2)];

export async function killPairs(folder: string, rounds: number, random: Random, figures: Figures): Promise<void> {
  let home = "";
  let oracles = shares.map(() => new Oracle());
  for (let round = 0; round < rounds; round++) {
    if (round % roundsPerHome === 0) {
      if (home !== "") rmSync(home, { recursive: true });
      home = join(folder, `home${round}`);
      oracles = shares.map(() => new Oracle());
    }
    const inlineEntries = random.pick([0, 10, 4000]);
    const writers = shares.map((among, at) => {
      const planned = plan(oracles[at] ?? new Oracle(), random.integer(1, 2 ** 31 - 1), 1000, among);
      const stepsFile = join(folder, `steps${at}.json`);
      return { among, planned, writer: new Writer({ home, steps: planned.steps, stepsFile, inlineEntries }) };
    });
    try {
      await Promise.all(writers.map(({ writer }) => writer.until("open")));
      await setTimeout(random.integer(0, 300));
      await Promise.all(writers.map(({ writer }) => writer.kill()));
      figures.kills += writers.length;
      figures.pairs += 1;
      const found = await readHome(home);
      oracles = writers.map(({ among, planned, writer }, at) => {
        const { acknowledged } = writer;
        const before = oracles[at] ?? new Oracle();
        figures.acknowledged += acknowledged.length;
        follow(before, planned.operations, acknowledged);
        const own = found.filter(({ key }) => among.includes(key));
        return settle(own, before, planned.operations, acknowledged.length);
      });
    } catch (error) {
      figures.fail(`pair ${round}`, error);
      round = Math.ceil((round + 1) / roundsPerHome) * roundsPerHome - 1;
    }
  }
}
