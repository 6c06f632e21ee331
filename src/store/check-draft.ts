/** What a program hands to the store, checked before anything is written: types hold no one at run time. */
import { BackscrollError } from "../errors.ts";
import { longestId } from "../model/ids.ts";
import { type EntryDraft, roles } from "../model/transcript.ts";

/** @throws {BackscrollError} `bad_input` that names the entry, the field and what it may be. */
export function checkDraft(entry: EntryDraft): void {
  const { id, type, role, timestamp, parts } = entry;
  const wrong = (field: string, value: unknown, wanted: string) => {
    const shown = JSON.stringify(value) ?? String(value);
    return new BackscrollError(
      "bad_input",
      `entry ${JSON.stringify(String(id).slice(0, 80))}: ${field} is ${typeof value === "number" ? value : shown.slice(0, 80)}`,
      `Nothing was stored. Give ${field} as ${wanted}.`,
    );
  };
  if (typeof id !== "string" || id === "" || id.length > longestId) {
    throw wrong("id", id, `a text of 1 to ${longestId} characters`);
  }
  if (typeof type !== "string" || type === "") throw wrong("type", type, "a word such as message");
  if (role !== undefined && !roles.includes(role)) throw wrong("role", role, `one of ${roles.join(", ")}`);
  if (timestamp !== null && !Number.isSafeInteger(timestamp)) {
    throw wrong("timestamp", timestamp, "whole milliseconds since 1970, or null for that of the entry before");
  }
  if (!Array.isArray(parts)) throw wrong("parts", parts, 'a list such as [{ type: "text", text: "…" }]');
  for (const part of parts as readonly unknown[]) {
    const named = part as { readonly type?: unknown; readonly text?: unknown } | null;
    if (typeof named !== "object" || named === null || typeof named.type !== "string") {
      throw wrong("a part", part, 'an object with a type, such as { type: "text", text: "…" }');
    }
    if (["text", "thinking", "toolResult"].includes(named.type) && typeof named.text !== "string") {
      throw wrong(`the text of a ${named.type} part`, named.text, "a text");
    }
  }
}

/** @throws {BackscrollError} `bad_input` for a title that is none. */
export function checkTitle(title: unknown): void {
  if (title === undefined) return;
  const given = title as { readonly text?: unknown; readonly rank?: unknown } | null;
  if (typeof given?.text === "string" && typeof given.rank === "string") return;
  throw new BackscrollError(
    "bad_input",
    `title is ${(JSON.stringify(title) ?? String(title)).slice(0, 80)}`,
    'Nothing was stored. Give title as { text: "…", rank: "given" }.',
  );
}
