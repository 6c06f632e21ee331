/** Reads made-up Codex records in memory, as the line reader would hand them over, for the unit tests of that source. */

import type { EntryDraft, SessionDraft } from "../../../../src/model/transcript.ts";
import { rollout } from "../../../../src/sources/codex/rollout.ts";
import type { RolloutState } from "../../../../src/sources/codex/state.ts";
import type { Fields } from "../../../../src/sources/fields.ts";
import type { SourceFile, SourceItem } from "../../../../src/sources/source.ts";

export const file: SourceFile = {
  path: "/srv/codex/sessions/2026/03/04/rollout-2026-03-04T09-00-00-0199c0de-2222-7aaa-8bbb-000000000001.jsonl",
  relative: "sessions/2026/03/04/rollout-2026-03-04T09-00-00-0199c0de-2222-7aaa-8bbb-000000000001.jsonl",
  root: "/srv/codex",
  size: 0,
  mtimeMs: 0,
};

/** Items of the records, read in one go or with a checkpoint, saved as JSON, before each index of `cuts`. */
export function readRecords(records: readonly Fields[], cuts: readonly number[] = [], from = file): SourceItem[] {
  const items: SourceItem[] = [];
  let state = rollout.start(from);
  records.forEach((record, index) => {
    if (cuts.includes(index)) state = JSON.parse(JSON.stringify(state)) as RolloutState;
    rollout.record(record, { path: from.path, line: index + 1, mtimeMs: 0 }, state, (item) => {
      items.push(item);
    });
  });
  return items;
}

export function entries(items: readonly SourceItem[]): EntryDraft[] {
  return items.flatMap((item) => (item.kind === "entry" ? [item.entry] : []));
}

export function sessions(items: readonly SourceItem[]): SessionDraft[] {
  return items.flatMap((item) => (item.kind === "session" ? [item.session] : []));
}

export function problems(items: readonly SourceItem[]): string[] {
  return items.flatMap((item) => (item.kind === "problem" ? [item.problem.code] : []));
}

export function ignored(items: readonly SourceItem[]): string[] {
  return items.flatMap((item) => (item.kind === "ignored" ? [item.what] : []));
}

/** What a search may find once all items are stored, in order: a body stored again replaces the one before. */
export function spoken(items: readonly SourceItem[]): [string, string][] {
  const byId = new Map<string, EntryDraft>();
  for (const entry of entries(items)) byId.set(entry.id, entry);
  return [...byId.values()].flatMap((entry): [string, string][] => {
    if (entry.type !== "message" || (entry.role !== "user" && entry.role !== "assistant")) return [];
    const said = entry.parts.flatMap((part) => (part.type === "text" && part.injected !== true ? [part.text] : []));
    return said.length === 0 ? [] : [[entry.role, said.join("\n")]];
  });
}

const timestamp = "2026-03-04T08:00:00.000Z";

export const meta = (payload: Fields = {}): Fields => ({
  timestamp,
  type: "session_meta",
  payload: { id: "0199c0de-2222-7aaa-8bbb-000000000001", timestamp, cwd: "/srv/boatyard", source: "cli", ...payload },
});
export const item = (type: string, payload: Fields = {}): Fields => ({
  timestamp,
  type: "response_item",
  payload: { type, ...payload },
});
export const event = (type: string, payload: Fields = {}): Fields => ({
  timestamp,
  type: "event_msg",
  payload: { type, ...payload },
});
export const userItem = (text: string, more: Fields = {}): Fields =>
  item("message", { role: "user", content: [{ type: "input_text", text }], ...more });
export const userEvent = (message: string, more: Fields = {}): Fields => event("user_message", { message, ...more });
export const assistantItem = (text: string, more: Fields = {}): Fields =>
  item("message", { role: "assistant", content: [{ type: "output_text", text }], ...more });
export const agentEvent = (message: string): Fields => event("agent_message", { message });
