/**
 * Where the active flags of a transcript lead. Set right, they form one path, and as a parent always comes before its
 * child, the order along it is the order of numbers: each active entry hangs below the active one before it.
 */
import { dirtyRange } from "./dirty.ts";
import type { Database } from "./driver.ts";
import { firstNo, lastNo } from "./entry-no.ts";

/** Is given the active entries in the order of their numbers. */
export class FlaggedPath {
  #last: number | null = null;
  #broken = false;

  /** @param isLost Whether an entry is known to have been at a number where none is: it was on the path, if anything was. */
  add(no: number, parent: number | null, isLost: (no: number) => boolean = () => false): void {
    const bridged = parent !== null && parent > (this.#last ?? -1) && parent < no && isLost(parent);
    if (parent !== this.#last && !bridged) this.#broken = true;
    this.#last = no;
  }

  /** The entry that the path ends at; null where there is none, or the flags form no single path. */
  get end(): number | null {
    return this.#broken ? null : this.#last;
  }
}

/** The entry that the flags lead to; null also where they are not to be trusted. O(entries on the branch). */
export function flaggedLeaf(db: Database, transcript: number): number | null {
  if (dirtyRange(db, transcript) !== null) return null;
  const path = new FlaggedPath();
  const rows = db
    .prepare("SELECT no, parent FROM entries WHERE no BETWEEN :from AND :to AND active = 1 ORDER BY no")
    .iterate({ from: firstNo(transcript), to: lastNo(transcript) });
  for (const { no, parent } of rows) path.add(Number(no), parent as number | null);
  return path.end;
}

/**
 * What a transcript's leaf should be by its flags, where that is another: many rows agree against one number. Null where
 * there is nothing to set right, or no telling.
 *
 * A leaf without its flag that the index holds as a message of the branch is not what is wrong: its flag is.
 */
export function rightLeaf(db: Database, leaf: number | null, flagged: number | null): number | null {
  if (flagged === null || flagged === leaf) return null;
  const isVouchedFor =
    leaf !== null &&
    db
      .prepare("SELECT 1 FROM entries e JOIN messages m ON m.no = e.no WHERE e.no = :leaf AND e.active = 0")
      .get({ leaf }) !== undefined;
  return isVouchedFor ? null : flagged;
}
