/** One entry as a history page shows it: the parts asked for, masked whole and cut afterwards. */
import { limits } from "../limits.ts";
import type { HistoryMessage, HistoryPart } from "../model/answer.ts";
import type { Part } from "../model/transcript.ts";
import { redact } from "../redaction/redact.ts";
import { fitFirst } from "../respond/bound.ts";
import type { EntryRow } from "../store/read-branch.ts";
import { cutText } from "../text/cut.ts";

export interface Shape {
  /** Also tool calls and results, injected text, and parts of other kinds. */
  readonly tools: boolean;
  readonly thinking: boolean;
  readonly anchor?: boolean;
  /** Where to begin, in UTF-16 units of the masked text parts that are shown, one after the other. */
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

  const masked = (text: string) => {
    const redaction = redact(text);
    redacted ||= redaction.masks.length > 0;
    return redaction.text;
  };
  const bounded = (text: string, from = 0, before = 0, whole = text.length) => {
    const cut = cutText(text.slice(from), limits.historyTextLength.default);
    if (from === 0 && cut.length === text.length) return { text };
    truncated = true;
    return { text: cut, textOffset: before + from, textLength: whole };
  };
  const words = maskTogether(spokenParts(entry, shape), masked);
  const wordsLength = words.reduce((sum, text) => sum + text.length, 0);
  let before = 0;

  for (const part of entry.parts) {
    if (part.type !== "text") {
      const shown = showPart(part, entry, shape, (text) => bounded(masked(text)));
      if (shown) content.push(shown);
      continue;
    }
    if (!isShown(part, shape)) continue;
    const text = words.shift();
    if (text === undefined) continue;
    const from = Math.min(offset, text.length);
    offset -= from;
    // What lies before the offset was read already.
    if (from === 0 || from < text.length) {
      content.push({
        type: "text",
        ...bounded(text, from, before, wordsLength),
        ...(part.injected && { injected: true as const }),
      });
    } else truncated = true;
    before += text.length;
  }
  const shownParts = fitFirst(content, limits.messageBytes.default);
  truncated ||= shownParts.length < content.length;
  return {
    message: {
      messageId: entry.id,
      timestamp: entry.timestamp,
      ...(entry.role !== null && { role: entry.role }),
      ...(entry.type !== "message" && { type: entry.type }),
      content: shownParts,
      ...(shape.anchor && { anchor: true as const }),
    },
    truncated,
    redacted,
  };
}

/** A secret may begin in one part and end in the next: where masking them together finds more, they are shown as one. */
function maskTogether(parts: readonly string[], masked: (text: string) => string): string[] {
  const apart = parts.map(masked);
  if (parts.length < 2) return apart;
  const together = masked(parts.join("\n"));
  return together === apart.join("\n") ? apart : [together];
}

function spokenParts(entry: EntryRow, shape: Shape): string[] {
  return entry.parts.flatMap((part) => (part.type === "text" && isShown(part, shape) ? [part.text] : []));
}

function isShown(part: Part & { type: "text" }, shape: Shape): boolean {
  return part.text.trim() !== "" && (shape.tools || !part.injected);
}

type Bounded = (text: string) => { text: string; textOffset?: number; textLength?: number };

function showPart(
  part: Exclude<Part, { type: "text" }>,
  entry: EntryRow,
  shape: Shape,
  bounded: Bounded,
): HistoryPart | null {
  switch (part.type) {
    case "thinking":
      return shape.thinking && part.text.trim() !== "" ? { type: "thinking", ...bounded(part.text) } : null;
    case "toolCall":
      return shape.tools
        ? { type: "toolCall", name: redact(part.name).text.slice(0, 128), ...bounded(JSON.stringify(part.arguments)) }
        : null;
    case "toolResult":
      if (!shape.tools) return null;
      return {
        type: "toolResult",
        ...(part.name !== undefined && { name: redact(part.name).text.slice(0, 128) }),
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
