/**
 * Codex CLI, its editor extension and its desktop app: rollouts below `$CODEX_HOME`, live and archived, plain and
 * compressed, and the session index. This file says where they lie and what each file is; `rollout.ts` reads them.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { toSourceId } from "../../model/ids.ts";
import { type Fields, isFields, parseJson, text, word } from "../fields.ts";
import { readJsonl } from "../jsonl.ts";
import type { Recognition, Source } from "../source.ts";
import { rollout } from "./rollout.ts";

const transcript: Recognition = { as: "transcript", appendOnly: true };

export const codex: Source = {
  id: toSourceId("codex"),
  name: "Codex",
  places: ({ home, env }) => [word(env.CODEX_HOME) ?? join(home, ".codex")],
  recognise(file, head) {
    const name = file.relative.slice(file.relative.lastIndexOf("/") + 1);
    const isRollout = name.startsWith("rollout-");
    if (name.endsWith(".zst")) {
      // The head is compressed, so the name has to do.
      if (!isRollout || !name.endsWith(".jsonl.zst")) return null;
      if (existsSync(file.path.slice(0, -".zst".length))) {
        return { as: "skip", reason: "the compressed form of a rollout that is also there in plain" };
      }
      return { as: "transcript", appendOnly: false };
    }
    const known = recogniseHead(head);
    if (known !== null) return known;
    if (isRollout && name.endsWith(".jsonl") && head.trimStart() !== "") return transcript;
    if (isRollout && name.endsWith(".json")) {
      return { as: "skip", reason: "a session of the first Codex CLI, one JSON document; that format is not read" };
    }
    return null;
  },
  read: (file, from) => readJsonl(file, from, rollout),
};

/** How many lines may be torn or foreign before a file is given up. */
const linesTried = 8;

function recogniseHead(head: string): Recognition {
  let at = head.charCodeAt(0) === 0xfeff ? 1 : 0;
  for (let tried = 0; tried < linesTried && at < head.length; tried++) {
    const end = head.indexOf("\n", at);
    const line = head.slice(at, end < 0 ? head.length : end);
    // A file of another kind costs a look at eight characters, not a parse.
    if (line.trimStart().startsWith("{")) {
      const record = parseJson(line);
      const known = isFields(record) ? recogniseRecord(record) : end < 0 ? recogniseCutLine(line) : null;
      if (known !== null) return known;
    }
    if (end < 0) break;
    at = end + 1;
  }
  return null;
}

const envelopes = new Set(["session_meta", "response_item", "event_msg", "turn_context", "compacted", "world_state"]);

function recogniseRecord(record: Fields): Recognition {
  const type = text(record.type);
  if (type !== undefined) {
    if (envelopes.has(type)) return isFields(record.payload) ? transcript : null;
    return type === "thread.started" && word(record.thread_id) !== undefined ? eventStream : null;
  }
  if (word(record.session_id) !== undefined && typeof record.ts === "number" && text(record.text) !== undefined) {
    return { as: "skip", reason: "the log of typed prompts; they stand in the rollouts, with the answers" };
  }
  if (record.record_type === "state") return transcript;
  if (word(record.id) === undefined) return null;
  if (text(record.thread_name) !== undefined) return { as: "facts", appendOnly: true };
  if (isFields(record.msg) && text(record.msg.type) !== undefined) return eventStream;
  // The header of the oldest generation.
  return word(record.timestamp) !== undefined && record.instructions !== undefined ? transcript : null;
}

const eventStream: Recognition = {
  as: "skip",
  reason:
    "the output of `codex exec --json`: it lacks the prompts and the times, and the rollout of the same run has both",
};

/** A first line longer than the head: headers carry the base instructions, 20 KB and more. */
function recogniseCutLine(line: string): Recognition {
  const opening = line.slice(0, 512);
  const isEnvelope =
    /^\s*\{[^{}]*"type"\s*:\s*"(?:session_meta|response_item|event_msg|turn_context|compacted)"/.test(opening) ||
    (/^\s*\{[^{}]*"payload"\s*:\s*\{/.test(opening) && /"(?:cli_version|originator)"\s*:/.test(line));
  const isOldest = /^\s*\{\s*"id"\s*:\s*"[^"]+"\s*,\s*"timestamp"\s*:\s*"[^"]*"\s*,\s*"instructions"\s*:/.test(opening);
  return isEnvelope || isOldest ? transcript : null;
}
