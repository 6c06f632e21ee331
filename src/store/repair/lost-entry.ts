/** What stands in place of an entry whose content damage took: its children keep their parent, a source can fill it again. */
import { toJson } from "../body.ts";
import { dirtyRange } from "../dirty.ts";
import type { Database, SqlValue } from "../driver.ts";
import { entryCrc } from "../entry-crc.ts";
import { firstNo, lastNo, transcriptOf } from "../entry-no.ts";
import { lostType } from "../husk.ts";
import { isIn, type LostRun, madeUpId } from "../lost-places.ts";
import { remakeSqliteIndexes } from "../recreate-index.ts";
import { transaction } from "../transaction.ts";

/** Where what stands in for lost entries hangs. */
interface LostBranch {
  /** The last of the run that lies on the active branch; null where none does. */
  readonly top: number | null;
  /** What the first of the run hangs below. */
  readonly parent: number | null;
}

/**
 * Fills part of a run of lost entries; the caller has a transaction open. Each hangs below the one before it in the run. The
 * first of a run that the active branch goes through hangs below the active entry before it, so that no flag has to change;
 * any other below the entry before it, as nearly every entry does. Their time is that of the entry before them, too.
 * @param part Numbers to fill now: a long run takes several transactions. Ends included.
 * @param ids By number, where they are known.
 * @returns The ids that were put there.
 */
export function insertLost(db: Database, run: LostRun, part: LostRun, ids: ReadonlyMap<number, string>): string[] {
  const transcript = transcriptOf(run.from);
  if (!db.prepare("SELECT 1 FROM transcripts WHERE no = :transcript").get({ transcript })) return [];
  const { top, parent } = branchOf(db, run);
  const before = db
    .prepare("SELECT timestamp FROM entries WHERE no < :no AND no >= :first ORDER BY no DESC LIMIT 1")
    .get({ no: part.from, first: firstNo(transcript) });
  const insert = db.prepare(`
    INSERT INTO entries (no, id, parent, type, role, timestamp, active, typed, shows, body, crc)
    SELECT :no, :id, :parent, :type, :role, :timestamp, :active, :typed, 0, :body, :crc
    WHERE NOT EXISTS (SELECT 1 FROM entries WHERE no = :no OR (id = :id AND no >> 24 = :transcript))
  `);
  const inserted: string[] = [];
  for (let no = part.from; no <= part.to; no++) {
    const known = ids.get(no);
    // What the index knew can be the id of an entry that has another number now.
    for (const id of known === undefined ? [madeUpId(no)] : [known, madeUpId(no)]) {
      const row = {
        id,
        parent: no === run.from ? parent : no - 1,
        type: lostType,
        role: null,
        timestamp: Number(before?.timestamp ?? 0),
        typed: 0,
        body: toJson({ parts: [] }),
      };
      const active = Number(top !== null && no <= top);
      if (insert.run({ ...row, no, transcript, active, crc: entryCrc(row) }) === 0) continue;
      inserted.push(id);
      break;
    }
  }
  return inserted;
}

/** The active flags tell, where they are to be trusted, whether the branch goes through. */
function branchOf(db: Database, { from, to }: LostRun): LostBranch {
  const transcript = transcriptOf(from);
  const range = dirtyRange(db, transcript);
  const [first, last] = [firstNo(transcript), lastNo(transcript)];
  const entryBefore = db.prepare("SELECT max(no) AS no FROM entries WHERE no < :from AND no >= :first");
  const off = { top: null, parent: (entryBefore.get({ from, first })?.no ?? null) as number | null };
  if (range !== null && range.from <= to && range.to >= from) return off;
  const next = db
    .prepare("SELECT no, parent FROM entries WHERE no > :to AND no <= :last AND active = 1 ORDER BY no LIMIT 1")
    .get({ to, last });
  // With nothing active behind it, the branch ends here or came to its end before.
  const top = next
    ? next.parent
    : db.prepare("SELECT leaf FROM transcripts WHERE no = :transcript").get({ transcript })?.leaf;
  if (typeof top !== "number" || top < from || top > to) return off;
  const activeBefore = db
    .prepare("SELECT no FROM entries WHERE no < :from AND no >= :first AND active = 1 ORDER BY no DESC LIMIT 1")
    .get({ from, first });
  return { top, parent: (activeBefore?.no ?? null) as number | null };
}

/** Entries of one transaction. */
const slice = 500;

/** Fills every one of the runs. Gives way between slices. Returns how many there are now that were not. */
export async function fillLost(
  db: Database,
  runs: readonly LostRun[],
  tick: (rows: number) => Promise<void>,
): Promise<number> {
  let filled = 0;
  for (const run of runs) {
    for (let from = run.from; from <= run.to; from += slice) {
      const part = { from, to: Math.min(run.to, from + slice - 1) };
      filled += transaction(db, () => insertLost(db, run, part, new Map()).length);
      await tick(slice);
    }
  }
  return filled;
}

/**
 * Makes SQLite's own indexes anew, and gives lost entries that the index of ids still knows their ids back before that is
 * forgotten. Returns how many.
 */
export function remakeIndexesKeepingIds(db: Database, runs: readonly LostRun[]): number {
  return transaction(db, () => {
    const ids = new Map<number, string>();
    if (runs.length > 0) {
      for (const { id, no } of db.prepare("SELECT id, no FROM entries INDEXED BY entries_by_id").iterate()) {
        if (runs.some((run) => isIn(Number(no), run))) ids.set(Number(no), String(id));
      }
    }
    remakeSqliteIndexes(db);
    const known = runs.filter((run) => [...ids.keys()].some((no) => isIn(no, run)));
    return known.reduce((sum, run) => sum + insertLost(db, run, run, ids).length, 0);
  });
}

/** A body that can't be read, as it is: nothing is thrown away. */
export function rawBody(body: SqlValue): string {
  const raw =
    body instanceof Uint8Array ? { base64: Buffer.from(body).toString("base64") } : { text: String(body ?? "") };
  return toJson({ parts: [{ type: "other", value: { damaged: raw } }] });
}
