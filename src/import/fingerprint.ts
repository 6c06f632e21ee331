/** Tells a file that grew from one that was rewritten: by the bytes at its start and those just before the old offset. */
import { createHash } from "node:crypto";
import { closeSync, openSync, readSync } from "node:fs";

/** Bytes compared at each end. A JSONL record's ids and times differ within far fewer. */
const sample = 4096;

export interface Fingerprint {
  readonly head: string;
  readonly tail: string;
}

/**
 * Of the file's first `position` bytes. Reads at most 8 KiB. A file shorter than that gives hashes of what there is,
 * which differ from those of the longer file it was.
 */
export function fingerprint(path: string, position: number): Fingerprint {
  const file = openSync(path, "r");
  try {
    const length = Math.min(sample, position);
    return { head: hash(file, 0, length), tail: hash(file, position - length, length) };
  } finally {
    closeSync(file);
  }
}

/** The text of the file's first bytes: what sources recognise it by. */
export function readHead(path: string, bytes: number): string {
  const file = openSync(path, "r");
  try {
    return read(file, 0, bytes).toString("utf8");
  } finally {
    closeSync(file);
  }
}

function hash(file: number, from: number, length: number): string {
  return createHash("sha256")
    .update(read(file, from, length))
    .digest("base64url")
    .slice(0, 22);
}

function read(file: number, from: number, length: number): Buffer {
  const buffer = Buffer.alloc(length);
  let done = 0;
  while (done < length) {
    const count = readSync(file, buffer, done, length - done, from + done);
    if (count === 0) break;
    done += count;
  }
  return buffer.subarray(0, done);
}
