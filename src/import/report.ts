/** What an import did: counts, and one line for everything that was not taken in as it stands (SPEC 8.4). */
import { limits } from "../limits.ts";
import type { Problem, ProblemCode } from "../model/problem.ts";

export interface ImportReport {
  readonly files: {
    /** Files below the roots. */
    found: number;
    /** Read for the first time. */
    imported: number;
    /** Read on from where they ended last time. */
    grown: number;
    /** Read anew from the start. */
    reread: number;
    unchanged: number;
    /** Known to hold no transcript; counted by reason in `skipped`. */
    skipped: number;
    /** Not of the root's source. */
    foreign: number;
    /** Imported before, now gone; what was imported stays. */
    vanished: number;
    failed: number;
    /** Roots that are there and can't be read; what was imported of them is not called gone. */
    rootsFailed: number;
    /** Not looked at, as the time was over. */
    pending: number;
  };
  /** Bytes read. */
  bytes: number;
  /** Sessions that got something. */
  sessions: number;
  /** Transcripts passed over, as they were deleted here (`backscroll forget` can undo that). */
  forgotten: number;
  /** Entries passed over, as they were deleted here and came under another id. */
  forgottenEntries: number;
  /** Entries by what became of them. */
  readonly entries: { added: number; same: number; changed: number; extended: number };
  /** By how much the number of searchable messages grew; negative when more left an active branch than came. */
  messages: number;
  /** Skipped files by reason. */
  readonly skipped: Record<string, number>;
  /** Records that hold nothing to keep, by type. */
  readonly ignored: Record<string, number>;
  readonly problemCounts: Partial<Record<ProblemCode, number>>;
  /** The first ones; the counts are complete. */
  readonly problems: Problem[];
  /** Wall-clock milliseconds. */
  ms: number;
}

export function emptyReport(): ImportReport {
  return {
    files: {
      found: 0,
      imported: 0,
      grown: 0,
      reread: 0,
      unchanged: 0,
      skipped: 0,
      foreign: 0,
      vanished: 0,
      failed: 0,
      rootsFailed: 0,
      pending: 0,
    },
    bytes: 0,
    sessions: 0,
    forgotten: 0,
    forgottenEntries: 0,
    entries: { added: 0, same: 0, changed: 0, extended: 0 },
    messages: 0,
    skipped: Object.create(null) as Record<string, number>,
    ignored: Object.create(null) as Record<string, number>,
    problemCounts: {},
    problems: [],
    ms: 0,
  };
}

export function addProblem(report: ImportReport, problem: Problem): void {
  report.problemCounts[problem.code] = (report.problemCounts[problem.code] ?? 0) + 1;
  if (report.problems.length < limits.problemsKept.default) report.problems.push(problem);
}

export function count(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}
