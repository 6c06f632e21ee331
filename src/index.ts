/** The public surface, by name. Reaches no command line, no HTTP, no MCP. */
export {
  BackscrollError,
  type DenialReason,
  denialReasons,
  type ErrorCode,
  errorCodes,
  type Failure,
  toFailure,
} from "./errors.ts";
export type { ImportOptions, ImportProgress } from "./import/importer.ts";
export type { ImportRoot } from "./import/plan.ts";
export type { ImportReport } from "./import/report.ts";
export { type Limit, type LimitName, limits } from "./limits.ts";
export type {
  Explain,
  HistoryAnswer,
  HistoryMessage,
  HistoryPart,
  Hit,
  Range,
  SearchAnswer,
  SessionRow,
  SessionsAnswer,
  Tier,
} from "./model/answer.ts";
export {
  type AgentToAgent,
  type Caller,
  defaultPolicy,
  owner,
  type Policy,
  type SandboxVisibility,
  type SessionCaller,
  type VisibilityMode,
  visibilityModes,
} from "./model/caller.ts";
export { type Finding, type FindingCode, findingCodes, findingKinds, type Severity } from "./model/finding.ts";
export {
  type AgentId,
  type EntryId,
  parseAgentId,
  parseSessionKey,
  type SessionId,
  type SessionKey,
  type SourceId,
  sessionKeyOf,
  toAgentId,
  toEntryId,
  toSessionId,
  toSourceId,
} from "./model/ids.ts";
export type { Problem, ProblemCode } from "./model/problem.ts";
export type { EntryDraft, Json, Part, Role, SessionDraft, SessionKind } from "./model/transcript.ts";
export { type Backscroll, type OpenOptions, open } from "./open.ts";
export { builtInSources } from "./sources/registry.ts";
export type {
  Checkpoint,
  Machine,
  Recognition,
  Source,
  SourceBatch,
  SourceFile,
  SourceItem,
} from "./sources/source.ts";
export type { AgentStore } from "./store/agent-store.ts";
export type { AppendFacts, Compaction, IndexOptions } from "./store/agent-store-options.ts";
export type { Removed } from "./store/delete-session.ts";
export type { EntryRow } from "./store/read-branch.ts";
export type { StoreStats } from "./store/stats.ts";
export { catalog } from "./tools/catalog.ts";
export type { BackupOptions, BackupReport, UpkeepProgress } from "./upkeep/backup/backup.ts";
export type { BackupFile } from "./upkeep/backup/backup-files.ts";
export type { RestoredAgent, RestoreOptions, RestoreReport } from "./upkeep/backup/restore.ts";
export type { AgentHealth, DoctorProgress, DoctorReport, Repair } from "./upkeep/doctor/doctor-report.ts";
export type { ForgetPreview, ForgetReceipt, Unforgotten } from "./upkeep/forget/forget.ts";
export type { ForgetRequest } from "./upkeep/forget/forget-plan.ts";
export type { Legacy, LegacyOptions } from "./upkeep/legacy/legacy.ts";
export type { DifferenceCode, LegacyCounts, LegacyDifference } from "./upkeep/legacy/legacy-check.ts";
export type {
  LegacyAgent,
  LegacyDryRunReport,
  LegacyImportReport,
  LegacyInspectReport,
  LegacyReport,
  LegacyRestoreReport,
  LegacyRun,
  LegacyStay,
  LegacyValidateReport,
} from "./upkeep/legacy/legacy-report.ts";
export { isLegacySource, legacyFolders } from "./upkeep/legacy/legacy-store.ts";
