/**
 * Names of sessions in a case ↔ session keys. A session that a step writes has the key `agent:<agent>:<name>`; one that
 * an import brought goes by its session id or the end of its key.
 */
import { parseAgentId, parseSessionKey, type SessionKey, sessionKeyOf } from "../../src/index.ts";
import { NotRun } from "./not-run.ts";

export interface NamedSession {
  readonly sessionKey: string;
  readonly sessionId?: string;
}

export class SessionNames {
  readonly #keys = new Map<string, SessionKey[]>();

  /** The key of a name that a step writes to. Without an agent: the one the name had last, else `main`. */
  add(name: string, agent?: string): SessionKey {
    const key = this.#make(name, agent);
    const keys = this.#keys.get(name) ?? [];
    this.#keys.set(name, [...keys.filter((other) => other !== key), key]);
    return key;
  }

  /** The key that a step gave the name; for a name no step wrote, what a step would give it. */
  of(name: string): SessionKey {
    return this.written(name) ?? this.#make(name);
  }

  /** The key that a step gave the name; undefined when none wrote it. */
  written(name: string): SessionKey | undefined {
    return this.#keys.get(name)?.at(-1);
  }

  /** Whether a session of an answer is the one of that name. */
  is(session: NamedSession, name: string): boolean {
    const { sessionKey, sessionId } = session;
    const written = this.#keys.get(name);
    if (written) return written.some((key) => key === sessionKey);
    const rest = parseSessionKey(sessionKey)?.rest ?? sessionKey;
    return sessionKey === name || sessionId === name || rest === name || rest.endsWith(`:${name}`);
  }

  #make(name: string, agent?: string): SessionKey {
    const whole = parseSessionKey(name);
    if (whole) return whole.key;
    const known = this.written(name);
    if (agent === undefined && known) return known;
    const agentId = parseAgentId(agent ?? "main");
    if (!agentId) throw new NotRun(`${JSON.stringify(agent)} is not an agent id`);
    return sessionKeyOf(agentId, name);
  }
}
