/**
 * Moves a transcript's leaf: rewind, branch switch, a source's leaf entry. What leaves the active branch loses its index
 * rows, what comes back regains them, in the caller's transaction where that is small enough, else the transcript is
 * marked dirty from where the branches part (SPEC 2.3). Costs O(entries between the two leaves), bounded.
 */
import { limits } from "../limits.ts";
import { dirtyFrom, markDirty } from "./dirty.ts";
import type { Database } from "./driver.ts";
import { firstNo, lastNo } from "./entry-no.ts";
import { indexEntry, removeFromIndex } from "./index-entry.ts";

/** The caller writes the new leaf into the transcript's row. Returns whether the transcript is dirty afterwards. */
export function moveLeaf(db: Database, transcript: number, leaf: number | null): boolean {
  const dirty = dirtyFrom(db, transcript);
  const { shared, path } = walkToActive(db, transcript, leaf, dirty);
  const from = shared === null ? firstNo(transcript) : shared + 1;
  if (dirty !== null || path === null || !fits(db, transcript, from, path)) {
    markDirty(db, transcript, from, "branch");
    return true;
  }
  const range = { from, to: lastNo(transcript) };
  removeFromIndex(db, range.from, range.to);
  db.prepare("UPDATE entries SET active = 0 WHERE no BETWEEN :from AND :to AND active = 1").run(range);
  for (const no of path) {
    db.prepare("UPDATE entries SET active = 1 WHERE no = :no").run({ no });
    indexEntry(db, no);
  }
  return false;
}

/**
 * From the new leaf up to the nearest entry that is on the active branch and to be trusted: that entry, and the path
 * below it (null when it is longer than one transaction corrects; then nothing is known to be shared).
 */
function walkToActive(
  db: Database,
  transcript: number,
  leaf: number | null,
  dirty: number | null,
): { shared: number | null; path: number[] | null } {
  const read = db.prepare("SELECT parent, active FROM entries WHERE no = :no");
  const path: number[] = [];
  const trustedBefore = dirty ?? lastNo(transcript) + 1;
  for (let no = leaf; no !== null; ) {
    const row = read.get({ no });
    if (!row) break;
    if (row.active === 1 && no < trustedBefore) return { shared: no, path: path.reverse() };
    path.push(no);
    if (path.length > limits.inlineEntries.default) return { shared: null, path: null };
    const parent = row.parent as number | null;
    // Parents are older by construction; a damaged row must not send us round in circles.
    no = parent !== null && parent < no ? parent : null;
  }
  return { shared: null, path: path.reverse() };
}

function fits(db: Database, transcript: number, from: number, path: readonly number[]): boolean {
  const leaving = db
    .prepare(
      "SELECT count(*) AS n FROM (SELECT 1 FROM entries WHERE no BETWEEN :from AND :to AND active = 1 LIMIT :most)",
    )
    .get({ from, to: lastNo(transcript), most: limits.inlineEntries.default + 1 });
  if (Number(leaving?.n) + path.length > limits.inlineEntries.default) return false;
  const size = db.prepare("SELECT length(body) AS n FROM entries WHERE no = :no AND (shows & 1) = 1");
  let text = 0;
  for (const no of path) text += Number(size.get({ no })?.n ?? 0);
  return text <= limits.inlineText.default;
}
