/** The tree of a stored transcript, as the rules of placing ask for it. A clean transcript answers from its active flags. */
import type { Tree } from "../model/branch.ts";
import { dirtyRange } from "./dirty.ts";
import type { Database } from "./driver.ts";
import { lastNo } from "./entry-no.ts";
import { isBeforeReset, type Standpoint } from "./reset-barrier.ts";

/** Where the transcript stands, which its row says only at the end of a transaction. */
export type Standing = Pick<Tree<number>, "leaf" | "appendAt" | "find">;

export class StoredTree implements Tree<number> {
  readonly #db: Database;
  readonly #transcript: number;
  readonly #standing: Standing;

  constructor(db: Database, transcript: number, standing: Standing) {
    this.#db = db;
    this.#transcript = transcript;
    this.#standing = standing;
  }

  get leaf(): number | null {
    return this.#standing.leaf;
  }

  get appendAt(): number | null {
    return this.#standing.appendAt;
  }

  get standpoint(): Standpoint {
    return { transcript: this.#transcript, leaf: this.leaf, clean: dirtyRange(this.#db, this.#transcript) === null };
  }

  find(id: string): number | null | undefined {
    return this.#standing.find(id);
  }

  standsFor(no: number): number | null {
    return standsFor(this.#db, no);
  }

  isActive(no: number): boolean {
    return this.#walk(no).reached;
  }

  hasTypedAfter(no: number): boolean {
    return this.#walk(no).typedAfter;
  }

  isBeforeReset(no: number | null): boolean {
    return isBeforeReset(this.#db, this.standpoint, no);
  }

  /**
   * Whether an entry is on the path from the leaf, and whether a typed message comes after it there. Walks up from the
   * leaf, so it is right for a dirty transcript too; a clean one answers from its flags without a walk.
   */
  #walk(target: number): { reached: boolean; typedAfter: boolean } {
    const db = this.#db;
    if (this.standpoint.clean) {
      const active = db.prepare("SELECT active FROM entries WHERE no = :no").get({ no: target })?.active === 1;
      const typed = db
        .prepare(
          "SELECT 1 FROM entries WHERE no > :no AND no <= :last AND active = 1 AND (shows & 1) = 1 AND typed = 1 LIMIT 1",
        )
        .get({ no: target, last: lastNo(this.#transcript) });
      return { reached: active, typedAfter: typed !== undefined };
    }
    const read = db.prepare("SELECT parent, typed FROM entries WHERE no = :no");
    let typedAfter = false;
    let no = this.leaf;
    while (no !== null && no > target) {
      const row = read.get({ no });
      if (row?.typed === 1) typedAfter = true;
      no = (row?.parent ?? null) as number | null;
    }
    return { reached: no === target, typedAfter };
  }
}

/** The entry that one means as a parent: itself, but a `leaf` entry lies on no branch and means its own parent. */
export function standsFor(db: Database, no: number): number | null {
  const row = db.prepare("SELECT type, parent FROM entries WHERE no = :no").get({ no });
  return row?.type === "leaf" ? (row.parent as number | null) : no;
}
