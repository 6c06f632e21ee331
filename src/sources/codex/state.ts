/**
 * What reading a Codex rollout must remember from line to line, and how an entry is handed over. Rollout records have
 * neither ids nor parents: ids are made here, and the leaf is followed so that a rollback can name where to go back to.
 */
import {
  type AgentId,
  type EntryId,
  hash53,
  type SessionId,
  type SessionKey,
  sessionKeyOf,
  toAgentId,
  toEntryId,
} from "../../model/ids.ts";
import type { ProblemCode } from "../../model/problem.ts";
import type { EntryDraft, Part, Role, SessionDraft } from "../../model/transcript.ts";
import { type Fields, json, time, word } from "../fields.ts";
import type { Place } from "../jsonl.ts";
import type { SourceItem } from "../source.ts";

export const agentId: AgentId = toAgentId("codex");

export function sessionKey(id: string): SessionKey {
  return sessionKeyOf(agentId, id);
}

/** A message of which one copy, item or event, has been read; the other may follow. */
export interface HalfHeard {
  readonly key: number;
  readonly id: EntryId;
  readonly from: "item" | "event";
  /** The leaf that the entry hangs below. */
  readonly before: EntryId | null;
  /** Stored as injected, since no event has said yet that a person typed it. */
  readonly hidden: boolean;
}

/** Plain JSON, a few KiB. */
export interface RolloutState {
  /** Null until something was read; never changes afterwards. */
  session: SessionId | null;
  /** The session id when the file names none. */
  readonly fallback: SessionId;
  readonly archived: boolean;
  /** The session's own header was read; a further one with another id belongs to the session it was forked from. */
  named: boolean;
  forked: boolean;
  project: boolean;
  model: string | null;
  /** A user event was read: from here on, a user item without one was not typed. */
  userEvents: boolean;
  readonly counts: { [kind: string]: number };
  last: EntryId | null;
  /** For each typed message of the branch, the entry before it; the newest `turnsKept` ones. */
  turns: (EntryId | null)[];
  turnsForgotten: boolean;
  readonly heard: { user: HalfHeard[]; assistant: HalfHeard[] };
}

/** How many typed messages a rollback can take back. Each costs an id in every checkpoint. */
export const turnsKept = 64;

/** A record on its way through the reader. `body` is the payload, or the record itself in the oldest rollouts. */
export interface Line {
  readonly record: Fields;
  readonly body: Fields;
  /** The record's type as problems and counts name it, for instance `event_msg/token_count`. */
  readonly what: string;
  readonly place: Place;
  readonly state: RolloutState;
  readonly push: (item: SourceItem) => void;
}

/** How each kind of record is read. */
export type Reader = (line: Line) => void;

/** Counts a record that holds nothing to keep. */
export function ignore(line: Line): void {
  line.push({ kind: "ignored", what: line.what });
}

export function report(line: Line, code: ProblemCode, reason: string): void {
  line.push({ kind: "problem", problem: { code, path: line.place.path, line: line.place.line, reason } });
}

/** Says something of the session in hand. A rollout without a header gets its session here, begun with its first record. */
export function describe(line: Line, facts: Partial<SessionDraft>): void {
  const { state } = line;
  const begun = state.session === null ? time(line.record.timestamp) : null;
  const kind = state.session === null ? ({ kind: "direct" } as const) : {};
  state.session ??= state.fallback;
  line.push({
    kind: "session",
    session: {
      agentId,
      sessionId: state.session,
      sessionKey: sessionKey(state.session),
      ...kind,
      ...(begun === null ? {} : { createdAt: begun }),
      ...(state.archived ? { archived: true } : {}),
      ...facts,
    },
  });
}

function sessionOf(line: Line): SessionId {
  if (line.state.session === null) describe(line, {});
  return line.state.session ?? line.state.fallback;
}

/**
 * The id of the next entry: the record's own, else its kind, its place among entries of that kind and a hash of how it
 * begins. The hash takes in the session, so that `continue` said fifth in two sessions is not one entry.
 */
export function nextId(line: Line, own: unknown, kind: string, text: string): EntryId {
  const given = word(own);
  if (given !== undefined) return toEntryId(given);
  const ordinal = (line.state.counts[kind] ?? 0) + 1;
  line.state.counts[kind] = ordinal;
  const hash = hash53(`${sessionOf(line)}\n${text.length > 256 ? text.slice(0, 256) : text}`);
  return toEntryId(`${kind}${ordinal}-${hash.toString(36)}`);
}

/** An entry without what follows from where it stands. */
export type Draft = Omit<EntryDraft, "timestamp" | "parentId">;

/** Hands over an entry that continues the leaf. */
export function put(line: Line, entry: Draft): void {
  line.push({ kind: "entry", agentId, sessionId: sessionOf(line), entry: { ...entry, timestamp: timestampOf(line) } });
  line.state.last = entry.id;
}

/** Hands over the body of an entry a second time, in its old place. The leaf stays where it is. */
export function putAgain(line: Line, known: HalfHeard, entry: Omit<Draft, "id">): void {
  line.push({
    kind: "entry",
    agentId,
    sessionId: sessionOf(line),
    entry: { ...entry, id: known.id, parentId: known.before, timestamp: timestampOf(line) },
  });
}

/** A message entry without its id. Assistant messages carry the model of their turn, which Codex keeps elsewhere. */
export function message(line: Line, role: Role, parts: readonly Part[]): Omit<Draft, "id"> {
  const { model } = line.state;
  return { type: "message", role, parts, ...(role === "assistant" && model !== null ? { model } : {}) };
}

/** Keeps a record of an unknown type as it is, and says so. */
export function keepUnknown(line: Line): void {
  const type = line.what.slice(0, 64).toWellFormed();
  const name = type === "record" ? "a record without a type" : `a ${type} record`;
  report(line, "unknown-record", `${name} is not known; kept as it is, not searchable`);
  put(line, { id: nextId(line, null, "record", type), type, parts: [], data: json(line.record) });
}

function timestampOf(line: Line): number | null {
  const value = line.record.timestamp ?? line.body.timestamp;
  if (value === undefined || value === null) return null;
  const at = time(value);
  if (at === null) report(line, "bad-time", "the timestamp can't be read");
  return at;
}

/** Remembers a typed message by the entry before it. */
export function beginTurn(state: RolloutState, before: EntryId | null): void {
  state.turns.push(before);
  if (state.turns.length > turnsKept) {
    state.turns.shift();
    state.turnsForgotten = true;
  }
}

/**
 * Takes back the last `count` typed messages and all that answers them, as Codex does on `thread_rolled_back`: the leaf
 * becomes the entry before the earliest of them; what lies before the first typed message always stays.
 */
export function rollBack(line: Line, count: number): void {
  const { state } = line;
  const over = count > state.turns.length && state.turnsForgotten;
  if (over) {
    report(
      line,
      "bad-record",
      `takes back ${count} typed messages, of which ${state.turns.length} are remembered; only those were taken back`,
    );
  }
  const first = Math.max(0, state.turns.length - count);
  const target = state.turns[first];
  if (target === undefined) {
    if (!over) ignore(line);
    return;
  }
  put(line, { id: nextId(line, null, "rollback", `${count}`), type: "leaf", parts: [], targetId: target });
  state.last = target;
  state.turns.length = first;
  state.heard.user = [];
  state.heard.assistant = [];
}
