/**
 * A process of its own that keeps a home (first argument) open: answers each query it is sent with the ids of the messages
 * found, or with the code of the error. Private copies go below the second argument. With a third, the first search stops
 * between opening the store and reading it, says "opened", and waits for a file of that name.
 */
import { existsSync } from "node:fs";
import { BackscrollError, open } from "../../src/index.ts";
import { becomeNobody } from "./become-nobody.ts";

becomeNobody();

const [home = "", scratch, signal] = process.argv.slice(2);
let stops = signal !== undefined;
const now = () => {
  if (stops) process.send?.("opened");
  while (stops) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    stops = !existsSync(signal ?? "");
  }
  return Date.now();
};
const store = open({ home, timeZone: "UTC", now, ...(scratch !== undefined && { scratch }) });
process.on("message", (query) => {
  store.search({ query, perSession: 25, limit: 25, waitMs: 0 }).then(
    ({ results, warning }) => process.send?.({ found: results.map(({ messageId }) => messageId).sort(), warning }),
    (error: unknown) =>
      process.send?.(
        error instanceof BackscrollError ? { code: error.code, error: error.message } : { raw: String(error) },
      ),
  );
});
process.on("disconnect", () => store.close());
process.send?.("ready");
