/** What every read does first: which agents can matter, and their dirty transcripts put right while there is time. */
import { BackscrollError } from "../errors.ts";
import type { Scope } from "../model/caller.ts";
import type { AgentId } from "../model/ids.ts";
import type { AgentStore } from "../store/agent-store.ts";
import { isDirty } from "../store/dirty.ts";
import { visibleDirty } from "../store/match.ts";
import { canPurge } from "../store/purge.ts";
import { reachesAgent } from "../visibility/scope.ts";
import type { ToolContext } from "./tool.ts";

export interface Prepared {
  readonly stores: readonly AgentStore[];
  /** Transcripts that are still being indexed. */
  readonly pending: number;
  /** Agents whose store is damaged: the answer is made without them, and says so. */
  readonly damaged: readonly AgentId[];
}

/**
 * Opens only the agents inside the scope, and waits only for what the caller may see; what else there is to do goes on in
 * the background (SPEC 2.4).
 * @throws {BackscrollError} `bad_store` where no store is left that could answer.
 */
export async function prepare(context: ToolContext, scope: Scope, waitMs: number, agent?: string): Promise<Prepared> {
  const agents = context.home
    .agents()
    .filter((agentId) => reachesAgent(scope, agentId) && (agent === undefined || agent === agentId));
  const until = context.now() + waitMs;
  const each = await sound(agents, async (agentId) => {
    const store = context.home.store(agentId);
    return { store, pending: await settle(store, scope, until, context.now) };
  });
  return {
    stores: each.results.map(({ store }) => store),
    pending: each.results.reduce((sum, { pending }) => sum + pending, 0),
    damaged: each.damaged,
  };
}

async function settle({ db, reconciler }: AgentStore, scope: Scope, until: number, now: () => number): Promise<number> {
  const wanted = visibleDirty(db, scope);
  if (wanted.length > 0) {
    await reconciler.settle(wanted, until, now);
    return visibleDirty(db, scope).length;
  }
  if (isDirty(db) || canPurge(db)) reconciler.start();
  return 0;
}

/**
 * Does something with each of several stores, and leaves out those that turn out to be damaged: one agent's broken disk
 * page does not silence the others.
 * @throws {BackscrollError} `bad_store` where none is sound.
 */
export async function sound<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Result | Promise<Result>,
): Promise<{ results: Result[]; damaged: Item[] }> {
  const results: Result[] = [];
  const damaged: Item[] = [];
  let first: unknown;
  for (const item of items) {
    try {
      results.push(await work(item));
    } catch (error) {
      if (!(error instanceof BackscrollError) || error.code !== "bad_store") throw error;
      first ??= error;
      damaged.push(item);
    }
  }
  if (results.length === 0 && first !== undefined) throw first;
  return { results, damaged };
}

/** The flags of an answer that may miss something, and why. */
export function incompleteness({
  stores,
  pending,
  damaged,
}: Prepared): { indexing?: true; warning?: string } | undefined {
  if (pending === 0 && damaged.length === 0) return undefined;
  const what = pending === 1 ? "session is" : "sessions are";
  const named = `${damaged.slice(0, mostNamed).join(", ")}${damaged.length > mostNamed ? " and others" : ""}`;
  const warnings: string[] = [];
  // What waits for a store to become writable does not come sooner by asking again.
  if (pending > 0 && stores.some(({ db }) => db.readOnly)) {
    warnings.push(
      `${pending} ${what} not indexed yet, and this home can't be written; parts of them can't be found. Open it once where it can be written.`,
    );
  } else if (pending > 0) {
    warnings.push(
      `${pending} ${what} still being indexed; parts of them can't be found yet. Ask again, or with a larger waitMs.`,
    );
  }
  if (damaged.length > 0) {
    warnings.push(
      `The store of ${named} is damaged: this answer is without it. The owner can mend it with backscroll doctor --fix.`,
    );
  }
  return { ...(pending > 0 && { indexing: true as const }), warning: warnings.join(" ") };
}

/** Agents named in a warning. */
const mostNamed = 5;
