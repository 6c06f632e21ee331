/**
 * Reads the records of a Codex rollout, all three generations: bare items below a header without a type (until autumn
 * 2025), then `{timestamp, type, payload}` envelopes, later ones with more header fields and completed items as events.
 * Also the lines of `session_index.jsonl`, which name sessions.
 */
import { toSessionId } from "../../model/ids.ts";
import { type Fields, isFields, text, word } from "../fields.ts";
import type { JsonlFormat, Place } from "../jsonl.ts";
import type { SourceFile, SourceItem } from "../source.ts";
import { readEvent } from "./events.ts";
import { readHeader, readName, readTurnContext } from "./header.ts";
import { readAgentMessage, readItem } from "./items.ts";
import { ignore, keepUnknown, type Line, nextId, put, type Reader, type RolloutState, report } from "./state.ts";

export const rollout: JsonlFormat<RolloutState> = {
  start: (file) => ({
    session: null,
    fallback: toSessionId(nameOf(file)),
    archived: /[\\/]archived_sessions[\\/]/.test(file.path),
    named: false,
    forked: false,
    project: false,
    model: null,
    userEvents: false,
    counts: {},
    last: null,
    turns: [],
    turnsForgotten: false,
    heard: { user: [], assistant: [] },
  }),
  record: readRecord,
};

/** The UUID in the file's name, else its path below the root; the same for a file and its compressed form. */
function nameOf(file: SourceFile): string {
  const stem = file.relative.replace(/\.zst$/, "").replace(/\.jsonl$/, "");
  return /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.exec(stem)?.[0] ?? stem;
}

const readers: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ["session_meta", readHeader],
  ["response_item", readItem],
  ["event_msg", readEvent],
  ["turn_context", readTurnContext],
  ["compacted", readCompacted],
  ["inter_agent_communication", readAgentMessage],
  ["inter_agent_communication_metadata", ignore],
  ["world_state", ignore],
]);

function readRecord(record: Fields, place: Place, state: RolloutState, push: (item: SourceItem) => void): void {
  const type = text(record.type) ?? "record";
  const { payload } = record;
  if (isFields(payload)) {
    const subtype = text(payload.type);
    const what = subtype === undefined ? type : `${type}/${subtype}`;
    (readers.get(type) ?? keepUnknown)({ record, body: payload, what, place, state, push });
    return;
  }
  const line: Line = { record, body: record, what: type, place, state, push };
  if (readers.has(type)) report(line, "bad-record", `the payload of a ${type} record is not an object; skipped`);
  else readBare(line);
}

/** A record without an envelope: of the oldest generation, or of the session index. */
function readBare(line: Line): void {
  const { body } = line;
  if (text(body.type) !== undefined) readItem(line);
  else if (body.record_type === "state") ignore({ ...line, what: "state" });
  else if (body.thread_name !== undefined) readName({ ...line, what: "thread_name" });
  else if (body.timestamp !== undefined && word(body.id) !== undefined) readHeader({ ...line, what: "session_meta" });
  else if (body.content !== undefined) readItem(line);
  else keepUnknown(line);
}

/** The summary that stands for what went before; empty where it is encrypted. Its copy of the history is left out. */
function readCompacted(line: Line): void {
  const summary = text(line.body.message) ?? "";
  const id = nextId(line, line.body.id, "compaction", summary);
  put(line, { id, type: "compaction", parts: summary === "" ? [] : [{ type: "text", text: summary, injected: true }] });
}
