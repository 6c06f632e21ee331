/** Who asks, and what that lets them see (SPEC 6). */
import type { AgentId, SessionKey } from "./ids.ts";

/** How far a caller's sight reaches: its own session, those spawned from it too, its agent's, every agent's. */
export const visibilityModes = ["self", "tree", "agent", "all"] as const;
export type VisibilityMode = (typeof visibilityModes)[number];

/** What a sandboxed caller is limited to: its own session and those it spawned itself, or no more than others are. */
export const sandboxVisibilities = ["spawned", "all"] as const;
export type SandboxVisibility = (typeof sandboxVisibilities)[number];

/** Who may look into another agent's sessions (SPEC 6.3): both agents must be on the list. */
export interface AgentToAgent {
  readonly enabled: boolean;
  /** Exact agent ids, and globs in which `*` stands for any characters. Blank ones match nothing; no entry allows nobody. */
  readonly allow: readonly string[];
}

/** What the settings say of callers. */
export interface Policy {
  readonly visibility: VisibilityMode;
  readonly agentToAgent: AgentToAgent;
  readonly sandboxVisibility: SandboxVisibility;
}

/** For agents that a program embeds (SPEC 6.2 to 6.4). */
export const defaultPolicy: Policy = {
  visibility: "tree",
  agentToAgent: { enabled: false, allow: [] },
  sandboxVisibility: "spawned",
};

/**
 * An agent in a session. Key and sandbox must come from the server's own knowledge, never from the request. What it leaves
 * out of the policy is as the home's settings say.
 */
export interface SessionCaller extends Partial<Policy> {
  readonly kind: "session";
  readonly sessionKey: SessionKey;
  readonly sandboxed?: boolean;
}

export type Caller =
  /** The person whose machine this is: sees everything. */
  { readonly kind: "owner" } | SessionCaller;

export const owner: Caller = { kind: "owner" };

/** Visibility applied to one caller. Becomes part of the SQL statement, so it holds before any limit. */
export type Scope =
  | { readonly sees: "everything" }
  | { readonly sees: "agent"; readonly agentId: AgentId }
  /** The session and all spawned from it, at any depth. */
  | { readonly sees: "tree"; readonly agentId: AgentId; readonly root: SessionKey }
  | { readonly sees: "session"; readonly agentId: AgentId; readonly sessionKey: SessionKey };
