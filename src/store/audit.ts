/** A line for each use of unmasked output (SPEC 5.7), and for each backup: copies that a deletion has to know of. */
import type { Database } from "./driver.ts";

export function noteReveal(db: Database, at: number, what: string): void {
  db.prepare("INSERT INTO audit (at, what) VALUES (:at, :what)").run({ at, what });
}

const backupPrefix = "backup ";

export function noteBackup(db: Database, at: number, file: string): void {
  db.prepare("INSERT INTO audit (at, what) VALUES (:at, :what)").run({ at, what: backupPrefix + file });
}

/** Absolute paths of all backups that were ever begun of this store, inside the home and elsewhere; some may be gone. */
export function notedBackups(db: Database): string[] {
  return db
    .prepare("SELECT DISTINCT what FROM audit WHERE substr(what, 1, length(:prefix)) = :prefix ORDER BY what")
    .all({ prefix: backupPrefix })
    .map(({ what }) => String(what).slice(backupPrefix.length));
}

export interface AuditLine {
  readonly at: number;
  readonly what: string;
}

export function auditLines(db: Database): AuditLine[] {
  return db.prepare("SELECT at, what FROM audit ORDER BY no").all() as unknown as AuditLine[];
}

/** Adds the lines that are not there. */
export function addAuditLines(db: Database, lines: readonly AuditLine[]): void {
  const statement = db.prepare(`
    INSERT INTO audit (at, what) SELECT :at, :what WHERE NOT EXISTS (SELECT 1 FROM audit WHERE at = :at AND what = :what)
  `);
  for (const { at, what } of lines) statement.run({ at, what });
}
