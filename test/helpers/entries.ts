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

/** A tool call by the assistant. */
export function call(id: string, given: Record<string, string>, more: Partial<EntryDraft> = {}): EntryDraft {
  return assistant(id, "", { parts: [{ type: "toolCall", name: "bash", arguments: given }], ...more });
}

export function result(id: string, text: string, more: Partial<EntryDraft> = {}): EntryDraft {
  return message(id, "toolResult", "", { parts: [{ type: "toolResult", text }], ...more });
}

export function key(rest: string, agent = "main") {
  return sessionKeyOf(toAgentId(agent), rest);
}
