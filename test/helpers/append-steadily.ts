/**
 * A process of its own: appends to a session of agent `main` in the home (first argument), one message a transaction, until
 * it is told to stop, and says how many were acknowledged.
 */
import { open } from "../../src/index.ts";
import { key, user } from "./entries.ts";

const [home = ""] = process.argv.slice(2);
const backscroll = open({ home });
const store = backscroll.store("main");
let count = 0;
let stop = false;
process.on("message", (word) => {
  if (word === "count") process.send?.(count);
  else stop = true;
});
process.once("disconnect", () => {
  stop = true;
});
function next(): void {
  if (stop) {
    backscroll.close();
    if (process.connected) process.send?.(count, () => process.disconnect());
    return;
  }
  store.append(key("steady"), [user(`s${count}`, `steady drop ${count}`)]);
  count += 1;
  setImmediate(next);
}
next();
