/**
 * The store of one agent: opens its database and offers the operations that write. Reads are the functions of this
 * folder over `db`; whoever reads for a caller goes through `tools/`.
 */
import { BackscrollError } from "../errors.ts";
import { limits } from "../limits.ts";
import { type AgentId, agentOf, type EntryId, type SessionId, type SessionKey, toSessionId } from "../model/ids.ts";
import type { EntryDraft, SessionDraft } from "../model/transcript.ts";
import type { AppendFacts, Compaction, StoreOptions } from "./agent-store-options.ts";
import { checkDraft, checkTitle } from "./check-draft.ts";
import { deleteEntry } from "./delete-entry.ts";
import { addRemoved, deleteSession, nothingRemoved, type Removed } from "./delete-session.ts";
import type { Database } from "./driver.ts";
import { copyEntries, shownPath } from "./fork-session.ts";
import { checkIndexVersion, hideOutdated } from "./index-version.ts";
import { openDatabase } from "./open-database.ts";
import { purgeIfSmall } from "./purge.ts";
import { type EntryRow, findEntry, readBranch } from "./read-branch.ts";
import { Reconciler } from "./reconciler.ts";
import { ensureIndex, mendingTransaction } from "./repair/mend-schema.ts";
import {
  applyFacts,
  factsForFork,
  renameSession,
  sessionExists,
  type TranscriptRow,
  transcriptById,
  transcriptsOf,
} from "./sessions.ts";
import { setToolIndex } from "./tool-choice.ts";
import { transaction } from "./transaction.ts";
import { type Outcome, TranscriptWriter, type WriteOptions } from "./transcript-writer.ts";

export class AgentStore {
  readonly agentId: AgentId;
  readonly db: Database;
  /** Background work on this database. */
  readonly reconciler: Reconciler;
  readonly #inlineEntries: number;
  /** Incognito sessions: the same store in memory, made with the first of them. */
  #incognito: AgentStore | null = null;
  readonly #isIncognito: boolean;

  /**
   * @param path File of the database, or `:memory:`.
   * @throws {BackscrollError} `bad_store`, `io`, `busy`, `unsupported`.
   */
  constructor(path: string, agentId: AgentId, options: StoreOptions & { readonly incognito?: boolean } = {}) {
    this.agentId = agentId;
    this.#inlineEntries = options.inlineEntries ?? limits.inlineEntries.default;
    this.#isIncognito = options.incognito ?? false;
    this.db = openDatabase(path, options);
    try {
      if (this.db.readOnly) hideOutdated(this.db);
      else {
        ensureIndex(this.db);
        checkIndexVersion(this.db);
        if (options.index?.tools !== undefined) setToolIndex(this.db, options.index.tools);
      }
    } catch (error) {
      this.db.close();
      throw error;
    }
    this.reconciler = new Reconciler(this.db);
  }

  /**
   * Appends entries to the newest transcript of a session, made if it is new, and indexes them, all in one transaction:
   * when this returns, they are durable and findable. An id that is there already is left as it is.
   * @throws {BackscrollError} `busy`, `io`; then nothing was stored.
   */
  append(sessionKey: SessionKey, entries: readonly EntryDraft[], facts: AppendFacts = {}, now = Date.now()): Outcome[] {
    const { incognito, ...said } = facts;
    const store = incognito ? this.#memory(sessionKey) : this.#of(sessionKey);
    return store.#append(sessionKey, entries, said, now);
  }

  #append(
    sessionKey: SessionKey,
    entries: readonly EntryDraft[],
    facts: Omit<AppendFacts, "incognito">,
    now: number,
  ): Outcome[] {
    for (const entry of entries) checkDraft(entry);
    checkTitle(facts.title);
    return transaction(this.db, () => {
      const newest = transcriptsOf(this.db, sessionKey).at(-1);
      const sessionId = facts.sessionId ?? newest?.sessionId ?? this.#firstId(sessionKey);
      const row = applyFacts(this.db, this.agentId, { ...facts, agentId: this.agentId, sessionKey, sessionId }, null);
      return this.#write(row, { onRepeat: "keep", fallbackTime: now }, (writer) =>
        entries.map((entry) => writer.write(entry)),
      );
    });
  }

  /**
   * Moves the leaf of a session's newest transcript: to an older entry (rewind), or to one on another branch (switch).
   * @throws {BackscrollError} `unknown_session`, `unknown_message`; `bad_input` where a reset lies in between.
   */
  setLeaf(sessionKey: SessionKey, entryId: EntryId | null): void {
    this.#of(sessionKey).#setLeaf(sessionKey, entryId);
  }

  #setLeaf(sessionKey: SessionKey, entryId: EntryId | null): void {
    transaction(this.db, () => {
      const row = this.#newest(sessionKey);
      this.#write(row, { onRepeat: "keep", fallbackTime: 0 }, (writer) => {
        const leaf = entryId === null ? null : writer.find(entryId);
        if (leaf === undefined) throw unknownEntry(sessionKey, entryId);
        writer.rewind(leaf);
      });
    });
  }

  /** Replaces the content of an entry, or appends it when its id is new. The entry keeps its place in the tree. */
  upsert(sessionKey: SessionKey, entry: EntryDraft, now = Date.now()): Outcome {
    return this.#of(sessionKey).#upsert(sessionKey, entry, now);
  }

  #upsert(sessionKey: SessionKey, entry: EntryDraft, now: number): Outcome {
    checkDraft(entry);
    return transaction(this.db, () => {
      if (transcriptsOf(this.db, sessionKey).length === 0) this.#begin(sessionKey, {});
      return this.#write(this.#newest(sessionKey), { onRepeat: "replace", fallbackTime: now }, (writer) =>
        writer.write(entry),
      );
    });
  }

  /**
   * Deletes an entry of any generation, in one transaction: its content and index rows are gone, what hangs below it stays
   * where it is, and no import takes it in again, by its id or by what it said. Returns what was removed.
   * @throws {BackscrollError} `unknown_session`, `unknown_message`.
   */
  deleteEntry(sessionKey: SessionKey, entryId: EntryId, now = Date.now()): Removed {
    const store = this.#of(sessionKey);
    const removed = mendingTransaction(store.db, () => {
      store.#newest(sessionKey);
      for (const { no } of transcriptsOf(store.db, sessionKey).reverse()) {
        const entry = findEntry(store.db, no, entryId);
        if (entry) return deleteEntry(store.db, entry.no, now);
      }
      throw unknownEntry(sessionKey, entryId);
    });
    purgeIfSmall(store.db);
    return removed;
  }

  /**
   * Appends a summary of what was said so far. Earlier messages stay on the branch: readable and searchable.
   * @throws {BackscrollError} `unknown_session`.
   */
  compact(sessionKey: SessionKey, { id, summary, firstKeptId, timestamp }: Compaction, now = Date.now()): Outcome {
    const store = this.#of(sessionKey);
    const entry: EntryDraft = {
      id,
      type: "compaction",
      timestamp: timestamp ?? now,
      parts: [{ type: "text", text: summary, injected: true }],
      ...(firstKeptId !== undefined && { data: { firstKeptEntryId: firstKeptId } }),
    };
    return transaction(store.db, () =>
      store.#write(store.#newest(sessionKey), { onRepeat: "keep", fallbackTime: now }, (writer) => writer.write(entry)),
    );
  }

  /** Starts a new generation under the same key: the next append goes there; what was said before stays searchable. */
  reset(sessionKey: SessionKey, now = Date.now()): TranscriptRow {
    const store = this.#of(sessionKey);
    return transaction(store.db, () => {
      const { generation, sessionId } = store.#newest(sessionKey);
      return store.#begin(sessionKey, {
        sessionId: store.#freeId(`${sessionId.replace(/~\d+$/, "")}~${generation + 1}`),
        createdAt: now,
      });
    });
  }

  /**
   * Copies what a session shows, up to an entry of its active branch (the leaf unless given), into a new session. Nothing
   * hidden goes along: no rewound branch, nothing from before a reset, no title that was made of those.
   * @throws {BackscrollError} `unknown_session`, `unknown_message`, `bad_input` when the new key is taken, or the entry is
   * off the active branch.
   */
  fork(sessionKey: SessionKey, newKey: SessionKey, entryId?: EntryId, now = Date.now()): TranscriptRow {
    const store = this.#of(sessionKey);
    return transaction(store.db, () => {
      this.#refuseTaken(newKey);
      const from = store.#newest(sessionKey);
      const last = entryId === undefined ? from.leaf : (findEntry(store.db, from.no, entryId)?.no ?? null);
      if (entryId !== undefined && last === null) throw unknownEntry(sessionKey, entryId);
      const path = last === null ? [] : shownPath(store.db, from, last);
      if (path === null) {
        throw new BackscrollError(
          "bad_input",
          `entry ${entryId} is not on the active branch of ${sessionKey}`,
          "Fork at an entry that the session shows, or move the leaf to that branch first.",
        );
      }
      const row = store.#begin(newKey, {
        ...factsForFork(store.db, sessionKey),
        forkedFrom: sessionKey,
        createdAt: now,
      });
      copyEntries(store.db, path, row, { inlineEntries: this.#inlineEntries, indexed: !store.#isIncognito });
      return transcriptById(store.db, row.sessionId) ?? row;
    });
  }

  /**
   * Gives a session another key; sessions of this agent that name it as their spawner, parent or origin follow.
   * @throws {BackscrollError} `unknown_session`, `bad_input` when the new key is taken or another agent's.
   */
  rename(sessionKey: SessionKey, newKey: SessionKey): void {
    const store = this.#of(sessionKey);
    if (agentOf(newKey) !== this.agentId) {
      throw new BackscrollError(
        "bad_input",
        `${newKey} is a key of another agent`,
        `Use a session key that begins with agent:${this.agentId}:`,
      );
    }
    transaction(store.db, () => {
      if (sessionKey !== newKey) this.#refuseTaken(newKey);
      if (!sessionExists(store.db, sessionKey)) throw unknownSession(sessionKey);
      renameSession(store.db, sessionKey, newKey);
    });
  }

  /** Marks a session as archived, or not: it stays searchable. @throws {BackscrollError} `unknown_session`. */
  archive(sessionKey: SessionKey, archived = true): void {
    const store = this.#of(sessionKey);
    transaction(store.db, () => {
      const { sessionId } = store.#newest(sessionKey);
      applyFacts(store.db, this.agentId, { agentId: this.agentId, sessionKey, sessionId, archived }, null);
    });
  }

  /** Sets or replaces what is known of a session: title, kind, lineage. */
  setFacts(draft: Omit<SessionDraft, "agentId">): TranscriptRow {
    checkTitle(draft.title);
    const store = draft.sessionKey === undefined ? this.#ofId(draft.sessionId) : this.#of(draft.sessionKey);
    return transaction(store.db, () => applyFacts(store.db, this.agentId, { ...draft, agentId: this.agentId }, null));
  }

  /**
   * Removes a session with its entries and index rows, in one transaction, and leaves tombstones: an import passes it over
   * from then on. Its words leave the file with the next purge, at once where the index is small. Returns whether there
   * was one.
   */
  deleteSession(sessionKey: SessionKey, now = Date.now()): boolean {
    return this.removeSession(sessionKey, now).sessions > 0;
  }

  /** As {@link deleteSession}; returns what was removed, by table. */
  removeSession(sessionKey: SessionKey, now = Date.now()): Removed {
    const store = this.#of(sessionKey);
    const removed = mendingTransaction(store.db, () => deleteSession(store.db, sessionKey, now));
    if (removed.sessions > 0) purgeIfSmall(store.db);
    return removed;
  }

  /** Removes every session, one after the other, each as {@link deleteSession} does. Returns what was removed. */
  removeAll(now = Date.now()): Removed {
    this.#incognito?.close();
    this.#incognito = null;
    let removed = nothingRemoved;
    for (const { key } of this.db.prepare("SELECT key FROM sessions ORDER BY no").all()) {
      removed = addRemoved(
        removed,
        mendingTransaction(this.db, () => deleteSession(this.db, key as SessionKey, now)),
      );
    }
    if (removed.sessions > 0) purgeIfSmall(this.db);
    return removed;
  }

  /**
   * The entries of a session's active branch, oldest first, unmasked: for the program that leads the conversation. What
   * a tool hands to a model comes from `tools/`. Of the newest generation unless given.
   * @throws {BackscrollError} `unknown_session`.
   */
  read(sessionKey: SessionKey, sessionId?: SessionId): EntryRow[] {
    const store = this.#of(sessionKey);
    const row = transcriptsOf(store.db, sessionKey)
      .filter((each) => sessionId === undefined || each.sessionId === sessionId)
      .at(-1);
    if (!row) throw unknownSession(sessionKey);
    return readBranch(store.db, row.leaf);
  }

  /** Idempotent. */
  close(): void {
    this.reconciler.stop();
    this.#incognito?.close();
    this.#incognito = null;
    this.db.close();
  }

  /** Where a session lives: in memory when it is incognito, else here. */
  #of(sessionKey: SessionKey): AgentStore {
    return this.#incognito && sessionExists(this.#incognito.db, sessionKey) ? this.#incognito : this;
  }

  /** The same by the id of a transcript. */
  #ofId(sessionId: SessionId): AgentStore {
    return this.#incognito && transcriptById(this.#incognito.db, sessionId) !== null ? this.#incognito : this;
  }

  #memory(sessionKey: SessionKey): AgentStore {
    if (sessionExists(this.db, sessionKey)) {
      throw new BackscrollError(
        "bad_input",
        `session ${sessionKey} is stored on disk already`,
        "A session is incognito from its first entry on. Use another key, or delete that session first.",
      );
    }
    this.#incognito ??= new AgentStore(":memory:", this.agentId, { incognito: true });
    return this.#incognito;
  }

  #begin(sessionKey: SessionKey, facts: Omit<AppendFacts, "incognito">): TranscriptRow {
    const sessionId = facts.sessionId ?? this.#firstId(sessionKey);
    return applyFacts(this.db, this.agentId, { ...facts, agentId: this.agentId, sessionKey, sessionId }, null);
  }

  #refuseTaken(key: SessionKey): void {
    if (!sessionExists(this.#of(key).db, key)) return;
    throw new BackscrollError("bad_input", `there is a session ${key} already`, "Choose another session key.");
  }

  #newest(sessionKey: SessionKey): TranscriptRow {
    const row = transcriptsOf(this.db, sessionKey).at(-1);
    if (row) return row;
    throw unknownSession(sessionKey);
  }

  /** Id of a new session's first transcript: the rest of its key, or the whole key where another session has that. */
  #firstId(sessionKey: SessionKey): SessionId {
    const rest = toSessionId(sessionKey.slice(sessionKey.indexOf(":", 6) + 1));
    return transcriptById(this.db, rest) === null ? rest : this.#freeId(sessionKey);
  }

  /** The id, or with a number behind it where a transcript has that. */
  #freeId(wanted: string): SessionId {
    let id = toSessionId(wanted);
    for (let count = 2; transcriptById(this.db, id) !== null; count++) id = toSessionId(`${wanted}.${count}`);
    return id;
  }

  #write<T>(
    row: TranscriptRow,
    options: Omit<WriteOptions, "inlineEntries" | "indexed">,
    work: (writer: TranscriptWriter) => T,
  ): T {
    const writer = new TranscriptWriter(this.db, row, {
      ...options,
      inlineEntries: this.#inlineEntries,
      indexed: !this.#isIncognito,
    });
    const result = work(writer);
    writer.flush();
    return result;
  }
}

function unknownSession(sessionKey: SessionKey): BackscrollError {
  return new BackscrollError(
    "unknown_session",
    `no session ${sessionKey}`,
    "See the session list for the keys there are.",
  );
}

function unknownEntry(sessionKey: SessionKey, entryId: EntryId | null | undefined): BackscrollError {
  return new BackscrollError(
    "unknown_message",
    `no entry ${entryId} in ${sessionKey}`,
    "Use an entry id of that session.",
  );
}
