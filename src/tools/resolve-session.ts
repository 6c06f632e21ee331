/**
 * What a caller calls a session → the session, under the caller's scope: a session key, a session id, or `main` and
 * `current` for a caller that is in a session. One that is not there and one that may not be seen get the same words.
 */
import { BackscrollError } from "../errors.ts";
import type { Scope } from "../model/caller.ts";
import { agentOf, parseSessionKey, type SessionKey, sessionKeyOf } from "../model/ids.ts";
import type { AgentStore } from "../store/agent-store.ts";
import { type FoundSession, findSession } from "../store/find-session.ts";
import type { Prepared } from "./prepare.ts";
import type { ToolContext } from "./tool.ts";

export interface ResolvedSession extends FoundSession {
  readonly store: AgentStore;
}

/** @throws {BackscrollError} `unknown_session`; `bad_store` where a damaged store may have it. */
export function resolveSession(
  reference: string,
  { stores, damaged }: Pick<Prepared, "stores" | "damaged">,
  scope: Scope,
  context: ToolContext,
): ResolvedSession {
  const name = alias(reference.trim(), context);
  // A key names its agent: nothing in another agent's store can answer to it.
  const key = parseSessionKey(name);
  for (const store of stores) {
    if (key && key.agentId !== store.agentId) continue;
    const found = findSession(store.db, scope, name);
    if (found) return { ...found, store };
  }
  const [hurt] = damaged.filter((agentId) => key === null || key.agentId === agentId);
  if (hurt !== undefined) {
    throw new BackscrollError(
      "bad_store",
      `${JSON.stringify(reference.slice(0, 200).toWellFormed())} is in no store that can be read; that of ${hurt} is damaged`,
      `Mend it with backscroll doctor --fix --agent ${hurt}, then ask again.`,
    );
  }
  throw new BackscrollError(
    "unknown_session",
    `no session ${JSON.stringify(reference.slice(0, 200).toWellFormed())} that you can see`,
    "Use a session key or session id from a search hit or from the session list.",
  );
}

function alias(reference: string, { caller }: ToolContext): SessionKey | string {
  if (caller.kind !== "session") return reference;
  if (reference === "current") return caller.sessionKey;
  return reference === "main" ? sessionKeyOf(agentOf(caller.sessionKey), "main") : reference;
}
