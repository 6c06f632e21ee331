/**
 * The copies of a store that lie in its home: backups, and what a restore or a repair set aside. What is forgotten leaves
 * them, too (SPEC 2.2).
 */
import { existsSync, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { BackscrollError } from "../../errors.ts";
import type { AgentId, EntryId, SessionId, SessionKey } from "../../model/ids.ts";
import { AgentStore } from "../../store/agent-store.ts";
import { clearTitle } from "../../store/contents.ts";
import { deleteEntry } from "../../store/delete-entry.ts";
import { deleteSession } from "../../store/delete-session.ts";
import type { Database } from "../../store/driver.ts";
import { databaseFile, databaseName } from "../../store/home.ts";
import { isPurgeWanted, purgeAll, wantPurge } from "../../store/purge.ts";
import { findEntry } from "../../store/read-branch.ts";
import { transcriptById } from "../../store/sessions.ts";
import { forgetReaders } from "../../store/source-files.ts";
import { transaction } from "../../store/transaction.ts";
import { listBackups, rewriteBackup } from "../backup/backup-files.ts";

/** What was forgotten of one session, by names that hold in any copy: its key may have been another one then. */
export interface Forgotten {
  readonly agentId: AgentId;
  readonly sessionIds: readonly SessionId[];
  /** Null: the whole session. */
  readonly entries: readonly { readonly sessionId: SessionId; readonly id: EntryId }[] | null;
  readonly title: boolean;
}

export interface CleanedCopies {
  /** Files that were rewritten. */
  readonly cleaned: readonly string[];
  /** Files that could not be, and why. */
  readonly problems: readonly { readonly file: string; readonly reason: string }[];
}

/**
 * @param onCopy Called with each copy after it was cleaned, for what it still says.
 */
export async function cleanCopies(
  home: string,
  forgotten: readonly Forgotten[],
  at: number,
  onCopy: (db: Database) => void,
): Promise<CleanedCopies> {
  const cleaned: string[] = [];
  const problems: { file: string; reason: string }[] = [];
  const attempt = async (file: string, work: () => Promise<boolean>) => {
    try {
      if (await work()) cleaned.push(file);
    } catch (error) {
      if (!(error instanceof BackscrollError)) throw error;
      problems.push({ file, reason: error.message });
    }
  };
  for (const { file, problem } of listBackups(home)) {
    if (problem !== undefined) problems.push({ file, reason: problem });
    else
      await attempt(file, () =>
        rewriteBackup(file, (path, agentId) => void clean(path, agentId, forgotten, at, onCopy)),
      );
  }
  for (const agentId of new Set(forgotten.map((each) => each.agentId))) {
    for (const file of asideOf(home, agentId)) {
      await attempt(file, () => Promise.resolve(clean(file, agentId, forgotten, at, onCopy)));
    }
  }
  return { cleaned, problems };
}

/** Databases in folders below the agent's own, where restores and repairs put what they replace. */
function asideOf(home: string, agentId: AgentId): string[] {
  const folder = databaseFile(home, agentId).slice(0, -databaseName.length - 1);
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(folder, name, databaseName))
    .filter((file) => lstatSync(file, { throwIfNoEntry: false })?.isFile() === true)
    .sort();
}

/** Returns whether there was anything to remove. */
function clean(
  path: string,
  agentId: AgentId,
  forgotten: readonly Forgotten[],
  at: number,
  onCopy: (db: Database) => void,
): boolean {
  const store = new AgentStore(path, agentId);
  try {
    const { db } = store;
    const removed = transaction(db, () =>
      forgotten.filter((each) => each.agentId === agentId).reduce((sum, each) => sum + remove(db, each, at), 0),
    );
    if (removed > 0) transaction(db, () => wantPurge(db));
    if (isPurgeWanted(db)) purgeAll(db);
    onCopy(db);
    return removed > 0;
  } finally {
    store.close();
  }
}

function remove(db: Database, { sessionIds, entries, title }: Forgotten, at: number): number {
  const rows = sessionIds.map((id) => transcriptById(db, id)).filter((row) => row !== null);
  const keys = new Set<SessionKey>(rows.map(({ sessionKey }) => sessionKey));
  if (entries === null) {
    return [...keys].reduce((sum, key) => sum + deleteSession(db, key, at).sessions, 0);
  }
  let removed = 0;
  for (const { sessionId, id } of entries) {
    const row = rows.find((each) => each.sessionId === sessionId);
    const entry = row && findEntry(db, row.no, id);
    if (entry) removed += deleteEntry(db, entry.no).entries;
  }
  for (const { sessionId } of rows) forgetReaders(db, sessionId);
  if (title) for (const key of keys) clearTitle(db, key);
  return removed;
}
