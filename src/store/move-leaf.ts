/**
 * Moves a transcript's leaf: rewind, branch switch, a source's leaf entry. What leaves the active branch loses its index
 * rows, what comes back regains them, in the caller's transaction where that is small enough, else the entries from where
 * the branches part are marked dirty (SPEC 2.3). Costs O(entries between the two leaves), bounded.
 */
import { limits } from "../limits.ts";
import { shows } from "../text/searchable.ts";
import { clearDirty, type DirtyRange, dirtyRange, markDirty } from "./dirty.ts";
import type { Database } from "./driver.ts";
import { firstNo } from "./entry-no.ts";
import { indexEntry, removeFromIndex } from "./index-entry.ts";
import { toolBits } from "./tool-index.ts";

export interface MoveOptions {
  /** Most entries corrected at once. */
  readonly inlineEntries: number;
  /** Whether the transcript has an index at all. */
  readonly indexed: boolean;
  /** Whether tool calls and results are indexed, too. */
  readonly tools: boolean;
}

/** How much further than it corrects a move looks for the place where the branches part: 40,000 rows are 80 ms. */
const lookFurther = 10;

/**
 * The caller writes the new leaf into the transcript's row.
 * @param last The transcript's last entry.
 */
export function moveLeaf(
  db: Database,
  transcript: number,
  leaf: number | null,
  last: number,
  options: MoveOptions,
): void {
  const range = dirtyRange(db, transcript);
  const { shared, path } = walkToActive(db, leaf, range, options.inlineEntries);
  const from = shared === null ? firstNo(transcript) : shared + 1;
  if (from > last) return;
  if (path === null || !fits(db, from, last, path, options)) {
    markDirty(db, transcript, from, last, "branch");
    return;
  }
  removeFromIndex(db, from, last);
  db.prepare("UPDATE entries SET active = 0 WHERE no BETWEEN :from AND :last AND active = 1").run({ from, last });
  for (const no of path) {
    db.prepare("UPDATE entries SET active = 1 WHERE no = :no").run({ no });
    if (options.indexed) indexEntry(db, no, options.tools);
  }
  // What is shared is to be trusted: it lies before the dirty range, which is put right now too, or behind it.
  if (range && from <= range.from) clearDirty(db, transcript);
}

/**
 * From the new leaf up to the nearest entry that is on the active branch and to be trusted: that entry, and the path
 * below it (null when it is longer than one transaction corrects).
 */
function walkToActive(
  db: Database,
  leaf: number | null,
  range: DirtyRange | null,
  most: number,
): { shared: number | null; path: number[] | null } {
  const read = db.prepare("SELECT parent, active FROM entries WHERE no = :no");
  const path: number[] = [];
  let steps = 0;
  for (let no = leaf; no !== null; steps++) {
    const row = read.get({ no });
    if (!row) break;
    const isTrusted = range === null || no < range.from || no > range.to;
    if (row.active === 1 && isTrusted) return { shared: no, path: steps > most ? null : path.reverse() };
    if (steps > most * lookFurther) return { shared: null, path: null };
    if (steps <= most) path.push(no);
    const parent = row.parent as number | null;
    // Parents are older by construction; a damaged row must not send us round in circles.
    no = parent !== null && parent < no ? parent : null;
  }
  return { shared: null, path: steps > most ? null : path.reverse() };
}

function fits(
  db: Database,
  from: number,
  last: number,
  path: readonly number[],
  { inlineEntries: most, tools }: MoveOptions,
): boolean {
  const leaving = db
    .prepare(
      "SELECT count(*) AS n FROM (SELECT 1 FROM entries WHERE no BETWEEN :from AND :last AND active = 1 LIMIT :most)",
    )
    .get({ from, last, most: most + 1 });
  if (Number(leaving?.n) + path.length > most) return false;
  const bits = tools ? shows.spoken | toolBits : shows.spoken;
  const size = db.prepare("SELECT length(body) AS n FROM entries WHERE no = :no AND (shows & :bits) <> 0");
  let text = 0;
  for (const no of path) text += Number(size.get({ no, bits })?.n ?? 0);
  return text <= limits.inlineText.default;
}
