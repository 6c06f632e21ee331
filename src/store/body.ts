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

export function decodeBody(value: SqlValue | undefined): Body {
  const json =
    typeof value === "string" ? value : value instanceof Uint8Array ? zstdDecompressSync(value).toString("utf8") : "";
  return JSON.parse(json) as Body;
}
