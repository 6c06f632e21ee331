/**
 * A process of its own that keeps a home (first argument) open: answers each query it is sent with the ids of the messages
 * found, or with the code of the error. Private copies go below the second argument.
 */
import { BackscrollError, open } from "../../src/index.ts";

const [home = "", scratch] = process.argv.slice(2);
const store = open({ home, timeZone: "UTC", ...(scratch !== undefined && { scratch }) });
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
