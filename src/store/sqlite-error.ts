/** What SQLite says went wrong, in our words. */
import { BackscrollError } from "../errors.ts";

export const makeWritable =
  "Make the file and its folder writable for you (chmod, chown, a disk mounted for writing), or choose another home.";

/** SQLITE_BUSY_SNAPSHOT: waiting would not help, so SQLite refuses at once. */
const busySnapshot = 517;

/** SQLite's extended result code, also where the error is told in our words by now. */
export function resultCode(error: unknown): number | null {
  if (!(error instanceof Error)) return null;
  if ("errcode" in error && typeof error.errcode === "number") return error.errcode;
  return error.cause === undefined ? null : resultCode(error.cause);
}

/** SQLite's result codes that a user can do something about, in our words. Others pass unchanged. */
export function translate(error: unknown, path: string): unknown {
  if (!(error instanceof Error)) return error;
  // A number that no write of ours makes: the driver refuses to hand it over.
  if ("code" in error && error.code === "ERR_OUT_OF_RANGE") return damaged(error, path);
  if (!("errcode" in error) || typeof error.errcode !== "number") return error;
  const cause = { cause: error };
  if (error.errcode === busySnapshot) {
    return new BackscrollError(
      "busy",
      `${path}: another process has written since a read began here that is not finished`,
      "Nothing was stored. Finish or end that read (an export, for instance), then try again.",
      cause,
    );
  }
  switch (error.errcode & 0xff) {
    case 5:
    case 6:
    // Several processes opened, closed and recovered the write-ahead log at once, and waiting for them took too long.
    case 15:
      return new BackscrollError(
        "busy",
        `another process holds the write lock of ${path}`,
        "Nothing was stored. Try again; if it lasts, see which process has the file open.",
        cause,
      );
    case 3:
    case 14:
      return new BackscrollError(
        "io",
        `${path} can't be opened: ${error.message}`,
        "Check that it is a file, and that you may read and write it and its folder.",
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
      return new BackscrollError("io", `${path} can't be written`, makeWritable, cause);
    case 10:
      return new BackscrollError(
        "io",
        `reading or writing ${path} failed: ${error.message}`,
        "Check the disk and its free space.",
        cause,
      );
    // 18, 19, 20: a row too big, against the schema's rules, or of a type that it can't have.
    case 11:
    case 18:
    case 19:
    case 20:
    case 26:
      return damaged(error, path);
    case 1:
      return lacksObject.test(error.message) ? damaged(error, path) : error;
    default:
      return error;
  }
}

/**
 * Our statements are fixed: what they name can only be missing from a store that lost it, and what a migration makes can only
 * be there where the file's mark is wrong.
 */
const lacksObject =
  /no such (?:table|column|index)|vtable constructor failed|invalid fts5 file format|has no column named|duplicate column name|already exists/;

function damaged(cause: Error, path: string): BackscrollError {
  return new BackscrollError(
    "bad_store",
    `${path} is damaged or not a store: ${cause.message}`,
    "Run backscroll doctor, which names the damage, and backscroll doctor --fix, which repairs it.",
    { cause },
  );
}

/** Whether SQLite says that the file is damaged, or none of its own; also of an error that was translated. */
export function isDamage(error: unknown): boolean {
  const raw = error instanceof BackscrollError ? error.cause : error;
  if (!(raw instanceof Error) || !("errcode" in raw) || typeof raw.errcode !== "number") return false;
  return [11, 26].includes(raw.errcode & 0xff);
}
