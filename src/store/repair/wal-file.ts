/**
 * Reads a write-ahead log as SQLite does, without SQLite: which pages its finished transactions hold, and where and why
 * it ends. Reading it first matters: opening the database applies it, and closing removes it. SQLite passes over all
 * that lies behind a damaged frame; what is read here goes on, so that nothing acknowledged has to be lost. O(its size).
 */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { applicationId } from "../migrate.ts";

/**
 * - `empty`: nothing is in it.
 * - `whole`: ends with a finished transaction; frames of an earlier round of the log may follow.
 * - `unfinished`: the last write was not finished, or is not yet.
 * - `damaged`: finished transactions lie at or behind a frame, or a header, that is damaged.
 * - `foreign`: it is for a database of another page size, or its first page is another program's.
 */
export type WalState = "empty" | "whole" | "unfinished" | "damaged" | "foreign";

export interface WalFile {
  readonly state: WalState;
  readonly pageSize: number;
  /** Page → offset in the log of its newest content in a finished transaction, damaged frames included. */
  readonly pages: ReadonlyMap<number, number>;
  /** The same of its oldest content: what the page was after the first transaction here that wrote it. */
  readonly first: ReadonlyMap<number, number>;
  /** Pages of which a frame is damaged: what the database itself holds may be better. */
  readonly doubtful: ReadonlySet<number>;
  /** Pages of the database after the last finished transaction; null where the log has none. */
  readonly pageCount: number | null;
  readonly frames: number;
}

const headerBytes = 32;
const frameBytes = 24;

/** @param pageSize That of the database; null where its own header does not say it. */
export function readWal(path: string, pageSize: number | null): WalFile {
  const file = openSync(path, "r");
  try {
    return scan(file, fstatSync(file).size, pageSize);
  } finally {
    closeSync(file);
  }
}

interface Header {
  readonly intact: boolean;
  readonly pageSize: number;
  readonly littleEndian: boolean;
  readonly salt: Buffer;
  readonly sum: Sum;
}

function scan(file: number, size: number, expected: number | null): WalFile {
  const header = size === 0 ? null : readHeader(file, expected);
  if (header === null) {
    return {
      state: size === 0 ? "empty" : "damaged",
      pageSize: 0,
      pages: new Map(),
      first: new Map(),
      doubtful: new Set(),
      pageCount: null,
      frames: 0,
    };
  }
  const pages = new Map<number, number>();
  const first = new Map<number, number>();
  const doubtful = new Set<number>();
  const pending: [page: number, offset: number, intact: boolean][] = [];
  let { sum } = header;
  let pageCount: number | null = null;
  let frames = 0;
  /** Frames up to the last finished transaction. */
  let finished = 0;
  let firstDamaged = header.intact ? Number.POSITIVE_INFINITY : 0;
  let foreign = expected !== null && header.pageSize !== expected;
  let cut = false;
  const frame = Buffer.alloc(frameBytes + header.pageSize);
  for (let at = headerBytes; at < size; at += frame.length) {
    const read = readSync(file, frame, 0, frame.length, at);
    // The rest is of an earlier round; SQLite starts a log over without making it shorter.
    if (read >= frameBytes && !frame.subarray(8, 16).equals(header.salt)) break;
    cut = read < frame.length;
    if (cut) break;
    const wanted: Sum = [frame.readUInt32BE(16), frame.readUInt32BE(20)];
    const before = checksum(frame.subarray(0, 8), header.littleEndian, sum);
    const [a, b] = checksum(frame.subarray(frameBytes), header.littleEndian, before);
    const intact = a === wanted[0] && b === wanted[1];
    if (!intact) firstDamaged = Math.min(firstDamaged, frames);
    // Each sum goes on from the one before it: from the one that is written down, the next frame is judged by itself.
    sum = wanted;
    frames += 1;
    const page = frame.readUInt32BE(0);
    if (intact && page === 1 && frame.readUInt32BE(frameBytes + 68) !== applicationId) foreign = true;
    if (page > 0) pending.push([page, at + frameBytes, intact]);
    const pagesAfter = frame.readUInt32BE(4);
    if (pagesAfter === 0) continue;
    for (const [no, offset] of pending) if (!pages.has(no)) first.set(no, offset);
    for (const [no, offset, isIntact] of pending.splice(0)) {
      pages.set(no, offset);
      if (isIntact) doubtful.delete(no);
      else doubtful.add(no);
    }
    pageCount = pagesAfter;
    finished = frames;
  }
  const state: WalState = foreign
    ? "foreign"
    : firstDamaged < finished || (!header.intact && frames > 0)
      ? "damaged"
      : pending.length > 0 || cut || firstDamaged < frames
        ? "unfinished"
        : frames === 0
          ? "empty"
          : "whole";
  return { state, pageSize: header.pageSize, pages, first, doubtful, pageCount, frames };
}

/** A damaged header is made up from the first frame; null where not even that is there. */
function readHeader(file: number, expected: number | null): Header | null {
  const bytes = Buffer.alloc(headerBytes + frameBytes);
  const read = readSync(file, bytes, 0, bytes.length, 0);
  if (read < headerBytes) return null;
  const magic = bytes.readUInt32BE(0);
  const pageSize = bytes.readUInt32BE(8);
  const littleEndian = magic === 0x377f0682;
  const sum = checksum(bytes.subarray(0, 24), littleEndian, [0, 0]);
  const isPageSize = pageSize >= 512 && pageSize <= 65536 && (pageSize & (pageSize - 1)) === 0;
  const isSum = sum[0] === bytes.readUInt32BE(24) && sum[1] === bytes.readUInt32BE(28);
  if ((littleEndian || magic === 0x377f0683) && isPageSize && isSum) {
    return { intact: true, pageSize, littleEndian, salt: Buffer.from(bytes.subarray(16, 24)), sum };
  }
  if (read < bytes.length || expected === null) return null;
  // Zeros all over: a log that was reset.
  const salt = Buffer.from(bytes.subarray(headerBytes + 8, headerBytes + 16));
  const stored: Sum = [bytes.readUInt32BE(headerBytes + 16), bytes.readUInt32BE(headerBytes + 20)];
  return { intact: false, pageSize: expected, littleEndian: order(file, expected, stored), salt, sum: [0, 0] };
}

/** The byte order of the sums, by the second frame, which goes on from the sum of the first. */
function order(file: number, pageSize: number, first: Sum): boolean {
  const frame = Buffer.alloc(frameBytes + pageSize);
  if (readSync(file, frame, 0, frame.length, headerBytes + frame.length) < frame.length) return true;
  const [a, b] = checksum(frame.subarray(frameBytes), true, checksum(frame.subarray(0, 8), true, first));
  return a === frame.readUInt32BE(16) && b === frame.readUInt32BE(20);
}

type Sum = readonly [number, number];

/** SQLite's log checksum: pairs of words, added into one another. */
function checksum(bytes: Buffer, littleEndian: boolean, [first, second]: Sum): Sum {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let a = first;
  let b = second;
  for (let at = 0; at + 8 <= bytes.length; at += 8) {
    a = (a + view.getUint32(at, littleEndian) + b) >>> 0;
    b = (b + view.getUint32(at + 4, littleEndian) + a) >>> 0;
  }
  return [a, b];
}
