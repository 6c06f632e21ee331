/**
 * SQLite's b-tree pages, cell by cell, each checked by itself: one damaged cell costs one row. The format is
 * https://sqlite.org/fileformat2.html; only what a file of ours has (UTF-8, no reserved bytes).
 */
import type { SqlValue } from "../driver.ts";
import type { PageFile } from "./page-file.ts";

export type PageKind = "table" | "index" | "table-inner" | "index-inner";

const kinds: Readonly<Record<number, PageKind>> = { 13: "table", 10: "index", 5: "table-inner", 2: "index-inner" };

export interface RawRow {
  /** Null in an index. */
  readonly rowid: number | null;
  /** Shorter than the record where `complete` is false: what lay on overflow pages that can't be read is missing. */
  readonly values: readonly SqlValue[];
  readonly complete: boolean;
}

export interface BtreePage {
  readonly kind: PageKind | null;
  /** Pages below an inner page. */
  readonly children: readonly number[];
  readonly rows: readonly RawRow[];
  /** First overflow page of each row that has any. */
  readonly overflows: readonly number[];
  /** Cells that could not be read. */
  readonly failed: number;
}

/** @param no Number of the page; the first one begins with the file's header. */
export function readBtreePage(file: PageFile, page: Buffer, no: number): BtreePage {
  const start = no === 1 ? 100 : 0;
  const kind = kinds[page[start] ?? 0] ?? null;
  const rows: RawRow[] = [];
  const children: number[] = [];
  const overflows: number[] = [];
  let failed = 0;
  if (kind === null) return { kind, children, rows, overflows, failed };
  const inner = kind === "table-inner" || kind === "index-inner";
  const pointers = start + (inner ? 12 : 8);
  const count = Math.min(page.readUInt16BE(start + 3), Math.floor((page.length - pointers) / 2));
  if (inner) children.push(page.readUInt32BE(start + 8));
  for (let i = 0; i < count; i++) {
    const at = page.readUInt16BE(pointers + 2 * i);
    if (at < pointers + 2 * count || at + 4 > page.length) {
      failed += 1;
      continue;
    }
    if (inner) children.push(page.readUInt32BE(at));
    if (kind === "table-inner") continue;
    const cell = readCell(file, page, inner ? at + 4 : at, kind === "table");
    if (cell === null) failed += 1;
    else {
      rows.push(cell.row);
      if (cell.overflow !== null) overflows.push(cell.overflow);
    }
  }
  return { kind, children, rows, overflows, failed };
}

/** Bytes at the start of a cell that say where everything in it lies. */
const cellHead = 40;

/**
 * Rows of a leaf whose cells can't be read as they are, with one byte at the cell's start changed back: each is a guess
 * that the caller has to check. 10 ms a cell.
 */
export function* rowsMended(file: PageFile, page: Buffer, no: number): Generator<RawRow> {
  const start = no === 1 ? 100 : 0;
  const count = Math.min(page.readUInt16BE(start + 3), Math.floor((page.length - start - 8) / 2));
  const copy = Buffer.from(page);
  for (let i = 0; i < count; i++) {
    const at = page.readUInt16BE(start + 8 + 2 * i);
    if (at < start + 8 + 2 * count || at + 4 > page.length || readCell(file, page, at, true) !== null) continue;
    for (let byte = at; byte < Math.min(at + cellHead, page.length); byte++) {
      for (let value = 0; value < 256; value++) {
        copy[byte] = value;
        const cell = readCell(file, copy, at, true);
        if (cell?.row.complete) yield cell.row;
      }
      copy[byte] = page[byte] ?? 0;
    }
  }
}

/** Every place of a page where a table's row can begin, whatever header and pointers say: the caller has to check each. */
export function* rowsAnywhere(file: PageFile, page: Buffer): Generator<RawRow> {
  for (let at = 8; at + 4 < page.length; at++) {
    // A payload of no bytes, and most of the places inside a text, are told by the first byte of the record's header.
    const cell = readCell(file, page, at, true);
    if (cell?.row.complete) yield cell.row;
  }
}

function readCell(
  file: PageFile,
  page: Buffer,
  at: number,
  isTable: boolean,
): { row: RawRow; overflow: number | null } | null {
  const payload = varint(page, at);
  if (payload === null || payload.value < 2) return null;
  let from = payload.next;
  let rowid: number | null = null;
  if (isTable) {
    const id = varint(page, from);
    if (id === null) return null;
    rowid = id.value;
    from = id.next;
  }
  const size = payload.value;
  const usable = page.length;
  const most = isTable ? usable - 35 : Math.floor(((usable - 12) * 64) / 255) - 23;
  const least = Math.floor(((usable - 12) * 32) / 255) - 23;
  const rest = least + ((size - least) % (usable - 4));
  const local = size <= most ? size : rest <= most ? rest : least;
  if (from + local + (local < size ? 4 : 0) > usable) return null;
  let bytes = page.subarray(from, from + local);
  let overflow: number | null = null;
  if (local < size) {
    // Bound of what a row can be: a damaged size must not have all pages read.
    if (size > file.pageCount * file.pageSize) return null;
    overflow = page.readUInt32BE(from + local);
    bytes = Buffer.concat([bytes, ...overflowPages(file, overflow, size - local)]);
  }
  const values = readRecord(bytes, size);
  return values === null ? null : { row: { rowid, values, complete: bytes.length === size }, overflow };
}

function overflowPages(file: PageFile, first: number, size: number): Buffer[] {
  const pieces: Buffer[] = [];
  const seen = new Set<number>();
  let left = size;
  for (let no = first; left > 0; ) {
    if (no < 2 || no > file.pageCount || seen.has(no)) break;
    seen.add(no);
    const page = file.read(no);
    const piece = page.subarray(4, 4 + Math.min(left, page.length - 4));
    pieces.push(piece);
    left -= piece.length;
    no = page.readUInt32BE(0);
  }
  return pieces;
}

/** @param size Of the whole record, of which `bytes` may be only the beginning. Null when it is none. */
function readRecord(bytes: Buffer, size: number): SqlValue[] | null {
  const header = varint(bytes, 0);
  if (header === null || header.value < 2 || header.value > bytes.length) return null;
  const types: number[] = [];
  let at = header.next;
  while (at < header.value) {
    const type = varint(bytes, at);
    if (type === null) return null;
    types.push(type.value);
    at = type.next;
  }
  if (at !== header.value) return null;
  const lengths = types.map(lengthOf);
  if (lengths.some((length) => length === null)) return null;
  if (header.value + lengths.reduce<number>((sum, length) => sum + (length ?? 0), 0) !== size) return null;
  const values: SqlValue[] = [];
  let from = header.value;
  for (const [i, type] of types.entries()) {
    const length = lengths[i] ?? 0;
    if (from >= bytes.length && length > 0) break;
    values.push(decode(type, bytes.subarray(from, from + length)));
    from += length;
  }
  return values;
}

const fixedLengths = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0];

/** Bytes of a value by its serial type; null for the two that mean nothing. */
function lengthOf(type: number): number | null {
  if (type < 10) return fixedLengths[type] ?? null;
  return type < 12 ? null : Math.floor((type - 12) / 2);
}

function decode(type: number, bytes: Buffer): SqlValue {
  if (type === 0) return null;
  if (type === 8 || type === 9) return type - 8;
  if (type === 7) return bytes.length === 8 ? bytes.readDoubleBE(0) : null;
  if (type < 7) return bytes.length === 8 ? Number(bytes.readBigInt64BE(0)) : bytes.readIntBE(0, bytes.length);
  return type % 2 === 1 ? bytes.toString("utf8") : Uint8Array.from(bytes);
}

/** A variable-length integer; null behind the end, or where it is larger than a number of ours can be. */
function varint(bytes: Buffer, at: number): { value: number; next: number } | null {
  let value = 0;
  for (let i = 0; i < 9; i++) {
    const byte = bytes[at + i];
    if (byte === undefined) return null;
    if (i === 8) value = value * 256 + byte;
    else value = value * 128 + (byte & 0x7f);
    if (i === 8 || byte < 0x80) {
      return value <= Number.MAX_SAFE_INTEGER ? { value, next: at + i + 1 } : null;
    }
  }
  return null;
}
