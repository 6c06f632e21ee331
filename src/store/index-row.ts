/**
 * Row numbers of the full-text table. An entry's own number jumps by 2^24 from one transcript to the next, and FTS5 writes
 * the distance between two rows for every term of every message: that was a third of the index. Here the entries of a
 * transcript come in blocks of 64, and the blocks of all transcripts lie side by side:
 * `block << 35 | transcript << 6 | place in the block`, 18 + 29 + 6 bits.
 */
import { entryNo, positions, transcriptOf } from "./entry-no.ts";

const places = 64;
const transcripts = 2 ** 29;

/** Row of an entry. Plain arithmetic, as JavaScript shifts only 32 bits. */
export function rowOf(no: number): number {
  const position = no % positions;
  return (Math.floor(position / places) * transcripts + transcriptOf(no)) * places + (position % places);
}

/** Entry of a row. */
export function entryOf(row: number): number {
  const transcript = Math.floor(row / places) % transcripts;
  const block = Math.floor(row / places / transcripts);
  return entryNo(transcript, block * places + (row % places));
}

/** Rows of the entries of one transcript from one number to another, ends included: a range a block. */
export function* rowRanges(from: number, to: number): Generator<{ from: number; to: number }> {
  for (let first = from; first <= to; ) {
    const last = Math.min(to, first - (first % places) + places - 1);
    yield { from: rowOf(first), to: rowOf(last) };
    first = last + 1;
  }
}

// SQLite gives shifts, & and | one rank, from left to right: every step has its own parentheses.

/** SQL: the row of the entry number that an expression gives. */
export function rowSql(no: string): string {
  return `((((${no} & 16777215) >> 6) << 35) | ((${no} >> 24) << 6) | (${no} & 63))`;
}

/** SQL: the entry number of a row. */
export function entrySql(row: string): string {
  return `((((${row} >> 6) & 536870911) << 24) | ((${row} >> 35) << 6) | (${row} & 63))`;
}

/** SQL: the transcript of a row. */
export function transcriptSql(row: string): string {
  return `((${row} >> 6) & 536870911)`;
}

/**
 * Index term that every message of a transcript has: with it FTS5 goes straight to the messages of a few sessions, however
 * common the words are. Never part of a query's own term.
 */
export function transcriptTerm(transcript: number): string {
  return `·t${transcript}`;
}

const weekMs = 7 * 86_400_000;
/** Of the year 2126; a clock that is wrong does not make a search walk through eras. */
const lastWeek = 8191;

/** Weeks since 1970 of a time in epoch ms. What is before or long after counts to the first or the last. */
export function weekOf(timestamp: number): number {
  return Math.min(lastWeek, Math.max(0, Math.floor(timestamp / weekMs)));
}

/** Index term that every message of a week has: with it the newest messages are found without a look at the others. */
export function weekTerm(week: number): string {
  return `·w${week}`;
}
