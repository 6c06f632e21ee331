/** Backups that exist: finding those of a home, and changing what is in one. */
import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { BackscrollError } from "../../errors.ts";
import type { AgentId } from "../../model/ids.ts";
import { BackupReader } from "../../store/backup/backup-reader.ts";
import { BackupWriter } from "../../store/backup/backup-writer.ts";
import { examineCopy, foldLog } from "../../store/backup/copy-database.ts";
import { sweepWorkFolders, WorkFolder } from "../../store/backup/work-folder.ts";
import { makePrivateFile, renameInto, syncFile } from "../../store/private-files.ts";
import { checkBackup } from "./backup.ts";

export interface BackupFile {
  readonly file: string;
  readonly bytes: number;
  /** When it was made, and of whom; absent when it can't be read. */
  readonly at?: number;
  readonly agents?: readonly AgentId[];
  /** Why it can't be read. */
  readonly problem?: string;
}

/** Every file in the home's folder `backups`, oldest first. What killed backups left there goes away. */
export function listBackups(home: string): BackupFile[] {
  const folder = join(home, "backups");
  if (!existsSync(folder)) return [];
  sweepWorkFolders(folder);
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => describe(join(folder, name)))
    .sort((a, b) => (a.at ?? 0) - (b.at ?? 0) || (a.file < b.file ? -1 : 1));
}

function describe(file: string): BackupFile {
  const bytes = statSync(file).size;
  try {
    const reader = new BackupReader(file);
    reader.close();
    return { file, bytes, at: reader.head.at, agents: reader.stores.map(({ agent }) => agent) };
  } catch (error) {
    if (!(error instanceof BackscrollError)) throw error;
    return { file, bytes, problem: error.message };
  }
}

/**
 * Changes the stores in a backup: each is handed over as a private temporary database, and what it is afterwards takes its
 * place. The file is replaced whole or stays as it was. Returns whether anything changed.
 * @throws {BackscrollError} `bad_store`, `io`, and whatever `change` throws; then the file is as it was.
 */
export async function rewriteBackup(
  file: string,
  change: (databasePath: string, agentId: AgentId) => void | Promise<void>,
): Promise<boolean> {
  const target = resolve(file);
  const reader = new BackupReader(target);
  const { ino: inode } = statSync(target);
  let isReplaced = false;
  let work: WorkFolder | undefined;
  let writer: BackupWriter | undefined;
  try {
    work = new WorkFolder(dirname(target));
    const made = work.file("backup");
    writer = new BackupWriter(made, reader.head);
    let changed = false;
    for (const entry of reader.entries) {
      const path = work.file("copy.sqlite");
      makePrivateFile(path);
      await reader.extract(entry, path);
      let facts = {};
      if (entry.agent !== null) {
        await change(path, entry.agent);
        foldLog(path);
        facts = examineCopy(path, `the store of ${entry.agent} in ${target}`);
      }
      const { size: _size, sha256, ...kept } = entry;
      if ((await writer.add(path, { ...kept, ...facts })).sha256 !== sha256) changed = true;
      rmSync(path);
    }
    if (!changed) return false;
    writer.finish();
    await checkBackup(made);
    syncFile(made);
    reader.close();
    // Somebody else changed it meanwhile: taking its place would bring back what they took out.
    isReplaced = statSync(target).ino !== inode;
    if (!isReplaced) renameInto(made, target);
  } finally {
    writer?.abandon();
    reader.close();
    work?.remove();
  }
  return isReplaced ? rewriteBackup(file, change) : true;
}
