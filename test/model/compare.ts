/**
 * Asks a home what the oracle was asked, through the tools that callers use. Where an answer says that it is still
 * indexing it may lack something, and what it has must still be right (SPEC 2.6); any other answer has to be whole.
 */
import assert from "node:assert/strict";
import type { Backscroll, HistoryMessage, SearchAnswer } from "../../src/index.ts";
import { limits } from "../../src/limits.ts";
import type { SessionId, SessionKey } from "../../src/model/ids.ts";
import { compareToolSearch } from "./compare-tools.ts";
import {
  groupsOf,
  isSpoken,
  messages,
  type Oracle,
  type OracleEntry,
  type OracleMessage,
  type OracleSession,
  type OracleTranscript,
  pathOf,
  says,
  searchable,
} from "./oracle.ts";

export interface Questions {
  readonly queries: readonly string[];
  readonly waitMs: number;
  /** Whether history is also read with tool traffic, thinking and all else in it. */
  readonly everything: boolean;
}

/** Returns whether any answer said that it may lack something. */
export async function compareReads(home: Backscroll, oracle: Oracle, questions: Questions): Promise<boolean> {
  let indexing = false;
  // Search first: history and lists wait for indexing, and would leave nothing dirty to search in.
  for (const query of questions.queries)
    indexing = (await compareSearch(home, oracle, query, questions.waitMs)) || indexing;
  for (const query of questions.queries) await compareToolSearch(home, oracle, query);
  indexing = (await compareList(home, oracle)) || indexing;
  for (const session of oracle.sessions.values())
    indexing = (await compareHistory(home, session, questions.everything)) || indexing;
  return indexing;
}

async function compareSearch(home: Backscroll, oracle: Oracle, query: string, waitMs: number): Promise<boolean> {
  const { max } = limits.searchLimit;
  const answer = await home.search({ query, limit: max, perSession: max, match: "all", waitMs });
  const found = messages(oracle).filter(({ text }) => says(text, query));
  const groups = groupsOf(oracle, found);
  const seen = new Map<OracleMessage[], number>();
  for (const hit of answer.results) {
    const group = groups.find((each) => each.some((message) => isHit(message, hit)));
    assert(group, `search ${query}: ${JSON.stringify(hit)} is no message that can be found`);
    // What ties two hits together may not be there to see: not indexed yet, or a repeat within its transcript, of which
    // all but one are thinned out before copies are looked for.
    const apart = !seen.has(group) || answer.indexing || hasRepeats(group);
    assert(apart, `search ${query}: ${JSON.stringify(hit)} is shown twice`);
    seen.set(group, (seen.get(group) ?? 0) + (hit.copies ?? 1));
  }
  if (answer.indexing) {
    assert.match(answer.warning ?? "", /still being indexed/);
    return true;
  }
  const missing = groups.filter((group) => !seen.has(group));
  if (answer.truncated) assert(groups.length > max, `search ${query}: said to be truncated`);
  else assert.deepEqual(missing.map(nameOf), [], `search ${query}: not found`);
  if (groups.length <= max)
    for (const [group, copies] of seen)
      assert.equal(copies, group.length, `search ${query}: copies of ${nameOf(group)}`);
  for (const { term, messages: count } of answer.explain?.terms ?? []) {
    const having = messages(oracle).filter(({ text }) => says(text, term)).length;
    assert.equal(count, having, `search ${query}: messages that have ${term}`);
  }
  return false;
}

function isHit({ session, entry, text }: OracleMessage, hit: SearchAnswer["results"][number]): boolean {
  return (
    session.key === hit.sessionKey &&
    entry.id === hit.messageId &&
    entry.role === hit.role &&
    entry.timestamp === hit.timestamp &&
    plain(text) === plain(hit.snippet)
  );
}

function hasRepeats(group: readonly OracleMessage[]): boolean {
  return new Set(group.map(({ session, generation }) => `${session.key} ${generation}`)).size < group.length;
}

function nameOf(group: readonly OracleMessage[]): string {
  return group.map(({ session, generation, entry }) => `${session.key}/${generation}/${entry.id}`).join(" = ");
}

function plain(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

async function compareList(home: Backscroll, oracle: Oracle): Promise<boolean> {
  const answer = await home.sessions({ limit: limits.listLimit.max });
  const listed = [...oracle.sessions.values()]
    .filter(({ transcripts }) => transcripts.some(({ begun }) => begun))
    .sort((one, two) => two.updatedAt - one.updatedAt || (one.key < two.key ? -1 : 1));
  const wanted = listed.map(toRow);
  const got = answer.sessions.map(({ sessionKey, title, messages, updatedAt, generations, lastMessage, archived }) => ({
    sessionKey,
    title,
    messages,
    updatedAt,
    generations: generations ?? 1,
    lastMessage,
    archived: archived ?? false,
  }));
  assert.equal(answer.totalSessions, wanted.length, "list: number of sessions");
  if (!answer.indexing) {
    assert.deepEqual(got, wanted, "list");
    return false;
  }
  assert.deepEqual(
    got.map(({ sessionKey }) => sessionKey),
    wanted.map(({ sessionKey }) => sessionKey),
    "list while indexing: keys",
  );
  got.forEach(({ messages, lastMessage }, at) => {
    const row = wanted[at];
    assert(row && messages <= row.messages, `list while indexing: ${row?.sessionKey} has ${messages} messages`);
    const said = listed[at]?.transcripts.flatMap(pathOf) ?? [];
    if (lastMessage)
      assert(
        said.some((entry) => entry.role === lastMessage.role && plain(searchable(entry) ?? "") === lastMessage.text),
        `list while indexing: ${row.sessionKey} did not say ${lastMessage.text} last`,
      );
  });
  return true;
}

function toRow(session: OracleSession) {
  const said = session.transcripts.flatMap(pathOf);
  const first = said.find((entry) => entry.role === "user" && searchable(entry) !== null);
  const last = said.findLast((entry) => searchable(entry) !== null);
  return {
    sessionKey: session.key,
    title: session.title ?? (first && plain(searchable(first) ?? "")),
    messages: said.filter(isSpoken).length,
    updatedAt: session.updatedAt,
    generations: session.transcripts.length,
    lastMessage: last && { role: last.role, text: plain(searchable(last) ?? "") },
    archived: session.archived,
  };
}

async function compareHistory(home: Backscroll, session: OracleSession, everything: boolean): Promise<boolean> {
  const [newest, ...others] = await generationIds(home, session.key);
  const ids = [...others, newest];
  assert.equal(ids.length, session.transcripts.length, `history ${session.key}: generations`);
  let indexing = false;
  for (const [at, transcript] of session.transcripts.entries()) {
    for (const whole of everything ? [false, true] : [false])
      indexing = (await compareBranch(home, session.key, ids[at] as SessionId, transcript, whole)) || indexing;
  }
  return indexing;
}

async function generationIds(home: Backscroll, sessionKey: SessionKey): Promise<SessionId[]> {
  const { sessionId, generations } = await home.history({ sessionKey, limit: 1 });
  return [sessionId, ...(generations ?? [])];
}

/** Pages a transcript from its end to its start. */
async function compareBranch(
  home: Backscroll,
  sessionKey: SessionKey,
  sessionId: SessionId,
  transcript: OracleTranscript,
  whole: boolean,
): Promise<boolean> {
  const name = `history ${sessionKey} ${sessionId}`;
  const shown: HistoryMessage[] = [];
  let cursor: string | undefined;
  let indexing = false;
  let total: number;
  do {
    const page = await home.history({
      sessionKey,
      sessionId,
      limit: 4,
      ...(whole && { includeTools: true, includeThinking: true }),
      ...(cursor !== undefined && { cursor }),
    });
    shown.unshift(...page.messages);
    indexing ||= page.indexing ?? false;
    total = page.totalMessages;
    cursor = page.older;
  } while (cursor !== undefined);
  const wanted = pathOf(transcript)
    .filter((entry) => (whole ? entry.type !== "deleted" : isSpoken(entry)))
    .map((entry) => toSeen(entry, whole));
  const got = shown.map(({ messageId, role, type, timestamp, content }) => ({
    id: messageId,
    role,
    type: type ?? "message",
    timestamp,
    said: content.map((part) => ("text" in part ? `${part.type} ${part.text}` : part.type)),
  }));
  if (!indexing) {
    assert.deepEqual(got, wanted, name);
    assert.equal(total, wanted.length, `${name}: total`);
    return false;
  }
  let at = 0;
  for (const entry of got) {
    const found = wanted.findIndex((each, place) => place >= at && each.id === entry.id);
    assert(found >= 0, `${name} while indexing: ${entry.id} is not on the active branch`);
    assert.deepEqual(entry, wanted[found], `${name} while indexing`);
    at = found + 1;
  }
  return true;
}

function toSeen(entry: OracleEntry, whole: boolean) {
  return {
    id: entry.id,
    role: entry.role,
    type: entry.type,
    timestamp: entry.timestamp,
    said: entry.parts.flatMap((part) => {
      if (part.type === "image") return ["image"];
      if (part.type === "toolCall") return whole ? [`toolCall ${JSON.stringify(part.arguments)}`] : [];
      if (!("text" in part) || (!whole && (part.type !== "text" || part.injected))) return [];
      return [`${part.type} ${part.text}`];
    }),
  };
}
