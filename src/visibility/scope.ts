/** Caller to scope (SPEC 6.2). Pure, and the only place where a mode gets its meaning. */
import { type Caller, defaultPolicy, type Scope } from "../model/caller.ts";
import { type AgentId, agentOf } from "../model/ids.ts";

/**
 * `all` reaches other agents only where an agent-to-agent policy lets it, and that policy is off by default (SPEC 6.3):
 * without one, `all` means the caller's own agent.
 */
export function scopeOf(caller: Caller): Scope {
  if (caller.kind === "owner") return { sees: "everything" };
  const { sessionKey } = caller;
  const agentId = agentOf(sessionKey);
  switch (caller.visibility ?? defaultPolicy.visibility) {
    case "self":
      return { sees: "session", agentId, sessionKey };
    case "tree":
      return { sees: "tree", agentId, root: sessionKey };
    case "agent":
    case "all":
      return { sees: "agent", agentId };
  }
}

/** Whether anything of that agent can be in the scope: agents outside it are not even opened. */
export function reachesAgent(scope: Scope, agentId: AgentId): boolean {
  return scope.sees === "everything" || scope.agentId === agentId;
}
