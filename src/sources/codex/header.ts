/** What Codex records say of a session as a whole: headers, turn settings, environment blocks, names in the index. */
import { toSessionId } from "../../model/ids.ts";
import type { Part, SessionDraft } from "../../model/transcript.ts";
import { fields, text, time, word } from "../fields.ts";
import { agentId, describe, ignore, type Line, report, sessionKey } from "./state.ts";
import { folderOf } from "./typed-text.ts";

/**
 * The header. The first one is the session's own; a forked rollout repeats its parent's lines below, header included, so
 * a further one with another id names the session that this one was copied from.
 */
export function readHeader(line: Line): void {
  const { body, state } = line;
  const id = word(body.id) ?? word(body.session_id);
  if (!state.named) {
    state.named = true;
    state.session ??= id === undefined ? state.fallback : toSessionId(id);
    describe(line, headerFacts(line));
  } else if (id !== undefined && toSessionId(id) !== state.session && !state.forked) {
    state.forked = true;
    describe(line, { forkedFrom: sessionKey(id) });
  } else ignore(line);
}

function headerFacts({ body, record, state }: Line): Partial<SessionDraft> {
  const project = word(body.cwd);
  if (project !== undefined) state.project = true;
  const gitBranch = word(fields(body.git)?.branch);
  const createdAt = time(body.timestamp) ?? time(record.timestamp);
  const source = fields(body.source);
  // `source.subagent` holds what kind: a word (`review`, `compact`), or an object that may name the spawning thread.
  const spawned =
    source?.subagent !== undefined ||
    source?.internal !== undefined ||
    body.thread_source === "subagent" ||
    body.thread_source === "memory_consolidation";
  const spawn = fields(fields(source?.subagent)?.thread_spawn);
  const parent = spawned ? (word(spawn?.parent_thread_id) ?? word(body.parent_thread_id)) : undefined;
  const origin = word(body.forked_from_id);
  if (origin !== undefined) state.forked = true;
  return {
    kind: spawned ? "subagent" : "direct",
    ...(project === undefined ? {} : { project }),
    ...(gitBranch === undefined ? {} : { gitBranch }),
    ...(createdAt === null ? {} : { createdAt }),
    ...(parent === undefined ? {} : { spawnedBy: sessionKey(parent), parentSessionKey: sessionKey(parent) }),
    ...(origin === undefined ? {} : { forkedFrom: sessionKey(origin) }),
  };
}

/** Settings of a turn. The model stands only here; the folder matters where the header has none. */
export function readTurnContext(line: Line): void {
  const { body, state } = line;
  const model = word(body.model);
  const project = state.project ? undefined : word(body.cwd);
  const changed = model !== undefined && model !== state.model;
  if (!changed && project === undefined) {
    ignore(line);
    return;
  }
  if (changed) state.model = model;
  if (project !== undefined) state.project = true;
  describe(line, { ...(changed ? { model } : {}), ...(project === undefined ? {} : { project }) });
}

/** Takes the folder from an environment block: the oldest rollouts have it nowhere else. */
export function noteFolder(line: Line, blocks: readonly Part[]): void {
  if (line.state.project) return;
  for (const block of blocks) {
    const project = block.type === "text" ? folderOf(block.text) : null;
    if (project === null) continue;
    line.state.project = true;
    describe(line, { project });
    return;
  }
}

/** A line of the session index. Codex makes most names itself and doesn't mark those that a person gave; the last one wins. */
export function readName(line: Line): void {
  const name = text(line.body.thread_name);
  const id = word(line.body.id);
  if (name === undefined || id === undefined) {
    report(line, "bad-record", "a line of the session index without a name or an id; skipped");
  } else if (name.trim() === "") ignore(line);
  else {
    const title = { text: name.trim(), rank: "generated" as const };
    line.push({ kind: "session", session: { agentId, sessionId: toSessionId(id), title } });
  }
}
