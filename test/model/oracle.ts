/**
 * A home in the plainest words there are: lists and maps, everything worked out anew at each question. It shares types
 * with the store and nothing else, so what both say is right unless both are wrong in the same way.
 */
import type { EntryId, SessionKey } from "../../src/model/ids.ts";
import type { Operation, PlainEntry, Result } from "./operation.ts";

export interface OracleEntry extends PlainEntry {
  parent: EntryId | null;
}

export interface OracleTranscript {
  /** In the order in which they were written. What was deleted keeps its id and place, and says nothing. */
  entries: Map<EntryId, OracleEntry>;
  leaf: EntryId | null;
  /** Append position. */
  appendAt: EntryId | null;
  /** Whether anything was ever written to it. */
  begun: boolean;
}

export interface OracleSession {
  key: SessionKey;
  title: string | null;
  archived: boolean;
  forkedFrom: SessionKey | null;
  /** Newest time that anything was written with; 0 before. */
  updatedAt: number;
  /** Generations, oldest first. */
  transcripts: OracleTranscript[];
}

/** A message that search may find. */
export interface OracleMessage {
  readonly session: OracleSession;
  /** Place of its transcript among those of the session. */
  readonly generation: number;
  readonly entry: OracleEntry;
  readonly text: string;
}

/** What the store calls the type of an entry that was deleted. */
const deleted = "deleted";

function isDeleted({ type }: PlainEntry): boolean {
  return type === deleted;
}

class Refused extends Error {
  readonly code: string;
  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

export class Oracle {
  sessions = new Map<SessionKey, OracleSession>();

  clone(): Oracle {
    const copy = new Oracle();
    copy.sessions = structuredClone(this.sessions);
    return copy;
  }

  /** Does it whole or not at all. */
  apply(operation: Operation): Result {
    try {
      return { returned: this.#does(operation) };
    } catch (error) {
      if (error instanceof Refused) return { threw: error.code };
      throw error;
    }
  }

  #does(operation: Operation): unknown {
    switch (operation.does) {
      case "append": {
        const session = this.#made(operation.session);
        return operation.entries.map((entry) => write(session, entry, false));
      }
      case "incognito":
        return operation.entries.length;
      case "upsert":
        return write(this.#made(operation.session), operation.entry, true);
      case "setLeaf": {
        const transcript = newest(this.#known(operation.session));
        if (operation.entry !== null && !transcript.entries.has(operation.entry)) throw new Refused("unknown_message");
        const leaf = standsFor(transcript, operation.entry);
        if (isInFrontOfReset(transcript, leaf)) throw new Refused("bad_input");
        transcript.leaf = leaf;
        transcript.appendAt = leaf;
        return undefined;
      }
      case "deleteEntry": {
        const transcript = this.#known(operation.session).transcripts.findLast(({ entries }) =>
          entries.has(operation.entry),
        );
        const entry = transcript?.entries.get(operation.entry);
        if (!transcript || !entry) throw new Refused("unknown_message");
        const { id, parent, timestamp } = entry;
        // Of a reset only the content goes: it stays the barrier that it is.
        if (entry.type === "reset") {
          transcript.entries.set(id, { id, parent, timestamp, type: "reset", parts: [] });
          return entry.parts.length > 0 || entry.data !== undefined ? 1 : 0;
        }
        transcript.entries.set(id, { id, parent, timestamp, type: deleted, parts: [] });
        return isDeleted(entry) ? 0 : 1;
      }
      case "compact": {
        const { id, summary, timestamp } = operation;
        const parts = [{ type: "text", text: summary, injected: true }] as const;
        return write(this.#known(operation.session), { id, type: "compaction", timestamp, parts }, false);
      }
      case "fork": {
        const { session, to, entry, timestamp } = operation;
        this.#refuseTaken(to);
        const from = newest(this.#known(session));
        if (entry !== undefined && !from.entries.has(entry)) throw new Refused("unknown_message");
        const path = pathOf(from);
        const end = entry === undefined ? path.length : path.findIndex(({ id }) => id === entry) + 1;
        if (entry !== undefined && end === 0) throw new Refused("bad_input");
        const shown = path.slice(0, end);
        const copied = shown.slice(
          Math.max(
            0,
            shown.findLastIndex(({ type }) => type === "reset"),
          ),
        );
        const fork = this.#made(to);
        const transcript = newest(fork);
        for (const each of copied) {
          transcript.entries.set(each.id, { ...each, parent: transcript.leaf });
          transcript.leaf = each.id;
          transcript.appendAt = each.id;
          transcript.begun = true;
        }
        fork.forkedFrom = session;
        fork.updatedAt = Math.max(timestamp, ...copied.map((each) => each.timestamp));
        return undefined;
      }
      case "rename": {
        const { session: from, to } = operation;
        if (from !== to) this.#refuseTaken(to);
        const session = this.#known(from);
        this.sessions.delete(from);
        this.sessions.set(to, session);
        session.key = to;
        for (const each of this.sessions.values()) if (each.forkedFrom === from) each.forkedFrom = to;
        return undefined;
      }
      case "archive":
        this.#known(operation.session).archived = operation.archived;
        return undefined;
      case "reset": {
        const session = this.#known(operation.session);
        session.transcripts.push(emptyTranscript());
        session.updatedAt ||= operation.timestamp;
        return undefined;
      }
      case "title":
        this.#made(operation.session).title = operation.title;
        return undefined;
      case "deleteSession":
        return this.sessions.delete(operation.session);
      case "deleteAgent": {
        const { size } = this.sessions;
        this.sessions.clear();
        return size;
      }
    }
  }

  #refuseTaken(key: SessionKey): void {
    if (this.sessions.has(key)) throw new Refused("bad_input");
  }

  #known(key: SessionKey): OracleSession {
    const session = this.sessions.get(key);
    if (session === undefined) throw new Refused("unknown_session");
    return session;
  }

  #made(key: SessionKey): OracleSession {
    const known = this.sessions.get(key);
    if (known) return known;
    const session = {
      key,
      title: null,
      archived: false,
      forkedFrom: null,
      updatedAt: 0,
      transcripts: [emptyTranscript()],
    };
    this.sessions.set(key, session);
    return session;
  }
}

function emptyTranscript(): OracleTranscript {
  return { entries: new Map(), leaf: null, appendAt: null, begun: false };
}

/** Operations work on the newest transcript. */
export function newest(session: OracleSession): OracleTranscript {
  const transcript = session.transcripts.at(-1);
  if (transcript === undefined) throw new Error(`${session.key} has no transcript`);
  return transcript;
}

function write(session: OracleSession, entry: PlainEntry, replaces: boolean): string {
  const transcript = newest(session);
  const known = transcript.entries.get(entry.id);
  if (known) {
    if (!replaces || isDeleted(known) || saying(known) === saying(entry)) return "same";
    transcript.entries.set(entry.id, { ...entry, parent: known.parent });
    session.updatedAt = Math.max(session.updatedAt, entry.timestamp);
    return "changed";
  }
  place(transcript, entry);
  transcript.begun = true;
  session.updatedAt = Math.max(session.updatedAt, entry.timestamp);
  return "added";
}

function saying({ type, role, timestamp, parts, targetId, appendParentId, model, data }: PlainEntry): string {
  return JSON.stringify([type, role, timestamp, parts, targetId, appendParentId, model, data]);
}

/** SPEC 1.9 and 1.10. */
function place(transcript: OracleTranscript, entry: PlainEntry): void {
  const { leaf, entries } = transcript;
  const add = (parent: EntryId | null) => entries.set(entry.id, { ...entry, parent });
  const named = (id: EntryId | null | undefined) => (typeof id === "string" && !entries.has(id) ? undefined : id);
  const aside = () => (entry.parentId === undefined ? leaf : standsFor(transcript, named(entry.parentId) ?? null));

  if (entry.type === "leaf" && entry.attach === "side") add(aside());
  else if (entry.type === "leaf") {
    const target = named(entry.targetId);
    const appendAt = entry.appendParentId === undefined ? target : named(entry.appendParentId);
    const to = target === undefined ? undefined : standsFor(transcript, target);
    if (isInFrontOfReset(transcript, to ?? null) && to !== leaf) {
      add(leaf);
      transcript.appendAt = leaf;
    } else if (to === undefined || appendAt === undefined) add(aside());
    else {
      add(to);
      transcript.leaf = to;
      transcript.appendAt = appendAt;
    }
  } else if (entry.attach === "side") {
    add(aside());
    transcript.appendAt = entry.id;
  } else {
    const known = named(entry.parentId);
    let parent = leaf;
    if (entry.attach === "turns") {
      const path = pathOf(transcript);
      const at = entry.typed ? path.findIndex(({ id }) => id === known) : -1;
      if (known && at >= 0 && path.slice(at + 1).some(isTyped)) parent = known;
    } else if (known !== undefined && known !== transcript.appendAt) parent = standsFor(transcript, known);
    add(isInFrontOfReset(transcript, parent) ? leaf : parent);
    transcript.leaf = entry.id;
    transcript.appendAt = entry.id;
  }
}

/** What an entry means as a parent: a leaf entry lies on no branch and means where it moved the leaf to. */
function standsFor(transcript: OracleTranscript, id: EntryId | null): EntryId | null {
  const entry = id === null ? undefined : transcript.entries.get(id);
  return entry?.type === "leaf" && id !== transcript.leaf ? entry.parent : id;
}

/** Whether the active branch has a reset that going on from this entry would leave behind. */
function isInFrontOfReset(transcript: OracleTranscript, id: EntryId | null): boolean {
  const reset = pathOf(transcript).findLast(({ type }) => type === "reset");
  return reset !== undefined && !pathOf({ ...transcript, leaf: id }).includes(reset);
}

/** The active branch, root first. */
export function pathOf(transcript: OracleTranscript): OracleEntry[] {
  const path: OracleEntry[] = [];
  for (let id = transcript.leaf; id !== null; ) {
    const entry = transcript.entries.get(id);
    if (entry === undefined) throw new Error(`${id} is on the branch and nowhere else`);
    path.push(entry);
    id = entry.parent;
  }
  return path.reverse();
}

/** What search may find of an entry; null for nothing. */
export function searchable({ type, role, parts }: PlainEntry): string | null {
  if (type !== "message" || (role !== "user" && role !== "assistant")) return null;
  const texts = parts.flatMap((part) =>
    part.type === "text" && !part.injected && part.text !== "" ? [part.text] : [],
  );
  return texts.length === 0 ? null : texts.join("\n");
}

/** Whether plain history shows it: something was said, or an image shown. */
export function isSpoken(entry: PlainEntry): boolean {
  const { type, role, parts } = entry;
  if (type !== "message" || (role !== "user" && role !== "assistant")) return false;
  return searchable(entry) !== null || parts.some((part) => part.type === "image");
}

function isTyped(entry: PlainEntry): boolean {
  return entry.typed === true && isSpoken(entry);
}

/** Every message that can be found, of all sessions. */
export function messages(oracle: Oracle): OracleMessage[] {
  return [...oracle.sessions.values()].flatMap((session) =>
    session.transcripts.flatMap((transcript, generation) =>
      pathOf(transcript).flatMap((entry) => {
        const text = searchable(entry);
        return text === null ? [] : [{ session, generation, entry, text }];
      }),
    ),
  );
}

/** Whether all the words of the query are words of the text. */
export function says(text: string, query: string): boolean {
  const words = text.split(/\s+/);
  return query.split(" ").every((word) => words.includes(word));
}

/** Copies of one another, by SPEC 4.3, as groups. */
export function groupsOf(oracle: Oracle, found: readonly OracleMessage[]): OracleMessage[][] {
  const groups: OracleMessage[][] = [];
  for (const message of found) {
    const same = groups.filter((group) => group.some((other) => isCopy(oracle, message, other)));
    for (const group of same) groups.splice(groups.indexOf(group), 1);
    groups.push([...same.flat(), message]);
  }
  return groups;
}

function isCopy(oracle: Oracle, one: OracleMessage, two: OracleMessage): boolean {
  if (one.text !== two.text || one.entry.role !== two.entry.role) return false;
  return (
    one.entry.id === two.entry.id ||
    one.entry.timestamp === two.entry.timestamp ||
    familyOf(oracle, one.session) === familyOf(oracle, two.session)
  );
}

function familyOf(oracle: Oracle, session: OracleSession): SessionKey {
  const seen = new Set([session.key]);
  let key = session.key;
  for (;;) {
    const origin = oracle.sessions.get(key)?.forkedFrom ?? null;
    if (origin === null || seen.has(origin)) return key;
    seen.add(origin);
    key = origin;
  }
}
