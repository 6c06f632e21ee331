/** What the checks of one database share: where findings go, what repairs will need, and giving way to other work. */
import { BackscrollError } from "../../errors.ts";
import type { FindingCode } from "../../model/finding.ts";
import type { AgentId } from "../../model/ids.ts";
import type { Database } from "../driver.ts";
import type { LostRun } from "../lost-places.ts";
import { translate } from "../sqlite-error.ts";
import type { Findings } from "./findings.ts";

/** What `--fix` has to touch. Numbers only: a store of a million messages has to fit. */
export interface RepairWork {
  /** Transcript → first entry from which flags and index rows have to be made anew. */
  readonly reindex: Map<number, number>;
  /** Rows of the index that no entry stands behind. */
  readonly extra: Set<number>;
  /** Rows of the full-text table with a number that no entry can have. */
  readonly stray: Set<number>;
  /** The same of the index of tool calls and results. */
  readonly extraTools: Set<number>;
  readonly strayTools: Set<number>;
  /** Entries by what is wrong with them. */
  readonly changed: Set<number>;
  readonly unreadable: Set<number>;
  readonly misfiled: Set<number>;
  readonly misplaced: Set<number>;
  /** Places where an entry was and none is. */
  readonly lost: LostRun[];
}

export function emptyWork(): RepairWork {
  return {
    reindex: new Map(),
    extra: new Set(),
    stray: new Set(),
    extraTools: new Set(),
    strayTools: new Set(),
    changed: new Set(),
    unreadable: new Set(),
    misfiled: new Set(),
    misplaced: new Set(),
    lost: [],
  };
}

export interface CheckContext {
  readonly db: Database;
  readonly agentId: AgentId;
  readonly findings: Findings;
  readonly work: RepairWork;
  /** Counts rows looked at and gives way to other work. */
  readonly tick: (rows: number) => Promise<void>;
}

export function reindexFrom(work: RepairWork, transcript: number, no: number): void {
  work.reindex.set(transcript, Math.min(no, work.reindex.get(transcript) ?? no));
}

/**
 * Makes one check. One that fails because of damage is a finding, and the next ones go on.
 * @throws {BackscrollError} for what is no damage: `busy`, `io`.
 */
export async function attempt(
  context: CheckContext,
  what: string,
  check: () => void | Promise<void>,
  code: FindingCode = "check-failed",
): Promise<void> {
  try {
    await check();
  } catch (error) {
    const told = translate(error, context.db.path);
    if (told instanceof BackscrollError && told.code !== "bad_store") throw told;
    // Rows of a damaged store can hold anything: what a check makes of them is no fault of the program.
    context.findings.add(code, `${what}: ${told instanceof Error ? causeOf(told) : String(told)}`);
  }
}

function causeOf(error: Error): string {
  return error.cause instanceof Error ? error.cause.message : error.message;
}
