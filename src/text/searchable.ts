/**
 * Which text of an entry is searchable (SPEC 1.4): what a user or an assistant said in words, and nothing that a harness
 * put beside it. Whether the entry is on the active branch is the store's part of the rule.
 */
import type { Part, Role } from "../model/transcript.ts";

/** Bump on any change of the rule: every transcript is then indexed anew (SPEC 2.7). */
export const searchableVersion = 1;

export interface Spoken {
  readonly type: string;
  readonly role?: Role | null;
  readonly parts: readonly Part[];
}

/** The words, parts joined by line breaks; null when there are none. */
export function searchableText(entry: Spoken): string | null {
  if (entry.type !== "message" || (entry.role !== "user" && entry.role !== "assistant")) return null;
  let text: string | null = null;
  for (const part of entry.parts) {
    if (part.type !== "text" || part.injected || part.text.trim() === "") continue;
    text = text === null ? part.text : `${text}\n${part.text}`;
  }
  return text;
}

/** What an entry has to show, as bits; history picks entries by them. */
export const shows = { spoken: 1, tools: 2, thinking: 4, injected: 8, other: 16 } as const;

export function showsOf(entry: Spoken): number {
  const isMessage = entry.type === "message" && (entry.role === "user" || entry.role === "assistant");
  let bits = 0;
  for (const part of entry.parts) {
    switch (part.type) {
      case "text":
        if (part.text.trim() === "") break;
        bits |= isMessage && !part.injected ? shows.spoken : shows.injected;
        break;
      case "image":
        bits |= isMessage ? shows.spoken : shows.tools;
        break;
      case "thinking":
        bits |= part.text.trim() === "" ? 0 : shows.thinking;
        break;
      case "toolCall":
      case "toolResult":
        bits |= shows.tools;
        break;
      case "other":
        bits |= shows.other;
        break;
    }
  }
  return bits === 0 ? shows.other : bits;
}
