/**
 * A process of its own that appends to, rewinds and searches the home of its first argument all the time, under the name of
 * its second: so many rounds as its third says. Prints every error as it stands and exits with how many there were.
 */
import { open } from "../../src/index.ts";
import { toEntryId } from "../../src/model/ids.ts";
import { key, user } from "./entries.ts";

const [home = "", name = "", rounds = "0"] = process.argv.slice(2);
let errors = 0;
for (let at = 0; at < Number(rounds); at++) {
  // Opened anew each time: opening, closing and what SQLite does then are part of what is tried.
  const backscroll = open({ home, durability: "normal", timeZone: "UTC" });
  try {
    const store = backscroll.store("main");
    store.append(key(name), [user(`${name}-${at}`, `quagga ${at} of ${name}`)]);
    store.append(key("shared"), [user(`shared-${name}-${at}`, `heron ${at} of ${name}`)]);
    store.setLeaf(key(name), toEntryId(`${name}-${at}`));
    const { results } = await backscroll.search({ query: `quagga ${name}`, perSession: 25, limit: 25, waitMs: 0 });
    if (results.length < Math.min(25, at + 1)) throw new Error(`round ${at}: ${results.length} found`);
  } catch (error) {
    errors += 1;
    process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
  } finally {
    backscroll.close();
  }
}
process.exitCode = errors;
