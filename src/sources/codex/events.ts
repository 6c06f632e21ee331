/** Reads Codex events: what the screen showed. Most repeat an item; the typed messages and the rollbacks stand only here. */
import type { Part } from "../../model/transcript.ts";
import { fields, json, text } from "../fields.ts";
import { putInjected } from "./items.ts";
import { contentParts, eventImages } from "./parts.ts";
import { hearAssistant, hearUser } from "./speech.ts";
import { ignore, keepUnknown, type Line, nextId, put, type Reader, report, rollBack } from "./state.ts";

/** Events that repeat what items say or report progress, besides those that `passing` matches. */
const ignored = [
  "agent_reasoning",
  "agent_reasoning_raw_content",
  "agent_reasoning_section_break",
  "background_event",
  "context_compacted",
  "deprecation_notice",
  "entered_review_mode",
  "guardian_assessment",
  "guardian_warning",
  "item_started",
  "mcp_startup_complete",
  "mcp_startup_update",
  "model_reroute",
  "patch_apply_updated",
  "plan_update",
  "session_configured",
  "shutdown_complete",
  "stream_error",
  "sub_agent_activity",
  "task_complete",
  "task_started",
  "terminal_interaction",
  "thread_name_updated",
  "thread_settings_applied",
  "token_count",
  "turn_aborted",
  "turn_complete",
  "turn_diff",
  "turn_started",
  "undo_completed",
  "undo_started",
  "view_image_tool_call",
  "warning",
];
const passing = /^collab_|^realtime_|_(?:begin|end|delta|request|response)$/;

const readers: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ...ignored.map((type): [string, Reader] => [type, ignore]),
  ["user_message", readUserMessage],
  ["agent_message", readAgentMessage],
  ["item_completed", readCompleted],
  ["thread_rolled_back", readRollback],
  ["error", keepEvent],
  ["exited_review_mode", keepEvent],
  ["thread_goal_updated", keepEvent],
]);

/** Reads the event in `line.body`. */
export function readEvent(line: Line): void {
  const type = text(line.body.type) ?? "";
  (readers.get(type) ?? (passing.test(type) ? ignore : keepUnknown))(line);
}

function readUserMessage(line: Line): void {
  const said = saidIn(line);
  if (said === null) return;
  const { kind } = line.body;
  // Early versions sent their instructions and the environment as user events too, of a kind of their own.
  if (kind === "user_instructions" || kind === "environment_context") putInjected(line, "user", said);
  else hearUser(line, "event", [...said, ...eventImages(line.body)], line.body.id);
}

function readAgentMessage(line: Line): void {
  const said = saidIn(line);
  if (said !== null) hearAssistant(line, "event", said, line.body.id);
}

function saidIn(line: Line): Part[] | null {
  const said = text(line.body.message);
  if (said === undefined) {
    report(line, "bad-record", `a ${line.what} record without a message; skipped`);
    return null;
  }
  return contentParts(said);
}

const completedTypes =
  /^(?:CollabAgentToolCall|CommandExecution|ContextCompaction|DynamicToolCall|Extension|FileChange|HookPrompt|ImageGeneration|ImageView|McpToolCall|Plan|Reasoning|Sleep|SubAgentActivity|WebSearch)$/;

/** The newest form of events: the user's and the agent's messages, and a second copy of everything else. */
function readCompleted(line: Line): void {
  const item = fields(line.body.item);
  const type = text(item?.type) ?? "";
  const named: Line = { ...line, what: `${line.what}/${type}` };
  if (type !== "UserMessage" && type !== "AgentMessage") {
    (completedTypes.test(type) ? ignore : keepUnknown)(named);
    return;
  }
  const blocks = contentParts(item?.content);
  if (blocks === null) report(named, "bad-record", `a ${named.what} record without content; skipped`);
  else (type === "UserMessage" ? hearUser : hearAssistant)(named, "event", blocks, item?.id);
}

function readRollback(line: Line): void {
  const count = line.body.num_turns;
  if (typeof count !== "number" || !Number.isInteger(count) || count < 0) {
    report(line, "bad-record", "a rollback that does not say how many turns; skipped");
  } else if (count === 0) ignore(line);
  else rollBack(line, count);
}

/** What a review found, what a goal was set to, what went wrong: kept whole, never searched. */
function keepEvent(line: Line): void {
  const id = nextId(line, line.body.id, "event", line.what);
  put(line, { id, type: "custom", parts: [], data: json(line.body) });
}
