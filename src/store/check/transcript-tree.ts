/** One transcript's tree as its rows say it: who hangs below whom, which places are empty, where the flags lead. */
import { ascending } from "../ascending.ts";
import { firstNo, lastNo, positions, transcriptOf } from "../entry-no.ts";
import { FlaggedPath } from "../flagged-path.ts";
import { type LostRun, type StatedEnd, statedSize } from "../lost-places.ts";
import { type CheckContext, reindexFrom } from "./check-context.ts";

/** Positions without an entry; those without a parent. */
const absent = -2;
const root = -1;

/** Bits of a place. */
const active = 1;
const onPath = 2;

export class TranscriptTree {
  /** Positions that have or had an entry. */
  readonly size: number;
  readonly lost: readonly LostRun[];
  /** Where the flags lead; null where they form no single path. */
  readonly flagged: number | null;
  readonly #first: number;
  readonly #parents: Int32Array;
  readonly #bits: Uint8Array;

  /** @param bits Of each position: {@link active} or not. */
  constructor(transcript: number, parents: Int32Array, bits: Uint8Array, leaf: number | null) {
    this.#first = firstNo(transcript);
    this.#parents = parents;
    this.#bits = bits;
    this.size = parents.length;
    const path = new FlaggedPath();
    const isLost = (no: number) => parents[no - this.#first] === absent;
    const lost: LostRun[] = [];
    for (let at = 0; at < this.size; at++) {
      const no = this.#first + at;
      const parent = parents[at] ?? root;
      if (parent === absent) {
        const last = lost.at(-1);
        if (last && last.to === no - 1) lost[lost.length - 1] = { from: last.from, to: no };
        else lost.push({ from: no, to: no });
      } else if (bits[at] === active) path.add(no, parent === root ? null : this.#first + parent, isLost);
    }
    this.lost = lost;
    const { end } = path;
    // A leaf that was lost itself was the end of the path.
    this.flagged = end !== null && leaf !== null && leaf > end && this.has(leaf) && isLost(leaf) ? leaf : end;
  }

  /** Whether there is, or was, such an entry. */
  has(no: number): boolean {
    return no >= this.#first && no < this.#first + this.size;
  }

  isLost(no: number): boolean {
    return this.has(no) && this.#parents[no - this.#first] === absent;
  }

  /** Marks the way from an entry to its root; a lost one hangs where what stands in for it will (see lost-entry.ts). */
  markPath(leaf: number | null): void {
    if (leaf === null || !this.has(leaf)) return;
    for (let at = leaf - this.#first; at >= 0; ) {
      this.#bits[at] = (this.#bits[at] ?? 0) | onPath;
      at = this.#parents[at] === absent ? this.#above(at) : (this.#parents[at] ?? root);
    }
  }

  isOnPath(no: number): boolean {
    return ((this.#bits[no - this.#first] ?? 0) & onPath) !== 0;
  }

  /** What a lost entry of the branch hung below: the lost one before it, else the active one before it. */
  #above(lost: number): number {
    let at = lost - 1;
    if (at >= 0 && this.#parents[at] === absent) return at;
    while (at >= 0 && ((this.#bits[at] ?? 0) & active) === 0) at--;
    return at;
  }
}

/** Reads every entry's parent and flag: 5 bytes an entry are kept. Names parents that none can have. */
export async function readTree(
  stated: StatedEnd & { readonly key: string },
  size: number,
  { db, findings, work, tick }: CheckContext,
): Promise<TranscriptTree> {
  const all = statedSize(db, stated, size);
  const parents = new Int32Array(all).fill(absent);
  const bits = new Uint8Array(all);
  const page = db.prepare(
    "SELECT no, parent, active FROM entries WHERE no BETWEEN :from AND :to ORDER BY no LIMIT 20000",
  );
  for (let from = firstNo(stated.no); ; ) {
    const rows = page.all({ from, to: lastNo(stated.no) });
    for (const row of rows) {
      const no = Number(row.no);
      const parent = row.parent as number | null;
      // One that is absent was there: it gets something to stand in for it.
      const isParent = parent === null || (transcriptOf(parent) === stated.no && parent < no);
      if (!isParent) {
        findings.add("wrong-parent", `${stated.key}: entry ${no} below ${parent}`);
        work.misplaced.add(no);
        reindexFrom(work, stated.no, no);
      }
      parents[no % positions] = parent === null || !isParent ? root : parent % positions;
      bits[no % positions] = row.active === 1 ? active : 0;
      from = ascending(from, no + 1);
    }
    await tick(0);
    if (rows.length === 0) break;
  }
  return new TranscriptTree(stated.no, parents, bits, stated.leaf);
}
