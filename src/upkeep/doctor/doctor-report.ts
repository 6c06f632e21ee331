/** What the doctor answers: the same JSON in the library and on the command line. */
import type { ImportReport } from "../../import/report.ts";
import type { Finding } from "../../model/finding.ts";
import type { AgentId } from "../../model/ids.ts";

/** How much was looked at. */
export interface Checked {
  readonly sessions: number;
  readonly transcripts: number;
  readonly entries: number;
  /** Messages in the index. */
  readonly messages: number;
  /** Terms of the index, each at its place. */
  readonly terms: number;
  /** Real searches for messages drawn from the store. */
  readonly searches: number;
}

export interface Repair {
  readonly agentId?: AgentId;
  /** What was done, in a sentence. */
  readonly what: string;
  readonly count: number;
}

export interface AgentHealth {
  readonly agentId: AgentId;
  readonly checked: Checked;
  /** Why it could not be checked or repaired at all: locked, unreadable folder. */
  readonly failed?: string;
}

export interface DoctorReport {
  readonly home: string;
  /** No fault is left, and everything was checked. */
  readonly healthy: boolean;
  readonly agents: readonly AgentHealth[];
  /** After a repair: what remains. */
  readonly findings: readonly Finding[];
  /** What was found before repairing; absent without `fix`. */
  readonly before?: readonly Finding[];
  readonly repairs?: readonly Repair[];
  /** Source files wait to be read anew: the next import brings back what they still have. */
  readonly sourcesWaiting?: true;
  /** The import that followed a repair. */
  readonly imported?: ImportReport;
}

export interface DoctorProgress {
  readonly agentId: AgentId;
  readonly step: "check" | "repair" | "search";
  /** Entries looked at so far in this step. */
  readonly entries: number;
}
