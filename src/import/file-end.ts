/**
 * Where a file that is read anew stands at each of its entries. Those that are stored were placed long ago, so their moves
 * are not made again; but a new one goes on where the file does, not where the transcript once ended, and the last one
 * decides the leaf and the append position.
 */
import { type Placing, place } from "../model/branch.ts";
import type { EntryId } from "../model/ids.ts";
import type { EntryDraft } from "../model/transcript.ts";
import type { Database } from "../store/driver.ts";
import { isBeforeReset } from "../store/reset-barrier.ts";
import { standsFor } from "../store/stored-tree.ts";
import type { TranscriptWriter } from "../store/transcript-writer.ts";

/** An id is looked up when it is asked for; null is above the root. */
type Spot = EntryId | number | null;

export class FileEnd {
  readonly #db: Database;
  #leaf: Spot | undefined;
  #appendAt: Spot | undefined;
  /** The entry passed last. */
  #last: Spot | undefined;

  constructor(db: Database) {
    this.#db = db;
  }

  /** An entry of the file, after it was written. */
  passEntry(entry: EntryDraft, writer: TranscriptWriter): void {
    // A later piece is part of what stands further up: it moves nothing.
    if (entry.pieceOf !== undefined && !writer.isOwnId(entry.id)) return;
    if (entry.type === "leaf") this.passMove(entry, writer);
    else {
      if (entry.attach !== "side") this.#leaf = entry.id;
      this.#appendAt = entry.id;
    }
    this.#last = entry.id;
  }

  /** A move of the leaf. It could name only what came before it in the file, whatever is there by now. */
  passMove(move: Omit<Placing, "type">, writer: TranscriptWriter): void {
    const last = this.#find(this.#last, writer) ?? null;
    const leaf = this.#find(this.#leaf, writer) ?? null;
    const at = place<number>(
      { ...move, type: "leaf" },
      {
        leaf,
        appendAt: this.#find(this.#appendAt, writer) ?? null,
        find(id) {
          const no = writer.find(id);
          return typeof no === "number" && (last === null || no > last) ? undefined : no;
        },
        standsFor: (no) => standsFor(this.#db, no),
        isBeforeReset: (no) => isBeforeReset(this.#db, { transcript: writer.transcript, leaf, clean: false }, no),
        isActive: () => false,
        hasTypedAfter: () => false,
      },
    );
    if (at.effect !== "move") return;
    this.#leaf = at.leaf ?? null;
    this.#appendAt = at.appendAt ?? null;
  }

  /** Before a new entry is written. What is not in the file any more is no place to go on at. */
  standAt(writer: TranscriptWriter): void {
    writer.setLeaf(this.#find(this.#leaf, writer) ?? null, this.#find(this.#appendAt, writer) ?? null);
  }

  /** At the end of the file. One that said nothing of a leaf leaves it. */
  apply(writer: TranscriptWriter): void {
    if (this.#leaf !== undefined) this.standAt(writer);
  }

  #find(spot: Spot | undefined, writer: TranscriptWriter): number | null | undefined {
    return typeof spot === "string" ? writer.find(spot) : spot;
  }
}
