/**
 * Numbered migrations. Each runs in one transaction with the row that records it (`user_version`), so a killed process
 * leaves either the old schema or the new one. Races between openers are settled by the write lock and a second look.
 */
import { BackscrollError } from "../errors.ts";
import type { Database } from "./driver.ts";
import { lifeCycle } from "./migrations/0003-life-cycle.ts";
import { migrations } from "./migrations/index.ts";
import { takeFromMirror } from "./tombstones.ts";
import { transaction } from "./transaction.ts";

/** `BkSc`: marks the file as ours (SQLite's application_id). */
export const applicationId = 0x426b5363;

export const schemaVersion = migrations.length;

/**
 * Brings the file to the newest schema. Takes no write lock when there is nothing to do.
 * @throws {BackscrollError} `bad_store` when the file is another program's or of a newer schema; it is left untouched.
 */
export function migrate(db: Database): void {
  if (check(db) === schemaVersion) return;
  for (const migration of migrations) {
    if (check(db) >= migration.version) continue;
    transaction(db, () => {
      if (check(db) >= migration.version) return;
      db.exec(migration.sql);
      if (migration.version === lifeCycle.version) takeFromMirror(db);
      db.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${migration.version}`);
    });
  }
}

/** The schema version of the file; 0 for an empty one. */
export function check(db: Database): number {
  const version = pragma(db, "user_version");
  const owner = pragma(db, "application_id");
  const empty = version === 0 && owner === 0 && db.prepare("SELECT count(*) AS n FROM sqlite_schema").get()?.n === 0;
  if (owner !== applicationId && !empty) {
    // Another process made the schema between two of these looks.
    if (owner === 0 && pragma(db, "application_id") === applicationId) return check(db);
    throw new BackscrollError(
      "bad_store",
      `${db.path} is an SQLite file of another program`,
      "Choose another home folder, or move that file away.",
    );
  }
  if (version > schemaVersion) {
    throw new BackscrollError(
      "bad_store",
      `${db.path} has schema ${version}; this version of Backscroll knows up to ${schemaVersion}`,
      "Update Backscroll. The file was left as it is.",
    );
  }
  return version;
}

function pragma(db: Database, name: string): number {
  return Number(db.prepare(`PRAGMA ${name}`).get()?.[name] ?? 0);
}
