/**
 * The reset barrier: behind a `reset` entry of the active branch nothing goes on in front of it (SPEC 1.9). Costs one
 * look-up where a transcript has no reset; else that, and the way from the entry up to the reset or the active branch.
 */
import { BackscrollError } from "../errors.ts";
import type { Database } from "./driver.ts";
import { firstNo } from "./entry-no.ts";

export interface Standpoint {
  readonly transcript: number;
  readonly leaf: number | null;
  /** Whether the active flags are to be trusted. Without them the branch is walked. */
  readonly clean: boolean;
}

/** Whether a reset lies on the leaf's path and not on that of this entry (null: above the root). */
export function isBeforeReset(db: Database, at: Standpoint, no: number | null): boolean {
  const reset = lastReset(db, at);
  if (reset === null) return false;
  if (no === null || no < reset) return true;
  const read = db.prepare("SELECT parent, active FROM entries WHERE no = :no");
  for (let up: number | null = no; up !== null && up >= reset; ) {
    if (up === reset) return false;
    const row = read.get({ no: up });
    // Whatever of the active branch comes after the reset hangs below it.
    if (at.clean && row?.active === 1) return false;
    up = parentOf(row, up);
  }
  return true;
}

/** @throws {BackscrollError} `bad_input` where the leaf would go back in front of a reset. */
export function refuseBeforeReset(db: Database, at: Standpoint, no: number | null): void {
  if (!isBeforeReset(db, at, no)) return;
  const id = no === null ? null : db.prepare("SELECT id FROM entries WHERE no = :no").get({ no })?.id;
  throw new BackscrollError(
    "bad_input",
    `${id === null ? "the start" : `entry ${String(id)}`} lies in front of a reset of the session`,
    "Move to the reset or to an entry after it. What was said before stays searchable and readable.",
  );
}

/** The reset nearest to the leaf on its path. */
function lastReset(db: Database, { transcript, leaf, clean }: Standpoint): number | null {
  if (leaf === null) return null;
  const resets = db
    .prepare(`
      SELECT no, active FROM entries INDEXED BY entries_resets
      WHERE type = 'reset' AND no BETWEEN :from AND :leaf ORDER BY no DESC
    `)
    .iterate({ from: firstNo(transcript), leaf });
  const read = db.prepare("SELECT parent FROM entries WHERE no = :no");
  let up: number | null = leaf;
  for (const reset of resets) {
    const no = Number(reset.no);
    if (clean) {
      if (reset.active === 1) return no;
      continue;
    }
    while (up !== null && up > no) up = parentOf(read.get({ no: up }), up);
    if (up === no) return no;
  }
  return null;
}

/** Parents are older by construction; a damaged row must not send us round in circles. */
function parentOf(row: { parent?: unknown } | undefined, no: number): number | null {
  return typeof row?.parent === "number" && row.parent < no ? row.parent : null;
}
