/**
 * The store of one agent: opens its database and offers the operations that write. Reads are the functions of this
 * folder over `db`; whoever reads for a caller goes through `tools/`.
 */
import { BackscrollError } from "../errors.ts";
import type { AgentId, EntryId, SessionId, SessionKey } from "../model/ids.ts";
import { toSessionId } from "../model/ids.ts";
import type { EntryDraft, SessionDraft } from "../model/transcript.ts";
import { deleteSession } from "./delete-session.ts";
import type { Database } from "./driver.ts";
import { checkIndexVersion } from "./index-version.ts";
import { type DatabaseOptions, openDatabase } from "./open-database.ts";
import { applyFacts, type TranscriptRow, transcriptById, transcriptsOf } from "./sessions.ts";
import { transaction } from "./transaction.ts";
import { type Outcome, TranscriptWriter, type WriteOptions } from "./transcript-writer.ts";

export class AgentStore {
  readonly agentId: AgentId;
  readonly db: Database;

  /**
   * @param path File of the database, or `:memory:`.
   * @throws {BackscrollError} `bad_store`, `io`, `busy`, `unsupported`.
   */
  constructor(path: string, agentId: AgentId, options: DatabaseOptions = {}) {
    this.agentId = agentId;
    this.db = openDatabase(path, options);
    checkIndexVersion(this.db);
  }

  /**
   * Appends entries to the newest transcript of a session, made if it is new, and indexes them, all in one transaction:
   * when this returns, they are durable and findable. An id that is there already is left as it is.
   * @throws {BackscrollError} `busy`, `io`; then nothing was stored.
   */
  append(
    sessionKey: SessionKey,
    entries: readonly EntryDraft[],
    facts: Omit<Partial<SessionDraft>, "agentId" | "sessionKey"> = {},
    now = Date.now(),
  ): Outcome[] {
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
   * @throws {BackscrollError} `unknown_session`, `unknown_message`.
   */
  setLeaf(sessionKey: SessionKey, entryId: EntryId | null): void {
    transaction(this.db, () => {
      const row = this.#newest(sessionKey);
      this.#write(row, { onRepeat: "keep", fallbackTime: 0 }, (writer) => {
        const leaf = entryId === null ? null : writer.find(entryId);
        if (leaf === undefined) {
          throw new BackscrollError(
            "unknown_message",
            `no entry ${entryId} in ${sessionKey}`,
            "Use an entry id of the session's newest transcript.",
          );
        }
        writer.setLeaf(leaf);
      });
    });
  }

  /**
   * Replaces the content of an entry, or appends it when its id is new. The entry keeps its place in the tree.
   */
  upsert(sessionKey: SessionKey, entry: EntryDraft, now = Date.now()): Outcome {
    return transaction(this.db, () => {
      if (transcriptsOf(this.db, sessionKey).length === 0) {
        applyFacts(
          this.db,
          this.agentId,
          { agentId: this.agentId, sessionKey, sessionId: this.#firstId(sessionKey) },
          null,
        );
      }
      return this.#write(this.#newest(sessionKey), { onRepeat: "replace", fallbackTime: now }, (writer) =>
        writer.write(entry),
      );
    });
  }

  /** Starts a new generation under the same key: the next append goes there; what was said before stays searchable. */
  reset(sessionKey: SessionKey, now = Date.now()): TranscriptRow {
    return transaction(this.db, () => {
      const { generation, sessionId } = this.#newest(sessionKey);
      return applyFacts(
        this.db,
        this.agentId,
        { agentId: this.agentId, sessionKey, sessionId: toSessionId(`${sessionId}~${generation + 1}`), createdAt: now },
        null,
      );
    });
  }

  /** Sets or replaces what is known of a session: title, kind, lineage. */
  setFacts(draft: Omit<SessionDraft, "agentId">): TranscriptRow {
    return transaction(this.db, () => applyFacts(this.db, this.agentId, { ...draft, agentId: this.agentId }, null));
  }

  /** Removes a session with its entries and index rows, in one transaction. Returns whether there was one. */
  deleteSession(sessionKey: SessionKey): boolean {
    return transaction(this.db, () => deleteSession(this.db, sessionKey));
  }

  /** Idempotent. */
  close(): void {
    this.db.close();
  }

  #newest(sessionKey: SessionKey): TranscriptRow {
    const row = transcriptsOf(this.db, sessionKey).at(-1);
    if (row) return row;
    throw new BackscrollError(
      "unknown_session",
      `no session ${sessionKey}`,
      "See the session list for the keys there are.",
    );
  }

  /** Id of a new session's first transcript: the rest of its key, or the whole key where another session has that. */
  #firstId(sessionKey: SessionKey): SessionId {
    const rest = toSessionId(sessionKey.slice(sessionKey.indexOf(":", 6) + 1));
    return transcriptById(this.db, rest) === null ? rest : toSessionId(sessionKey);
  }

  #write<T>(row: TranscriptRow, options: WriteOptions, work: (writer: TranscriptWriter) => T): T {
    const writer = new TranscriptWriter(this.db, row, options);
    const result = work(writer);
    writer.flush();
    return result;
  }
}
