/**
 * How an entry's content is stored: JSON text, or, when it is large and never searched (tool results, images), a zstd
 * frame of the same JSON (SPEC 1.8). The column's type tells which, so every row reads back byte for byte by itself.
 */
import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { BackscrollError } from "../errors.ts";
import type { EntryId } from "../model/ids.ts";
import type { Json, Part } from "../model/transcript.ts";
import { shows } from "../text/searchable.ts";
import type { SqlValue } from "./driver.ts";

export interface Body {
  readonly parts: readonly Part[];
  /** Of a `leaf` entry. */
  readonly targetId?: EntryId | null;
  readonly appendParentId?: EntryId | null;
  readonly model?: string;
  readonly data?: Json;
}

/** Below this, packing costs an import more time than the smaller file is worth (a seventh, from 4 KiB up). */
const compressFrom = 16_384;
const level = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

export function encodeBody(body: Body, bits: number): SqlValue {
  const json = toJson(body);
  return json.length < compressFrom || bits & shows.spoken ? json : zstdCompressSync(json, level);
}

/** @throws {BackscrollError} `bad_input` for content nested deeper than the runtime can write. */
export function toJson(body: unknown): string {
  try {
    return JSON.stringify(body);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new BackscrollError("bad_input", "the content is nested too deeply to be stored", "Flatten it.", {
      cause: error,
    });
  }
}

/** Who said a text, person or program, is a judgement that a newer version may make otherwise; the words stay. */
export function bare(part: Part): Part {
  return part.type === "text" ? { type: "text", text: part.text } : part;
}

/** @throws {BackscrollError} `bad_store` for a body that is not one: SQLite notices a damaged page, not a changed letter. */
export function decodeBody(value: SqlValue | undefined): Body {
  try {
    const json =
      typeof value === "string" ? value : value instanceof Uint8Array ? zstdDecompressSync(value).toString("utf8") : "";
    const body: unknown = JSON.parse(json);
    if (isBody(body)) return body;
    throw new TypeError("it has no list of parts that the store knows");
  } catch (error) {
    throw new BackscrollError(
      "bad_store",
      `the content of an entry is damaged: ${error instanceof Error ? error.message : error}`,
      "Run backscroll doctor, which names the entry, and backscroll doctor --fix, which reads it anew from its source.",
      { cause: error },
    );
  }
}

function isBody(value: unknown): value is Body {
  if (typeof value !== "object" || value === null || !("parts" in value) || !Array.isArray(value.parts)) return false;
  return value.parts.every(isPart);
}

/** What everything that reads a part relies on. */
function isPart(part: unknown): part is Part {
  if (typeof part !== "object" || part === null || !("type" in part)) return false;
  switch (part.type) {
    case "text":
    case "thinking":
    case "toolResult":
      return "text" in part && typeof part.text === "string";
    case "toolCall":
      return "name" in part && typeof part.name === "string";
    case "image":
    case "other":
      return true;
    default:
      return false;
  }
}
