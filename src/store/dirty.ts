/**
 * The dirty mark: from an entry on, a transcript's active flags and index rows are not to be trusted. Everything before
 * that entry is right and stays searchable (SPEC 2.6).
 */
import type { Database } from "./driver.ts";

/** - `branch`: the leaf moved further than one transaction corrects. - `version`: folding, extraction or redaction changed. */
export type DirtyReason = "branch" | "version";

export function markDirty(db: Database, transcript: number, from: number, reason: DirtyReason): void {
  db.prepare(`
    INSERT INTO dirty (transcript, "from", reason) VALUES (:transcript, :from, :reason)
    ON CONFLICT DO UPDATE SET "from" = min("from", excluded."from")
  `).run({ transcript, from, reason });
}

/** The first entry number not to be trusted; null for a clean transcript. */
export function dirtyFrom(db: Database, transcript: number): number | null {
  const row = db.prepare('SELECT "from" FROM dirty WHERE transcript = :transcript').get({ transcript });
  return row ? Number(row.from) : null;
}

export function markAllDirty(db: Database, reason: DirtyReason): void {
  db.prepare(`
    INSERT INTO dirty (transcript, "from", reason) SELECT no, no << 24, :reason FROM transcripts WHERE true
    ON CONFLICT DO UPDATE SET "from" = excluded."from", reason = excluded.reason
  `).run({ reason });
}

export function dirtyTranscripts(db: Database): number[] {
  return db
    .prepare("SELECT transcript FROM dirty ORDER BY transcript")
    .all()
    .map((row) => Number(row.transcript));
}

/** Moves the mark behind what has been put right, or takes it away. */
export function advanceDirty(db: Database, transcript: number, from: number | null): void {
  if (from === null) db.prepare("DELETE FROM dirty WHERE transcript = :transcript").run({ transcript });
  else db.prepare('UPDATE dirty SET "from" = :from WHERE transcript = :transcript').run({ transcript, from });
}

/** Whether any transcript is. */
export function isDirty(db: Database): boolean {
  return db.prepare("SELECT 1 FROM dirty LIMIT 1").get() !== undefined;
}

/** A condition that holds for every row of a clean store; `no` is the SQL name of an entry number. */
export function trusted(no: string): string {
  return `NOT EXISTS (SELECT 1 FROM dirty WHERE dirty.transcript = ${no} >> 24 AND ${no} >= dirty."from")`;
}
