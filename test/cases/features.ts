/**
 * What a case may need and gets here. A feature joins this list with the change that makes it work, and the cases that
 * need it count from then on.
 */
import type { VisibilityMode } from "../../src/index.ts";

export const features: readonly string[] = [
  "branch",
  "reset",
  "upsert",
  "edit",
  "delete_session",
  "delete_message",
  "fork",
  "compact",
  "incognito",
  "title",
  "list",
  "import:claude-code",
  "import:codex",
  "import:openclaw",
  "import:pi",
  "import:jsonl",
  "paging",
  "around",
  "sort",
  "project",
  "timefilter",
  "blocks",
  "redaction",
  "integrity",
  "reopen",
  "cli",
];

/** Callers other than the owner that a case may speak as. */
export const visibilities = ["agent", "all"] as const satisfies readonly VisibilityMode[];

/**
 * Cases about what comes when no message has all the words. Every other search is made with `match: "all"`, unless the
 * case gives a `match` of its own.
 */
export const looserTiersWanted: ReadonlySet<string> = new Set(["Q26"]);

/** Cases that judge the first answer, even while it says that indexing is under way: their writes take effect at once. */
export const firstAnswerCounts: ReadonlySet<string> = new Set(["T11", "Y01", "Y03", "Y05"]);
