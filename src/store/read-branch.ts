/**
 * Pages of a transcript's active branch; of a dirty one, the parts that are to be trusted. Positions are entry numbers, which
 * never change, so paging from end to end yields each entry once while new ones arrive. O(page) for plain history: a partial index holds what that shows.
 */

import type { EntryId } from "../model/ids.ts";
import type { Part, Role } from "../model/transcript.ts";
import { shows } from "../text/searchable.ts";
import { decodeBody } from "./body.ts";
import { dirtyRange } from "./dirty.ts";
import type { Database, Params, Row } from "./driver.ts";
import { firstNo, lastNo } from "./entry-no.ts";
import { isHusk } from "./husk.ts";

export interface EntryRow {
  readonly no: number;
  readonly id: EntryId;
  readonly parent: number | null;
  readonly type: string;
  readonly role: Role | null;
  readonly timestamp: number;
  readonly active: boolean;
  readonly parts: readonly Part[];
}

export interface PageRequest {
  readonly transcript: number;
  /** Bits of `shows`; an entry is on the page when it has one of them. */
  readonly mask: number;
  readonly limit: number;
}

const columns = "no, id, parent, type, role, timestamp, active, body";

/** Entries after `no`, oldest first. */
export function readAfter(db: Database, request: PageRequest, no: number): EntryRow[] {
  // A position comes from a cursor that anyone may have written: never below the transcript's own first entry.
  return read(db, request, Math.max(no + 1, firstNo(request.transcript)), lastNo(request.transcript), "ASC");
}

/** Entries before `no` (from the end where null), oldest first. */
export function readBefore(db: Database, request: PageRequest, no: number | null): EntryRow[] {
  const last = lastNo(request.transcript);
  return read(db, request, firstNo(request.transcript), no === null ? last : Math.min(no - 1, last), "DESC").reverse();
}

function read(db: Database, request: PageRequest, from: number, to: number, order: "ASC" | "DESC"): EntryRow[] {
  const { sql, params } = outsideDirty(db, request.transcript);
  return db
    .prepare(`
      SELECT ${columns} FROM entries WHERE no BETWEEN :from AND :to AND ${shown(request.mask)} ${sql}
      ORDER BY no ${order} LIMIT :limit
    `)
    .all({ from, to, limit: request.limit, ...params })
    .map(toEntry);
}

/** Entries of the active branch that pages with this mask show. */
export function countShown(db: Database, transcript: number, mask: number): number {
  const { sql, params } = outsideDirty(db, transcript);
  const row = db
    .prepare(`SELECT count(*) AS n FROM entries WHERE no BETWEEN :from AND :to AND ${shown(mask)} ${sql}`)
    .get({ from: firstNo(transcript), to: lastNo(transcript), ...params });
  return Number(row?.n);
}

/** Whether an entry's `active` flag is right: it lies outside the transcript's dirty range. */
export function isTrusted(db: Database, transcript: number, no: number): boolean {
  const range = dirtyRange(db, transcript);
  return range === null || no < range.from || no > range.to;
}

/** A condition for the entries of one transcript, empty where it is clean. */
function outsideDirty(db: Database, transcript: number): { sql: string; params: Params } {
  const range = dirtyRange(db, transcript);
  return range === null
    ? { sql: "", params: {} }
    : {
        sql: "AND no NOT BETWEEN :dirtyFrom AND :dirtyTo",
        params: { dirtyFrom: range.from, dirtyTo: range.to },
      };
}

/** Word for word the partial index's condition where it applies: SQLite compares the expressions. */
function shown(mask: number): string {
  return mask === shows.spoken ? "active = 1 AND (shows & 1) = 1" : `active = 1 AND (shows & ${mask}) <> 0`;
}

/** The entry of that id in the transcript, on the active branch or not. Later pieces of a message name the whole. */
export function findEntry(db: Database, transcript: number, id: string): EntryRow | null {
  const row =
    db.prepare(`SELECT ${columns} FROM entries WHERE id = :id AND no >> 24 = :transcript`).get({ id, transcript }) ??
    db
      .prepare(
        `SELECT ${columns} FROM entries WHERE no = (SELECT entry FROM aliases WHERE transcript = :transcript AND id = :id)`,
      )
      .get({ id, transcript });
  return row ? toEntry(row) : null;
}

/** The path from an entry up to its root as far as the limit goes, oldest first: the branch that a rewound entry was on. */
export function readPathTo(db: Database, request: PageRequest, no: number): EntryRow[] {
  const statement = db.prepare(`SELECT ${columns}, shows FROM entries WHERE no = :no`);
  const path: EntryRow[] = [];
  for (let at: number | null = no; at !== null && path.length < request.limit; ) {
    const row = statement.get({ no: at });
    if (!row) break;
    const entry = toEntry(row);
    if (at === no || (Number(row.shows) & request.mask) !== 0) path.push(entry);
    at = entry.parent !== null && entry.parent < at ? entry.parent : null;
  }
  return path.reverse();
}

/** The whole path from the root to an entry, oldest first, what was deleted left out. O(path). */
export function readBranch(db: Database, leaf: number | null): EntryRow[] {
  const statement = db.prepare(`SELECT ${columns} FROM entries WHERE no = :no`);
  const path: EntryRow[] = [];
  for (let at = leaf; at !== null; ) {
    const row = statement.get({ no: at });
    if (!row) break;
    const entry = toEntry(row);
    if (!isHusk(entry.type)) path.push(entry);
    at = entry.parent !== null && entry.parent < at ? entry.parent : null;
  }
  return path.reverse();
}

function toEntry(row: Row): EntryRow {
  return {
    no: Number(row.no),
    id: row.id as EntryId,
    parent: row.parent as number | null,
    type: String(row.type),
    role: row.role as Role | null,
    timestamp: Number(row.timestamp),
    active: row.active === 1,
    parts: decodeBody(row.body).parts,
  };
}
