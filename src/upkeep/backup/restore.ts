/**
 * Brings stores back from a backup. The whole file is read and checked before anything is touched; the stores that are
 * there are locked, the new ones made beside them, and each is put in place in one step (SPEC 2.14).
 */
import { existsSync, rmdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { BackscrollError } from "../../errors.ts";
import type { AgentId } from "../../model/ids.ts";
import { AgentStore } from "../../store/agent-store.ts";
import type { BackupEntry } from "../../store/backup/backup-file.ts";
import { BackupReader } from "../../store/backup/backup-reader.ts";
import {
  type DeletedAgain,
  type Deletions,
  deleteAgain,
  nothingDeleted,
  readDeletions,
} from "../../store/backup/carry-deletions.ts";
import { type CopyFacts, examineCopy, foldLog, tombstonesIn, tooNew } from "../../store/backup/copy-database.ts";
import { databaseExists, PresentDatabase } from "../../store/backup/replace-database.ts";
import { WorkFolder } from "../../store/backup/work-folder.ts";
import { databaseFile } from "../../store/home.ts";
import { schemaVersion } from "../../store/migrate.ts";
import { makePrivateFile, makePrivateFolder, placeNew, renameInto, syncFile } from "../../store/private-files.ts";
import { mirrorPath, readMirror, type Tombstone } from "../../store/tombstone-mirror.ts";
import { completeMirror } from "../../store/tombstones.ts";
import { timeName, type UpkeepProgress } from "./backup.ts";

export interface RestoreOptions {
  /** One agent only; then files of the home stay as they are. */
  readonly agent?: string;
  /** Put aside the stores that are there. */
  readonly replace?: boolean;
  readonly onProgress?: (progress: UpkeepProgress) => void;
}

export interface RestoredAgent extends CopyFacts {
  readonly agentId: AgentId;
  readonly bytes: number;
  /** Folder that the store which was there lies in now. */
  readonly replaced?: string;
  /** What had been deleted from the replaced store, and was in the backup still. */
  readonly deletedAgain: DeletedAgain;
}

export interface RestoreReport {
  readonly file: string;
  readonly home: string;
  /** When the backup was made, epoch ms. */
  readonly at: number;
  readonly agents: readonly RestoredAgent[];
  /** Settings of the home: brought back, or left as they were because they are there. */
  readonly files: readonly { readonly name: string; readonly restored: boolean }[];
  readonly warnings: readonly string[];
}

type StoreEntry = BackupEntry & { readonly agent: AgentId };

/**
 * @param home Folder, made when it is new.
 * @throws {BackscrollError} `io`, `bad_store`, `bad_input`, `busy`; then every store is as it was.
 */
export async function restore(
  home: string,
  file: string,
  now: number,
  options: RestoreOptions = {},
): Promise<RestoreReport> {
  const reader = new BackupReader(resolve(file));
  try {
    const entries = chosen(reader, options.agent);
    for (const { agent, schema } of entries) {
      if ((schema ?? 0) > schemaVersion) throw tooNew(`the store of ${agent} in ${reader.path}`, schema ?? 0);
    }
    refusePresent(home, entries, options.replace ?? false);
    await check(reader, options);
    const steps = entries.map((entry) => new Step(home, reader, entry, now, options));
    try {
      for (const step of steps) await step.prepare();
      // From here on each is one rename: a process that is killed in between leaves some agents old and some new, none torn.
      const agents = steps.map((step) => step.finish());
      const files = options.agent === undefined ? await restoreHomeFiles(home, reader) : [];
      const warnings = steps.flatMap((step) => step.warnings);
      return { file: reader.path, home, at: reader.head.at, agents, files, warnings };
    } finally {
      for (const step of steps) step.leave();
    }
  } finally {
    reader.close();
  }
}

/** The way of one agent's database from the backup into its place. */
class Step {
  readonly warnings: string[] = [];
  readonly #home: string;
  readonly #reader: BackupReader;
  readonly #entry: StoreEntry;
  readonly #now: number;
  readonly #options: RestoreOptions;
  #present: PresentDatabase | null = null;
  #work: WorkFolder | null = null;
  #facts: CopyFacts | null = null;
  #deletedAgain: DeletedAgain = nothingDeleted;
  #tombstones: readonly Tombstone[] = [];

  constructor(home: string, reader: BackupReader, entry: StoreEntry, now: number, options: RestoreOptions) {
    this.#home = home;
    this.#reader = reader;
    this.#entry = entry;
    this.#now = now;
    this.#options = options;
  }

  /** Locks what is there and makes the new database beside it. */
  async prepare(): Promise<void> {
    const { agent: agentId, size: bytesTotal } = this.#entry;
    const target = this.#target;
    if (databaseExists(target)) this.#present = await PresentDatabase.lock(target);
    makePrivateFolder(dirname(target));
    this.#work = new WorkFolder(dirname(target));
    const staged = this.#staged(this.#work);
    makePrivateFile(staged);
    let bytesDone = 0;
    await this.#reader.extract(this.#entry, staged, (bytes) => {
      bytesDone += bytes;
      this.#options.onProgress?.({ agentId, step: "restore", bytesDone, bytesTotal });
    });
    const name = `the store of ${agentId} in ${this.#reader.path}`;
    this.#facts = examineCopy(staged, name);
    const deletions = this.#deletions();
    if (deletions.tombstones.length + deletions.entries.length + deletions.audit.length > 0) {
      const store = new AgentStore(staged, agentId);
      try {
        this.#deletedAgain = deleteAgain(store.db, deletions, this.#now);
      } finally {
        store.close();
      }
      if (this.#deletedAgain.unknown > 0) {
        this.warnings.push(
          `${this.#deletedAgain.unknown} messages were deleted from sessions of ${agentId} that the backup does not know: an import can bring them back`,
        );
      }
      foldLog(staged);
      this.#facts = examineCopy(staged, name);
    }
    this.#tombstones = tombstonesIn(staged);
    syncFile(staged);
  }

  /** Puts the new database in place. */
  finish(): RestoredAgent {
    const { agent: agentId, size: bytes } = this.#entry;
    if (!this.#work || !this.#facts) throw new Error("not prepared");
    const mirrored = () => completeMirror(this.#target, this.#tombstones);
    const done = { agentId, bytes, ...this.#facts, deletedAgain: this.#deletedAgain };
    const staged = this.#staged(this.#work);
    if (!this.#present) {
      placeNew(staged, this.#target);
      mirrored();
      return done;
    }
    const replaced = join(dirname(this.#target), `replaced-${timeName(this.#now)}`);
    this.#present.replaceBy(staged, replaced);
    mirrored();
    return { ...done, replaced };
  }

  /** Lets go of everything, done or not. */
  leave(): void {
    this.#present?.release();
    this.#work?.remove();
    // Folders that were made for nothing go away; any other is not empty.
    if (databaseExists(this.#target)) return;
    removeEmpty(dirname(this.#target));
    removeEmpty(dirname(dirname(this.#target)));
  }

  get #target(): string {
    return databaseFile(this.#home, this.#entry.agent);
  }

  #staged(work: WorkFolder): string {
    return work.file("staged.sqlite");
  }

  /** What the store that is there has forgotten, and its mirror where that store is damaged or gone. */
  #deletions(): Deletions {
    const mirrored = mirrorPath(this.#target);
    const mirror = mirrored === null ? null : readMirror(mirrored);
    const known: Deletions = { tombstones: mirror?.rows ?? [], entries: [], audit: [] };
    if (!this.#present) return known;
    try {
      if (this.#present.db) {
        const deletions = readDeletions(this.#present.db);
        return { ...deletions, tombstones: [...known.tombstones, ...deletions.tombstones] };
      }
    } catch {
      // Said below.
    }
    if (mirror?.isThere && mirror.skipped === 0) return known;
    this.warnings.push(
      `the store of ${this.#entry.agent} that was there can't be read: what was forgotten since the backup may be back`,
    );
    return known;
  }
}

function chosen(reader: BackupReader, agent: string | undefined): StoreEntry[] {
  const stores = reader.stores;
  if (agent === undefined) return stores;
  const found = stores.filter((entry) => entry.agent === agent);
  if (found.length > 0) return found;
  throw new BackscrollError(
    "bad_input",
    `no agent ${JSON.stringify(agent)} in ${reader.path}`,
    `It holds ${stores.map((entry) => entry.agent).join(", ")}.`,
  );
}

function refusePresent(home: string, entries: readonly StoreEntry[], replace: boolean): void {
  const present = entries.map(({ agent }) => agent).filter((agent) => databaseExists(databaseFile(home, agent)));
  if (replace || present.length === 0) return;
  throw new BackscrollError(
    "bad_input",
    `${home} holds a store of ${present.join(", ")} already`,
    "Restore with --replace, which puts what is there aside, or into another home.",
  );
}

async function check(reader: BackupReader, { onProgress }: RestoreOptions): Promise<void> {
  const bytesTotal = reader.entries.reduce((sum, { size }) => sum + size, 0);
  let bytesDone = 0;
  await reader.verify((bytes) => {
    bytesDone += bytes;
    onProgress?.({ agentId: "", step: "check", bytesDone, bytesTotal });
  });
}

/** Settings that are there are newer, or of another home: they stay. */
async function restoreHomeFiles(home: string, reader: BackupReader): Promise<RestoreReport["files"]> {
  const files: { name: string; restored: boolean }[] = [];
  for (const entry of reader.entries.filter(({ agent }) => agent === null)) {
    const path = join(home, ...entry.name.split("/"));
    makePrivateFolder(dirname(path));
    const restored = !existsSync(path);
    if (restored) {
      const work = new WorkFolder(home);
      try {
        const staged = work.file("staged.json");
        makePrivateFile(staged, await reader.content(entry));
        syncFile(staged);
        renameInto(staged, path);
      } finally {
        work.remove();
      }
    }
    files.push({ name: entry.name, restored });
  }
  return files;
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Not empty, or not there.
  }
}
