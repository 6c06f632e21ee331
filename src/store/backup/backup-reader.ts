/** Reads a backup file, and believes none of it that is not covered by its hashes. */
import { createHash } from "node:crypto";
import { closeSync, existsSync, openSync, statSync, writeSync } from "node:fs";
import { BackscrollError, toIoError } from "../../errors.ts";
import { limits } from "../../limits.ts";
import { type AgentId, parseAgentId } from "../../model/ids.ts";
import { databaseName } from "../database-file.ts";
import type { Database, Row } from "../driver.ts";
import { openNodeDriver } from "../driver-node.ts";
import {
  type BackupEntry,
  type BackupHead,
  backupApplicationId,
  backupVersion,
  badBackup,
  sealOf,
} from "./backup-file.ts";

export class BackupReader {
  readonly path: string;
  readonly head: BackupHead;
  readonly entries: readonly BackupEntry[];
  readonly #db: Database;

  /** @throws {BackscrollError} `io` when it is missing; `bad_store` when it is no backup, a newer one, or damaged. */
  constructor(path: string) {
    this.path = path;
    if (!existsSync(path)) throw new BackscrollError("io", `there is no file ${path}`, "Name an existing backup file.");
    if (!statSync(path).isFile()) throw badBackup(path, "is not a file");
    try {
      this.#db = openNodeDriver(path, { readOnly: true, busyWait: limits.busyWait.default });
    } catch (error) {
      throw toIoError(error, path);
    }
    try {
      const { head, entries } = this.#told(() => this.#readHead());
      this.head = head;
      this.entries = entries;
    } catch (error) {
      this.#db.close();
      throw error;
    }
  }

  /** The databases in it. */
  get stores(): (BackupEntry & { readonly agent: AgentId })[] {
    return this.entries.filter((entry) => entry.agent !== null) as (BackupEntry & { readonly agent: AgentId })[];
  }

  /**
   * Reads every byte and compares the hashes.
   * @throws {BackscrollError} `bad_store` naming what is damaged.
   */
  async verify(onProgress: (bytes: number) => void = () => undefined): Promise<void> {
    for (const entry of this.entries) await this.#read(entry, ({ byteLength }) => onProgress(byteLength));
  }

  /**
   * Writes one of its files to a file that exists and is empty.
   * @throws {BackscrollError} `bad_store` when the content is damaged, `io` when it can't be written.
   */
  async extract(entry: BackupEntry, to: string, onProgress: (bytes: number) => void = () => undefined): Promise<void> {
    let file: number | undefined;
    try {
      const target = openSync(to, "r+");
      file = target;
      await this.#read(entry, (bytes) => {
        for (let at = 0; at < bytes.byteLength; ) at += writeSync(target, bytes, at);
        onProgress(bytes.byteLength);
      });
    } catch (error) {
      throw toIoError(error, to);
    } finally {
      if (file !== undefined) closeSync(file);
    }
  }

  /** The content of a small file: those of the home are at most one chunk. */
  async content(entry: BackupEntry): Promise<Buffer> {
    const parts: Uint8Array[] = [];
    await this.#read(entry, (bytes) => parts.push(bytes));
    return Buffer.concat(parts);
  }

  /** Idempotent. */
  close(): void {
    this.#db.close();
  }

  async #read(entry: BackupEntry, use: (bytes: Uint8Array) => void): Promise<void> {
    const chunk = this.#db.prepare("SELECT bytes FROM chunks WHERE file = :file AND part = :part");
    const file = this.entries.indexOf(entry) + 1;
    const hash = createHash("sha256");
    let size = 0;
    for (let part = 0; size < entry.size; part++) {
      const bytes = this.#told(() => chunk.get({ file, part }))?.bytes;
      if (!(bytes instanceof Uint8Array) || bytes.byteLength === 0 || bytes.byteLength > limits.backupChunk.default) {
        throw this.#damaged(`a piece of ${named(entry)} is missing`);
      }
      size += bytes.byteLength;
      hash.update(bytes);
      use(bytes);
      // Between pieces, the rest of the process gets its turn.
      await new Promise((done) => setImmediate(done));
    }
    if (size !== entry.size || hash.digest("hex") !== entry.sha256) throw this.#damaged(`${named(entry)} has changed`);
  }

  #readHead(): { head: BackupHead; entries: BackupEntry[] } {
    const pragma = (name: string) => Number(this.#db.prepare(`PRAGMA ${name}`).get()?.[name]);
    if (pragma("application_id") !== backupApplicationId) throw badBackup(this.path, "is not a backup of Backscroll");
    const version = pragma("user_version");
    if (version > backupVersion) {
      throw new BackscrollError(
        "bad_store",
        `${this.path} is a backup of version ${version}; this version of Backscroll knows up to ${backupVersion}`,
        "Update Backscroll. Nothing was changed.",
      );
    }
    const row = this.#db.prepare("SELECT at, home, seal FROM backup").get();
    const rows = this.#db
      .prepare('SELECT agent, name, size, sha256, at, "schema", sessions, messages FROM files ORDER BY no')
      .all();
    if (!row) throw this.#damaged("it has no head");
    const head = { at: Number(row.at), home: String(row.home) };
    const entries = rows.map((each) => this.#entry(each));
    if (sealOf(head, entries) !== row.seal) throw this.#damaged("its list of files has changed");
    return { head, entries };
  }

  #entry(row: Row): BackupEntry {
    const { agent, name, size, sha256, at, schema, sessions, messages } = row;
    // An agent's id becomes the name of a folder, and a name that of a file: neither may lead elsewhere.
    const agentId = agent === null ? null : parseAgentId(String(agent));
    const named = agentId === null ? /^(?:legacy\/)?[\w-][\w.-]*\.json$/.test(String(name)) : name === databaseName;
    if (!named || (agent !== null && agentId === null)) throw this.#damaged("its list of files has changed");
    const number = (value: Row[string] | undefined) => (value === null || value === undefined ? null : Number(value));
    return {
      agent: agentId,
      name: String(name),
      size: Number(size),
      sha256: String(sha256),
      at: Number(at),
      schema: number(schema),
      sessions: number(sessions),
      messages: number(messages),
    };
  }

  #damaged(why: string, cause?: unknown): BackscrollError {
    return badBackup(this.path, `is damaged: ${why}`, cause);
  }

  /** Whatever SQLite stumbles over in such a file, the file is at fault. */
  #told<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (error instanceof BackscrollError && (error.code !== "bad_store" || error.cause === undefined)) throw error;
      const cause = error instanceof BackscrollError ? error.cause : error;
      throw this.#damaged(cause instanceof Error ? cause.message : String(cause), error);
    }
  }
}

function named({ agent, name }: BackupEntry): string {
  return agent === null ? name : `the store of ${agent}`;
}
