/** Turns the content, tool calls and tool results of Codex response items into parts. Knows nothing of order or copies. */
import type { Json, Part } from "../../model/transcript.ts";
import { type Fields, fields, isFields, json, list, text, word } from "../fields.ts";

/**
 * The parts of a message's content as it stands: a string, or a list of blocks. Null when it is neither. Encrypted
 * blocks hold nothing that could be read and are left out.
 */
export function contentParts(content: unknown): Part[] | null {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  if (!Array.isArray(content)) return null;
  const parts: Part[] = [];
  for (const block of content) {
    if (typeof block === "string") {
      if (block !== "") parts.push({ type: "text", text: block });
    } else if (isFields(block)) {
      const part = blockPart(block);
      if (part) parts.push(part);
    } else if (block !== null) {
      parts.push({ type: "other", value: json(block) });
    }
  }
  return parts;
}

function blockPart(block: Fields): Part | null {
  const type = text(block.type) ?? "";
  if (type === "encrypted_content") return null;
  const said = text(block.text) ?? (type === "refusal" ? text(block.refusal) : undefined);
  if (said !== undefined) return said === "" ? null : { type: "text", text: said };
  if (type === "input_image" || type === "image" || type === "local_image") {
    return imagePart(block.image_url ?? block.url ?? block.path);
  }
  return { type: "other", value: json(block) };
}

/** An image by its data URL, its address or its path. */
export function imagePart(source: unknown): Part | null {
  const url = word(fields(source)?.url ?? source);
  if (url === undefined) return null;
  const comma = url.startsWith("data:") ? url.indexOf(",") : -1;
  if (comma < 0 || !url.slice(0, comma).endsWith(";base64")) return { type: "image", url };
  const mime = url.slice(5, comma).split(";", 1)[0] ?? "";
  const data = url.slice(comma + 1);
  return mime === "" ? { type: "image", data } : { type: "image", mime, data };
}

/** What a user event shows beside its text: pasted images as data URLs, attached ones as paths. */
export function eventImages(event: Fields): Part[] {
  const parts: Part[] = [];
  for (const source of [...list(event.images), ...list(event.local_images)]) {
    const part = imagePart(source);
    if (part) parts.push(part);
  }
  return parts;
}

/** The readable text of a reasoning item, summary first; "" when all of it is encrypted. */
export function reasoningText(item: Fields): string {
  const texts: string[] = [];
  for (const block of [...list(item.summary), ...list(item.content)]) {
    const said = word(fields(block)?.text ?? block);
    if (said !== undefined) texts.push(said);
  }
  return texts.join("\n\n");
}

/** Tools that have an item type of their own instead of a name. */
const toolNames: { readonly [type: string]: string } = {
  local_shell_call: "local_shell",
  web_search_call: "web_search",
  tool_search_call: "tool_search",
  image_generation_call: "image_generation",
};

/** The parts of a tool call: the call, and the picture where the call is its own result. */
export function callParts(type: string, item: Fields): Part[] {
  const id = word(item.call_id);
  const name = word(item.name) ?? toolNames[type] ?? "unknown";
  const call: Part = {
    type: "toolCall",
    ...(id === undefined ? {} : { id }),
    name,
    arguments: callArguments(type, item),
  };
  const picture = type === "image_generation_call" ? word(item.result) : undefined;
  return picture === undefined ? [call] : [call, { type: "image", mime: "image/png", data: picture }];
}

function callArguments(type: string, item: Fields): Json {
  switch (type) {
    case "custom_tool_call":
      return json(item.input);
    case "local_shell_call":
    case "web_search_call":
      return json(item.action);
    case "image_generation_call":
      return { revised_prompt: json(item.revised_prompt) };
    default:
      return typeof item.arguments === "string" ? parsed(item.arguments) : json(item.arguments);
  }
}

/** Codex keeps arguments as a JSON string; a model may write one that is not JSON, which stays a string. */
function parsed(source: string): Json {
  try {
    return JSON.parse(source) as Json;
  } catch {
    return source;
  }
}

/** The parts of a tool result: its text first, then pictures and whatever else it holds. */
export function outputParts(item: Fields): Part[] {
  const id = word(item.call_id);
  const others: Part[] = [];
  let output = item.output;
  let failed = false;
  if (typeof output === "string" && output.startsWith('{"output":')) {
    const inner = fields(parsed(output) as unknown);
    if (inner && typeof inner.output === "string") {
      failed = isFailure(fields(inner.metadata)?.exit_code);
      output = inner.output;
    }
  } else if (isFields(output) && output.content !== undefined) {
    failed = output.success === false;
    output = output.content;
  }
  let said = "";
  if (typeof output === "string") {
    said = output;
    failed ||= /^Exit code: [1-9]/.test(output);
  } else {
    const parts =
      contentParts(Array.isArray(output) ? output : output === undefined || output === null ? [] : [output]) ?? [];
    const texts: string[] = [];
    for (const part of parts) {
      if (part.type === "text") texts.push(part.text);
      else others.push(part);
    }
    said = texts.join("\n");
  }
  if (item.tools !== undefined) others.push({ type: "other", value: json(item.tools) });
  const result: Part = {
    type: "toolResult",
    ...(id === undefined ? {} : { id }),
    text: said,
    ...(failed ? { isError: true as const } : {}),
  };
  return [result, ...others];
}

function isFailure(exitCode: unknown): boolean {
  return typeof exitCode === "number" && exitCode !== 0;
}
