/**
 * Names of things, as distinct types: a session key can't be passed where a session id is wanted.
 * Only the functions here make them, so every branded value has been checked.
 */

declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

/** A named assistant that owns sessions. 1 to 64 characters of `[a-z0-9_-]`, the first a letter or digit. */
export type AgentId = Branded<"AgentId">;
/** Stable name of a session: `agent:<agentId>:<rest>`. Survives resets. */
export type SessionKey = Branded<"SessionKey">;
/** One physical transcript of a session; a reset starts a new one. Unique within an agent. */
export type SessionId = Branded<"SessionId">;
/** One record of a transcript. Unique within its transcript. */
export type EntryId = Branded<"EntryId">;
/** A transcript format, for instance `claude-code`. */
export type SourceId = Branded<"SourceId">;

/** Longest id or key kept, in UTF-16 units. Longer ones are refused where they come from a caller, and cut with a hash by sources. */
export const longestId = 512;

const agentPattern = /^[a-z0-9][a-z0-9_-]{0,63}$/;

/** The agent id in `text`, or null when it isn't one. */
export function parseAgentId(text: string): AgentId | null {
  return agentPattern.test(text) ? (text as AgentId) : null;
}

/**
 * Makes an agent id out of any name: lower case, every run of other characters becomes one `-`.
 * A name without a single letter or digit becomes `main`. (OpenClaw's rule for agent names.)
 */
export function toAgentId(name: string): AgentId {
  const plain = name
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, "-")
    .replace(/^[^a-z0-9]+/, "")
    .slice(0, 64);
  return (plain === "" ? "main" : plain) as AgentId;
}

/** The agent and the rest of a session key, or null when `text` has not the form `agent:<agentId>:<rest>`. */
export function parseSessionKey(text: string): { key: SessionKey; agentId: AgentId; rest: string } | null {
  const match = /^agent:([^:]+):(.+)$/s.exec(text);
  if (!match || text.length > longestId || hasControl(text)) return null;
  const agentId = parseAgentId(match[1] ?? "");
  return agentId ? { key: text as SessionKey, agentId, rest: match[2] ?? "" } : null;
}

/** The key `agent:<agentId>:<rest>`. `rest` is cleaned as ids are. */
export function sessionKeyOf(agentId: AgentId, rest: string): SessionKey {
  return `agent:${agentId}:${cleanId(rest, longestId - agentId.length - 7)}` as SessionKey;
}

/** The owner of a session key. */
export function agentOf(key: SessionKey): AgentId {
  return key.slice(6, key.indexOf(":", 6)) as AgentId;
}

export function toSessionId(text: string): SessionId {
  return cleanId(text, longestId) as SessionId;
}

export function toEntryId(text: string): EntryId {
  return cleanId(text, longestId) as EntryId;
}

/** The source id in `text`, or null when it isn't one. */
export function parseSourceId(text: string): SourceId | null {
  return /^[a-z][a-z0-9-]{0,31}$/.test(text) ? (text as SourceId) : null;
}

export function toSourceId(text: string): SourceId {
  if (parseSourceId(text) === null) throw new RangeError(`not a source id: ${JSON.stringify(text)}`);
  return text as SourceId;
}

/** Ids come from files that anyone may have written: no control characters, well-formed, of bounded length, never empty. */
function cleanId(text: string, longest: number): string {
  const plain = hasControl(text) ? text.replace(/\p{Cc}/gu, "�") : text;
  const whole = plain.toWellFormed();
  if (whole === "") return "-";
  if (whole.length <= longest) return whole;
  return `${whole.slice(0, longest - 18).toWellFormed()}~${hash53(whole).toString(36)}`;
}

function hasControl(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x20 || (code >= 0x7f && code < 0xa0) || (code >= 0xd800 && code <= 0xdfff)) return true;
  }
  return false;
}

/** A 53-bit hash (cyrb53's mixing): for names and copy groups, never for security. */
export function hash53(text: string): number {
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 0x9e3779b1);
    b = Math.imul(b ^ unit, 0x5f356495);
  }
  a = Math.imul(a ^ (a >>> 16), 0x85ebca6b) ^ Math.imul(b ^ (b >>> 13), 0xc2b2ae35);
  b = Math.imul(b ^ (b >>> 16), 0x85ebca6b) ^ Math.imul(a ^ (a >>> 13), 0xc2b2ae35);
  return 0x100000000 * (b & 0x1fffff) + (a >>> 0);
}
