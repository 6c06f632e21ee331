/**
 * Tells what a file below a Claude Code folder is, from its name and its first 64 KiB. People also point at folders
 * without the `projects` layout and at renamed files, so a transcript is known by its records; names only tell apart the
 * files that hold no transcript of their own.
 */
import { type Fields, fields, parseJson, text } from "../fields.ts";
import type { Recognition, SourceFile } from "../source.ts";

const transcript: Recognition = { as: "transcript", appendOnly: true };

/** What `claude --output-format stream-json` prints, and the desktop app's `audit.jsonl`: the transcript lies elsewhere. */
const stream = skip("the output stream of a run, not its transcript");

/** A field that each type of record has and no other program's record of that name. */
const marks: ReadonlyMap<string, string> = new Map([
  ["summary", "leafUuid"],
  ["file-history-snapshot", "messageId"],
  ["queue-operation", "operation"],
  ["custom-title", "customTitle"],
  ["ai-title", "aiTitle"],
  ["agent-name", "agentName"],
  ["agent-setting", "agentSetting"],
  ["agent-color", "agentColor"],
  ["last-prompt", "lastPrompt"],
  ["permission-mode", "permissionMode"],
  ["mode", "mode"],
  ["tag", "tag"],
  ["pr-link", "prUrl"],
  ["worktree-state", "worktreeSession"],
]);

/** Transcripts end so; the second form is what container set-ups make of a file that grew too big. */
export const transcriptEnding = /\.jsonl(\.rotated-\d+)?$/;

/** The last piece of a file's path. */
export function fileName(file: SourceFile): string {
  return file.path.slice(Math.max(file.path.lastIndexOf("/"), file.path.lastIndexOf("\\")) + 1);
}

/** What the file is. `head` may end inside its first record. */
export function recogniseFile(file: SourceFile, head: string): Recognition {
  const name = fileName(file);
  const named = namedFile(file.path.replaceAll("\\", "/"), name);
  if (named) return named;
  if (name.endsWith(".json")) return exported(head) ? skip("an export of one session, not its own file") : null;
  if (!transcriptEnding.test(name)) return null;

  const lines = head.split("\n", 200);
  for (const [at, line] of lines.entries()) {
    const record = fields(parseJson(at === 0 ? line.replace(/^\uFEFF/, "") : line));
    const known = record ? recogniseRecord(record) : at === lines.length - 1 ? recogniseCut(line) : undefined;
    if (known !== undefined) return known;
  }
  return null;
}

/** Files that their name gives away. The folder has to be Claude's: other programs have a `memory` folder too. */
function namedFile(path: string, name: string): Recognition {
  if (/^agent-acompact-[^/]*\.jsonl$/.test(name)) return skip("a copy of the parent session, made to summarise it");
  if (/^agent-aside_question-[^/]*\.jsonl$/.test(name))
    return skip("a copy of the parent session, made for a side question");
  if (/^agent-[^/]*\.meta\.json$/.test(name)) return skip("describes a sub-agent; read together with its transcript");
  if (name === "sessions-index.json") return skip("a list of sessions that the program rebuilds");
  if (/\/projects\/[^/]+\/memory\/[^/]+\.md$/.test(path)) return skip("a memory note, not a transcript");
  if (/\/[0-9a-f]{8}-[0-9a-f-]{27}\/tool-results\/[^/]+$/.test(path))
    return skip("the output of a tool, moved out of its transcript");
  if (/\/[0-9a-f]{8}-[0-9a-f-]{27}\/workflows\/[^/]+\.json$/.test(path)) return skip("the summary of a workflow run");
  return null;
}

/** What one record says of its file; undefined when it says nothing. */
function recogniseRecord(record: Fields): Recognition | undefined {
  const type = text(record.type);
  if (type === undefined) {
    const prompt = typeof record.display === "string" && typeof record.project === "string";
    return prompt ? skip("the list of typed prompts, which the transcripts hold too") : undefined;
  }
  if (type === "user" || type === "assistant") {
    const message = fields(record.message);
    // Qwen Code writes the same envelope around Gemini's messages, which have parts.
    if (message && "parts" in message) return null;
    if (!message) return typeof record.uuid === "string" && "isSidechain" in record ? transcript : undefined;
    return "parent_tool_use_id" in record ? stream : transcript;
  }
  if (type === "system" && record.subtype === "init" && "session_id" in record && "mcp_servers" in record) {
    return stream;
  }
  const journal = type === "started" || type === "result";
  if (journal && typeof record.key === "string" && typeof record.agentId === "string") {
    return skip("the journal of a workflow run, not a transcript");
  }
  if (type === "system" || type === "progress" || type === "attachment") {
    return typeof record.uuid === "string" && typeof record.isSidechain === "boolean" ? transcript : undefined;
  }
  const mark = marks.get(type);
  if (mark === undefined || !(mark in record)) return undefined;
  const unnamed = type === "summary" || type === "file-history-snapshot";
  return unnamed || typeof record.sessionId === "string" ? transcript : undefined;
}

/** The head ends inside this record: only what stands before a long content can be seen. */
function recogniseCut(line: string): Recognition | undefined {
  if (/"message"\s*:\s*\{\s*"role"\s*:\s*"\w+"\s*,\s*"parts"|[{,]\s*"systemPayload"\s*:/.test(line)) return null;
  // Quotes inside a text are escaped, so these are fields.
  if (/[{,]\s*"isSidechain"\s*:\s*(true|false)/.test(line)) return transcript;
  const message = /[{,]\s*"message"\s*:\s*\{\s*"(role|content|model|id|type)"/.test(line);
  return message && /[{,]\s*"type"\s*:\s*"(user|assistant)"/.test(line) ? transcript : undefined;
}

/** Whether a `.json` file is what a tool or the web app made of a Claude Code session. */
function exported(head: string): boolean {
  const start = head.slice(0, 4096);
  if (/^\s*\{\s*"loglines"\s*:\s*\[/.test(start)) return true;
  return /^\s*\[\s*\{/.test(start) && /"isSidechain"\s*:/.test(start) && /"sessionId"\s*:/.test(start);
}

function skip(reason: string): Recognition {
  return { as: "skip", reason };
}
