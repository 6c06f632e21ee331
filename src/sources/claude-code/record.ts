/**
 * Reads one record of a Claude Code file: what was said (user, assistant, queued texts), compactions, titles. The rest is
 * bookkeeping and counted. What a person typed is told from what the program wrote in their place.
 */
import { hash53, toEntryId } from "../../model/ids.ts";
import { entryTypes, type Part, type TitleRank } from "../../model/transcript.ts";
import { type Fields, fields, isFields, json, list, text, word } from "../fields.ts";
import type { Place } from "../jsonl.ts";
import { type Context, entryId, keep, type Refusal, refuse } from "./entry.ts";
import { contentParts } from "./message.ts";
import { agentId, type Lane, laneOf, type Memory, mainLane, tell } from "./session.ts";
import { hasTyped, injectedText, spokenParts } from "./typed-text.ts";

/** Records of bookkeeping: nothing in them was said by anyone. A type that is not here is kept as it is and reported. */
const stateTypes = new Set([
  "agent-color",
  "agent-setting",
  "artifact-autoreact-ledger",
  "artifact-comment-monitor",
  "atis-latch",
  "attribution-snapshot",
  "bridge-session",
  "content-replacement",
  "continued-in",
  "cost-state",
  "file-history-delta",
  "file-history-snapshot",
  "fork-context-ref",
  "frame-link",
  "isolation-latch",
  "last-prompt",
  "marble-origami-commit",
  "marble-origami-snapshot",
  "mode",
  "permission-mode",
  "pr-link",
  "progress",
  "relocated",
  "result",
  "speculation-accept",
  "started",
  "tag",
  "task-summary",
  "worktree-state",
]);

/** Senders of `user` records other than the person at the keyboard. A sender not known here says nothing. */
const machineOrigins = new Set([
  "task-notification",
  "peer",
  "coordinator",
  "auto-continuation",
  "observer",
  "observer-activity",
]);

/** The ways on which one spoken text may reach the file. */
const ways = { user: 1, attachment: 2, queue: 4 } as const;

/** Texts remembered between two answers; a person types fewer. */
const heardTexts = 16;
/** Calls for a sub-agent remembered: an inline one begins right after its call. */
const tasks = 16;
/** Titles are lines; a longer one would also burden every checkpoint until the session opens. */
const titleLength = 500;

/** Reads one record. Never throws for what it holds. */
export function readRecord(record: Fields, place: Place, memory: Memory, push: Context["push"]): void {
  const context: Context = { record, place, memory, push };
  const refusal = take(context);
  if (refusal) refuse(context, refusal);
}

/** Hands over what the record says, or tells why there is nothing to hand over. */
function take(context: Context): Refusal | null {
  const { record, memory } = context;
  const type = record.type;
  switch (type) {
    case "user":
      return readUser(context);
    case "assistant":
      return readAssistant(context);
    case "system":
      return readSystem(context);
    case "attachment":
      return readAttachment(context);
    case "queue-operation":
      return readQueueOperation(context);
    case "summary":
      return readSummary(context);
    case "custom-title":
      return readTitle(context, record.customTitle, "given");
    case "agent-name":
      memory.named = true;
      return readTitle(context, record.agentName, "generated");
    case "ai-title":
      return memory.named ? { ignored: type } : readTitle(context, record.aiTitle, "generated");
    default:
      return typeof type === "string" && stateTypes.has(type) ? { ignored: type } : keepUnknown(context, type);
  }
}

function readUser(context: Context): Refusal | null {
  const { record, memory } = context;
  const message = fields(record.message);
  if (!message) return { bad: "has no message" };
  const lane = laneOf(memory, record);
  if (record.isCompactSummary === true) {
    const parts = contentParts(message.content, injectedParts) ?? [];
    return keep(context, lane, { type: "compaction", parts });
  }
  if (lane.kind === "subagent" && !lane.open) nameSubagent(context, lane, message.content);
  const person = isFromPerson(record, lane);
  const parts = contentParts(message.content, person ? spokenParts : injectedParts);
  if (!parts) return { bad: "has a content that is neither a text nor a list" };
  const answersTool = parts.some((part) => part.type === "toolResult");
  if (!answersTool) return say(context, lane, { content: message.content, parts, person, way: ways.user });
  // Text beside a tool's result was put there by the program: a person's words come in a record of their own.
  const result = parts.map((part) => (part.type === "text" ? injectedText(part.text) : part));
  // `toolUseResult` is the same result once more; only the sub-agent that it names is news.
  const started = word(fields(record.toolUseResult)?.agentId);
  return keep(context, lane, {
    type: "message",
    role: "toolResult",
    parts: result,
    ...(started !== undefined && { data: { agentId: started } }),
  });
}

/** Inline sub-agents have no id that their call names too, but begin with its prompt. */
function nameSubagent({ memory, push }: Context, lane: Lane, prompt: unknown): void {
  if (memory.tasks.length === 0) return;
  const hash = hash53(textOf(prompt));
  const task = memory.tasks.find((asked) => asked.hash === hash);
  if (task) tell(lane, { title: { text: task.title, rank: "generated" } }, push);
}

function noteTasks(memory: Memory, parts: readonly Part[]): void {
  for (const part of parts) {
    const asked = part.type === "toolCall" && (part.name === "Task" || part.name === "Agent") && fields(part.arguments);
    const prompt = asked && word(asked.prompt);
    const title = asked && word(asked.description);
    if (!prompt || !title) continue;
    memory.tasks.push({ hash: hash53(prompt.trim()), title: cut(title) });
    if (memory.tasks.length > tasks) memory.tasks.shift();
  }
}

/**
 * Whether a `user` record is of the kind that a person writes; words in it may still be the program's.
 * A sub-agent is talked to by the model that started it, unless the record says otherwise. What comes from a chat
 * channel is marked meta like the program's own texts, but its envelope holds a person's words.
 */
function isFromPerson(record: Fields, lane: Lane): boolean {
  const origin = text(fields(record.origin)?.kind) ?? "";
  if (lane.kind === "subagent") return origin === "human";
  if (origin === "channel") return true;
  return record.isMeta !== true && record.sourceToolUseID === undefined && !machineOrigins.has(origin);
}

function readAssistant(context: Context): Refusal | null {
  const { record, memory, push } = context;
  const message = fields(record.message);
  if (!message) return { bad: "has no message" };
  const lane = laneOf(memory, record);
  if (lane.kind === "direct" && memory.heard.length > 0) memory.heard = [];
  const named = word(message.model);
  // In the model's place the program itself writes errors and "No response requested."
  const synthetic = named === "<synthetic>" || record.isApiErrorMessage === true;
  const parts = contentParts(message.content, synthetic ? injectedParts : answerParts);
  if (!parts) return { bad: "has a content that is neither a text nor a list" };
  if (parts.length === 0) return { ignored: "assistant/empty" };
  if (lane.kind === "direct") noteTasks(memory, parts);
  const pieceOf = word(message.id);
  const model = synthetic ? undefined : named;
  if (model !== undefined && model !== lane.model) {
    lane.model = model;
    tell(lane, { model }, push);
  }
  return keep(context, lane, {
    type: "message",
    role: "assistant",
    parts,
    ...(pieceOf !== undefined && { pieceOf }),
    ...(model !== undefined && { model }),
  });
}

function readSystem(context: Context): Refusal | null {
  const { record, memory } = context;
  const subtype = word(record.subtype) ?? "unnamed";
  if (subtype !== "compact_boundary") return { ignored: `system/${subtype}` };
  const metadata = fields(record.compactMetadata);
  const before = word(record.logicalParentUuid);
  return keep(context, laneOf(memory, record), {
    type: "compaction",
    parts: [],
    // The boundary itself is a root; the conversation that it closes is named apart.
    ...(before !== undefined && { parentId: toEntryId(before) }),
    ...(metadata && { data: { trigger: json(metadata.trigger), preTokens: json(metadata.preTokens) } }),
  });
}

/** What a person types while the model works comes as an attachment, mostly without any `user` record. */
function readAttachment(context: Context): Refusal | null {
  const { record, memory } = context;
  const attachment = fields(record.attachment);
  if (!attachment) return { bad: "has no attachment" };
  const kind = word(attachment.type) ?? "unnamed";
  if (kind !== "queued_command") return { ignored: `attachment/${kind}` };
  const lane = laneOf(memory, record);
  const mode = attachment.commandMode ?? "prompt";
  const person = (mode === "prompt" || mode === "bash") && isFromPerson(attachment, lane);
  const parts = contentParts(attachment.prompt, person ? spokenParts : injectedParts);
  if (!parts) return { bad: "has a prompt that is neither a text nor a list" };
  return say(context, lane, { content: attachment.prompt, parts, person, way: ways.attachment });
}

/**
 * The queue of texts typed while the model works. One that left it for the running turn may stand nowhere else (reported
 * of releases from 2.1.246 on); the others come again as `user` records or attachments, or were taken back.
 */
function readQueueOperation(context: Context): Refusal | null {
  const { record, memory } = context;
  const content = word(record.content);
  if (record.operation !== "remove" || record.reason !== "absorbed_mid_turn" || content === undefined) {
    return { ignored: "queue-operation" };
  }
  const lane = mainLane(memory, record);
  const person = lane.kind === "direct";
  const parts = person ? spokenParts(content) : injectedParts(content);
  return say(context, lane, { content, parts, person, way: ways.queue });
}

interface Spoken {
  /** As the file has it. */
  readonly content: unknown;
  readonly parts: readonly Part[];
  /** Whether a person may have typed it. */
  readonly person: boolean;
  readonly way: (typeof ways)[keyof typeof ways];
}

/**
 * Hands over what was said to the model. The same text on two ways, with no answer between them, is one message; a text
 * that comes again on the same way, or after an answer, was said again.
 */
function say(context: Context, lane: Lane, { content, parts, person, way }: Spoken): Refusal | null {
  const { record, memory } = context;
  const type = text(record.type) ?? "";
  if (parts.length === 0) return { ignored: `${type}/empty` };
  const words = textOf(content);
  if (lane.kind === "direct" && words !== "") {
    const hash = hash53(words);
    const before = memory.heard.find((heard) => heard.hash === hash && (heard.ways & way) === 0);
    if (before) {
      before.ways |= way;
      return { ignored: `${type}/repeated`, of: before.id };
    }
    memory.heard.push({ hash, id: entryId(context), ways: way });
    if (memory.heard.length > heardTexts) memory.heard.shift();
  }
  const typed = person && (hasTyped(parts) || parts.some((part) => part.type === "image"));
  return keep(context, lane, { type: "message", role: "user", parts, ...(typed && { typed }) });
}

function readSummary(context: Context): Refusal | null {
  const { record, push } = context;
  const summary = word(record.summary);
  const leaf = word(record.leafUuid);
  if (summary === undefined || leaf === undefined) return { bad: "names no summary or no leaf" };
  push({ kind: "title", agentId, entryId: toEntryId(leaf), text: summary, rank: "summary" });
  return null;
}

function readTitle(context: Context, value: unknown, rank: TitleRank): Refusal | null {
  const { record, memory, push } = context;
  const title = word(value);
  if (title === undefined) return { bad: "names no title" };
  tell(mainLane(memory, record), { title: { text: cut(title), rank } }, push);
  return null;
}

/** A record of a type that this reader does not know, as an entry with the whole record in it. */
function keepUnknown(context: Context, value: unknown): Refusal | null {
  const { record, place, memory, push } = context;
  const name = word(value)?.slice(0, 64) ?? "untyped";
  // The store gives these names a meaning (`leaf` moves the branch), which the record can't have meant.
  const type = (entryTypes as readonly string[]).includes(name) ? `claude-code/${name}` : name;
  push({
    kind: "problem",
    problem: {
      code: "unknown-record",
      path: place.path,
      line: place.line,
      reason: `a record of type ${JSON.stringify(name)}, which is not known; kept, not searchable`,
    },
  });
  return keep(context, laneOf(memory, record), { type, parts: [], data: json(record) });
}

function cut(title: string): string {
  return title.length <= titleLength ? title : title.slice(0, titleLength).toWellFormed();
}

function injectedParts(value: string): Part[] {
  return value.trim() === "" ? [] : [injectedText(value)];
}

function answerParts(value: string): Part[] {
  return value.trim() === "" ? [] : [{ type: "text", text: value }];
}

/** The plain text of a message's content, by which two copies of it are known. */
function textOf(content: unknown): string {
  if (typeof content === "string") return content.trim();
  return list(content)
    .map((block) => (typeof block === "string" ? block : isFields(block) ? (text(block.text) ?? "") : ""))
    .join("\n")
    .trim();
}
