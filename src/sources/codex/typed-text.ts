/**
 * Tells what a person typed in a Codex user message from what the harness put there (SPEC 8.6), and what an assistant
 * message says to the reader from its hidden markup. The tags and headings are those of Codex's own filter for
 * contextual user messages, older ones included, since rollouts are never rewritten.
 */
import { hash53 } from "../../model/ids.ts";
import type { Part } from "../../model/transcript.ts";

/** Tags that open a block written by the harness. Names in lower case. */
const harnessTags = new Set([
  "apps_instructions",
  "codex_internal_context",
  "collaboration_mode",
  "context_window",
  "context_window_guidance",
  "environment_context",
  "environments_instructions",
  "extension_context",
  "goal_context",
  "hook_prompt",
  "model_switch",
  "multi_agent_mode",
  "permissions instructions",
  "personality_spec",
  "plugins_instructions",
  "realtime_conversation",
  "recommended_plugins",
  "rollout_budget",
  "skill",
  "skills_instructions",
  "subagent_notification",
  "token_budget",
  "token_budget_reminder",
  "turn_aborted",
  "user_action",
  "user_instructions",
  "user_shell_command",
]);

/** Openings of texts that the harness writes whole, without a tag. They occur in response items only. */
const harnessOpenings = [
  "Another language model started to solve this problem and produced a summary",
  "Here is a list of plugins that are available but not installed.",
  "Warning: The maximum number of unified exec processes you can keep open is",
  "Warning: Your account was flagged for potentially high-risk cyber activity",
  "Warning: apply_patch was requested via ",
  "You were originally given instructions from a user over one or more turns.",
];

const agentsOpening = "# agents.md instructions";
const agentsEnd = "</INSTRUCTIONS>";
const ideOpening = "# Context from my IDE setup:";
const requestHeading = "## My request for Codex:";

/** Blocks looked for in one text; finding an end reads the whole text, so that a hostile one must not have thousands. */
const mostBlocks = 64;

/**
 * The parts of one user text. `typed` says that the text comes from an event, which Codex writes for typed messages
 * only: there a harness tag counts when it is closed, elsewhere also when its end is missing.
 */
export function userText(text: string, typed: boolean): Part[] {
  const parts: Part[] = [];
  let at = 0;
  for (let count = 0; count < mostBlocks; count++) {
    const end = harnessEnd(text, at, typed);
    if (end === at) break;
    parts.push({ type: "text", text: text.slice(at, end).trim(), injected: true });
    at = end;
  }
  const request = requestStart(text, at);
  if (request > at) {
    parts.push({ type: "text", text: text.slice(at, request).trim(), injected: true });
    at = request;
  }
  const plain = text.slice(at).trim();
  if (plain !== "") parts.push({ type: "text", text: plain });
  return parts;
}

/** Where the harness block ends that begins at `at` (after white space), or `at` when none does. */
function harnessEnd(text: string, at: number, typed: boolean): number {
  const start = at + leadingSpace(text, at);
  const first = text[start];
  if (first === "<") {
    const opening = /^<([a-z][a-z0-9_.-]*(?: instructions)?)(?=[\s>])/i.exec(text.slice(start, start + 64));
    const name = opening?.[1];
    if (name === undefined) return at;
    const plain = name.toLowerCase();
    if (!harnessTags.has(plain) && !plain.startsWith("external_")) return at;
    const close = Math.max(text.lastIndexOf(`</${name}>`), text.lastIndexOf(`</${plain}>`));
    if (close > start) return close + name.length + 3;
    return typed ? at : text.length;
  }
  if (first === "#" && text.slice(start, start + agentsOpening.length).toLowerCase() === agentsOpening) {
    const close = text.lastIndexOf(agentsEnd);
    if (close > start) return close + agentsEnd.length;
    return typed ? at : text.length;
  }
  if (!typed && harnessOpenings.some((opening) => text.startsWith(opening, start))) return text.length;
  return at;
}

/**
 * Where the typed words begin below the headings that an editor or the desktop app puts above them: after the first
 * line that is the request heading (Codex cuts there too). `at` when the text has no such headings.
 */
function requestStart(text: string, at: number): number {
  const start = at + leadingSpace(text, at);
  if (text[start] !== "#") return at;
  for (let found = text.indexOf(requestHeading, start); found >= 0; found = text.indexOf(requestHeading, found + 1)) {
    if (found === start || text[found - 1] === "\n") return found + requestHeading.length;
  }
  return text.startsWith(ideOpening, start) ? text.length : at;
}

function leadingSpace(text: string, at: number): number {
  let end = at;
  while (end < text.length && /\s/.test(text[end] ?? "")) end += 1;
  return end - at;
}

const citation = "oai-mem-citation";
const plan = "proposed_plan";

/** The parts of one assistant text: memory citations are markup that nobody is shown; so are messages between agents. */
export function assistantText(text: string): Part[] {
  if (text.startsWith('{"author":"') && text.includes('"recipient":')) return [{ type: "text", text, injected: true }];
  const parts: Part[] = [];
  let plain = "";
  for (const piece of blocks(text, citation)) {
    if (piece.inside) parts.push({ type: "text", text: piece.text, injected: true });
    else plain += piece.text;
  }
  if (plain.trim() !== "") parts.unshift({ type: "text", text: plain });
  return parts;
}

/** What an event repeats of an assistant item's text: without memory citations and without the plan, which has an event of its own. */
export function shownText(text: string): string {
  let shown = text;
  for (const tag of [citation, plan]) {
    if (!shown.includes(`<${tag}>`)) continue;
    shown = blocks(shown, tag)
      .filter((piece) => !piece.inside)
      .map((piece) => piece.text)
      .join("");
  }
  return shown;
}

/** Cuts a text at the blocks of one tag; a block without an end runs to the end of the text. */
function blocks(text: string, tag: string): { text: string; inside: boolean }[] {
  const open = `<${tag}>`;
  const close = `</${tag}>`;
  const pieces: { text: string; inside: boolean }[] = [];
  let at = 0;
  while (at < text.length) {
    const start = text.indexOf(open, at);
    if (start < 0) break;
    if (start > at) pieces.push({ text: text.slice(at, start), inside: false });
    const end = text.indexOf(close, start);
    at = end < 0 ? text.length : end + close.length;
    pieces.push({ text: text.slice(start, at), inside: true });
  }
  if (at < text.length) pieces.push({ text: text.slice(at), inside: false });
  return pieces;
}

/** What the two copies of a message have in common: its words. They differ in white space around markup that was cut out. */
export function speechKey(text: string): number {
  return hash53(text.replace(/\s+/g, ""));
}

/** The folder that an environment block names; the oldest rollouts say it nowhere else. */
export function folderOf(environment: string): string | null {
  if (!environment.includes("<environment_context>")) return null;
  const found = /<cwd>([^<]{1,4096})<\/cwd>|Current working directory: ([^\n]{1,4096})/.exec(environment);
  const folder = (found?.[1] ?? found?.[2] ?? "").trim();
  return folder === "" ? null : folder;
}
