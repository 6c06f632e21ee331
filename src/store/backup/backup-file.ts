/**
 * The form of a backup file: one SQLite file that holds whole files in pieces of 1 MiB, so that neither writing nor reading
 * one takes more memory than that. Not compressed: a scan for forgotten words can read it.
 *
 * A seal, the hash of everything that the rows of `files` say, and the hash of each file's content cover all that a restore
 * relies on. They guard against damage, not against an author of false backups.
 */
import { createHash } from "node:crypto";
import { BackscrollError } from "../../errors.ts";
import type { AgentId } from "../../model/ids.ts";

/** `BkSb`, as SQLite's application_id. */
export const backupApplicationId = 0x426b5362;
export const backupVersion = 1;

export const backupSchema = `
  CREATE TABLE backup (
    no INTEGER PRIMARY KEY CHECK (no = 1),
    at INTEGER NOT NULL,                -- epoch ms at which it was begun
    home TEXT NOT NULL,                 -- where it was made
    seal TEXT NOT NULL                  -- SHA-256 of the row and of all rows of files
  ) STRICT;
  CREATE TABLE files (
    no INTEGER PRIMARY KEY,
    agent TEXT UNIQUE,                  -- whose database it is; null for a file of the home
    name TEXT NOT NULL,
    size INTEGER NOT NULL,
    sha256 TEXT NOT NULL,
    at INTEGER NOT NULL,                -- epoch ms at which it was copied
    "schema" INTEGER,                   -- of a database
    sessions INTEGER,
    messages INTEGER
  ) STRICT;
  CREATE TABLE chunks (
    file INTEGER NOT NULL REFERENCES files (no),
    part INTEGER NOT NULL,              -- 0, 1, 2 …
    bytes BLOB NOT NULL,
    PRIMARY KEY (file, part)
  ) STRICT;
`;

/** The database of one agent, or a file of the home (then there is no agent, and no counts). */
export interface BackupEntry {
  readonly agent: AgentId | null;
  /** File name, without folders. */
  readonly name: string;
  readonly size: number;
  readonly sha256: string;
  readonly at: number;
  readonly schema: number | null;
  readonly sessions: number | null;
  readonly messages: number | null;
}

export interface BackupHead {
  readonly at: number;
  readonly home: string;
}

export function sealOf({ at, home }: BackupHead, entries: readonly BackupEntry[]): string {
  const rows = entries.map((each) => [
    each.agent,
    each.name,
    each.size,
    each.sha256,
    each.at,
    each.schema,
    each.sessions,
    each.messages,
  ]);
  return createHash("sha256")
    .update(JSON.stringify([backupVersion, at, home, rows]))
    .digest("hex");
}

export function badBackup(path: string, why: string, cause?: unknown): BackscrollError {
  return new BackscrollError("bad_store", `${path} ${why}`, "Nothing was changed. Use another backup.", { cause });
}
