/** What a request to forget means: which sessions go whole, and which single entries. Reads only. */
import { BackscrollError } from "../../errors.ts";
import { agentOf, type EntryId, parseSessionKey, type SessionId, type SessionKey } from "../../model/ids.ts";
import type { Json, Part } from "../../model/transcript.ts";
import { findMatches } from "../../search/matches.ts";
import type { Query } from "../../search/query.ts";
import type { AgentStore } from "../../store/agent-store.ts";
import { sessionKeys, storedTitle } from "../../store/contents.ts";
import { type DumpedEntry, dumpEntries } from "../../store/dump.ts";
import { findSession } from "../../store/find-session.ts";
import type { Home } from "../../store/home.ts";
import { deletedType } from "../../store/husk.ts";
import type { MessageFilter } from "../../store/postings.ts";
import { type EntryRow, findEntry } from "../../store/read-branch.ts";
import { transcriptsOf } from "../../store/sessions.ts";
import { tombstonesOf } from "../../store/tombstones.ts";
import { readSearchInput, type SearchInput } from "../../tools/search-input.ts";
import type { ToolContext } from "../../tools/tool.ts";

/** What to forget. */
export type ForgetRequest =
  /** Whole sessions, by key or session id. */
  | { readonly what: "sessions"; readonly sessions: readonly string[] }
  /** One message of a session. */
  | { readonly what: "message"; readonly sessionKey: string; readonly messageId: string }
  /**
   * Everything that mentions something: every entry, also of tool traffic, thinking and rewound branches, that has all the
   * query's words, in the sessions that its filters leave. The words are compared with the unmasked text, so that a secret
   * can be forgotten by its value.
   */
  | { readonly what: "mentions"; readonly search: SearchInput; readonly wholeSessions?: boolean };

/** What goes of one session. */
export interface ForgetTarget {
  readonly store: AgentStore;
  readonly sessionKey: SessionKey;
  /** Null: the whole session. */
  readonly entries: readonly { readonly no: number; readonly id: EntryId }[] | null;
  /** Whether the session's title goes, too, as it says what is to be forgotten. */
  readonly title: boolean;
  /** It was deleted earlier: what is left to do are the copies of the home, and the proof. */
  readonly gone?: true;
}

/** @throws {BackscrollError} `bad_input`, `unknown_session`, `unknown_message`. */
export function planForget(
  request: ForgetRequest,
  home: Home,
  context: Pick<ToolContext, "now" | "timeZone">,
): ForgetTarget[] {
  switch (request.what) {
    case "sessions":
      return [...new Map(request.sessions.map((reference) => wholeSession(home, reference))).values()];
    case "message":
      return [oneMessage(home, request.sessionKey, request.messageId)];
    case "mentions":
      return mentions(home, request.search, request.wholeSessions ?? false, context);
  }
}

function wholeSession(home: Home, reference: string): [SessionKey, ForgetTarget] {
  const found = look(home, reference);
  if (found) return [found.sessionKey, { ...found, entries: null, title: true }];
  const gone = lookForDeleted(home, reference);
  if (gone) return [gone.sessionKey, { ...gone, entries: null, title: true, gone: true }];
  throw unknown(reference);
}

function oneMessage(home: Home, reference: string, messageId: string): ForgetTarget {
  const { store, sessionKey } = find(home, reference);
  const entry = entryOf(store, sessionKey, reference.trim(), messageId);
  const title = storedTitle(store.db, sessionKey);
  const said = squeezed(entry.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n"));
  return {
    store,
    sessionKey,
    entries: [{ no: entry.no, id: entry.id }],
    // A title made of the message's own words, as most programs make them.
    title: title !== null && squeezed(title) !== "" && said.includes(squeezed(title).replace(/(?:…|\.{3})$/, "")),
  };
}

/** Ids are unique within a generation only. A session id says which one is meant; a key does where just one has the id. */
function entryOf(store: AgentStore, sessionKey: SessionKey, reference: string, messageId: string): EntryRow {
  const found = transcriptsOf(store.db, sessionKey)
    .map(({ no, sessionId }) => ({ sessionId, entry: findEntry(store.db, no, messageId) }))
    .flatMap(({ sessionId, entry }) => (entry ? [{ sessionId, entry }] : []));
  // One that was deleted earlier may be in a copy still.
  const there = found.filter(({ entry }) => entry.type !== deletedType);
  return oneOf(there.length > 0 ? there : found, sessionKey, reference, messageId);
}

function oneOf(
  found: readonly { readonly sessionId: SessionId; readonly entry: EntryRow }[],
  sessionKey: SessionKey,
  reference: string,
  messageId: string,
): EntryRow {
  const [first, second] = found;
  if (!first) {
    throw new BackscrollError(
      "unknown_message",
      `no message ${JSON.stringify(messageId)} in ${sessionKey}`,
      "Use the messageId of a search hit together with its sessionKey.",
    );
  }
  const meant = second ? found.find(({ sessionId }) => sessionId === reference) : first;
  if (meant) return meant.entry;
  throw new BackscrollError(
    "bad_input",
    `${found.length} generations of ${sessionKey} have a message ${JSON.stringify(messageId)}`,
    `Give the session id of the search hit instead of its session key: ${found.map(({ sessionId }) => sessionId).join(", ")}.`,
  );
}

function mentions(
  home: Home,
  search: SearchInput,
  wholeSessions: boolean,
  context: Pick<ToolContext, "now" | "timeZone">,
): ForgetTarget[] {
  const request = readSearchInput(search, context);
  if (request.query.clauses.length === 0) {
    throw new BackscrollError(
      "bad_input",
      `forget: ${JSON.stringify(search.query)} has no letter or digit to look for`,
      "Give words that were said. To forget a whole session, give its key.",
    );
  }
  const targets: ForgetTarget[] = [];
  for (const agentId of home.agents()) {
    if (request.agent !== undefined && request.agent !== agentId) continue;
    const store = home.store(agentId);
    const { session } = request;
    for (const sessionKey of sessionKeys(store.db, { ...request.filter, ...(session !== undefined && { session }) })) {
      const found = mentionsIn(store, sessionKey, request.query, request.filter);
      if (found.entries.length === 0 && !found.title) continue;
      targets.push({ store, sessionKey, entries: wholeSessions ? null : found.entries, title: found.title });
    }
  }
  return targets;
}

function mentionsIn(store: AgentStore, sessionKey: SessionKey, query: Query, filter: MessageFilter) {
  const entries: { no: number; id: EntryId }[] = [];
  for (const transcript of transcriptsOf(store.db, sessionKey)) {
    for (const entry of dumpEntries(store.db, transcript.no)) {
      if (filter.role !== undefined && filter.role !== entry.role) continue;
      if (filter.after !== undefined && entry.timestamp < filter.after) continue;
      if (filter.before !== undefined && entry.timestamp >= filter.before) continue;
      if (has(everyWord(entry), query)) entries.push({ no: entry.no, id: entry.id });
    }
  }
  const title = storedTitle(store.db, sessionKey);
  // A title has no role and no time: under such a filter it goes with the messages that it speaks of.
  const isNarrowed = filter.role !== undefined || filter.after !== undefined || filter.before !== undefined;
  return { entries, title: title !== null && has(title, query) && (entries.length > 0 || !isNarrowed) };
}

function has(text: string, { clauses, without }: Query): boolean {
  if (text === "") return false;
  const { perClause } = findMatches(text, [...clauses, ...without.map((term) => [term])], []);
  return perClause.every((count, at) => (at < clauses.length ? count > 0 : count === 0));
}

/** All text of an entry, whoever may see it. */
function everyWord(entry: DumpedEntry): string {
  return [...entry.parts.flatMap(partTexts), ...(entry.data === undefined ? [] : jsonTexts(entry.data))].join("\n");
}

function partTexts(part: Part): string[] {
  switch (part.type) {
    case "text":
    case "thinking":
    case "toolResult":
      return [part.text];
    case "toolCall":
      return [part.name, ...jsonTexts(part.arguments)];
    case "image":
      return part.url === undefined ? [] : [part.url];
    case "other":
      return jsonTexts(part.value);
  }
}

function jsonTexts(value: Json): string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number") return [String(value)];
  if (Array.isArray(value)) return value.flatMap(jsonTexts);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) => [name, ...jsonTexts(each)]);
}

function squeezed(text: string): string {
  return text.replace(/\s+/g, " ").trim().toLowerCase();
}

interface Named {
  readonly store: AgentStore;
  readonly sessionKey: SessionKey;
}

function find(home: Home, reference: string): Named {
  const found = look(home, reference);
  if (found) return found;
  throw unknown(reference);
}

function look(home: Home, reference: string): Named | null {
  const name = reference.trim();
  for (const store of storesFor(home, name)) {
    const found = findSession(store.db, { sees: "everything" }, name);
    if (found) return { store, sessionKey: found.key };
  }
  return null;
}

/** A session that has tombstones only. Those don't say its key, so it goes by the name that it was asked for by. */
function lookForDeleted(home: Home, reference: string): Named | null {
  const name = reference.trim();
  const store = storesFor(home, name).find(({ db }) => tombstonesOf(db, name) > 0);
  return store ? { store, sessionKey: name as SessionKey } : null;
}

function storesFor(home: Home, name: string): AgentStore[] {
  const key = parseSessionKey(name);
  return home
    .agents()
    .filter((agentId) => !key || agentOf(key.key) === agentId)
    .map((agentId) => home.store(agentId));
}

function unknown(reference: string): BackscrollError {
  return new BackscrollError(
    "unknown_session",
    `no session ${JSON.stringify(reference.slice(0, 200).toWellFormed())}`,
    "Use a session key or session id from a search hit or from the session list.",
  );
}
