/** Tells a file that grew from one that was rewritten: by the bytes at its start and those just before the old offset. */
import { createHash } from "node:crypto";
import { closeSync, fstatSync, openSync, readSync } from "node:fs";

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

/** What tells a file from another one at the same path. */
export interface FileIdentity {
  readonly device: number;
  readonly inode: number;
  /** Hash of its first bytes. */
  readonly head: string;
}

/** @param size Bytes that the file had when it was found: it may have grown since, and its beginning stays. */
export function identify(path: string, size: number): FileIdentity {
  const file = openSync(path, "r");
  try {
    const { dev, ino } = fstatSync(file);
    return { device: dev, inode: ino, head: hash(file, 0, Math.min(sample, size)) };
  } finally {
    closeSync(file);
  }
}

export function isSame(one: FileIdentity, two: FileIdentity): boolean {
  return one.device === two.device && one.inode === two.inode && one.head === two.head;
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
