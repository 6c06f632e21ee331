/**
 * Turns the `content` of a Claude message into parts: a string, or a list of blocks (text, thinking, tool_use,
 * tool_result, image, document, …). Big values are handed on as they are, never copied.
 */
import type { Part } from "../../model/transcript.ts";
import { type Fields, isFields, json, list, text, word } from "../fields.ts";

/** What becomes of a text: which of its words were typed, which injected. */
export type TextRule = (text: string) => Part[];

/** The parts of `content`, or null when it has none of the known shapes. Absent, null and empty give no parts. */
export function contentParts(content: unknown, rule: TextRule): Part[] | null {
  if (typeof content === "string") return rule(content);
  if (content === undefined || content === null) return [];
  if (!Array.isArray(content)) return null;
  const parts: Part[] = [];
  for (const block of content) pushBlock(block, rule, parts);
  return parts;
}

function pushBlock(block: unknown, rule: TextRule, parts: Part[]): void {
  if (typeof block === "string") {
    parts.push(...rule(block));
    return;
  }
  if (block === null) return;
  if (!isFields(block)) {
    parts.push({ type: "other", value: json(block) });
    return;
  }
  switch (block.type) {
    case "text":
      parts.push(...rule(text(block.text) ?? ""));
      return;
    case "thinking": {
      // Releases from 2.1.11x on leave the text empty and keep the signature, which is of no use to a reader.
      const thought = word(block.thinking);
      if (thought !== undefined) parts.push({ type: "thinking", text: thought });
      return;
    }
    case "tool_use":
    case "server_tool_use":
    case "mcp_tool_use": {
      const id = word(block.id);
      const call = { type: "toolCall", name: word(block.name) ?? "unknown", arguments: json(block.input) } as const;
      parts.push(id === undefined ? call : { ...call, id });
      return;
    }
    case "image":
      parts.push(imagePart(block));
      return;
    default:
      // `web_search_tool_result`, `mcp_tool_result` and their like differ only in the name.
      if (typeof block.type === "string" && block.type.endsWith("tool_result")) pushResult(block, parts);
      else parts.push({ type: "other", value: json(block) });
  }
}

/** The text of a tool's result as one part; what else it holds as parts of their own. */
function pushResult(block: Fields, parts: Part[]): void {
  const id = word(block.tool_use_id);
  const texts: string[] = [];
  const rest: Part[] = [];
  if (typeof block.content === "string") texts.push(block.content);
  else if (isFields(block.content)) rest.push({ type: "other", value: json(block.content) });
  for (const piece of list(block.content)) {
    if (typeof piece === "string") texts.push(piece);
    else if (isFields(piece) && typeof piece.text === "string") texts.push(piece.text);
    else if (isFields(piece) && piece.type === "image") rest.push(imagePart(piece));
    else if (piece !== null) rest.push({ type: "other", value: json(piece) });
  }
  parts.push({
    type: "toolResult",
    text: texts.length === 1 ? (texts[0] ?? "") : texts.join("\n"),
    ...(id !== undefined && { id }),
    ...(block.is_error === true && { isError: true }),
  });
  parts.push(...rest);
}

function imagePart(block: Fields): Part {
  const source = isFields(block.source) ? block.source : {};
  const mime = word(source.media_type);
  const data = word(source.data);
  const url = word(source.url);
  return {
    type: "image",
    ...(mime !== undefined && { mime }),
    ...(data !== undefined && { data }),
    ...(url !== undefined && { url }),
  };
}
