/**
 * OpenClaw's `sessions.json`: a map from session key to what the program knows of the session. It points at the current
 * transcript only; older ones of the same key are named where the program kept count of them.
 */
import { readFile } from "node:fs/promises";
import { limits } from "../../limits.ts";
import {
  type AgentId,
  agentOf,
  parseSessionKey,
  type SessionKey,
  sessionKeyOf,
  toAgentId,
  toSessionId,
} from "../../model/ids.ts";
import type { SessionDraft, SessionKind } from "../../model/transcript.ts";
import { type Fields, isFields, list, parseJson, time, word } from "../fields.ts";
import type { Checkpoint, SourceBatch, SourceFile, SourceItem } from "../source.ts";

/** Sessions handed over in one batch. */
const batchSize = 500;

/** Reads the whole map. `agentId` owns the keys that name no agent. Throws only what the file system throws. */
export async function* readSessionMap(
  file: SourceFile,
  from: Checkpoint | null,
  agentId: AgentId,
): AsyncGenerator<SourceBatch> {
  if (from && from.offset >= file.size) return;
  const done: Checkpoint = { offset: file.size, line: 0, state: null };
  const problem = (reason: string): SourceItem => ({
    kind: "problem",
    problem: { code: "bad-record", path: file.path, reason },
  });
  if (file.size > limits.importLine.default) {
    yield {
      items: [problem(`the session list has ${file.size} bytes, the longest read is ${limits.importLine.default}`)],
      at: done,
    };
    return;
  }
  const map = parseJson((await readFile(file.path, "utf8")).replace(/^\uFEFF/, ""));
  if (!isFields(map)) {
    yield {
      items: [problem("the session list is not a JSON object; titles and keys of its sessions are not known")],
      at: done,
    };
    return;
  }
  let items: SourceItem[] = [];
  for (const key of Object.keys(map)) {
    const entry = map[key];
    if (isFields(entry)) items.push(...sessionItems(key, entry, agentId));
    else items.push(problem("an entry of the session list that is not an object; skipped"));
    if (items.length >= batchSize) {
      // A list has no place to go on from: until it is through, it is read from its start again.
      yield { items, at: from ?? { offset: 0, line: 0, state: null } };
      items = [];
    }
  }
  yield { items, at: done };
}

function sessionItems(key: string, entry: Fields, owner: AgentId): SourceItem[] {
  const current = word(entry.sessionId);
  if (current === undefined) return [{ kind: "ignored", what: "session without a transcript" }];
  const sessionKey = keyOf(key, owner);
  const agentId = agentOf(sessionKey);
  const kind = kindOf(sessionKey, entry.chatType);
  const item = (id: string, known: Partial<SessionDraft>): SourceItem => ({
    kind: "session",
    session: { agentId, sessionId: toSessionId(id), sessionKey, kind, ...known },
  });
  const older = list(entry.usageFamilySessionIds).flatMap((id) => word(id) ?? []);
  return [...older.filter((id) => id !== current).map((id) => item(id, {})), item(current, facts(entry, owner))];
}

function facts(entry: Fields, owner: AgentId): Partial<SessionDraft> {
  const label = word(entry.label);
  const title = label ?? word(entry.displayName);
  const model = word(entry.model);
  const spawnedBy = word(entry.spawnedBy);
  const parent = word(entry.parentSessionKey);
  const createdAt = time(entry.sessionStartedAt) ?? time(entry.startedAt) ?? time(entry.createdAt);
  return {
    ...(title === undefined ? {} : { title: { text: title, rank: label === undefined ? "generated" : "given" } }),
    ...(model === undefined ? {} : { model }),
    ...(spawnedBy === undefined ? {} : { spawnedBy: keyOf(spawnedBy, owner) }),
    ...(parent === undefined ? {} : { parentSessionKey: keyOf(parent, owner) }),
    ...(parent === undefined || entry.forkedFromParent !== true ? {} : { forkedFrom: keyOf(parent, owner) }),
    ...(createdAt === null ? {} : { createdAt }),
    ...(time(entry.archivedAt) === null ? {} : { archived: true }),
  };
}

/** A key as it stands where it has the form `agent:<id>:<rest>`; else (older releases) that of the owner's own session. */
function keyOf(key: string, owner: AgentId): SessionKey {
  const parsed = parseSessionKey(key);
  if (parsed) return parsed.key;
  const named = /^agent:([^:]+):(.+)$/is.exec(key);
  return named ? sessionKeyOf(toAgentId(named[1] ?? ""), named[2] ?? "") : sessionKeyOf(owner, key);
}

/** What kind of session a key names, by its shape. `chatType` helps where the shape says nothing. */
function kindOf(key: SessionKey, chatType?: unknown): SessionKind {
  const segments = (parseSessionKey(key)?.rest ?? "").toLowerCase().split(":");
  const first = segments[0] ?? "";
  if (segments.includes("subagent")) return "subagent";
  if (first === "cron" || segments.at(-1) === "heartbeat") return "cron";
  if (first === "hook") return "hook";
  if (segments.length > 2 && (segments.includes("thread") || segments.includes("topic"))) return "thread";
  if (segments.length === 1 && (first === "main" || first === "global")) return "main";
  if (segments.includes("group")) return "group";
  if (segments.includes("channel")) return "channel";
  if (segments.includes("direct") || segments.includes("dm")) return "direct";
  return chatType === "direct" || chatType === "group" || chatType === "channel" ? chatType : "other";
}
