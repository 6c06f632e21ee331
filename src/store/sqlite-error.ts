/** What SQLite says went wrong, in our words. */
import { BackscrollError } from "../errors.ts";

/** SQLite's result codes that a user can do something about, in our words. Others pass unchanged. */
export function translate(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number") return error;
  const cause = { cause: error };
  switch (error.errcode & 0xff) {
    case 5:
    case 6:
      return new BackscrollError(
        "busy",
        `another process holds the write lock of ${path}`,
        "Nothing was stored. Try again; if it lasts, see which process has the file open.",
        cause,
      );
    case 13:
      return new BackscrollError(
        "io",
        `no space left to write ${path}`,
        "Nothing was stored. Free some disk space and try again.",
        cause,
      );
    case 8:
      return new BackscrollError(
        "io",
        `${path} can't be written`,
        "Check the permissions of the file and its folder.",
        cause,
      );
    case 10:
      return new BackscrollError(
        "io",
        `reading or writing ${path} failed: ${error.message}`,
        "Check the disk and its free space.",
        cause,
      );
    case 11:
    case 26:
      return new BackscrollError(
        "bad_store",
        `${path} is damaged or not a store: ${error.message}`,
        "Move the file away and import again; the transcripts of the agents themselves are not touched.",
        cause,
      );
    default:
      return error;
  }
}

/** Whether SQLite says that the file is damaged, or none of its own; also of an error that was translated. */
export function isDamage(error: unknown): boolean {
  const raw = error instanceof BackscrollError ? error.cause : error;
  if (!(raw instanceof Error) || !("errcode" in raw) || typeof raw.errcode !== "number") return false;
  return [11, 26].includes(raw.errcode & 0xff);
}
