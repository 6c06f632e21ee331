/** What each mode of a legacy import reports. */
import type { ImportReport } from "../../import/report.ts";
import type { AgentId } from "../../model/ids.ts";
import type { Problem } from "../../model/problem.ts";
import type { DifferenceCounts, LegacyCounts, LegacyDifference } from "./legacy-check.ts";
import type { Manifest } from "./legacy-manifest.ts";

/** A file that stays where it is, and why. */
export interface LegacyStay {
  readonly path: string;
  readonly reason: string;
}

export interface LegacyAgent {
  readonly agentId: AgentId;
  /** Files with transcripts, and their bytes. */
  transcripts: number;
  bytes: number;
  /** Lists of sessions, and the session keys that they name. */
  lists: number;
  listed: number;
  /** Files (of both kinds) that were imported as they are now. */
  imported: number;
  /** Files without a transcript of their own, by reason. */
  readonly skipped: Record<string, number>;
  /** Files of other kinds. */
  foreign: number;
}

export interface LegacyRun {
  readonly run: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly status: Manifest["status"];
  /** Files that lie in the run's archive now. */
  readonly archived: number;
}

export interface LegacyInspectReport {
  readonly mode: "inspect";
  readonly folder: string;
  readonly agents: readonly LegacyAgent[];
  readonly runs: readonly LegacyRun[];
  readonly problems: readonly Problem[];
}

export interface LegacyDryRunReport {
  readonly mode: "dry-run";
  readonly folder: string;
  readonly files: number;
  readonly counts: LegacyCounts;
  /** Files that an import would leave where they are. */
  readonly stays: readonly LegacyStay[];
  readonly report: ImportReport;
  readonly problems: readonly Problem[];
}

export interface LegacyImportReport {
  readonly mode: "import";
  readonly folder: string;
  /** Null when nothing was moved. */
  readonly run: string | null;
  readonly manifest: string | null;
  readonly archive: string | null;
  /** Files that hold transcripts or lists of sessions. */
  readonly files: number;
  /** Of these: those whose every entry was found in the store. */
  readonly verified: number;
  /** Files moved into the archive: by this run, and by the same run before it was killed. */
  readonly moved: number;
  readonly counts: LegacyCounts;
  readonly stays: readonly LegacyStay[];
  readonly differences: readonly LegacyDifference[];
  readonly report: ImportReport;
  readonly problems: readonly Problem[];
}

export interface LegacyValidateReport {
  readonly mode: "validate";
  readonly folder: string;
  readonly files: number;
  readonly counts: LegacyCounts;
  /** The first ones; the counts are complete. */
  readonly differences: readonly LegacyDifference[];
  readonly differenceCounts: DifferenceCounts;
  readonly problems: readonly Problem[];
}

export interface LegacyRestoreReport {
  readonly mode: "restore";
  readonly folder: string;
  /** Null when there is no run to undo. */
  readonly run: string | null;
  readonly restored: number;
  readonly stays: readonly LegacyStay[];
}

export type LegacyReport =
  | LegacyInspectReport
  | LegacyDryRunReport
  | LegacyImportReport
  | LegacyValidateReport
  | LegacyRestoreReport;
