/** One entry as a history page shows it: the parts asked for, masked whole and cut afterwards. */
import { limits } from "../limits.ts";
import type { HistoryMessage, HistoryPart } from "../model/answer.ts";
import type { Part } from "../model/transcript.ts";
import { redact } from "../redaction/redact.ts";
import type { EntryRow } from "../store/read-branch.ts";
import { cutText } from "../text/cut.ts";

export interface Shape {
  /** Also tool calls and results, injected text, and parts of other kinds. */
  readonly tools: boolean;
  readonly thinking: boolean;
  readonly anchor?: boolean;
  /** Where to begin in the first text part, in UTF-16 units of the masked text. */
  readonly textOffset?: number;
}

export interface Rendered {
  readonly message: HistoryMessage;
  readonly truncated: boolean;
  readonly redacted: boolean;
}

export function toHistoryMessage(entry: EntryRow, shape: Shape): Rendered {
  const content: HistoryPart[] = [];
  let truncated = false;
  let redacted = false;
  let offset = shape.textOffset ?? 0;

  const bounded = (text: string) => {
    const { text: masked, masks } = redact(text);
    redacted ||= masks.length > 0;
    const from = Math.min(offset, masked.length);
    offset = 0;
    const cut = cutText(masked.slice(from), limits.historyTextLength.default);
    if (from === 0 && cut.length === masked.length) return { text: masked };
    truncated = true;
    return { text: cut, textOffset: from, textLength: masked.length };
  };

  for (const part of entry.parts) {
    const shown = showPart(part, entry, shape, bounded);
    if (shown) content.push(shown);
  }
  return {
    message: {
      messageId: entry.id,
      timestamp: entry.timestamp,
      ...(entry.role !== null && { role: entry.role }),
      ...(entry.type !== "message" && { type: entry.type }),
      content,
      ...(shape.anchor && { anchor: true as const }),
    },
    truncated,
    redacted,
  };
}

type Bounded = (text: string) => { text: string; textOffset?: number; textLength?: number };

function showPart(part: Part, entry: EntryRow, shape: Shape, bounded: Bounded): HistoryPart | null {
  switch (part.type) {
    case "text":
      if (part.text.trim() === "" || (part.injected && !shape.tools)) return null;
      return { type: "text", ...bounded(part.text), ...(part.injected && { injected: true as const }) };
    case "thinking":
      return shape.thinking && part.text.trim() !== "" ? { type: "thinking", ...bounded(part.text) } : null;
    case "toolCall":
      return shape.tools
        ? { type: "toolCall", name: part.name.slice(0, 128), ...bounded(JSON.stringify(part.arguments)) }
        : null;
    case "toolResult":
      if (!shape.tools) return null;
      return {
        type: "toolResult",
        ...(part.name !== undefined && { name: part.name.slice(0, 128) }),
        ...bounded(part.text),
        ...(part.isError && { isError: true as const }),
      };
    case "image":
      // Never the data: a placeholder says what was there.
      return entry.role === "toolResult" && !shape.tools
        ? null
        : {
            type: "image",
            ...(part.mime !== undefined && { mime: part.mime.slice(0, 64) }),
            ...(part.data !== undefined && { bytes: Math.floor((part.data.length * 3) / 4) }),
          };
    case "other":
      return shape.tools ? { type: "other", ...bounded(JSON.stringify(part.value)) } : null;
  }
}
