/**
 * What stands for a single deleted entry when its id can't: the transcript, who spoke, when, and a check of how it began. The
 * check is of 16 bits and hashed together with the rest: enough to tell two messages of one role and moment apart, and too
 * few to confirm a guess of what was said, which a hash of a short secret would do to anybody who tries millions of them.
 */
import { createHash } from "node:crypto";
import { BackscrollError } from "../errors.ts";
import type { Json, Part, Role } from "../model/transcript.ts";
import { bare, decodeBody, toJson } from "./body.ts";
import type { Database, Row } from "./driver.ts";
import { isHusk } from "./husk.ts";
import { hashOf } from "./tombstone-hash.ts";

/** What of an entry counts. */
export interface Said {
  readonly type: string;
  readonly role?: Role;
  /** Epoch ms. */
  readonly timestamp: number;
  readonly parts: readonly Part[];
  readonly data?: Json;
}

/** Before the hashes of entries: of the transcript first, so that one look tells whether it has any. */
export const entryPrefix = "entry:";

/** `entry:<hash of the session id>:<hash of the entry>`. */
export function entryHash(sessionId: string, { type, role, timestamp, parts, data }: Said): string {
  const [first] = parts;
  // Pieces that come later are merged into the message, so only its first part is there from the beginning.
  const begins = first === undefined ? (data === undefined ? "" : toJson(data)) : toJson(bare(first));
  const check = createHash("sha256").update(begins).digest().readUInt16BE(0);
  const whole = toJson([sessionId, role ?? `${type} without a role`, timestamp, check]);
  return `${rangeOf(sessionId).from}${hashOf(whole).slice(0, 22)}`;
}

/** The hashes of a transcript's entries lie from `from` to before `to`. */
export function rangeOf(sessionId: string): { readonly from: string; readonly to: string } {
  const begin = `${entryPrefix}${hashOf(sessionId)}`;
  return { from: `${begin}:`, to: `${begin};` };
}

/**
 * Out of a row with `type`, `role`, `timestamp` and `body`. Null for one that says nothing any more, and for one that can't be
 * read: damage must not keep anybody from deleting it.
 */
export function saidOf({ type, role, timestamp, body }: Row): Said | null {
  if (isHusk(String(type))) return null;
  try {
    const { parts, data } = decodeBody(body);
    return {
      type: String(type),
      ...(role !== null && { role: role as Role }),
      timestamp: Number(timestamp),
      parts,
      ...(data !== undefined && { data }),
    };
  } catch (error) {
    if (error instanceof BackscrollError && error.code === "bad_store") return null;
    throw error;
  }
}

/** The entries of one transcript that were deleted, for whoever takes entries in. */
export class DeletedEntries {
  readonly #db: Database;
  readonly #sessionId: string;
  readonly any: boolean;

  /** One look at the table. */
  constructor(db: Database, sessionId: string) {
    this.#db = db;
    this.#sessionId = sessionId;
    this.any =
      db
        .prepare("SELECT 1 FROM tombstones WHERE hash >= :from AND hash < :to LIMIT 1")
        .get({ ...rangeOf(sessionId) }) !== undefined;
  }

  /** @param times Those that the entry may have been stored with: one, where it has one of its own. */
  has(entry: Omit<Said, "timestamp">, times: readonly (number | null)[]): boolean {
    const { type, role, parts, data } = entry;
    const said = { type, parts, ...(role !== undefined && { role }), ...(data !== undefined && { data }) };
    return [...new Set(times)].some((timestamp) => {
      if (timestamp === null) return false;
      const hash = entryHash(this.#sessionId, { ...said, timestamp });
      return this.#db.prepare("SELECT 1 FROM tombstones WHERE hash = :hash").get({ hash }) !== undefined;
    });
  }
}
