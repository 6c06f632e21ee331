/**
 * The copies of a store that lie in its home: backups, and what a restore or a repair set aside. What is forgotten leaves
 * them, too (SPEC 2.2).
 */
import { existsSync, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { BackscrollError } from "../../errors.ts";
import type { AgentId, EntryId, SessionId, SessionKey } from "../../model/ids.ts";
import { AgentStore } from "../../store/agent-store.ts";
import { type Deletions, deletedEntries, deletedSessions, deletedTitles } from "../../store/backup/carry-deletions.ts";
import { clearTitle } from "../../store/contents.ts";
import { databaseName } from "../../store/database-file.ts";
import { deleteEntry } from "../../store/delete-entry.ts";
import { deleteSession } from "../../store/delete-session.ts";
import type { Database } from "../../store/driver.ts";
import { transcriptOf } from "../../store/entry-no.ts";
import { databaseFile } from "../../store/home.ts";
import { isPurgeWanted, purgeAll, wantPurge } from "../../store/purge.ts";
import { findEntry } from "../../store/read-branch.ts";
import { sessionOf, transcriptById } from "../../store/sessions.ts";
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

/** What is about to be removed from a copy: a whole session of it, or single entries. */
export type OnGoing = (db: Database, sessionKey: SessionKey, entries: readonly number[] | null) => void;

/**
 * Also removes what was deleted earlier: by a run that was killed before it came here, or by a program that has no copies
 * in its care.
 * @param deletions Of each agent's store, those of `forgotten` among them.
 */
export async function cleanCopies(
  home: string,
  forgotten: readonly Forgotten[],
  deletions: ReadonlyMap<AgentId, Deletions>,
  at: number,
  onGoing: OnGoing,
): Promise<CleanedCopies> {
  const work = (path: string, agentId: AgentId) =>
    clean(
      path,
      agentId,
      { forgotten: forgotten.filter((each) => each.agentId === agentId), deletions: deletions.get(agentId) },
      at,
      onGoing,
    );
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
    else await attempt(file, () => rewriteBackup(file, (path, agentId) => void work(path, agentId)));
  }
  for (const agentId of new Set(forgotten.map((each) => each.agentId))) {
    for (const file of asideOf(home, agentId)) await attempt(file, async () => work(file, agentId));
  }
  return { cleaned, problems };
}

/** Every copy in a home that can be read, of all agents. */
export async function eachCopy(
  home: string,
  agents: readonly AgentId[],
  onCopy: (db: Database) => void,
): Promise<void> {
  const read = (path: string, agentId: AgentId) => {
    const store = new AgentStore(path, agentId);
    try {
      onCopy(store.db);
    } finally {
      store.close();
    }
  };
  const attempt = async (work: () => unknown) => {
    try {
      await work();
    } catch (error) {
      // Nothing is known of what it says.
      if (!(error instanceof BackscrollError)) throw error;
    }
  };
  for (const { file, problem } of listBackups(home)) {
    if (problem === undefined) await attempt(() => rewriteBackup(file, read));
  }
  for (const agentId of agents) for (const file of asideOf(home, agentId)) await attempt(() => read(file, agentId));
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

const noDeletions: Deletions = { tombstones: [], entries: [], audit: [] };

interface ToRemove {
  readonly forgotten: readonly Forgotten[];
  readonly deletions: Deletions | undefined;
}

/** Returns whether there was anything to remove. */
function clean(path: string, agentId: AgentId, what: ToRemove, at: number, onGoing: OnGoing): boolean {
  const store = new AgentStore(path, agentId);
  try {
    const { db } = store;
    const removed = transaction(db, () => {
      const count = what.forgotten.reduce((sum, each) => sum + remove(db, each, at, onGoing), 0);
      return count + removeEarlier(db, what.deletions ?? noDeletions, at, onGoing);
    });
    if (removed > 0) transaction(db, () => wantPurge(db));
    if (isPurgeWanted(db)) purgeAll(db);
    return removed > 0;
  } finally {
    store.close();
  }
}

function remove(db: Database, { sessionIds, entries, title }: Forgotten, at: number, onGoing: OnGoing): number {
  const rows = sessionIds.map((id) => transcriptById(db, id)).filter((row) => row !== null);
  const keys = new Set<SessionKey>(rows.map(({ sessionKey }) => sessionKey));
  if (entries === null) {
    for (const key of keys) onGoing(db, key, null);
    return [...keys].reduce((sum, key) => sum + deleteSession(db, key, at).sessions, 0);
  }
  let removed = 0;
  for (const { sessionId, id } of entries) {
    const row = rows.find((each) => each.sessionId === sessionId);
    const entry = row && findEntry(db, row.no, id);
    if (!entry) continue;
    onGoing(db, row.sessionKey, [entry.no]);
    removed += deleteEntry(db, entry.no, at).entries;
  }
  for (const { sessionId } of rows) forgetReaders(db, sessionId);
  if (title) for (const key of keys) clearTitle(db, key);
  return removed;
}

function removeEarlier(db: Database, deletions: Deletions, at: number, onGoing: OnGoing): number {
  const sessions = deletedSessions(db, deletions);
  for (const key of sessions) {
    onGoing(db, key, null);
    deleteSession(db, key, at);
  }
  const entries = deletedEntries(db, deletions);
  for (const no of entries) {
    const key = sessionOf(db, transcriptOf(no));
    if (key !== null) onGoing(db, key, [no]);
    deleteEntry(db, no, at);
  }
  const titles = deletedTitles(db, deletions);
  for (const key of titles) clearTitle(db, key);
  return sessions.length + entries.length + titles.length;
}
