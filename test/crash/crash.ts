/** The whole run: two homes at a time. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fillDisks } from "./disk-full.ts";
import { Figures } from "./figures.ts";
import { killWriters } from "./lane.ts";
import { killMigrations } from "./migration.ts";
import { killPairs } from "./pair.ts";
import { Random } from "./random.ts";

type Scenario = (folder: string, times: number, random: Random, figures: Figures) => Promise<void>;

export interface Folders {
  readonly disk: string;
  /** Without the disk's waits, a writer does ten times as much before it dies. */
  readonly memory: string;
}

export async function crash(
  folders: Folders,
  kills: number,
  seed: number,
  log: (line: string) => void = () => undefined,
): Promise<Figures> {
  const figures = new Figures();
  const random = new Random(seed);
  const lane = (name: string, scenario: Scenario, times: number, folder = folders.disk) => {
    const own = join(folder, name);
    mkdirSync(own);
    return scenario(own, times, new Random(random.integer(0, 2 ** 31 - 1)), figures);
  };
  const few = Math.ceil(kills / 20);
  const single = Math.max(0, kills - 3 * few);
  await Promise.all([
    lane("one", killWriters, Math.ceil(single / 2)),
    lane("two", killWriters, Math.floor(single / 2), folders.memory),
  ]);
  log(`${figures.kills} writers killed, ${figures.torn} logs torn`);
  await Promise.all([lane("pairs", killPairs, few, folders.memory), lane("migrations", killMigrations, few)]);
  log(`${figures.pairs} pairs and ${figures.migrations} migrations killed`);
  if (process.platform === "linux") {
    await lane("full", fillDisks, few);
    log(`${figures.refused} operations refused by a full disk`);
  } else log("full disk: not tried, as only Linux takes a limit off a process that runs");
  return figures;
}
