/** Writes a backup file. It lies in a work folder until it is whole, so SQLite need not guard it against a crash. */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { toIoError } from "../../errors.ts";
import { limits } from "../../limits.ts";
import type { Database } from "../driver.ts";
import { openNodeDriver } from "../driver-node.ts";
import { makePrivateFile } from "../private-files.ts";
import { translate } from "../sqlite-error.ts";
import {
  type BackupEntry,
  type BackupHead,
  backupApplicationId,
  backupSchema,
  backupVersion,
  sealOf,
} from "./backup-file.ts";

export class BackupWriter {
  readonly #db: Database;
  readonly #head: BackupHead;
  readonly #entries: BackupEntry[] = [];

  constructor(path: string, head: BackupHead) {
    makePrivateFile(path);
    this.#head = head;
    this.#db = openNodeDriver(path, { busyWait: 0 });
    this.#told(() =>
      this.#db.exec(`
        PRAGMA page_size = 16384;
        PRAGMA journal_mode = OFF;
        PRAGMA synchronous = OFF;
        PRAGMA application_id = ${backupApplicationId};
        PRAGMA user_version = ${backupVersion};
        BEGIN;
        ${backupSchema}
      `),
    );
  }

  /** Takes in a file as it stands. Returns what was noted of it. */
  async add(
    path: string,
    facts: Omit<BackupEntry, "size" | "sha256">,
    onProgress: (bytesDone: number) => void = () => undefined,
  ): Promise<BackupEntry> {
    const no = this.#entries.length + 1;
    const { agent, name, at, schema, sessions, messages } = facts;
    this.#db
      .prepare(`
        INSERT INTO files (no, agent, name, size, sha256, at, "schema", sessions, messages)
        VALUES (:no, :agent, :name, 0, '', :at, :schema, :sessions, :messages)
      `)
      .run({ no, agent, name, at, schema, sessions, messages });
    const insert = this.#db.prepare("INSERT INTO chunks (file, part, bytes) VALUES (:file, :part, :bytes)");
    const hash = createHash("sha256");
    let size = 0;
    let part = 0;
    const store = (bytes: Uint8Array) => {
      hash.update(bytes);
      insert.run({ file: no, part, bytes });
      part += 1;
      size += bytes.byteLength;
      onProgress(size);
    };
    try {
      // A stream gives pieces of the size that it is asked for, but for the last.
      for await (const bytes of createReadStream(path, { highWaterMark: limits.backupChunk.default })) {
        store(bytes as Uint8Array);
      }
    } catch (error) {
      throw toIoError(error, path);
    }
    const entry = { ...facts, size, sha256: hash.digest("hex") };
    this.#db
      .prepare("UPDATE files SET size = :size, sha256 = :hash WHERE no = :no")
      .run({ no, size, hash: entry.sha256 });
    this.#entries.push(entry);
    return entry;
  }

  /** Seals and closes it. Syncing and renaming are left to the caller. */
  finish(): void {
    const { at, home } = this.#head;
    this.#db
      .prepare("INSERT INTO backup (no, at, home, seal) VALUES (1, :at, :home, :seal)")
      .run({ at, home, seal: sealOf(this.#head, this.#entries) });
    this.#told(() => this.#db.exec("COMMIT"));
    this.#db.close();
  }

  /** For a file that will not be used. Idempotent, and nothing after `finish`. */
  abandon(): void {
    this.#db.close();
  }

  #told(work: () => void): void {
    try {
      work();
    } catch (error) {
      throw translate(error, this.#db.path);
    }
  }
}
