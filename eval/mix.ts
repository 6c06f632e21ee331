/**
 * A judged set among many more messages: what bounding the cost of a query loses of old answers. Generated
 * messages go into the stores of the set's own agents; the set is then asked with the engine's bound as it is, and with it
 * out of the way.
 */
import { type CorpusMessage, corpusMessages } from "../bench/corpus.ts";
import { toEntry } from "../bench/fill.ts";
import { limits, sessionKeyOf, toAgentId } from "../src/index.ts";
import { lowerLimits } from "../test/helpers/lower-limits.ts";
import type { JudgedSet } from "./judged-set.ts";

/** The limit that bounds the candidates of a query. The one place to name it. */
const bound: string = "candidatePostings";
/** No store that fits a disk has as many. */
const unbounded = 2 ** 40;
/** Messages of one append. */
const batch = 500;

/** Adds that many messages, spread over the agents in turn. */
export function mixIn({ home, name }: JudgedSet, count: number, seed: number): void {
  const agents = home.store.agents();
  const waiting = new Map<string, CorpusMessage[]>();
  const append = (agent: string, messages: readonly CorpusMessage[]) => {
    const store = home.store.store(agent);
    for (const [session, those] of Map.groupBy(messages, (message) => message.session))
      store.append(sessionKeyOf(toAgentId(agent), `${name}-mixed-${session}`), those.map(toEntry), { kind: "direct" });
  };
  for (const message of corpusMessages({ kind: "mixed", messages: count, seed })) {
    const agent = agents[message.session % agents.length];
    if (agent === undefined) return;
    const messages = waiting.get(agent) ?? [];
    messages.push(message);
    waiting.set(agent, messages);
    if (messages.length < batch) continue;
    append(agent, messages);
    waiting.delete(agent);
  }
  for (const [agent, messages] of waiting) append(agent, messages);
}

/** Whether the engine has the bound. */
export function hasBound(): boolean {
  return bound in limits;
}

/** Runs without the bound, in this process; the bound is back afterwards. */
export async function withoutBound<T>(run: () => Promise<T>): Promise<T> {
  const lowered = lowerLimits({ [bound]: unbounded });
  try {
    return await run();
  } finally {
    lowered.restore();
  }
}
