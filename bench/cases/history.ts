/**
 * A page around a hit in one long session, and the pages next to it and at its end (SPEC 13: within 5 ms). Judged by CPU,
 * as search is.
 */
import { open } from "../../src/index.ts";
import type { BenchCase, Figure } from "../case.ts";
import { keyOf, messageId } from "../fill.ts";
import { median, percentile, type Timing, timedAsync } from "../measure.ts";
import { seeded, whole } from "../random.ts";

const pages = 200;
const budget = 5;
/** The session has as many messages as the corpus, up to this: the size that the budget is meant for. */
const longest = 100_000;

export const bench: BenchCase = {
  title: "history page in a long session, warm",
  stores: ({ messages, seed }) => [{ kind: "long", messages: Math.min(messages, longest), seed }],
  async run({ stores, seed }) {
    const [store] = stores;
    if (!store) throw new RangeError("no store to read");
    const { messages } = store.corpus;
    const backscroll = open({ home: store.home });
    const random = seeded(seed, 11);
    const around = () => messageId(whole(random, messages));
    const cursors: string[] = [];

    const measure = async (what: string, input: () => Record<string, string>): Promise<Figure> => {
      const times: Timing[] = [];
      for (let i = -10; i < pages; i++) {
        const request = { sessionKey: keyOf(0), ...input() };
        const time = await timedAsync(async () => {
          const page = await backscroll.history(request);
          if (page.messages.length === 0 || page.totalMessages !== messages)
            throw new Error(`${what}: a page without messages, or of ${page.totalMessages}`);
          if (page.older !== undefined) cursors.push(page.older);
        });
        if (i >= 0) times.push(time);
      }
      const wall = times.map((timing) => timing.wall);
      const cpu = times.map((timing) => timing.cpu);
      return {
        what: `${what}, session of ${messages} messages`,
        value: percentile(cpu, 0.95),
        unit: "ms",
        budget,
        detail: { p50: median(cpu), max: Math.max(...cpu), wallP50: median(wall), wallP95: percentile(wall, 0.95) },
      };
    };

    const figures = [
      await measure("page around a message", () => ({ messageId: around() })),
      await measure("page before another", () => ({ cursor: cursors[whole(random, cursors.length)] ?? "" })),
      await measure("last page", () => ({})),
    ];
    backscroll.close();
    return figures;
  },
};
