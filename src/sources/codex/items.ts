/** Reads Codex response items: what went to the model and came from it. They stand bare in the oldest rollouts, later in envelopes. */
import type { Json, Part, Role } from "../../model/transcript.ts";
import { json, text, word } from "../fields.ts";
import { noteFolder } from "./header.ts";
import { callParts, contentParts, outputParts, reasoningText } from "./parts.ts";
import { hearAssistant, hearUser } from "./speech.ts";
import { ignore, keepUnknown, type Line, message, nextId, put, type Reader, report } from "./state.ts";

const readers: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ["message", readMessage],
  ["agent_message", readAgentMessage],
  ["reasoning", readReasoning],
  ["function_call", readCall],
  ["custom_tool_call", readCall],
  ["local_shell_call", readCall],
  ["web_search_call", readCall],
  ["tool_search_call", readCall],
  ["image_generation_call", readCall],
  ["function_call_output", readOutput],
  ["custom_tool_call_output", readOutput],
  ["tool_search_output", readOutput],
  ["additional_tools", ignore],
  ["compaction", ignore],
  ["compaction_trigger", ignore],
  ["configuration_update", ignore],
  ["context_compaction", ignore],
  ["ghost_snapshot", ignore],
  ["other", ignore],
  ["token_count", ignore],
]);

/** Reads the item in `line.body`. One without a type but with a role is a message. */
export function readItem(line: Line): void {
  const type = text(line.body.type) ?? (text(line.body.role) === undefined ? "" : "message");
  (readers.get(type) ?? keepUnknown)(line);
}

function readMessage(line: Line): void {
  const { body } = line;
  const blocks = contentParts(body.content);
  const role = text(body.role);
  if (blocks === null || role === undefined) {
    report(line, "bad-record", `a ${line.what} record without ${role === undefined ? "a role" : "content"}; skipped`);
  } else if (role === "user") {
    noteFolder(line, blocks);
    hearUser(line, "item", blocks, body.id);
  } else if (role === "assistant") {
    hearAssistant(line, "item", blocks, body.id);
  } else {
    putInjected(line, role === "developer" || role === "system" ? "system" : "other", blocks);
  }
}

/** A message between agents: for the model, nobody's words to the reader. */
export function readAgentMessage(line: Line): void {
  const { author, content, recipient } = line.body;
  const blocks = contentParts(content);
  if (blocks === null) report(line, "bad-record", `a ${line.what} record without content; skipped`);
  else putInjected(line, "user", blocks, { author: json(author), recipient: json(recipient) });
}

/** A message of which nothing was typed or said to the reader. */
export function putInjected(line: Line, role: Role, blocks: readonly Part[], data?: Json): void {
  if (blocks.length === 0) {
    ignore(line);
    return;
  }
  const parts = blocks.map((part): Part => (part.type === "text" ? { ...part, injected: true } : part));
  const first = parts.find((part) => part.type === "text");
  const id = nextId(line, line.body.id, role, first?.text ?? "");
  put(line, { id, ...message(line, role, parts), ...(data === undefined ? {} : { data }) });
}

function readReasoning(line: Line): void {
  const thought = reasoningText(line.body);
  if (thought === "") {
    ignore(line);
    return;
  }
  const id = nextId(line, line.body.id, "reasoning", thought);
  put(line, { id, ...message(line, "assistant", [{ type: "thinking", text: thought }]) });
}

function readCall(line: Line): void {
  const { body } = line;
  const type = text(body.type) ?? "";
  const name = word(body.name) ?? type;
  const id = nextId(line, word(body.id) ?? callId(line, name), "call", name);
  put(line, { id, ...message(line, "assistant", callParts(type, body)) });
}

function readOutput(line: Line): void {
  const id = nextId(line, word(line.body.id) ?? callId(line, "output"), "output", line.what);
  put(line, { id, ...message(line, "toolResult", outputParts(line.body)) });
}

/** A call and its result share the call's id, so each adds what it is. */
function callId(line: Line, what: string): string | undefined {
  const id = word(line.body.call_id);
  return id === undefined ? undefined : `${id}:${what}`;
}
