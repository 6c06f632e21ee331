/** Who asks, and what that lets them see (SPEC 6). */
import type { AgentId, SessionKey } from "./ids.ts";

/** How far a caller's sight reaches: its own session, those spawned from it too, its agent's, every agent's. */
export const visibilityModes = ["self", "tree", "agent", "all"] as const;
export type VisibilityMode = (typeof visibilityModes)[number];

export type Caller =
  /** The person whose machine this is: sees everything. */
  | { readonly kind: "owner" }
  /** An agent in a session. Its key must come from the server's own knowledge, never from the request. */
  | { readonly kind: "session"; readonly sessionKey: SessionKey; readonly visibility: VisibilityMode };

export const owner: Caller = { kind: "owner" };

/** Visibility applied to one caller. Becomes part of the SQL statement, so it holds before any limit. */
export type Scope =
  | { readonly sees: "everything" }
  | { readonly sees: "agent"; readonly agentId: AgentId }
  /** The session and all spawned from it, at any depth. */
  | { readonly sees: "tree"; readonly agentId: AgentId; readonly root: SessionKey }
  | { readonly sees: "session"; readonly agentId: AgentId; readonly sessionKey: SessionKey };
