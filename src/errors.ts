/**
 * One error class with a closed set of codes. The message names the value that is wrong; the hint names the next step,
 * in words that a person or a model can act on.
 */

export const errorCodes = [
  /** A parameter is missing, of the wrong type or out of range. */
  "bad_input",
  /** No such session, or none that the caller may see: the same words for both (SPEC 6.6). */
  "unknown_session",
  /** No such message in the session. */
  "unknown_message",
  /** The policy refuses; the reason names the setting. */
  "forbidden",
  /** The home's settings file is wrong; nothing is read or written with settings that are not understood. */
  "bad_config",
  /** The store's file is not ours, damaged, or of a newer version. */
  "bad_store",
  /** Another process holds the store for longer than the wait allows. */
  "busy",
  /** The disk is full or the folder can't be written. */
  "io",
  /** The runtime lacks something that is needed. */
  "unsupported",
] as const;
export type ErrorCode = (typeof errorCodes)[number];

export class BackscrollError extends Error {
  override readonly name = "BackscrollError";
  readonly code: ErrorCode;
  /** What to do next. One sentence. */
  readonly hint: string;
  /** With `forbidden`. */
  readonly reason?: DenialReason;

  constructor(
    code: ErrorCode,
    message: string,
    hint: string,
    options?: ErrorOptions & { readonly reason?: DenialReason },
  ) {
    super(message, options);
    this.code = code;
    this.hint = hint;
    if (options?.reason !== undefined) this.reason = options.reason;
  }
}

/** Why a caller was refused (SPEC 6.6); each names the setting that decides, none says whether the session is there. */
export const denialReasons = [
  "incognito_session",
  "self_visibility_restricted",
  "tree_visibility_restricted",
  "sandbox_visibility_restricted",
  "cross_agent_visibility_restricted",
  "agent_to_agent_disabled",
  "agent_to_agent_not_allowed",
] as const;
export type DenialReason = (typeof denialReasons)[number];

/** What the file system says, in our words; other errors pass unchanged. */
export function toIoError(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || !("syscall" in error)) return error;
  return new BackscrollError(
    "io",
    `${path}: ${error.message}`,
    "Check that the folder exists and that you may read and write it.",
    {
      cause: error,
    },
  );
}

/** The shape in which every interface hands a failure over (SPEC 7.5). */
export interface Failure {
  readonly status: "error" | "forbidden";
  readonly error: string;
  readonly code: ErrorCode;
  readonly hint: string;
  /** With `forbidden`: which rule refuses. */
  readonly reason?: DenialReason;
}

export function toFailure(error: BackscrollError): Failure {
  return {
    status: error.code === "forbidden" ? "forbidden" : "error",
    error: error.message,
    code: error.code,
    hint: error.hint,
    ...(error.reason !== undefined && { reason: error.reason }),
  };
}
