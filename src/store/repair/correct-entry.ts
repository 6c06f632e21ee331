/**
 * Finds out what a damaged entry said before, by its checksum: if one change brings the entry to what the checksum says,
 * that is what was written. A wrong guess passes once in 2^32 tries, so the tries are kept few.
 */
import { crc32 } from "node:zlib";
import { entryTypes, roles } from "../../model/transcript.ts";
import { decodeBody } from "../body.ts";
import type { Database, SqlValue } from "../driver.ts";
import { type CheckedRow, entryCrc } from "../entry-crc.ts";
import { firstNo, transcriptOf } from "../entry-no.ts";

/** Parents tried, nearest first: damage to a number can lead anywhere, but most entries hang below the one before. */
const mostParents = 20_000;
/**
 * Bytes of a body that is looked through. For text the chance that damage to more than one byte looks like that of one is
 * 255 in 2^32 a byte; a packed body has to unpack besides.
 */
const longestText = 16_384;
const longestPacked = 1024 * 1024;

/** The entry as it was written, or null when no single change explains the difference. */
export function correctEntry(db: Database, no: number, row: CheckedRow, crc: number): CheckedRow | null {
  // The body is the same for all of them: gone back through once, whatever its length.
  const wanted = sumBefore(row.body, crc);
  for (const candidate of variants(no, row)) if (sumOfHead(candidate) === wanted) return candidate;
  return correctBody(db, no, row, crc);
}

function* variants(no: number, row: CheckedRow): Generator<CheckedRow> {
  yield { ...row, typed: row.typed === 1 ? 0 : 1 };
  for (const role of [null, ...roles]) yield { ...row, role };
  for (const type of entryTypes) yield { ...row, type };
  for (const timestamp of otherNumbers(row.timestamp)) yield { ...row, timestamp };
  yield { ...row, parent: null };
  const first = firstNo(transcriptOf(no));
  for (let parent = no - 1; parent >= first && no - parent <= mostParents; parent--) yield { ...row, parent };
}

/** Every number that differs in one of the six bytes that a time takes up in the file. */
function* otherNumbers(value: number): Generator<number> {
  for (let byte = 0; byte < 6; byte++) {
    const power = 256 ** byte;
    const was = Math.floor(value / power) % 256;
    for (const now of allValues) if (now !== was) yield value + (now - was) * power;
  }
}

/**
 * The one byte of a body that, changed back, gives the checksum. A CRC is linear: the difference of two sums, taken back
 * byte by byte from the end, is that of a single byte exactly where the damage is. O(length).
 */
function correctBody(db: Database, no: number, row: CheckedRow, crc: number): CheckedRow | null {
  // As bytes: a letter that was damaged may not be one at all.
  const stored = db.prepare("SELECT CAST(body AS BLOB) AS body FROM entries WHERE no = :no").get({ no })?.body;
  const isText = typeof row.body === "string";
  if (!(stored instanceof Uint8Array) || stored.length > (isText ? longestText : longestPacked)) return null;
  let difference = (crc32(stored, sumOfHead(row)) ^ crc) >>> 0;
  const found: SqlValue[] = [];
  for (let at = stored.length - 1; at >= 0; at--) {
    const change = ofOneByte.get(difference);
    if (change !== undefined) {
      const bytes = Buffer.from(stored);
      bytes[at] = (bytes[at] ?? 0) ^ change;
      const body: SqlValue = isText ? bytes.toString("utf8") : Uint8Array.from(bytes);
      if (isBody(body)) found.push(body);
    }
    const last = byTop[difference >>> 24] ?? 0;
    difference = (((difference ^ (steps[last] ?? 0)) << 8) | last) >>> 0;
  }
  const [body] = found;
  // Two explanations are none.
  return found.length === 1 && body !== undefined ? { ...row, body } : null;
}

/** The sum of everything but the body. */
function sumOfHead(row: CheckedRow): number {
  return entryCrc({ ...row, body: "" });
}

/** The sum that, with a body added to it, gives another one. O(length). */
function sumBefore(body: SqlValue, crc: number): number {
  const bytes = body instanceof Uint8Array ? body : Buffer.from(String(body));
  let sum = ~crc >>> 0;
  for (let at = bytes.length - 1; at >= 0; at--) {
    const last = byTop[sum >>> 24] ?? 0;
    sum = (((sum ^ (steps[last] ?? 0)) << 8) | (last ^ (bytes[at] ?? 0))) >>> 0;
  }
  return ~sum >>> 0;
}

/** What a byte adds to the sum: CRC-32's table, and the ways back through it. */
const steps = Uint32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte;
  for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
  return sum >>> 0;
});
const ofOneByte = new Map(Array.from(steps, (sum, byte) => [sum, byte] as const).filter(([, byte]) => byte !== 0));
const byTop = new Uint8Array(256);
steps.forEach((sum, byte) => {
  byTop[sum >>> 24] = byte;
});

const allValues = Array.from({ length: 256 }, (_, value) => value);

function isBody(body: SqlValue): boolean {
  try {
    decodeBody(body);
    return true;
  } catch {
    return false;
  }
}
