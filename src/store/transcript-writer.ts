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
import { deletedType, lostType, undeletedType } from "./husk.ts";
import { addToIndex, indexEntry, removeFromIndex } from "./index-entry.ts";
import { moveLeaf } from "./move-leaf.ts";
import { nameLost } from "./name-lost.ts";
import { OpenMessage } from "./open-message.ts";
import { refuseBeforeReset } from "./reset-barrier.ts";
import { storedAppendAt, type TranscriptRow } from "./sessions.ts";
import { StoredTree } from "./stored-tree.ts";
import { addToToolIndex } from "./tool-index.ts";

/**
 * - `added`: a new entry.
 * - `same`: its id was there with this content; nothing changed.
 * - `changed`: its id was there with other content, which was replaced.
 * - `extended`: a further piece of a message that was there.
 */
export type Outcome = "added" | "same" | "changed" | "extended";

export interface WriteOptions {
  /** What an id that is there already means: `keep` what was stored (an append repeated), or `replace` it (a source's file changed). */
  readonly onRepeat: "keep" | "replace";
  /** Epoch ms for an entry without a timestamp when the transcript has none yet either. */
  readonly fallbackTime: number;
  /** Most entries that a move of the leaf corrects in this transaction; `limits.inlineEntries` unless given. */
  readonly inlineEntries?: number;
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
  /** Ids and aliases written through this writer: saves the look-up for the usual parent, the entry before. */
  readonly #known = new Map<string, number | null>();
  /** Whether `#known` holds every id there is, as the transcript was empty: then a new id needs no look-up at all. */
  #knowsAll: boolean;
  #aliases: [string, number | null][] = [];
  #open: OpenMessage | null = null;
  #leaf: number | null;
  #appendAt: number | null;
  #next: number;
  #lastTime: number | null = null;
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
    this.#leaf = row.leaf;
    this.#appendAt = row.appendAt;
    this.#next = row.next;
    this.#knowsAll =
      row.next === 0 &&
      db.prepare("SELECT 1 FROM aliases WHERE transcript = :no LIMIT 1").get({ no: row.no }) === undefined;
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
    this.#add(entry);
    return "added";
  }

  /** From now on `id` means the entry `no` (null: above the root). The first meaning of an id stays. */
  alias(id: string, no: number | null): void {
    // An id that means something already keeps its meaning, an entry's own above all.
    if (this.find(id) !== undefined) return;
    this.#aliases.push([id, no]);
    this.#know(id, no);
    this.#touched = true;
  }

  /** All at once: as many single inserts took three times as long. */
  #storeAliases(): void {
    if (this.#aliases.length === 0) return;
    this.#db
      .prepare(`
        INSERT INTO aliases (transcript, id, entry)
        SELECT :transcript, value ->> 0, value ->> 1 FROM json_each(:aliases) WHERE true ON CONFLICT DO NOTHING
      `)
      .run({ transcript: this.transcript, aliases: JSON.stringify(this.#aliases) });
    this.#aliases = [];
  }

  /** The entry of an id or alias; null for an alias of "above the root"; undefined when nothing has that id. */
  find(id: string): number | null | undefined {
    const known = this.#known.get(id);
    if (known !== undefined || this.#knowsAll) return known;
    const transcript = this.transcript;
    const entry = this.#db
      .prepare("SELECT no FROM entries WHERE id = :id AND no >> 24 = :transcript")
      .get({ id, transcript });
    if (entry) return Number(entry.no);
    const alias = this.#db
      .prepare("SELECT entry FROM aliases WHERE transcript = :transcript AND id = :id")
      .get({ id, transcript });
    return alias ? (alias.entry as number | null) : undefined;
  }

  /** Whether an entry goes by this id itself, not by an alias. */
  isOwnId(id: string): boolean {
    const no = this.find(id);
    return typeof no === "number" && this.#db.prepare("SELECT id FROM entries WHERE no = :no").get({ no })?.id === id;
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
    this.#know(id, no);
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
    if (!this.#touched) return;
    this.#settle();
    this.#storeAliases();
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

  #know(id: string, no: number | null): void {
    if (this.#known.size >= limits.idsKept.default) {
      this.#storeAliases();
      this.#known.clear();
      this.#knowsAll = false;
    }
    this.#known.set(id, no);
  }

  #add(entry: EntryDraft): void {
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
    const content = contentOf(entry, timestamp);
    // Also where the transcript is dirty: it continues the leaf, behind the range that is not to be trusted.
    const active = at.effect === "self";
    insertEntry(this.#db, { no, id: entry.id, parent: at.parent, active }, content);
    this.#know(entry.id, no);
    this.#passed = no;
    if (entry.pieceOf !== undefined) {
      this.alias(pieceAlias(entry.pieceOf), no);
      this.#settle();
      this.#open = new OpenMessage(no, content);
    }
    if (at.effect === "self") this.#leaf = no;
    if (at.effect === "self" || at.effect === "side") this.#appendAt = no;
    if (active && this.#indexed) {
      const text = wordsOf(content);
      if (text !== null && entry.role) addToIndex(this.#db, { no, role: entry.role, timestamp, text });
      if (this.#tools) addToToolIndex(this.#db, { ...spokenOf(content), no, timestamp });
    }
    this.#lastTime = timestamp;
    this.#first ??= timestamp;
    this.#newest = Math.max(this.#newest, timestamp);
    this.#touched = true;
    if (at.effect === "move") this.setLeaf(at.leaf ?? null, at.appendAt ?? null);
  }

  #repeat(no: number, entry: EntryDraft): Outcome {
    const row = this.#db.prepare("SELECT id, type FROM entries WHERE no = :no").get({ no });
    // Its deletion was undone, or damage took its content: there is nothing to keep, and it may come again.
    const isEmpty = row?.type === undeletedType || row?.type === lostType;
    if (row?.id === entry.id) this.#passed = no;
    if (this.#options.onRepeat === "keep" && !isEmpty) return "same";
    // A piece is part of what is there, unless that is to be filled anew.
    if (entry.pieceOf !== undefined && !isEmpty) return "same";
    // An alias: the entry that stands for this id has content of its own. And what was deleted stays so.
    if (row?.id !== entry.id || row.type === deletedType) return "same";
    const stored = readContent(this.#db, no);
    if (!stored) return "same";
    const content = contentOf(entry, entry.timestamp ?? stored.timestamp);
    if (isSameContent(stored, content)) return "same";
    this.#rewrite(no, stored, content);
    return "changed";
  }

  #extend(no: number, parts: readonly Part[]): Outcome {
    if (this.#open?.no !== no) {
      this.#settle();
      const stored = readContent(this.#db, no);
      if (stored?.type === deletedType) return "same";
      this.#open = stored && new OpenMessage(no, stored);
    }
    if (!this.#open?.add(parts)) return "same";
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

/** Starts with a control character, which no record id can have: a message id is never taken for one. */
function pieceAlias(id: string): string {
  return `\u0001piece ${id}`;
}
