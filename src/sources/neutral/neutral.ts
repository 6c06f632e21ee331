/** The neutral JSONL of SPEC 8.11: the format that `export` writes, and that other programs can write to be read. */
import {
  type EntryId,
  type parseSessionKey,
  type SessionId,
  type SessionKey,
  toEntryId,
  toSessionId,
  toSourceId,
} from "../../model/ids.ts";
import { type EntryDraft, type Part, roles, sessionKinds, titleRanks } from "../../model/transcript.ts";
import { isFields, json, parseJson } from "../fields.ts";
import { type JsonlFormat, readJsonl } from "../jsonl.ts";
import type { Source } from "../source.ts";
import { absent, NeutralLine, skipped } from "./line.ts";

/**
 * UTF-8, one JSON object a line, any number of sessions and agents in one file, in any mixture; the file only grows at
 * its end. A `?` marks what may be absent or null. Fields not named here are not read.
 *
 * Every line has `type` and `sessionKey`, which is `agent:<id>:<rest>` with an id of 1 to 64 characters `[a-z0-9_-]`. Every
 * line may have `sessionId`: the transcript (generation) of that session that it belongs to. A new one starts a new
 * generation. A line without it belongs to the generation named last for its key in this file, or to `<rest>` where none
 * was named. The reader knows the last 128 keys whose generation is not `<rest>`; a file that mixes more of them gives
 * `sessionId` on every line.
 *
 * | type | fields |
 * | --- | --- |
 * | `session` | facts, in any number of pieces, also after the messages: `title?`, `titleRank?` (summary, generated, or given, the default), `kind?` (a session kind), `project?` (absolute folder), `gitBranch?`, `model?`, `spawnedBy?`, `parentSessionKey?`, `forkedFrom?` (session keys), `createdAt?` (a time), `archived?`, `source?` (the program that it comes from) |
 * | `message` | `id` (unique in its transcript), `role` (user, assistant, toolResult, system, other), either `text` or `content`, and `parentId?`, `timestamp?`, `model?`, `data?` (any JSON), `attach?`, `typed?` (true: typed by a person) |
 * | `entry` | something that nobody said: `id`, `entryType` (compaction, custom, label, … any word of at most 64 characters except message), `content?`, the rest as for `message`; `targetId` and `appendParentId?` where `entryType` is leaf |
 * | `leaf` | moves the leaf: `targetId` (an entry id, or null: the branch is empty), `appendParentId?` (the append position from then on; null: above the root; absent: the target). With an `id` (and `timestamp?`) it is kept as an entry |
 *
 * - `parentId`: the entry above; null: a root; absent: the leaf, which is the last entry unless a leaf line moved it. The
 *   append position (the last entry, also one at the side, unless a leaf line names another) continues the leaf too.
 * - `attach`: `"side"` for an entry that does not become the leaf, and for a leaf that is kept and moves nothing;
 *   `"tree"`, the default, for all others.
 * - Times: ISO 8601, or a number of seconds, milliseconds, microseconds or nanoseconds since 1970, told apart by size.
 * - `content`: a list of parts. `{"type":"text","text","injected?":true}` (injected: put there by a program, never
 *   searched), `{"type":"thinking","text"}`, `{"type":"toolCall","id?","name","arguments"}`,
 *   `{"type":"toolResult","id?","name?","text","isError?":true}`, `{"type":"image","mime?","data?","url?"}` (data in
 *   base64), `{"type":"other","value"}`. `"text":"x"` is short for one text part.
 *
 * A bad value is a `bad-record` problem that names its field (`bad-time` for times). Without a field that it must have, the
 * line is skipped; a bad fact is left out and the rest of the line is taken. Lines of another type are kept as they are
 * where they have `sessionKey` and `id`, with an `unknown-record` problem.
 */
export const neutral: Source = {
  id: toSourceId("jsonl"),
  name: "Neutral JSONL",
  places: () => [],
  recognise: (file, head) =>
    /\.(?:jsonl|ndjson)$/i.test(file.path) && isNeutralHead(head) ? { as: "transcript", appendOnly: true } : null,
  read: (file, from) => readJsonl(file, from, format),
};

/** The reader's memory: keys and the generation named last for each, where it is not the key's rest. Latest first. */
interface NeutralState {
  readonly generations: [SessionKey, SessionId][];
}

/** Keys remembered: keeps a checkpoint under 16 KiB. */
const longestMemory = 128;

const format: JsonlFormat<NeutralState> = {
  start: () => ({ generations: [] }),
  record(record, place, state, push) {
    const line = new NeutralLine(record, place, push);
    const key = line.key("sessionKey", skipped);
    if (!key) return;
    const { agentId } = key;
    const sessionId = generation(line, key, state);
    if (sessionId === null) return;
    if (record.type === "session") {
      push({ kind: "session", session: { agentId, sessionId, sessionKey: key.key, ...facts(line) } });
      return;
    }
    if (record.type === "leaf" && absent(record.id)) {
      const target = targetOf(line);
      if (target) push({ kind: "leaf", agentId, sessionId, ...target });
      return;
    }
    const entry = readEntry(line);
    if (entry) push({ kind: "entry", agentId, sessionId, entry });
  },
};

type Key = NonNullable<ReturnType<typeof parseSessionKey>>;

/** The transcript that a line belongs to; null when it can't be told. */
function generation(line: NeutralLine, { key, agentId, rest }: Key, state: NeutralState): SessionId | null {
  const { generations } = state;
  const at = generations.findIndex(([known]) => known === key);
  const known = generations[at];
  const current = known?.[1] ?? toSessionId(rest);
  if (absent(line.record.sessionId)) return current;
  const word = line.word("sessionId", skipped);
  if (word === undefined) return null;
  const named = toSessionId(word);
  if (named === current && at <= 0) return named;
  if (at >= 0) generations.splice(at, 1);
  if (named !== rest) generations.unshift([key, named]);
  if (generations.length > longestMemory) generations.pop();
  // A line may name a generation that no session line did: its key is a fact all the same.
  if (named !== current && line.record.type !== "session") {
    line.push({ kind: "session", session: { agentId, sessionId: named, sessionKey: key } });
  }
  return named;
}

function facts(line: NeutralLine) {
  const title = line.word("title");
  const rank = line.oneOf("titleRank", titleRanks) ?? "given";
  const kind = line.oneOf("kind", sessionKinds);
  const project = line.word("project");
  const gitBranch = line.word("gitBranch");
  const model = line.word("model");
  const spawnedBy = line.key("spawnedBy")?.key;
  const parentSessionKey = line.key("parentSessionKey")?.key;
  const forkedFrom = line.key("forkedFrom")?.key;
  const createdAt = line.moment("createdAt");
  const archived = line.flag("archived");
  const source = line.source("source");
  return {
    ...(title === undefined ? {} : { title: { text: title, rank } }),
    ...(kind === undefined ? {} : { kind }),
    ...(project === undefined ? {} : { project }),
    ...(gitBranch === undefined ? {} : { gitBranch }),
    ...(model === undefined ? {} : { model }),
    ...(spawnedBy === undefined ? {} : { spawnedBy }),
    ...(parentSessionKey === undefined ? {} : { parentSessionKey }),
    ...(forkedFrom === undefined ? {} : { forkedFrom }),
    ...(createdAt === null ? {} : { createdAt }),
    ...(archived === undefined ? {} : { archived }),
    ...(source === undefined ? {} : { source }),
  };
}

function readEntry(line: NeutralLine): EntryDraft | null {
  const { record } = line;
  switch (record.type) {
    case "message": {
      const role = line.oneOf("role", roles, skipped);
      const parts = said(line);
      const entry = role && parts ? entryOf(line, "message", parts) : null;
      return entry && role ? { ...entry, role } : null;
    }
    case "entry": {
      const type = line.word("entryType", skipped);
      const parts = absent(record.content) ? [] : line.parts(skipped);
      if (type === undefined || !parts) return null;
      if (type === "message" || type.length > 64) {
        const why = type === "message" ? 'is "message", which is a line type' : "is over 64 characters";
        line.bad("entryType", why, skipped);
        return null;
      }
      const target = type === "leaf" ? targetOf(line) : {};
      const entry = target ? entryOf(line, type, parts) : null;
      return entry && { ...entry, ...target };
    }
    case "leaf": {
      const target = targetOf(line);
      const entry = target ? entryOf(line, "leaf", []) : null;
      return entry && { ...entry, ...target };
    }
    default:
      return unknown(line);
  }
}

/** What a message says: `text` or `content`. */
function said(line: NeutralLine): readonly Part[] | null {
  const { text, content } = line.record;
  if (absent(text) && !absent(content)) return line.parts(skipped);
  if (typeof text === "string" && absent(content)) return text === "" ? [] : [{ type: "text", text }];
  if (!absent(content)) line.bad("text", "stands beside content: a message has one of them", skipped);
  else if (absent(text)) line.bad("text", "is missing, and so is content: a message has one of them", skipped);
  else line.bad("text", "is not a string", skipped);
  return null;
}

/** Null when the line has no usable id. */
function entryOf(line: NeutralLine, type: string, parts: readonly Part[]): EntryDraft | null {
  const { record } = line;
  const id = line.word("id", skipped);
  if (id === undefined) return null;
  const parentId = record.parentId === null ? null : line.word("parentId");
  const model = line.word("model");
  const data = record.data ?? undefined;
  return {
    id: toEntryId(id),
    ...(parentId === undefined ? {} : { parentId: parentId === null ? null : toEntryId(parentId) }),
    type,
    timestamp: line.moment("timestamp"),
    parts,
    attach: line.oneOf("attach", ["side", "tree"]) ?? "tree",
    ...(line.flag("typed") ? { typed: true as const } : {}),
    ...(model === undefined ? {} : { model }),
    ...(data === undefined ? {} : { data: json(data) }),
  };
}

function targetOf(line: NeutralLine): { targetId: EntryId | null; appendParentId?: EntryId | null } | null {
  const { record } = line;
  const target = record.targetId === null ? null : line.word("targetId", skipped);
  if (target === undefined) return null;
  const appendAt = record.appendParentId === null ? null : line.word("appendParentId");
  return {
    targetId: target === null ? null : toEntryId(target),
    ...(appendAt === undefined ? {} : { appendParentId: appendAt === null ? null : toEntryId(appendAt) }),
  };
}

/** A line of a type that this version doesn't know: kept where there is something to keep it by. */
function unknown(line: NeutralLine): EntryDraft | null {
  const type = line.word("type", skipped);
  if (type === undefined) return null;
  const entry = entryOf(line, type.slice(0, 64), []);
  if (!entry) return null;
  line.problem("unknown-record", `a line of type ${JSON.stringify(type.slice(0, 64))}; kept as it is`);
  return { ...entry, data: json(line.record) };
}

const lineTypes = new Set(["session", "message", "entry", "leaf"]);

/** Whether a file begins with a line of this format. Its first line that is JSON decides; `head` may be cut inside it. */
function isNeutralHead(head: string): boolean {
  for (const line of head.split("\n", 5)) {
    const record = parseJson(line.replace(/^\uFEFF/, ""));
    if (record === undefined) {
      // A bad line, or a first message longer than the head.
      if (/^\uFEFF?\s*\{/.test(line) && line.length > 60_000) return /"sessionKey"\s*:\s*"agent:/.test(line);
      continue;
    }
    return isFields(record) && lineTypes.has(String(record.type)) && typeof record.sessionKey === "string";
  }
  return false;
}
