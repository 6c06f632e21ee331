/** A file of an older schema whose migration is killed: the next open brings it up as if nothing had been (SPEC 2.9). */
import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";
import { open } from "../../src/index.ts";
import { schemaVersion } from "../../src/store/migrate.ts";
import { snapshot } from "../helpers/snapshot.ts";
import { checkIntegrity } from "../model/compare-tables.ts";
import { agent } from "../model/program.ts";
import { Writer } from "./child.ts";
import type { Figures } from "./figures.ts";
import type { Random } from "./random.ts";

const frozen = resolve(import.meta.dirname, "../fixtures/databases");

export async function killMigrations(folder: string, kills: number, random: Random, figures: Figures): Promise<void> {
  const older = readdirSync(frozen).filter((name) => name.endsWith(".sqlite") && !name.includes(`-${schemaVersion}.`));
  const wanted = new Map(older.map((name) => [name, bringUp(put(name, join(folder, `whole-${name}`)))]));
  for (let kill = 0; kill < kills; kill++) {
    const name = random.pick(older);
    const home = put(name, join(folder, `home${kill}`));
    const writer = new Writer({ home, steps: [], stepsFile: join(folder, "steps.json"), inlineEntries: 4000 });
    try {
      await writer.until("opening");
      await setTimeout(random.integer(0, 25));
      await writer.kill();
      figures.kills += 1;
      figures.migrations += 1;
      assert.deepEqual(bringUp(home), wanted.get(name));
    } catch (error) {
      figures.fail(`migration ${kill} of ${name}`, error);
    }
    rmSync(home, { recursive: true });
  }
}

function put(name: string, home: string): string {
  const place = join(home, "agents", agent);
  mkdirSync(place, { recursive: true });
  copyFileSync(join(frozen, name), join(place, "transcripts.sqlite"));
  return home;
}

function bringUp(home: string) {
  const store = open({ home });
  const own = store.store(agent);
  checkIntegrity(own.db);
  const version = own.db.prepare("PRAGMA user_version").get()?.user_version;
  assert.equal(version, schemaVersion);
  const found = snapshot(own);
  store.close();
  return found;
}
