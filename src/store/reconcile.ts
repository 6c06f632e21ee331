/**
 * Puts dirty transcripts right: active flags and index rows from the leaf's path (SPEC 2.4). Works in slices, each in a
 * short transaction that also moves the dirty mark, so it can be killed at any point and several processes can work on
 * the same transcript: whoever comes second finds the mark moved. Appends meanwhile only lengthen the path.
 */
import { setImmediate } from "node:timers/promises";
import { BackscrollError } from "../errors.ts";
import { limits } from "../limits.ts";
import { advanceDirty, dirtyFrom, dirtyTranscripts } from "./dirty.ts";
import type { Database } from "./driver.ts";
import { lastNo } from "./entry-no.ts";
import { indexEntry, removeFromIndex } from "./index-entry.ts";
import { transaction } from "./transaction.ts";

/**
 * Works until nothing is dirty or the time is over, giving way to other work between slices.
 * @param until Epoch ms by `now`.
 * @returns The transcripts still dirty.
 */
export async function reconcile(db: Database, until: number, now: () => number): Promise<number> {
  for (const transcript of dirtyTranscripts(db)) {
    const path = new ActivePath(db, transcript);
    try {
      while (now() < until && reconcileSlice(db, transcript, path)) await setImmediate();
    } catch (error) {
      // Somebody else is writing: the answer says that it may miss something, and the next read goes on.
      if (!(error instanceof BackscrollError) || error.code !== "busy") throw error;
      break;
    }
  }
  return dirtyTranscripts(db).length;
}

/** Returns whether the transcript is still dirty. */
function reconcileSlice(db: Database, transcript: number, path: ActivePath): boolean {
  // The long part, reading the path, holds no lock; the transaction only reads what came since.
  path.refresh();
  return transaction(db, () => {
    const from = dirtyFrom(db, transcript);
    if (from === null) return false;
    path.refresh();
    const rows = db
      .prepare(`
        SELECT no, active, CASE WHEN (shows & 1) = 1 THEN length(body) ELSE 0 END AS size
        FROM entries WHERE no BETWEEN :from AND :to ORDER BY no LIMIT :most
      `)
      .iterate({ from, to: lastNo(transcript), most: limits.reconcileSlice.default });
    const slice: { no: number; active: boolean }[] = [];
    let text = 0;
    let more = false;
    for (const row of rows) {
      text += Number(row.size);
      more = slice.length + 1 === limits.reconcileSlice.default || text > limits.reconcileText.default;
      slice.push({ no: Number(row.no), active: row.active === 1 });
      if (more) break;
    }
    const last = slice.at(-1)?.no;
    if (last !== undefined) {
      removeFromIndex(db, from, last);
      for (const { no, active } of slice) {
        const wanted = path.has(no);
        if (wanted !== active)
          db.prepare("UPDATE entries SET active = :active WHERE no = :no").run({ no, active: Number(wanted) });
        if (wanted) indexEntry(db, no);
      }
    }
    advanceDirty(db, transcript, more && last !== undefined ? last + 1 : null);
    return more;
  });
}

/** The numbers on the leaf's path from the dirty mark on. Kept up to date as the leaf moves forward. */
class ActivePath {
  readonly #db: Database;
  readonly #transcript: number;
  #leaf: number | null | undefined;
  #from = 0;
  #path = new Set<number>();

  constructor(db: Database, transcript: number) {
    this.#db = db;
    this.#transcript = transcript;
  }

  has(no: number): boolean {
    return this.#path.has(no);
  }

  /** O(entries by which the leaf moved on); a leaf that moved elsewhere, or a mark that moved back, starts anew. */
  refresh(): void {
    const db = this.#db;
    const leaf = db.prepare("SELECT leaf FROM transcripts WHERE no = :no").get({ no: this.#transcript })?.leaf as
      | number
      | null
      | undefined;
    const from = dirtyFrom(db, this.#transcript) ?? this.#from;
    if (leaf === this.#leaf && from >= this.#from) return;
    const known = from >= this.#from ? this.#path : new Set<number>();
    // With the mark further back, the old path lacks what lies between: it is no place to stop at.
    const before = from >= this.#from ? this.#leaf : undefined;
    const parent = db.prepare("SELECT parent FROM entries WHERE no = :no");
    const fresh: number[] = [];
    let joins = false;
    for (let no = leaf ?? null; no !== null && no >= from; ) {
      if (no === before) {
        joins = true;
        break;
      }
      fresh.push(no);
      const next = parent.get({ no })?.parent as number | null | undefined;
      no = next !== undefined && next !== null && next < no ? next : null;
    }
    this.#path = joins ? known : new Set<number>();
    for (const no of fresh) this.#path.add(no);
    this.#leaf = leaf;
    this.#from = from;
  }
}
