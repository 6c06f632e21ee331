/**
 * Finds rows in a damaged file, page by page: first along the trees as far as they lead, then on every page that no tree
 * reaches, where rows are told by their shape. What a damaged inner page hides is found so, and what lies on free pages
 * is not: `secure_delete` has overwritten that.
 */

import type { SqlValue } from "../driver.ts";
import { type BtreePage, type RawRow, readBtreePage, rowsAnywhere, rowsMended } from "./btree-page.ts";
import type { PageFile } from "./page-file.ts";

export interface FoundRow extends RawRow {
  /** Table or index whose tree led here; null where none did. */
  readonly owner: string | null;
  /** Found by trying every place of a page: whatever takes it has to prove it. */
  readonly guessed: boolean;
}

export interface Trees {
  /** Page → table or index. */
  readonly owners: ReadonlyMap<number, string>;
  /** Pages that hold no rows: free ones, and what overflows. */
  readonly others: ReadonlySet<number>;
}

/** Follows every tree from the schema. O(pages). */
export function followTrees(file: PageFile): Trees {
  const owners = new Map<number, string>();
  const others = new Set<number>(freePages(file));
  const roots: [number, string][] = [[1, "sqlite_schema"]];
  for (let root = roots.shift(); root; root = roots.shift()) {
    const [first, owner] = root;
    const todo = [first];
    for (let no = todo.pop(); no !== undefined; no = todo.pop()) {
      if (no < 1 || no > file.pageCount || owners.has(no)) continue;
      const page = readBtreePage(file, file.read(no), no);
      if (page.kind === null) continue;
      owners.set(no, owner);
      for (const child of page.children) todo.push(child);
      for (const overflow of page.overflows) addOverflow(file, overflow, others);
      if (owner === "sqlite_schema") {
        for (const { values } of page.rows) {
          if (typeof values[3] === "number" && values[3] > 1) roots.push([values[3], String(values[1])]);
        }
      }
    }
  }
  return { owners, others };
}

/** What could not be read, for a scan to count. */
export interface Unread {
  /** Pages that are neither free nor a page of rows, or not there any more, and cells of pages that are. */
  pages: number;
  cells: number;
}

/** Rows of all pages, whatever tree. */
export function* findRows(file: PageFile, { owners, others }: Trees, unread: Unread): Generator<FoundRow> {
  unread.pages += missingPages(file);
  for (let no = 1; no <= file.pageCount; no++) {
    const owner = owners.get(no) ?? null;
    if (owner === null && others.has(no)) continue;
    const versions = [file.read(no), file.older(no)].filter((page) => page !== null);
    for (const bytes of versions) yield* rowsOf(file, bytes, no, owner, unread);
  }
}

function* rowsOf(file: PageFile, bytes: Buffer, no: number, owner: string | null, unread: Unread): Generator<FoundRow> {
  const page: BtreePage = readBtreePage(file, bytes, no);
  const isZero = bytes.every((byte) => byte === 0);
  if (page.kind === null && !isZero) unread.pages += 1;
  unread.cells += page.failed;
  for (const row of page.rows) yield { ...row, owner, guessed: false };
  const suspicious = page.kind === null || page.failed > 0 || hasGap(bytes, no);
  const isTable = page.kind === null || page.kind === "table";
  if (!suspicious || !isTable || isZero) return;
  for (const row of rowsAnywhere(file, bytes)) yield { ...row, owner, guessed: true };
  if (page.kind === "table") for (const row of rowsMended(file, bytes, no)) yield { ...row, owner, guessed: true };
}

/** Whether a leaf says that it has fewer cells than its space for pointers holds: the count may be damaged. */
function hasGap(bytes: Buffer, no: number): boolean {
  const start = no === 1 ? 100 : 0;
  const count = bytes.readUInt16BE(start + 3);
  const pointer = start + 8 + 2 * count;
  const first = bytes.readUInt16BE(start + 5);
  return pointer + 2 <= bytes.length && first > pointer && bytes.readUInt16BE(pointer) >= first;
}

/** Pages that the header counts and a file that was cut has no more. It counts right where its two counters of changes agree. */
function missingPages(file: PageFile): number {
  const header = file.read(1);
  const isKnown = header.readUInt32BE(24) === header.readUInt32BE(92);
  return isKnown ? Math.max(0, header.readUInt32BE(28) - file.pageCount) : 0;
}

function freePages(file: PageFile): number[] {
  const pages: number[] = [];
  const seen = new Set<number>();
  for (let trunk = file.read(1).readUInt32BE(32); trunk > 1 && trunk <= file.pageCount && !seen.has(trunk); ) {
    seen.add(trunk);
    const page = file.read(trunk);
    // A damaged list could name pages that hold rows: only what is overwritten counts as free.
    const count = Math.min(page.readUInt32BE(4), Math.floor(page.length / 4) - 2);
    for (let i = 0; i < count; i++) {
      const no = page.readUInt32BE(8 + 4 * i);
      if (no > 1 && no <= file.pageCount && file.read(no).every((byte) => byte === 0)) pages.push(no);
    }
    trunk = page.readUInt32BE(0);
  }
  return pages;
}

function addOverflow(file: PageFile, first: number, others: Set<number>): void {
  for (let no = first; no > 1 && no <= file.pageCount && !others.has(no); no = file.read(no).readUInt32BE(0))
    others.add(no);
}

const unknownNumber = 2 ** 31;

/** A table's columns as far as they tell a row. */
export interface TableShape {
  readonly name: string;
  readonly columns: readonly { readonly name: string; readonly type: string; readonly required: boolean }[];
  /** Column that is the rowid; null for a table without. */
  readonly rowid: string | null;
  /** Values that a row has at least: columns that were added later are missing from rows that are older. */
  readonly least: number;
}

/** The values by column, or null when the row is none of that table. */
export function asRowOf(shape: TableShape, row: RawRow): Record<string, SqlValue> | null {
  const { columns, rowid, least } = shape;
  if ((row.rowid === null) !== (rowid === null)) return null;
  const { values } = row;
  if (values.length > columns.length || (row.complete && values.length < least)) return null;
  const named: Record<string, SqlValue> = {};
  for (const [at, { name, type, required }] of columns.entries()) {
    if (at >= values.length) continue;
    let value = name === rowid ? row.rowid : (values[at] ?? null);
    // A number that nothing wrote, and that could not be read again, says nothing; a row that has to have one gets a high one.
    if (typeof value === "number" && Math.abs(value) > Number.MAX_SAFE_INTEGER)
      value = required && name !== rowid ? unknownNumber : null;
    if (value === null ? required : !hasType(value, type)) return null;
    named[name] = value;
  }
  return named;
}

function hasType(value: SqlValue, type: string): boolean {
  if (type === "INTEGER") return typeof value === "number" && Number.isInteger(value);
  if (type === "TEXT") return typeof value === "string";
  return true;
}
