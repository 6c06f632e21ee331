/**
 * Hands over what a Claude Code record says: an entry, or a count for a record that is not kept, with an alias for its
 * uuid, since progress, attachment and system records stand in the parent chain of the messages.
 */
import { type EntryId, toEntryId } from "../../model/ids.ts";
import type { EntryDraft } from "../../model/transcript.ts";
import { type Fields, text, time, word } from "../fields.ts";
import type { Place } from "../jsonl.ts";
import type { SourceItem } from "../source.ts";
import { agentId, give, type Lane, laneOf, type Memory, noteEnvelope } from "./session.ts";

/** What a record is read with. */
export interface Context {
  readonly record: Fields;
  readonly place: Place;
  readonly memory: Memory;
  readonly push: (item: SourceItem) => void;
}

/** Hands over an entry: its id, place and time come from the record. Returns null: there is nothing to refuse. */
export function keep(context: Context, lane: Lane, draft: Omit<EntryDraft, "id" | "timestamp" | "attach">): null {
  const { record, memory, push } = context;
  noteEnvelope(memory, lane, record, push);
  give(
    lane,
    {
      kind: "entry",
      agentId,
      sessionId: lane.id,
      entry: {
        id: entryId(context),
        ...(word(record.uuid) === undefined && { idByPlace: true as const }),
        timestamp: timeOf(context),
        attach: "turns",
        ...parentOf(record),
        ...draft,
      },
    },
    push,
  );
  return null;
}

/** Records without uuid are named by their place, which an append-only file keeps. */
export function entryId(context: Context): EntryId {
  return toEntryId(word(context.record.uuid) ?? `${context.memory.name}#${context.place.line}`);
}

/** The parent that the record names; null for a root. */
function parentOf(record: Fields): { parentId?: EntryId | null } {
  const parent = record.parentUuid;
  if (parent === null) return { parentId: null };
  return typeof parent === "string" && parent !== "" ? { parentId: toEntryId(parent) } : {};
}

function timeOf({ record, place, push }: Context): number | null {
  const value = record.timestamp;
  if (value === undefined || value === null) return null;
  const ms = time(value);
  if (ms === null) {
    push({
      kind: "problem",
      problem: {
        code: "bad-time",
        path: place.path,
        line: place.line,
        reason: `the timestamp can't be read as a time (${typeof value}); the time before it stands in`,
      },
    });
  }
  return ms;
}

/** Why a record is not kept. `bad` ends the sentence "a record of type … ". `of` is the entry that has its text already. */
export type Refusal = { readonly ignored: string; readonly of?: EntryId } | { readonly bad: string };

/** Counts or reports a record that is not kept. */
export function refuse(context: Context, refusal: Refusal): void {
  const { record, place, push } = context;
  if ("ignored" in refusal) {
    push({ kind: "ignored", what: refusal.ignored.slice(0, 80) });
    alias(context, refusal.of);
    return;
  }
  push({
    kind: "problem",
    problem: {
      code: "bad-record",
      path: place.path,
      line: place.line,
      reason: `a record of type ${JSON.stringify(text(record.type)?.slice(0, 64))} ${refusal.bad}; skipped`,
    },
  });
  alias(context);
}

/** Those that name the record as their parent mean `of`: by default its own parent. */
function alias(context: Context, of?: EntryId): void {
  const { record, memory, push } = context;
  const uuid = word(record.uuid);
  const parent = of ?? parentOf(record).parentId;
  if (uuid === undefined || parent === undefined) return;
  const lane = laneOf(memory, record);
  give(lane, { kind: "alias", agentId, sessionId: lane.id, id: toEntryId(uuid), of: parent }, push);
}
