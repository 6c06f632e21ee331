/** A process of its own: imports the folder of neutral JSONL (second argument) into the home (first argument). */
import { builtInSources, open } from "../../src/index.ts";

const [home = "", folder = ""] = process.argv.slice(2);
const store = open({ home, durability: "normal" });
await store.import(builtInSources.filter(({ id }) => id === "jsonl").map((source) => ({ source, folder })));
store.close();
