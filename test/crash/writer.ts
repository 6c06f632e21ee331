/**
 * A process of its own that does the steps of a file to a home, one after the other, and says on standard output what
 * each operation came to as soon as it returned. Whoever started it kills it.
 */
import { readFileSync, readSync, writeSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { type Backscroll, BackscrollError, open } from "../../src/index.ts";
import { toAgentId } from "../../src/model/ids.ts";
import { lowerLimits } from "../helpers/lower-limits.ts";
import { perform } from "../model/perform.ts";
import type { Step } from "./step.ts";

const [home = "", file = "", inlineEntries = ""] = process.argv.slice(2);
const steps = JSON.parse(readFileSync(file, "utf8")) as Step[];
const agent = toAgentId("main");
lowerLimits({ inlineEntries: Number(inlineEntries), reconcileSlice: 8 });

const say = (line: string) => writeSync(1, `${line}\n`);
const connect = (): Backscroll => {
  const store = open({ home, durability: "full" });
  store.store(agent);
  return store;
};

say("opening");
let store = connect();
say("open");
for (const step of steps) {
  switch (step.does) {
    case "reconcile":
      await store.sessions();
      break;
    case "reopen":
      store.close();
      store = reconnect();
      break;
    case "wait":
      say("wait");
      readSync(0, Buffer.alloc(1));
      break;
    default:
      say(JSON.stringify(perform(store, agent, step)));
  }
}
say("end");
// What is left to do is to be killed.
await setTimeout(60_000);

/** Where the disk is full, even opening can fail. */
function reconnect(): Backscroll {
  try {
    return connect();
  } catch (error) {
    if (error instanceof BackscrollError && error.code === "io") return open({ home, durability: "full" });
    throw error;
  }
}
