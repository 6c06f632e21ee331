/** What every read does first: which agents can matter, and their dirty transcripts put right while there is time. */
import type { Scope } from "../model/caller.ts";
import type { AgentStore } from "../store/agent-store.ts";
import { countDirty } from "../store/match.ts";
import { reconcile } from "../store/reconcile.ts";
import { reachesAgent } from "../visibility/scope.ts";
import type { ToolContext } from "./tool.ts";

export interface Prepared {
  readonly stores: readonly AgentStore[];
  /** Transcripts that are still being indexed. */
  readonly pending: number;
}

/** Opens only the agents inside the scope. */
export async function prepare(context: ToolContext, scope: Scope, waitMs: number, agent?: string): Promise<Prepared> {
  const stores = context.home
    .agents()
    .filter((agentId) => reachesAgent(scope, agentId) && (agent === undefined || agent === agentId))
    .map((agentId) => context.home.store(agentId));
  const until = context.now() + waitMs;
  let pending = 0;
  for (const store of stores) {
    const left = await reconcile(store.db, until, context.now);
    // What a caller can't see is none of its business, pending or not.
    if (left > 0) pending += countDirty(store.db, scope);
  }
  return { stores, pending };
}

export function pendingWarning(pending: number): { indexing: true; warning: string } | undefined {
  if (pending === 0) return undefined;
  return {
    indexing: true,
    warning: `${pending} ${pending === 1 ? "session is" : "sessions are"} still being indexed; parts of them can't be found yet. Ask again, or with a larger waitMs.`,
  };
}
