/** What every read does first: which agents can matter, and their dirty transcripts put right while there is time. */
import type { Scope } from "../model/caller.ts";
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
}

/**
 * Opens only the agents inside the scope, and waits only for what the caller may see; what else there is to do goes on in
 * the background (SPEC 2.4).
 */
export async function prepare(context: ToolContext, scope: Scope, waitMs: number, agent?: string): Promise<Prepared> {
  const stores = context.home
    .agents()
    .filter((agentId) => reachesAgent(scope, agentId) && (agent === undefined || agent === agentId))
    .map((agentId) => context.home.store(agentId));
  const until = context.now() + waitMs;
  let pending = 0;
  for (const { db, reconciler } of stores) {
    const wanted = visibleDirty(db, scope);
    if (wanted.length > 0) {
      await reconciler.settle(wanted, until, context.now);
      pending += visibleDirty(db, scope).length;
    } else if (isDirty(db) || canPurge(db)) reconciler.start();
  }
  return { stores, pending };
}

export function pendingWarning(
  pending: number,
  stores: readonly AgentStore[],
): { indexing: true; warning: string } | undefined {
  if (pending === 0) return undefined;
  const what = pending === 1 ? "session is" : "sessions are";
  // What waits for a store to become writable does not come sooner by asking again.
  const warning = stores.some(({ db }) => db.readOnly)
    ? `${pending} ${what} not indexed yet, and this home can't be written; parts of them can't be found. Open it once where it can be written.`
    : `${pending} ${what} still being indexed; parts of them can't be found yet. Ask again, or with a larger waitMs.`;
  return { indexing: true, warning };
}
