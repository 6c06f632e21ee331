/** Copies of one agent's database: made while others write to it, and looked over before anybody relies on them. */
import { backup, DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { BackscrollError } from "../../errors.ts";
import { limits } from "../../limits.ts";
import { openNodeDriver } from "../driver-node.ts";
import { applicationId, schemaVersion } from "../migrate.ts";
import { makePrivateFile } from "../private-files.ts";
import { translate } from "../sqlite-error.ts";
import type { Tombstone } from "../tombstone-mirror.ts";
import { readTombstones } from "../tombstones.ts";

export interface CopyFacts {
  readonly schema: number;
  readonly sessions: number;
  readonly messages: number;
}

/** Pages copied before others get their turn: 4 MiB. */
const pagesAtOnce = 1024;

/**
 * Copies a database as it is at one moment. The open read transaction is what holds that moment: without it, SQLite
 * starts again from the first page whenever another process has written, which under a steady writer never ends. Writers
 * go on meanwhile; their write-ahead log can't be cut before the copy is done.
 * @throws {BackscrollError} `io`, `busy`, `bad_store`.
 */
export async function copyDatabase(
  from: string,
  to: string,
  onProgress: (pagesDone: number, pages: number) => void = () => undefined,
): Promise<void> {
  makePrivateFile(to);
  let source: DatabaseSync | undefined;
  try {
    source = new DatabaseSync(from, { readOnly: true, timeout: limits.busyWait.default });
    source.exec("BEGIN");
    source.prepare("SELECT count(*) FROM sqlite_schema").get();
    await backup(source, to, {
      rate: pagesAtOnce,
      progress: ({ totalPages, remainingPages }) => onProgress(totalPages - remainingPages, totalPages),
    });
  } catch (error) {
    throw translate(error, isWriteError(error) ? to : from);
  } finally {
    source?.close();
  }
}

/**
 * What a copy is, and whether it is whole. Opened as a file that never changes, so that nothing is made beside it.
 * @throws {BackscrollError} `bad_store` for another program's file, a newer schema, and damage. `name` says whose it is.
 */
export function examineCopy(path: string, name: string): CopyFacts {
  const url = pathToFileURL(path);
  url.search = "?immutable=1";
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(url, { readOnly: true });
    const one = (sql: string) => Number(Object.values(db?.prepare(sql).get() ?? {})[0] ?? 0);
    if (one("PRAGMA application_id") !== applicationId) throw notWhole(name, "it is not a store of Backscroll");
    const schema = one("PRAGMA user_version");
    if (schema > schemaVersion) throw tooNew(name, schema);
    const found = db.prepare("PRAGMA quick_check(1)").get()?.quick_check;
    if (found !== "ok") throw notWhole(name, String(found));
    return {
      schema,
      sessions: one("SELECT count(*) FROM sessions"),
      messages: one("SELECT coalesce(sum(messages), 0) FROM transcripts"),
    };
  } catch (error) {
    if (error instanceof BackscrollError) throw error;
    throw notWhole(name, error instanceof Error ? error.message : String(error), error);
  } finally {
    db?.close();
  }
}

/** What a copy that was looked over has forgotten. */
export function tombstonesIn(path: string): Tombstone[] {
  const url = pathToFileURL(path);
  url.searchParams.set("immutable", "1");
  const db = openNodeDriver(path, { readOnly: true, busyWait: 0, location: url });
  try {
    return readTombstones(db);
  } finally {
    db.close();
  }
}

export function tooNew(name: string, schema: number): BackscrollError {
  return new BackscrollError(
    "bad_store",
    `${name} has schema ${schema}; this version of Backscroll knows up to ${schemaVersion}`,
    "Update Backscroll. Nothing was changed.",
  );
}

function notWhole(name: string, why: string, cause?: unknown): BackscrollError {
  return new BackscrollError("bad_store", `${name} is damaged: ${why}`, "Nothing was changed. Use another copy.", {
    cause,
  });
}

/** Full disks and write errors are the copy's, not the original's. */
function isWriteError(error: unknown): boolean {
  if (!(error instanceof Error) || !("errcode" in error)) return false;
  const code = Number(error.errcode);
  return (code & 0xff) === 13 || code === 778 || code === 1034 || code === 4874;
}

/** Leaves a database as one file: what a connection that was closed in a hurry left in its log goes into it. */
export function foldLog(path: string): void {
  const db = new DatabaseSync(path, { timeout: 0 });
  try {
    db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  } catch (error) {
    throw translate(error, path);
  } finally {
    // The last connection to close takes the log away.
    db.close();
  }
}
