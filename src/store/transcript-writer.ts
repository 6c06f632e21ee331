/**
 * Writes entries into one transcript inside the caller's transaction: finds their place in the tree, stores them, and
 * indexes what becomes searchable in the same breath (SPEC 2.1). O(the new entry) for an entry that continues the leaf.
 */

import { BackscrollError } from "../errors.ts";
import { limits } from "../limits.ts";
import { type Placing, place } from "../model/branch.ts";
import type { SessionKey } from "../model/ids.ts";
import type { EntryDraft, Part } from "../model/transcript.ts";
import { dirtyRange, markDirty } from "./dirty.ts";
import type { Database } from "./driver.ts";
import { EntryIds } from "./entry-ids.ts";
import { entryNo, positions } from "./entry-no.ts";
import {
  type Content,
  contentOf,
  hasToolParts,
  insertEntry,
  isSameContent,
  readContent,
  spokenOf,
  updateEntry,
  wordsOf,
} from "./entry-row.ts";
import { DeletedEntries } from "./entry-tombstone.ts";
import { deletedType, lostType, storedType, undeletedType } from "./husk.ts";
import { addToIndex, indexEntry, removeFromIndex } from "./index-entry.ts";
import { moveLeaf } from "./move-leaf.ts";
import { nameLost } from "./name-lost.ts";
import { OpenMessage } from "./open-message.ts";
import { wantPurge } from "./purge.ts";
import { refuseBeforeReset } from "./reset-barrier.ts";
import { storedAppendAt, type TranscriptRow } from "./sessions.ts";
import { StoredTree } from "./stored-tree.ts";
import { addToToolIndex } from "./tool-index.ts";

/**
 * - `added`: a new entry.
 * - `same`: its id was there with this content; nothing changed.
 * - `changed`: its id was there with other content, which was replaced.
 * - `extended`: a further piece of a message that was there.
 * - `forgotten`: it was deleted under another id; a husk has its place.
 */
export type Outcome = "added" | "same" | "changed" | "extended" | "forgotten";

export interface WriteOptions {
  /** What an id that is there already means: `keep` what was stored (an append repeated), or `replace` it (a source's file changed). */
  readonly onRepeat: "keep" | "replace";
  /** Epoch ms for an entry without a timestamp when the transcript has none yet either. */
  readonly fallbackTime: number;
  /** Most entries that a move of the leaf corrects in this transaction; `limits.inlineEntries` unless given. */
  readonly inlineEntries?: number;
  /** What was deleted here is passed over under any id: for imports. Who writes live says what is there. */
  readonly passForgotten?: true;
  /** `false` for a transcript that is never searched (SPEC 6.5). */
  readonly indexed?: boolean;
}

export class TranscriptWriter {
  readonly transcript: number;
  readonly sessionKey: SessionKey;
  readonly #db: Database;
  readonly #options: WriteOptions;
  /** Whether tool calls and results are indexed. */
  readonly #tools: boolean;
  readonly #tree: StoredTree;
  readonly #ids: EntryIds;
  #open: OpenMessage | null = null;
  #leaf: number | null;
  #appendAt: number | null;
  #next: number;
  #lastTime: number | null = null;
  /** Time of the entry handed over before, whether it was there already or not. */
  #timeRead: number | null = null;
  readonly #sessionId: string;
  /** Asked once a transaction; null where nothing is passed over. */
  #deleted: DeletedEntries | null = null;
  #newest = 0;
  /** Time of the first entry written here: a session that is not told when it began begins with that. */
  #first: number | null = null;
  /** The entry that was written or met last. */
  #passed: number | null = null;
  #touched = false;

  constructor(db: Database, row: TranscriptRow, options: WriteOptions) {
    this.#db = db;
    this.#options = options;
    this.#tools = row.tools;
    this.transcript = row.no;
    this.sessionKey = row.sessionKey;
    this.#sessionId = row.sessionId;
    this.#leaf = row.leaf;
    this.#appendAt = row.appendAt;
    this.#next = row.next;
    this.#ids = new EntryIds(db, row.no, row.next === 0);
    this.#tree = new StoredTree(db, row.no, this);
  }

  /**
   * Whether the writer may go on in a later transaction: nobody else wrote to the transcript in between, and no
   * transaction that it wrote in was rolled back.
   */
  isCurrent(row: TranscriptRow): boolean {
    return (
      row.no === this.transcript &&
      row.sessionKey === this.sessionKey &&
      row.leaf === this.#leaf &&
      row.appendAt === this.#appendAt &&
      row.next === this.#next &&
      row.tools === this.#tools
    );
  }

  /** @throws {BackscrollError} `bad_input` when the transcript is full. */
  write(entry: EntryDraft): Outcome {
    const known = this.find(entry.id);
    if (typeof known === "number") return this.#repeat(known, entry);
    if (entry.pieceOf !== undefined) {
      const whole = this.find(pieceAlias(entry.pieceOf));
      if (typeof whole === "number") {
        const outcome = this.#extend(whole, entry.parts);
        this.alias(entry.id, whole);
        return outcome;
      }
    }
    return this.#add(entry);
  }

  /** From now on `id` means the entry `no` (null: above the root). The first meaning of an id stays. */
  alias(id: string, no: number | null): void {
    if (this.#ids.alias(id, no)) this.#touched = true;
  }

  /** The entry of an id or alias; null for an alias of "above the root"; undefined when nothing has that id. */
  find(id: string): number | null | undefined {
    return this.#ids.find(id);
  }

  /** Whether an entry goes by this id itself, not by an alias. */
  isOwnId(id: string): boolean {
    return this.#ids.isOwn(id);
  }

  /**
   * Gives an id that nothing has to the place behind the entry that was met last, where that is of a lost entry whose id is
   * not known any more: what is written next fills it. To be asked of a source that is read anew from its start. Returns
   * whether it was.
   */
  fillsLost(id: string): boolean {
    const no = this.#passed === null ? entryNo(this.transcript, 0) : this.#passed + 1;
    if (no >= entryNo(this.transcript, this.#next) || this.find(id) !== undefined) return false;
    if (!nameLost(this.#db, no, id)) return false;
    this.#ids.know(id, no);
    return true;
  }

  /** The leaf, for the entry that `undefined` parents continue. */
  get leaf(): number | null {
    return this.#leaf;
  }

  get appendAt(): number | null {
    return this.#appendAt;
  }

  /** Does what a `leaf` entry would do, without leaving one. Returns whether what it names is there. */
  control(control: Pick<Placing, "targetId" | "appendParentId">): boolean {
    const at = place({ type: "leaf", ...control }, this.#tree);
    if (at.effect === "move") this.setLeaf(at.leaf ?? null, at.appendAt ?? null);
    return at.effect === "move";
  }

  /** @throws {BackscrollError} `bad_input` where a reset of the active branch lies in between. */
  rewind(no: number | null): void {
    // The leaf stands for itself, whatever it was edited to be: going to where one is changes nothing.
    const leaf = no === null || no === this.#leaf ? no : this.#tree.standsFor(no);
    refuseBeforeReset(this.#db, this.#tree.standpoint, leaf);
    this.setLeaf(leaf);
  }

  /** Moves the leaf without leaving an entry, whatever lies in between. */
  setLeaf(leaf: number | null, appendAt = leaf): void {
    if (appendAt !== this.#appendAt) this.#touched = true;
    this.#appendAt = appendAt;
    if (leaf === this.#leaf) return;
    this.#settle();
    moveLeaf(this.#db, this.transcript, leaf, entryNo(this.transcript, this.#next - 1), {
      inlineEntries: this.#options.inlineEntries ?? limits.inlineEntries.default,
      indexed: this.#indexed,
      tools: this.#tools,
    });
    this.#leaf = leaf;
    this.#touched = true;
  }

  /** Writes the transcript's row. Must be called once before the transaction ends. */
  flush(): void {
    this.#deleted = null;
    if (!this.#touched) return;
    this.#settle();
    this.#ids.store();
    this.#db.prepare("UPDATE transcripts SET leaf = :leaf, append_at = :appendAt, next = :next WHERE no = :no").run({
      leaf: this.#leaf,
      appendAt: storedAppendAt(this.#appendAt, this.#leaf),
      next: this.#next,
      no: this.transcript,
    });
    this.#db
      .prepare(`
        UPDATE sessions SET updated_at = max(coalesce(updated_at, 0), :newest), created_at = coalesce(created_at, :first)
        WHERE no = (SELECT session FROM transcripts WHERE no = :no)
      `)
      .run({ newest: this.#newest, first: this.#first, no: this.transcript });
    this.#touched = false;
  }

  get #indexed(): boolean {
    return this.#options.indexed ?? true;
  }

  /** @param times Those that the entry has or may have been stored with. */
  #isForgotten(
    entry: Pick<EntryDraft, "type" | "role" | "parts" | "data">,
    times: readonly (number | null)[],
  ): boolean {
    return this.#mayForget && (this.#deleted?.has({ ...entry, type: storedType(entry) }, times) ?? false);
  }

  get #mayForget(): boolean {
    if (this.#options.passForgotten !== true) return false;
    this.#deleted ??= new DeletedEntries(this.#db, this.#sessionId);
    return this.#deleted.any;
  }

  #add(entry: EntryDraft): Outcome {
    if (this.#next >= positions) {
      throw new BackscrollError(
        "bad_input",
        `the transcript holds ${positions} entries, the most there can be`,
        "Start a new generation of the session.",
      );
    }
    const at = place(entry, this.#tree);
    if (at.effect === "self" && at.parent !== this.#leaf) this.setLeaf(at.parent);
    const no = entryNo(this.transcript, this.#next++);
    const timestamp = entry.timestamp ?? this.#timeBefore();
    const isForgotten = this.#isForgotten(entry, [timestamp, entry.timestamp ?? this.#timeRead]);
    const content = isForgotten ? huskOf(entry.type, timestamp) : contentOf(entry, timestamp);
    // Also where the transcript is dirty: it continues the leaf, behind the range that is not to be trusted.
    const active = at.effect === "self";
    insertEntry(this.#db, { no, id: entry.id, parent: at.parent, active }, content);
    this.#ids.know(entry.id, no);
    this.#passed = no;
    if (entry.pieceOf !== undefined) {
      this.alias(pieceAlias(entry.pieceOf), no);
      this.#settle();
      this.#open = isForgotten ? null : new OpenMessage(no, content);
    }
    if (at.effect === "self") this.#leaf = no;
    if (at.effect === "self" || at.effect === "side") this.#appendAt = no;
    if (active && this.#indexed) {
      const text = wordsOf(content);
      if (text !== null && entry.role) addToIndex(this.#db, { no, role: entry.role, timestamp, text });
      if (this.#tools) addToToolIndex(this.#db, { ...spokenOf(content), no, timestamp });
    }
    this.#lastTime = timestamp;
    this.#timeRead = timestamp;
    this.#first ??= timestamp;
    this.#newest = Math.max(this.#newest, timestamp);
    this.#touched = true;
    if (at.effect === "move") this.setLeaf(at.leaf ?? null, at.appendAt ?? null);
    return isForgotten ? "forgotten" : "added";
  }

  #repeat(no: number, entry: EntryDraft): Outcome {
    const row = this.#db.prepare("SELECT id, type, timestamp FROM entries WHERE no = :no").get({ no });
    const before = this.#timeRead;
    if (row) this.#timeRead = Number(row.timestamp);
    // Its deletion was undone, or damage took its content: there is nothing to keep, and it may come again.
    const isEmpty = row?.type === undeletedType || row?.type === lostType;
    if (row?.id === entry.id) this.#passed = no;
    if (this.#options.onRepeat === "keep" && !isEmpty) return "same";
    // A piece is part of what is there, unless that is to be filled anew.
    if (entry.pieceOf !== undefined && !isEmpty) return "same";
    // An alias: the entry that stands for this id has content of its own. And what was deleted stays so, unless its id only
    // says where it stood and another one stands there now.
    if (row?.id !== entry.id || (row.type === deletedType && !(entry.idByPlace && this.#mayForget))) return "same";
    const stored = readContent(this.#db, no);
    if (!stored) return "same";
    const content = contentOf(entry, entry.timestamp ?? stored.timestamp);
    if (isSameContent(stored, content)) return "same";
    if (this.#isForgotten(entry, [content.timestamp, entry.timestamp ?? before])) {
      return stored.type === deletedType ? "same" : this.#forget(no, stored, entry.type);
    }
    this.#rewrite(no, stored, content);
    return "changed";
  }

  /** What came in its place was deleted: nothing of either stays. */
  #forget(no: number, stored: Content, type: string): Outcome {
    this.#rewrite(no, stored, huskOf(type, stored.timestamp));
    wantPurge(this.#db);
    return "forgotten";
  }

  #extend(no: number, parts: readonly Part[]): Outcome {
    if (this.#open?.no !== no) {
      this.#settle();
      const stored = readContent(this.#db, no);
      if (stored?.type === deletedType) return "same";
      this.#open = stored && new OpenMessage(no, stored);
    }
    if (!this.#open) return "same";
    const { stored, changed } = this.#open;
    // One that began with nothing: only now is there a first part to know it by.
    if ((changed ?? stored).body.parts.length === 0) {
      const { type, role, timestamp } = stored;
      if (this.#isForgotten({ type, ...(role !== undefined && { role }), parts }, [timestamp])) {
        this.#open = null;
        return this.#forget(no, stored, type);
      }
    }
    if (!this.#open.add(parts)) return "same";
    this.#touched = true;
    return "extended";
  }

  /** Stores what came to the open message. Must happen before anything reads its row. */
  #settle(): void {
    const open = this.#open;
    this.#open = null;
    if (open?.changed) this.#rewrite(open.no, open.stored, open.changed);
  }

  /** The index is touched only where the words changed. */
  #rewrite(no: number, before: Content, after: Content): void {
    updateEntry(this.#db, no, after);
    const said = wordsOf(after);
    const isToolTraffic = this.#tools && (hasToolParts(before) || hasToolParts(after));
    if (
      wordsOf(before) !== said ||
      before.role !== after.role ||
      before.timestamp !== after.timestamp ||
      isToolTraffic
    ) {
      this.#reindex(no, said?.length ?? 0);
    }
    this.#newest = Math.max(this.#newest, after.timestamp);
    this.#touched = true;
  }

  /** The index rows of an entry whose words changed. Old ones go at once, whatever becomes of the new ones. */
  #reindex(no: number, length: number): void {
    const db = this.#db;
    removeFromIndex(db, no, no);
    if (!this.#indexed) return;
    if (length > limits.inlineText.default) {
      markDirty(db, this.transcript, no, no, "edit");
      return;
    }
    const range = dirtyRange(db, this.transcript);
    const row = db.prepare("SELECT active FROM entries WHERE no = :no").get({ no });
    if (row?.active === 1 && (range === null || no < range.from || no > range.to)) indexEntry(db, no, this.#tools);
  }

  /** Entries without a time take that of the entry before them, in the order of writing. */
  #timeBefore(): number {
    if (this.#lastTime === null && this.#next > 1) {
      const row = this.#db
        .prepare("SELECT timestamp FROM entries WHERE no = :no")
        .get({ no: entryNo(this.transcript, this.#next - 2) });
      if (row) this.#lastTime = Number(row.timestamp);
    }
    return this.#lastTime ?? this.#options.fallbackTime;
  }
}

/** A reset says nothing when it is emptied, and stays the barrier that it is. */
function huskOf(type: string, timestamp: number): Content {
  return { type: type === "reset" ? type : deletedType, timestamp, body: { parts: [] } };
}

/** Starts with a control character, which no record id can have: a message id is never taken for one. */
function pieceAlias(id: string): string {
  return `\u0001piece ${id}`;
}
