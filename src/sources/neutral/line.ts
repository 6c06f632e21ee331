/**
 * The fields of one line of the neutral format, each checked where it is read: a value of the wrong kind is reported by
 * the name of its field, and counts as absent.
 */
import {
  parseSessionKey,
  parseSourceId,
  type SessionKey,
  type SourceId,
  sessionKeyOf,
  toAgentId,
} from "../../model/ids.ts";
import type { ProblemCode } from "../../model/problem.ts";
import type { Part } from "../../model/transcript.ts";
import { type Fields, isFields, json, time } from "../fields.ts";
import type { Place } from "../jsonl.ts";
import type { SourceItem } from "../source.ts";

/** What a bad value costs: a field that the line must have costs the line, a mere fact itself. */
export const skipped = "the line was skipped";
export const leftOut = "the field was left out";
export type Outcome = typeof skipped | typeof leftOut;

/** Null is as good as nothing in this format, but for `parentId`, `targetId` and `appendParentId`. */
export function absent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

export class NeutralLine {
  readonly record: Fields;
  readonly place: Place;
  readonly push: (item: SourceItem) => void;

  constructor(record: Fields, place: Place, push: (item: SourceItem) => void) {
    this.record = record;
    this.place = place;
    this.push = push;
  }

  problem(code: ProblemCode, reason: string): void {
    const { path, line } = this.place;
    this.push({ kind: "problem", problem: { code, path, line, reason } });
  }

  bad(field: string, what: string, outcome: Outcome): void {
    this.problem("bad-record", `"${field}" ${what}; ${outcome}`);
  }

  /** A string that is not empty. */
  word(field: string, outcome: Outcome = leftOut): string | undefined {
    const value = this.record[field];
    if (typeof value === "string" && value !== "") return value;
    if (!absent(value) || outcome === skipped) this.bad(field, `is ${nameOf(value)}, not a word`, outcome);
    return undefined;
  }

  oneOf<Word extends string>(field: string, words: readonly Word[], outcome: Outcome = leftOut): Word | undefined {
    const value = this.record[field];
    const found = words.find((word) => word === value);
    if (found === undefined && (!absent(value) || outcome === skipped)) {
      const shown = typeof value === "string" ? JSON.stringify(value.slice(0, 40)) : nameOf(value);
      this.bad(field, `is ${shown}, not one of ${words.join(", ")}`, outcome);
    }
    return found;
  }

  /** A session key. The problem says how it would have to read. */
  key(field: string, outcome: Outcome = leftOut): ReturnType<typeof parseSessionKey> {
    const value = this.record[field];
    if (absent(value) && outcome === leftOut) return null;
    const key = typeof value === "string" ? parseSessionKey(value) : null;
    if (!key) {
      const mend = typeof value === "string" && value !== "" ? mended(value) : "agent:main:<name>";
      this.bad(field, `is not a session key agent:<id>:<rest>; write ${JSON.stringify(mend)}`, outcome);
    }
    return key;
  }

  source(field: string): SourceId | undefined {
    const value = this.record[field];
    const source = typeof value === "string" ? parseSourceId(value) : null;
    if (source === null && !absent(value)) this.bad(field, "is not a source id such as claude-code", leftOut);
    return source ?? undefined;
  }

  flag(field: string): boolean | undefined {
    const value = this.record[field];
    if (typeof value === "boolean") return value;
    if (!absent(value)) this.bad(field, `is ${nameOf(value)}, not true or false`, leftOut);
    return undefined;
  }

  /** Epoch milliseconds, or null. */
  moment(field: string): number | null {
    const value = this.record[field];
    if (absent(value)) return null;
    const ms = time(value);
    if (ms === null) this.problem("bad-time", `"${field}" can't be read as a time; the field was left out`);
    return ms;
  }

  /** The parts of `content`, or null when it is not a list of parts. */
  parts(outcome: Outcome): readonly Part[] | null {
    const { content } = this.record;
    if (!Array.isArray(content)) {
      this.bad("content", `is ${nameOf(content)}, not a list of parts`, outcome);
      return null;
    }
    const parts: Part[] = [];
    for (let i = 0; i < content.length; i++) {
      const part = isFields(content[i]) ? partOf(content[i] as Fields) : nameOf(content[i]);
      if (typeof part === "string") {
        this.bad(`content[${i}]`, `is ${part}`, outcome);
        return null;
      }
      parts.push(part);
    }
    return parts;
  }
}

/** The part that a block describes, or what is wrong with it. */
function partOf(block: Fields): Part | string {
  const { id, name, text } = block;
  if (!absent(id) && typeof id !== "string") return `a part whose id is ${nameOf(id)}`;
  if (!absent(name) && typeof name !== "string") return `a part whose name is ${nameOf(name)}`;
  const named = { ...(typeof id === "string" ? { id } : {}), ...(typeof name === "string" ? { name } : {}) };
  switch (block.type) {
    case "text":
      if (typeof text !== "string") return `a text part whose text is ${nameOf(text)}`;
      return block.injected === true ? { type: "text", text, injected: true } : { type: "text", text };
    case "thinking":
      return typeof text === "string" ? { type: "thinking", text } : `a thinking part whose text is ${nameOf(text)}`;
    case "toolCall":
      if (typeof name !== "string") return `a toolCall part whose name is ${nameOf(name)}`;
      return { type: "toolCall", ...named, name, arguments: json(block.arguments) };
    case "toolResult":
      if (typeof text !== "string") return `a toolResult part whose text is ${nameOf(text)}`;
      return { type: "toolResult", ...named, text, ...(block.isError === true ? { isError: true } : {}) };
    case "image":
      return {
        type: "image",
        ...(typeof block.mime === "string" ? { mime: block.mime } : {}),
        ...(typeof block.data === "string" ? { data: block.data } : {}),
        ...(typeof block.url === "string" ? { url: block.url } : {}),
      };
    case "other":
      return { type: "other", value: json(block.value) };
    default:
      return "a part whose type is not text, thinking, toolCall, toolResult, image or other";
  }
}

/** What a wrong session key probably means. */
function mended(text: string): SessionKey {
  const named = /^agent:([^:]+):(.+)$/s.exec(text.slice(0, 200));
  return named
    ? sessionKeyOf(toAgentId(named[1] ?? ""), named[2] ?? "")
    : sessionKeyOf(toAgentId("main"), text.slice(0, 200));
}

function nameOf(value: unknown): string {
  if (value === undefined) return "missing";
  if (value === null) return "null";
  if (value === "") return "empty";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
