/**
 * The dirty range: entries of a transcript whose active flags and index rows are not to be trusted. Everything before it is
 * right and stays searchable, and so is everything behind it: what is appended meanwhile continues the leaf, so it is
 * flagged and indexed at once and the range never grows under steady writes (SPEC 2.4, 2.6).
 */
import type { Database } from "./driver.ts";
import { positions } from "./entry-no.ts";

/**
 * - `branch`: the leaf moved further than one transaction corrects.
 * - `edit`: an edited message is longer than one transaction indexes.
 * - `copy`: a fork is longer than that.
 * - `version`: folding, extraction or redaction changed.
 * - `repair`: a check found rows that are wrong.
 */
export type DirtyReason = "branch" | "edit" | "copy" | "version" | "repair";

export interface DirtyRange {
  /** First and last entry number that is not to be trusted. */
  readonly from: number;
  readonly to: number;
  /** Another one after every mark. */
  readonly epoch: number;
}

/** SQL: the end of a range, as an older version may have left it open. */
const end = `coalesce(dirty."to", (dirty.transcript << 24) + ${positions - 1})`;

/**
 * Marks entries `from` to `to`; a transcript that is dirty already has one range that spans both.
 * @param to The last entry that there is, unless fewer are wrong.
 */
export function markDirty(db: Database, transcript: number, from: number, to: number, reason: DirtyReason): void {
  // The epoch starts anywhere: a range that was cleared and made again must not look like the old one.
  db.prepare(`
    INSERT INTO dirty (transcript, "from", "to", reason, epoch)
    VALUES (:transcript, :from, :to, :reason, abs(random() % 1099511627776))
    ON CONFLICT DO UPDATE SET "from" = min("from", excluded."from"), "to" = max(${end}, excluded."to"), epoch = epoch + 1
  `).run({ transcript, from, to, reason });
}

export function dirtyRange(db: Database, transcript: number): DirtyRange | null {
  const row = db
    .prepare(`SELECT "from", ${end} AS "to", epoch FROM dirty WHERE transcript = :transcript`)
    .get({ transcript });
  return row ? { from: Number(row.from), to: Number(row.to), epoch: Number(row.epoch) } : null;
}

/** Every entry of every transcript. */
export function markAllDirty(db: Database, reason: DirtyReason): void {
  db.prepare(`
    INSERT INTO dirty (transcript, "from", "to", reason, epoch)
    SELECT no, no << 24, (no << 24) + next - 1, :reason, abs(random() % 1099511627776) FROM transcripts WHERE next > 0
    ON CONFLICT DO UPDATE SET "from" = excluded."from", "to" = excluded."to", reason = excluded.reason, epoch = epoch + 1
  `).run({ reason });
}

export function dirtyTranscripts(db: Database): number[] {
  return db
    .prepare("SELECT transcript FROM dirty ORDER BY transcript")
    .all()
    .map((row) => Number(row.transcript));
}

/** The first few of them. */
export function someDirty(db: Database, limit: number): number[] {
  return db
    .prepare("SELECT transcript FROM dirty ORDER BY transcript LIMIT :limit")
    .all({ limit })
    .map((row) => Number(row.transcript));
}

/** Moves the range's start behind what has been put right. */
export function advanceDirty(db: Database, transcript: number, from: number): void {
  db.prepare('UPDATE dirty SET "from" = :from WHERE transcript = :transcript').run({ transcript, from });
}

export function clearDirty(db: Database, transcript: number): void {
  db.prepare("DELETE FROM dirty WHERE transcript = :transcript").run({ transcript });
}

/** Whether any transcript is. */
export function isDirty(db: Database): boolean {
  return db.prepare("SELECT 1 FROM dirty LIMIT 1").get() !== undefined;
}

/** A condition that holds for every row of a clean store; `no` is the SQL name of an entry number. */
export function trusted(no: string): string {
  return `NOT EXISTS (SELECT 1 FROM dirty WHERE dirty.transcript = ${no} >> 24 AND ${no} BETWEEN dirty."from" AND ${end})`;
}

/** SQL: the numbers of a range, for a join with `dirty`. */
export const inDirtyRange = (no: string): string => `${no} BETWEEN dirty."from" AND ${end}`;
