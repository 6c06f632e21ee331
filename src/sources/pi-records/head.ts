/**
 * The record types of the pi family, and whether a file's first bytes look like a session of it.
 */
import { isFields, parseJson } from "../fields.ts";

/** State entries that pi and OpenClaw write. */
const ownState = ["model_change", "thinking_level_change", "custom", "label", "session_info", "reset"];
/** State entries that forks of pi add. */
const forkState = ["title_change", "mode_change", "service_tier_change", "session_init", "ttsr_injection", "archive"];

/** Types of entries that say nothing and are kept with whatever they hold. */
export const stateTypes: ReadonlySet<string> = new Set([...ownState, ...forkState, "reset_boundary"]);

const firstTypes = new Set([...stateTypes, "title", "compaction", "branch_summary", "custom_message", "leaf"]);

/** Whether a file begins like a session of this family: its first line that is JSON decides. `head` may be cut anywhere. */
export function isSessionHead(head: string): boolean {
  for (const line of head.split("\n", 5)) {
    const record = parseJson(line.replace(/^\uFEFF/, ""));
    // A bad line, or the head was cut inside it: the next one decides.
    if (record === undefined) continue;
    // Lines of the neutral format have types of the same name, and a session key.
    if (!isFields(record) || typeof record.type !== "string" || "sessionKey" in record) return false;
    if (record.type === "message") return isFields(record.message);
    return record.type === "session" || firstTypes.has(record.type);
  }
  return false;
}
