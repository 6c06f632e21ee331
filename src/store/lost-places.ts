/**
 * Places of a transcript where an entry has to be and none is. Positions are given one after the other and never given back
 * (a deleted entry stays as a husk), so every one before the next that is absent is of an entry that was lost.
 */
import type { Database } from "./driver.ts";
import { firstNo, lastNo, positions, transcriptOf } from "./entry-no.ts";

/** Numbers of entries, ends included. */
export interface LostRun {
  readonly from: number;
  readonly to: number;
}

/** What a transcript's row says of its end. */
export interface StatedEnd {
  readonly no: number;
  readonly next: number;
  readonly leaf: number | null;
  readonly appendAt: number | null;
  /** The highest number that an index names, where one was asked. */
  readonly known?: number | null;
}

/** Entries that may have been lost at the end with nothing else to name them: so many damage to the lowest byte makes up. */
const mostUnnamed = 255;

/**
 * How many positions a transcript has. Behind its last entry that is there, what its row states is believed as far as
 * something else names an entry: a number that was damaged would make up millions.
 * @param there Position of the last entry that is there, and 1.
 */
export function statedSize(db: Database, stated: StatedEnd, there: number): number {
  const { no, next, leaf, appendAt, known: indexed = null } = stated;
  const size = Math.max(there, indexed === null ? 0 : (indexed % positions) + 1);
  if (!Number.isSafeInteger(next) || next <= size || next > positions) return size;
  const range = { from: firstNo(no) + size, to: firstNo(no) + next - 1 };
  const named = [
    leaf,
    appendAt,
    db.prepare("SELECT max(no) AS no FROM messages WHERE no BETWEEN :from AND :to").get(range)?.no,
    db
      .prepare("SELECT max(entry) AS no FROM aliases WHERE transcript = :no AND entry BETWEEN :from AND :to")
      .get({ ...range, no })?.no,
  ].filter((each): each is number => typeof each === "number" && each >= range.from && each <= range.to);
  const known = Math.max(size, ...named.map((each) => (each % positions) + 1));
  return next - known <= mostUnnamed ? next : known;
}

/** Every absent place of a transcript. O(its entries). */
export function* lostRuns(db: Database, stated: StatedEnd): Generator<LostRun> {
  const range = { from: firstNo(stated.no), to: lastNo(stated.no) };
  let expected = range.from;
  for (const row of db.prepare("SELECT no FROM entries WHERE no BETWEEN :from AND :to ORDER BY no").iterate(range)) {
    const no = Number(row.no);
    if (no > expected) yield { from: expected, to: no - 1 };
    expected = no + 1;
  }
  const size = expected - range.from;
  const end = range.from + statedSize(db, stated, size);
  if (end > expected) yield { from: expected, to: end - 1 };
}

/** Begins with a control character, which no id of a source's has: none is ever taken for it. */
const madeUpPrefix = "\u0001lost ";

/** Stands for an id that nobody knows any more. */
export function madeUpId(no: number): string {
  return `${madeUpPrefix}${no % positions}`;
}

export function isMadeUp(id: string): boolean {
  return id.startsWith(madeUpPrefix);
}

/** An id as a person can read it. */
export function shownId(id: string): string {
  return isMadeUp(id) ? id.slice(1) : id;
}

export function isIn(no: number, { from, to }: LostRun): boolean {
  return no >= from && no <= to && transcriptOf(no) === transcriptOf(from);
}
