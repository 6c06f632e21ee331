/**
 * The text of an entry's tool calls and results as it is indexed and shown: picked out by text/tool-traffic.ts, each piece
 * masked whole before it is cut (SPEC 3.7, 5.2). Index and snippet read this one function, so they can't disagree.
 */
import type { Json, Part, Role } from "../model/transcript.ts";
import { type Redaction, redact } from "../redaction/redact.ts";
import type { Spoken } from "../text/searchable.ts";
import { keptOfResult, keptOfValue, type NamedValue, readOf, valuesOf } from "../text/tool-traffic.ts";

export interface ToolText extends Redaction {
  /** `toolResult` where there is nothing but results, else who called. */
  readonly role: Role;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
const separator = "\n";

/** Null for an entry without tool traffic. O(its length, up to 128 KiB a result). */
export function toolText(entry: Spoken): ToolText | null {
  if (entry.type !== "message") return null;
  const pieces: Redaction[] = [];
  let role: Role = "toolResult";
  for (const part of entry.parts) {
    if (isRecall(part)) continue;
    if (part.type === "toolCall") {
      role = entry.role ?? "assistant";
      pieces.push(...piecesOfCall(part.name, part.arguments));
    } else if (part.type === "toolResult") pieces.push(...piecesOfResult(part));
  }
  const kept = pieces.filter(({ text }) => text.trim() !== "");
  if (kept.length === 0) return null;
  return { ...joinSafely(kept), role };
}

/** A call of these tools, or what one of them answered: to find it again would be to recall a recalling (SPEC 4.3). */
function isRecall(part: Part): boolean {
  if (part.type !== "toolCall" && part.type !== "toolResult") return false;
  if (part.name !== undefined && ourTools.test(part.name)) return true;
  return part.type === "toolResult" && ourAnswer.test(part.text.slice(0, answerHead));
}

/** Also behind the name that a client gives the server: `mcp__backscroll__sessions_search`. */
const ourTools = /(?:^|[^a-z])sessions_(?:search|history|list)$/i;
/** How their answers begin, where the result does not say whose it is. */
const ourAnswer = /^\s*\{\s*"(?:results|sessions|sessionKey)"\s*:[\s\S]*"?agent:[a-z0-9_-]+:/;
const answerHead = 400;

/** Pieces side by side may spell a secret that none of them is: then what completes it stays away. */
function joinSafely(pieces: readonly Redaction[]): Redaction {
  const all = join(pieces);
  if (pieces.length < 2 || redact(all.text).masks.length === 0) return all;
  let safe = join([]);
  for (const piece of pieces) {
    const longer = join(safe.text === "" ? [piece] : [safe, piece]);
    if (redact(longer.text).masks.length === 0) safe = longer;
  }
  return safe;
}

function join(pieces: readonly Redaction[]): Redaction {
  const joined: Mutable<Redaction> & { masks: { start: number; end: number }[] } = { text: "", masks: [] };
  for (const { text, masks } of pieces) {
    if (joined.text !== "") joined.text += separator;
    const by = joined.text.length;
    for (const { start, end } of masks) joined.masks.push({ start: start + by, end: end + by });
    joined.text += text;
  }
  return joined;
}

function piecesOfCall(name: string, given: Json): Redaction[] {
  const pieces: Redaction[] = [cut(redact(name), 0, 128)];
  let length = 0;
  for (const value of valuesOf(unpacked(given))) {
    const masked = maskNamed(value);
    if (masked === null) continue;
    for (const { start, end } of keptOfValue(masked.text, length)) {
      pieces.push(cut(masked, start, end));
      length += end - start;
    }
  }
  return pieces;
}

/** Arguments that a format keeps as the text of their JSON. */
function unpacked(given: Json): Json {
  if (typeof given !== "string" || !/^\s*[[{]/.test(given)) return given;
  try {
    return JSON.parse(given) as Json;
  } catch {
    return given;
  }
}

/** Masks a value as history does: `{"password": "…"}` is one for its name. Null where that can't be told apart. */
function maskNamed({ name, value }: NamedValue): Redaction | null {
  const alone = redact(value);
  if (name === "") return alone;
  const json = JSON.stringify({ [name]: value });
  const named = redact(json);
  if (named.masks.length === 0 || named.text === JSON.stringify({ [name]: alone.text })) return alone;
  const before = json.indexOf(":") + 2;
  const [head, tail] = [json.slice(0, before), json.slice(before + value.length)];
  // Escapes inside, or a mask over what stands around: nothing of it then.
  const isPlain = tail === '"}' && named.text.startsWith(head) && named.text.endsWith(tail);
  return isPlain ? cut(named, before, named.text.length - tail.length) : null;
}

function piecesOfResult({ text, isError }: Part & { type: "toolResult" }): Redaction[] {
  const masked = redact(readOf(text));
  return keptOfResult(masked.text, isError === true).map(({ start, end }) => cut(masked, start, end));
}

function cut({ text, masks }: Redaction, start: number, end: number): Redaction {
  return {
    text: text.slice(start, end),
    masks: masks
      .filter((mask) => mask.start < end && mask.end > start)
      .map((mask) => ({ start: Math.max(mask.start, start) - start, end: Math.min(mask.end, end) - start })),
  };
}
