/**
 * Turns the content of a pi or OpenClaw message into parts. Content is a string or a list of blocks; anything else in its
 * place is kept as an `other` part. What a text block says is the caller's to judge: it passes in how words become parts.
 */
import type { Part } from "../../model/transcript.ts";
import { type Fields, fields, isFields, json, list, text } from "../fields.ts";

/** Turns the text of one block into parts: plain for what someone said, `injected` for what the program put there. */
export type Say = (words: string) => readonly Part[];

/** A stretch of a text that the program put there: UTF-16 offsets, `to` exclusive. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Words as they stand; none when there are only blanks. */
export function plain(words: string): readonly Part[] {
  return words.trim() === "" ? [] : [{ type: "text", text: words }];
}

/** Words that nobody typed; none when there are only blanks. */
export function injected(words: string): readonly Part[] {
  return words.trim() === "" ? [] : [{ type: "text", text: words, injected: true }];
}

/**
 * Cuts a text into injected parts (the spans, in order, not overlapping) and plain ones (what lies between). Spans with
 * only blanks between them become one part, so that stacked wrappers read as they stood.
 */
export function cut(words: string, spans: readonly Span[]): Part[] {
  const parts: Part[] = [];
  let at = 0;
  for (let i = 0; i < spans.length; i++) {
    const from = spans[i]?.from ?? 0;
    let to = spans[i]?.to ?? 0;
    for (let next = spans[i + 1]; next && words.slice(to, next.from).trim() === ""; next = spans[i + 1]) {
      to = next.to;
      i += 1;
    }
    parts.push(...plain(withoutBlankEdges(words.slice(at, from))), ...injected(words.slice(from, to).trim()));
    at = to;
  }
  parts.push(...plain(withoutBlankEdges(words.slice(at))));
  return parts;
}

/** The parts of a message's content, in order. Empty for `""`, null, `[]` and a content that is not there. */
export function contentParts(content: unknown, say: Say): Part[] {
  if (content === undefined || content === null) return [];
  if (typeof content === "string") return [...say(content)];
  if (!Array.isArray(content)) return [{ type: "other", value: json(content) }];
  const parts: Part[] = [];
  for (const block of content as unknown[]) {
    if (typeof block === "string") parts.push(...say(block));
    else if (isFields(block)) addBlock(block, say, parts);
    else if (block !== null) parts.push({ type: "other", value: json(block) });
  }
  return parts;
}

/** A tool's result as one part, with the images that came with it after it. */
export function toolResultParts(message: Fields): Part[] {
  const blocks = list(message.content);
  const lines: string[] = [];
  const rest: Part[] = [];
  for (const block of blocks) {
    const words = typeof block === "string" ? block : isFields(block) ? blockText(block) : undefined;
    if (words !== undefined) lines.push(words);
    else if (isFields(block)) addBlock(block, plain, rest);
  }
  const id = text(message.toolCallId);
  const name = text(message.toolName);
  return [
    {
      type: "toolResult",
      ...(id === undefined ? {} : { id }),
      ...(name === undefined ? {} : { name }),
      text: text(message.content) ?? lines.join("\n"),
      ...(message.isError === true ? { isError: true } : {}),
    },
    ...rest,
  ];
}

/** A command that the user ran with `!`: the command was typed, the output was not. */
export function shellParts(message: Fields): Part[] {
  const failed = message.cancelled === true || (message.exitCode ?? 0) !== 0;
  return [
    ...plain(text(message.command) ?? ""),
    { type: "toolResult", name: "bash", text: text(message.output) ?? "", ...(failed ? { isError: true } : {}) },
  ];
}

function addBlock(block: Fields, say: Say, parts: Part[]): void {
  const words = blockText(block);
  if (words !== undefined) {
    parts.push(...say(words));
    return;
  }
  switch (block.type) {
    case "thinking": {
      // The signature is opaque, often over a kilobyte, and of no use outside the provider. Redacted thinking has no text.
      const thought = text(block.thinking) ?? "";
      if (thought.trim() !== "") parts.push({ type: "thinking", text: thought });
      return;
    }
    case "toolCall":
    case "toolUse":
    case "functionCall": {
      const id = text(block.id);
      const input = block.arguments ?? block.input;
      parts.push({
        type: "toolCall",
        ...(id === undefined ? {} : { id }),
        name: text(block.name) ?? "",
        arguments: json(input),
      });
      return;
    }
    case "image":
      parts.push(imagePart(block));
      return;
    default:
      parts.push({ type: "other", value: json(block) });
  }
}

function blockText(block: Fields): string | undefined {
  const type = block.type;
  return type === "text" || type === "input_text" || type === "output_text" ? text(block.text) : undefined;
}

function imagePart(block: Fields): Part {
  const source = fields(block.source);
  const mime = text(block.mimeType) ?? text(source?.media_type);
  const data = text(block.data) ?? text(source?.data);
  const url = text(block.url) ?? text(source?.url);
  return {
    type: "image",
    ...(mime === undefined ? {} : { mime }),
    ...(data === undefined ? {} : { data }),
    ...(url === undefined ? {} : { url }),
  };
}

/** Drops blank lines before and blanks after. The indent of the first line stays: it may be code. */
function withoutBlankEdges(words: string): string {
  const end = words.trimEnd();
  let from = 0;
  for (let at = 0; at < end.length; at++) {
    const unit = end.charCodeAt(at);
    if (unit === 0x0a) from = at + 1;
    else if (unit !== 0x20 && unit !== 0x09 && unit !== 0x0d) break;
  }
  return end.slice(from);
}
