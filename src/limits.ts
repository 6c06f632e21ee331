/**
 * Every bound of the system in one table: help texts, input schemas and docs are built from it.
 * A bound that a caller may set has `min` and `max`; the others are fixed and have equal values.
 */

export interface Limit {
  readonly default: number;
  readonly min: number;
  readonly max: number;
  readonly unit: string;
  /** Why this number. */
  readonly reason: string;
}

function fixed(value: number, unit: string, reason: string): Limit {
  return { default: value, min: value, max: value, unit, reason };
}

export const limits = {
  queryLength: fixed(4096, "UTF-16 units", "longest query; a pasted page is not a query (SPEC 3.1)"),
  queryTerms: fixed(64, "terms", "terms of a query that are searched for; what is over is named as ignored"),
  searchLimit: { default: 10, min: 1, max: 25, unit: "hits", reason: "what a model reads in one answer (SPEC 7.1)" },
  perSession: { default: 3, min: 1, max: 25, unit: "hits", reason: "one session never crowds out the rest (SPEC 4.2)" },
  searchBytes: fixed(32 * 1024, "bytes of JSON", "whole search answer (SPEC 7.1)"),
  snippetLength: fixed(300, "UTF-16 units", "longest snippet (SPEC 5.1)"),
  historyLimit: { default: 50, min: 1, max: 1000, unit: "messages", reason: "one page of history (SPEC 7.2)" },
  historyTextLength: fixed(4000, "UTF-16 units", "longest text field of a history page (SPEC 7.2)"),
  historyBytes: fixed(80 * 1024, "bytes of JSON", "whole history answer (SPEC 7.2)"),
  listLimit: { default: 50, min: 1, max: 200, unit: "sessions", reason: "one page of sessions (SPEC 7.3)" },
  listBytes: fixed(32 * 1024, "bytes of JSON", "whole list answer (SPEC 7.3)"),
  titleLength: fixed(120, "UTF-16 units", "longest title and preview in an answer"),
  nameLength: fixed(300, "UTF-16 units", "longest project folder, branch and model in an answer"),
  generationsShown: fixed(50, "session ids", "other generations named by a history page, the newest"),
  messageBytes: fixed(32 * 1024, "bytes of JSON", "one message of a history page; further parts are left out"),
  candidatePostings: fixed(
    20_000,
    "messages",
    "candidates by the rarest words, all together; of commoner words only those that have a rarer one, too (SPEC 4.5)",
  ),
  newestMessages: fixed(
    20_000,
    "messages",
    "newest messages that are looked through where every word is commoner than that (SPEC 4.5)",
  ),
  ranked: fixed(1000, "messages", "candidates whose length, neighbours and session are looked at, per agent"),
  neighbours: fixed(200, "messages", "best candidates whose neighbours count for them, per agent"),
  turnPause: fixed(
    10 * 60_000,
    "milliseconds",
    "since a session was last written to, up to which its caller is taken to be in the middle of a turn (SPEC 4.3)",
  ),
  literals: fixed(
    300,
    "messages",
    "best candidates whose text is read for a word with its sign, such as --from or C++",
  ),
  candidates: fixed(
    40,
    "messages",
    "messages per agent loaded and masked at a time; more are loaded while an answer is short",
  ),
  waitMs: {
    default: 1000,
    min: 0,
    max: 60_000,
    unit: "milliseconds",
    reason: "wait for indexing before an answer; the CLI waits longer",
  },
  textOffset: {
    default: 0,
    min: 0,
    max: 2 ** 31,
    unit: "UTF-16 units",
    reason: "where to begin in the anchor's text, to read on in a long one",
  },
  termLength: fixed(128, "UTF-16 units", "indexed length of a term; longer runs are found by their first 128"),
  toolText: fixed(
    2000,
    "UTF-16 units",
    "of one tool call or result that is indexed, paths further down aside (SPEC 3.7)",
  ),
  toolStart: fixed(600, "UTF-16 units", "first lines of a result, or of a value of a call, that are indexed"),
  toolLine: fixed(300, "UTF-16 units", "longest error line that is indexed; minified code has lines of a megabyte"),
  toolPaths: fixed(4000, "UTF-16 units", "paths of a result that are indexed, of those that stand further down"),
  toolRead: fixed(
    131_072,
    "UTF-16 units",
    "of a tool result that are read for the index: masked whole, 2 ms; what follows is output without end",
  ),
  toolValueRead: fixed(16_384, "UTF-16 units", "the same of one value of a tool call"),
  inlineEntries: fixed(4000, "entries", "index correction in the writing transaction (SPEC 2.3)"),
  inlineText: fixed(4 * 1024 * 1024, "UTF-16 units", "index correction in the writing transaction (SPEC 2.3)"),
  reconcileSlice: fixed(1024, "entries", "one reconciliation transaction, where there is little to index in them"),
  reconcileText: fixed(256 * 1024, "UTF-16 units", "one reconciliation transaction, by text"),
  reconcileTime: fixed(
    12,
    "milliseconds",
    "one reconciliation transaction; keeps everybody's wait under 50 ms (SPEC 2.4)",
  ),
  backgroundWait: fixed(20, "milliseconds", "patience of background work for another process's write lock"),
  backgroundRetry: fixed(50, "milliseconds", "pause of background work after it found the store locked"),
  purgeSlice: fixed(64, "pages of the index", "one transaction of a purge: under 10 ms for what was measured"),
  purgeInline: fixed(
    1024,
    "pages of the index",
    "rewritten by the deletion itself, about 50 ms; a larger index in slices",
  ),
  vacuumInline: fixed(
    4 * 1024 * 1024,
    "bytes",
    "file rewritten by a deletion itself, about 50 ms; a larger one by forget, sync or doctor",
  ),
  busyWait: fixed(10_000, "milliseconds", "patience for another process's write lock"),
  searchBusyWait: fixed(
    1000,
    "milliseconds",
    "patience of the command line's search for a write lock; then it answers without what is new",
  ),
  idsKept: fixed(20_000, "ids", "ids of a transcript kept in memory while it is imported; beyond, they are looked up"),
  importChunk: fixed(1024 * 1024, "bytes", "input of one import transaction"),
  importLine: fixed(16 * 1024 * 1024, "bytes", "longest record of a JSONL file; a longer one is skipped and named"),
  backupChunk: fixed(1024 * 1024, "bytes", "a piece of a backup file; bounds memory whatever the size of a store"),
  replaceWait: fixed(1000, "milliseconds", "patience of a restore that finds the present store open elsewhere"),
  mirrorBytes: fixed(
    128 * 1024 * 1024,
    "bytes",
    "of the file with a store's tombstones that are read; some 800,000 of them",
  ),
  problemsKept: fixed(1000, "problems", "problems listed by an import report; the rest are counted"),
} as const satisfies Record<string, Limit>;

export type LimitName = keyof typeof limits;
