/**
 * Finds out what a damaged entry said before, by its checksum: if one change brings the entry to what the checksum says,
 * that is what was written. A wrong guess passes once in 2^32 tries, so the tries are few enough that none will.
 */
import { crc32 } from "node:zlib";
import { entryTypes, roles } from "../model/transcript.ts";
import { decodeBody } from "./body.ts";
import type { Database, SqlValue } from "./driver.ts";
import { type CheckedRow, entryCrc } from "./entry-crc.ts";
import { firstNo, positions, transcriptOf } from "./entry-no.ts";

/** Parents tried, nearest first: damage to a number can lead anywhere, but most entries hang below the one before. */
const mostParents = 20_000;
/** UTF-8 bytes of a body in which each byte is tried with every value (0.2 s), and each bit turned over (0.1 s). */
const everyByte = 1024;
const everyBit = 4096;

/** The entry as it was written, or null when no single change explains the difference. */
export function correctEntry(db: Database, no: number, row: CheckedRow, crc: number): CheckedRow | null {
  const isRight = (candidate: CheckedRow) => entryCrc(candidate) === crc;
  for (const candidate of variants(no, row)) if (isRight(candidate)) return candidate;
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

function correctBody(db: Database, no: number, row: CheckedRow, crc: number): CheckedRow | null {
  // As bytes: a letter that was damaged may not be one at all.
  const stored = db.prepare("SELECT CAST(body AS BLOB) AS body FROM entries WHERE no = :no").get({ no })?.body;
  if (!(stored instanceof Uint8Array) || stored.length > everyBit) return null;
  const bytes = Buffer.from(stored);
  const place = row.parent === null ? "" : row.parent % positions;
  const head = crc32(`${row.id}\n${place}\n${row.type}\n${row.role ?? ""}\n${row.timestamp}\n${row.typed}\n`);
  for (let at = 0, before = head; at < bytes.length; at++) {
    const was = bytes[at] ?? 0;
    for (const value of bytes.length <= everyByte ? allValues : turned(was)) {
      if (value === was) continue;
      bytes[at] = value;
      if (crc32(bytes.subarray(at), before) === crc) {
        const body: SqlValue = typeof row.body === "string" ? bytes.toString("utf8") : Uint8Array.from(bytes);
        if (isBody(body)) return { ...row, body };
      }
    }
    bytes[at] = was;
    before = crc32(bytes.subarray(at, at + 1), before);
  }
  return null;
}

const allValues = Array.from({ length: 256 }, (_, value) => value);

function turned(value: number): number[] {
  return Array.from({ length: 8 }, (_, bit) => value ^ (1 << bit));
}

function isBody(body: SqlValue): boolean {
  try {
    decodeBody(body);
    return true;
  } catch {
    return false;
  }
}
