/** Runs a program on a home with two connections and on the oracle, and compares them after each step. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { type Backscroll, open } from "../../src/index.ts";
import { lowerLimits } from "../helpers/lower-limits.ts";
import { memoryPlace } from "../helpers/places.ts";
import { compareReads } from "./compare.ts";
import { compareTables } from "./compare-tables.ts";
import { Oracle } from "./oracle.ts";
import { perform } from "./perform.ts";
import { agent, type Command, everyWord, meaning, type Program, words } from "./program.ts";

export interface Tally {
  programs: number;
  steps: number;
  /** Steps after which something was left to reconciliation. */
  indexing: number;
}

/** Time that passes as it is told: none, or so much at each look that no wait lasts. */
class Clock {
  #time = 1_760_000_100_000;
  perLook = 0;
  readonly now = () => {
    this.#time += this.perLook;
    return this.#time;
  };
}

const patience = 1000;

export async function runProgram(program: Program, tally?: Tally): Promise<void> {
  const limits = lowerLimits({ reconcileSlice: program.slice });
  const homes = new Homes(program.bounds);
  const oracle = new Oracle();
  try {
    for (const [step, command] of program.commands.entries()) {
      await does(command, homes, oracle);
      // No answer waits: what is dirty stays so but for the slice that a read begins.
      homes.clock.perLook = patience * 1000;
      const reader = homes.at(step % 3 === 0 ? command.on : command.on + 1);
      const indexing = await compareReads(reader, oracle, {
        queries: [everyWord, words[step % words.length] ?? ""],
        waitMs: 0,
        everything: step % 2 === 0,
      });
      if (!tally) continue;
      tally.steps += 1;
      if (indexing) tally.indexing += 1;
    }
    // With enough time, every answer is whole.
    homes.clock.perLook = 0;
    for (const on of [0, 1]) {
      const indexing = await compareReads(homes.at(on), oracle, {
        queries: [everyWord, ...words, "birch alder"],
        waitMs: patience,
        everything: true,
      });
      assert(!indexing, "still indexing, with all the time there is");
    }
    if (homes.at(0).agents().includes(agent)) compareTables(homes.at(0).store(agent).db, oracle);
    if (tally) tally.programs += 1;
  } finally {
    limits.restore();
    homes.close();
  }
}

/** Two connections to one home, in a folder of their own. */
class Homes {
  readonly clock = new Clock();
  readonly #folder = mkdtempSync(join(memoryPlace(), "backscroll-model-"));
  readonly #homes: Backscroll[];

  constructor(bounds: readonly number[]) {
    this.#homes = bounds.map((inlineEntries) => this.#open(inlineEntries));
  }

  at(on: number): Backscroll {
    return this.#homes[on % this.#homes.length] as Backscroll;
  }

  reopen(on: number, inlineEntries: number): void {
    this.at(on).close();
    this.#homes[on % this.#homes.length] = this.#open(inlineEntries);
  }

  close(): void {
    for (const home of this.#homes) home.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #open(inlineEntries: number): Backscroll {
    const { now } = this.clock;
    return open({ home: this.#folder, durability: "normal", timeZone: "UTC", now, inlineEntries });
  }
}

async function does(command: Command, homes: Homes, oracle: Oracle): Promise<void> {
  if (command.does === "reopen") return homes.reopen(command.on, command.inlineEntries);
  if (command.does === "tools") return homes.at(command.on).indexTools(command.indexed);
  if (command.does === "reconcile") {
    for (let slice = 0; slice < command.slices; slice++) await setImmediate();
    return;
  }
  const operation = meaning(command, oracle);
  if (operation === null) return;
  const got = perform(homes.at(command.on), agent, operation);
  assert.deepEqual(got, oracle.apply(operation), JSON.stringify(operation));
}
