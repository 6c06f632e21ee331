/**
 * Reads JSONL the way transcripts need it: split on the byte 0x0A only (U+2028 is text), offsets kept in bytes, a last
 * line without newline left for the next time, one bad line costs one line (SPEC 8.4). Memory is bounded by the longest
 * line kept. Files that end in `.zst` are decompressed on the fly; their offsets count decompressed bytes.
 */
import { createReadStream } from "node:fs";
import type { Readable } from "node:stream";
import { createZstdDecompress } from "node:zlib";
import { limits } from "../limits.ts";
import type { Json } from "../model/transcript.ts";
import { type Fields, isFields, parseJson } from "./fields.ts";
import type { Checkpoint, SourceBatch, SourceFile, SourceItem } from "./source.ts";

/** Where a record stands. */
export interface Place {
  readonly path: string;
  /** 1-based. */
  readonly line: number;
  /** The file's time, for records that have none. */
  readonly mtimeMs: number;
}

/**
 * What a format does with a file's records. `state` is the reader's memory: made by `start`, changed in place by
 * `record`, saved with each checkpoint, so it has to stay small plain JSON.
 */
export interface JsonlFormat<State extends Json | object> {
  start(file: SourceFile): State;
  /** Called for each line that is a JSON object. Pushes what it says. Must not throw. */
  record(fields: Fields, place: Place, state: State, push: (item: SourceItem) => void): void;
}

const newline = 0x0a;

export async function* readJsonl<State extends Json | object>(
  file: SourceFile,
  from: Checkpoint | null,
  format: JsonlFormat<State>,
): AsyncGenerator<SourceBatch> {
  const state = from ? (structuredClone(from.state) as State) : format.start(file);
  let offset = from?.offset ?? 0;
  let line = from?.line ?? 0;
  let items: SourceItem[] = [];
  const push = (item: SourceItem) => {
    items.push(item);
  };
  const checkpoint = (): Checkpoint => ({ offset, line, state: structuredClone(state) as Json });

  // The unfinished line, as the chunks it came in. Past the limit only its length is kept.
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  let skipping = false;

  for await (const chunk of openBytes(file, offset, push)) {
    const end = chunk.lastIndexOf(newline);
    if (end < 0) {
      if (!skipping) pending.push(chunk);
      pendingBytes += chunk.length;
      if (!skipping && pendingBytes > limits.importLine.default) {
        skipping = true;
        pending = [];
      }
      continue;
    }
    let whole = chunk.subarray(0, end);
    const first = chunk.indexOf(newline);
    skipping ||= pendingBytes + first > limits.importLine.default;
    if (skipping) {
      line += 1;
      offset += pendingBytes + first + 1;
      push({
        kind: "problem",
        problem: {
          code: "long-line",
          path: file.path,
          line,
          reason: `the line has ${pendingBytes + first} bytes, the longest read is ${limits.importLine.default}; skipped`,
        },
      });
      skipping = false;
      pendingBytes = 0;
      if (first === end) {
        pending = [chunk.subarray(end + 1)];
        pendingBytes = chunk.length - end - 1;
        continue;
      }
      whole = chunk.subarray(first + 1, end);
    } else if (pending.length > 0) {
      whole = Buffer.concat([...pending, whole]);
    }
    for (const text of whole.toString("utf8").split("\n")) {
      line += 1;
      readLine(text, file, line, format, state, push);
    }
    offset += whole.length + 1;
    pending = [chunk.subarray(end + 1)];
    pendingBytes = chunk.length - end - 1;
    yield { items, at: checkpoint() };
    items = [];
  }

  if (pendingBytes > 0) {
    // A last line without newline: whole JSON is taken (some programs never write the last newline), a torn one waits.
    const text = skipping ? "" : Buffer.concat(pending).toString("utf8");
    const record = skipping ? null : parseJson(text.replace(/\r$/, ""));
    if (isFields(record)) {
      line += 1;
      format.record(record, { path: file.path, line, mtimeMs: file.mtimeMs }, state, push);
      offset += pendingBytes;
    } else if (text.trim() !== "" || skipping) {
      push({
        kind: "problem",
        problem: {
          code: "half-line",
          path: file.path,
          line: line + 1,
          reason: `the file ends inside a record (${pendingBytes} bytes without a newline); read again next time`,
        },
      });
    }
  }
  yield { items, at: checkpoint() };
}

function readLine<State extends Json | object>(
  raw: string,
  file: SourceFile,
  line: number,
  format: JsonlFormat<State>,
  state: State,
  push: (item: SourceItem) => void,
): void {
  let text = raw;
  if (line === 1 && text.charCodeAt(0) === 0xfeff) text = text.slice(1);
  if (text.trim() === "") return;
  const record = parseJson(text);
  if (isFields(record)) {
    format.record(record, { path: file.path, line, mtimeMs: file.mtimeMs }, state, push);
    return;
  }
  push({
    kind: "problem",
    problem: {
      code: "bad-line",
      path: file.path,
      line,
      reason:
        record === undefined
          ? `not JSON (${text.length} characters); skipped`
          : `JSON, but not an object (${Array.isArray(record) ? "array" : typeof record}); skipped`,
    },
  });
}

async function* openBytes(file: SourceFile, offset: number, push: (item: SourceItem) => void): AsyncGenerator<Buffer> {
  const chunk = limits.importChunk.default;
  if (!file.path.endsWith(".zst")) {
    if (offset >= file.size) return;
    yield* createReadStream(file.path, {
      start: offset,
      end: file.size - 1,
      highWaterMark: chunk,
    }) as AsyncIterable<Buffer>;
    return;
  }
  const packed = createReadStream(file.path, { highWaterMark: chunk });
  const bytes: Readable = packed.pipe(createZstdDecompress({ chunkSize: chunk }));
  packed.on("error", (error) => bytes.destroy(error));
  let skip = offset;
  let done = 0;
  try {
    for await (const part of bytes as AsyncIterable<Buffer>) {
      done += part.length;
      if (skip >= part.length) {
        skip -= part.length;
        continue;
      }
      yield skip > 0 ? part.subarray(skip) : part;
      skip = 0;
    }
  } catch (error) {
    // What the file system says is for the importer; a damaged frame costs what is behind the damage.
    if (!(error instanceof Error) || "syscall" in error) throw error;
    push({
      kind: "problem",
      problem: {
        code: "unreadable",
        path: file.path,
        reason: `the compressed file is damaged after ${done} bytes (${error.message})`,
      },
    });
  }
}
