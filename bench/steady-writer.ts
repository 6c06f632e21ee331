/**
 * A process of its own that appends at a steady rate, one message a transaction, at full durability: `steady-writer.ts
 * <home> <rate a second> <first message>`. Every second message goes to the session that is being reconciled, the others to
 * nine sessions beside it. Told anything, it stops, says how long each append took, and ends.
 */
import { open } from "../src/index.ts";
import { type Corpus, messageText } from "./corpus.ts";
import { agent, keyOf, toEntry } from "./fill.ts";

const [home = "", rate = "", first = ""] = process.argv.slice(2);
const corpus: Corpus = { kind: "long", messages: 100_000, seed: 7 };
const others = 9;
const backscroll = open({ home });
const store = backscroll.store(agent);
const times: number[] = [];
const start = performance.now();
let stop = false;

const end = () => {
  stop = true;
};
process.once("message", end);
// Whoever started it may have failed.
process.once("disconnect", end);

function next(): void {
  if (stop) {
    const seconds = (performance.now() - start) / 1000;
    backscroll.close();
    // Not before it has left: a long message is not sent at once.
    if (process.connected) process.send?.({ times, seconds }, () => process.disconnect());
    return;
  }
  // As many as are due by now: one that was late makes the next ones come at once, as with a real crowd of writers.
  const due = ((performance.now() - start) / 1000) * Number(rate);
  if (times.length < due) {
    const at = times.length;
    const no = Number(first) + at;
    const entry = toEntry({ no, session: 0, role: "user", timestamp: Date.now(), text: messageText(corpus, at) });
    const key = keyOf(at % 2 === 0 ? 0 : 1 + (((at - 1) / 2) % others));
    const begin = performance.now();
    store.append(key, [entry]);
    times.push(performance.now() - begin);
    setImmediate(next);
  } else setTimeout(next, 1);
}

process.send?.("ready");
next();
