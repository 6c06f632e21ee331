/** Entries in one line. */
import { type EntryDraft, type Role, sessionKeyOf, toAgentId, toEntryId } from "../../src/index.ts";

export function message(id: string, role: Role, text: string, more: Partial<EntryDraft> = {}): EntryDraft {
  return {
    id: toEntryId(id),
    type: "message",
    role,
    timestamp: 1_760_000_000_000,
    parts: [{ type: "text", text }],
    ...more,
  };
}

export function user(id: string, text: string, more: Partial<EntryDraft> = {}): EntryDraft {
  return message(id, "user", text, more);
}

export function assistant(id: string, text: string, more: Partial<EntryDraft> = {}): EntryDraft {
  return message(id, "assistant", text, more);
}

export function key(rest: string, agent = "main") {
  return sessionKeyOf(toAgentId(agent), rest);
}
