/** Something of a file that was not taken in as it stands. Nothing is dropped without one of these. */

/**
 * - `bad-line`: not a JSON object; the line is lost, the rest of the file is not.
 * - `long-line`: over the line limit; skipped.
 * - `half-line`: the file ends inside a record; read again next time.
 * - `bad-record`: a JSON object of a known type without what that type must have; skipped.
 * - `unknown-record`: a record type that the source doesn't know; kept as it is, not searchable.
 * - `bad-time`: a timestamp that can't be read; the entry got the time of the one before it, or of the file.
 * - `unreadable`: the file can't be opened or read; tried again next time.
 * - `rewritten`: the file is not a continuation of what was imported; read again from its start.
 * - `outside-root`: a symbolic link that leads out of the root; not followed.
 * - `conflict`: a fact that contradicts where it stands (a session key of another agent); named, not taken in.
 */
export const problemCodes = [
  "bad-line",
  "long-line",
  "half-line",
  "bad-record",
  "unknown-record",
  "bad-time",
  "unreadable",
  "rewritten",
  "outside-root",
  "conflict",
] as const;
export type ProblemCode = (typeof problemCodes)[number];

export interface Problem {
  readonly code: ProblemCode;
  /** Path of the file, as found. */
  readonly path: string;
  /** 1-based line, where the file has lines. */
  readonly line?: number;
  /** One sentence: the value and what was done about it. Never holds transcript text beyond a record's type. */
  readonly reason: string;
}
