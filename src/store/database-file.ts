/** The database's file before SQLite sees it: there, a file, ours alone, and whether it can be written at all. */
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  type Stats,
} from "node:fs";
import { dirname } from "node:path";
import { BackscrollError, toIoError } from "../errors.ts";

/** Name of an agent's database in the agent's folder. */
export const databaseName = "transcripts.sqlite";

/** Bytes of the smallest SQLite file. A shorter one SQLite takes for a new one, and writes over it. */
const smallest = 512;

/**
 * Makes the file before SQLite does, so that it is never readable to others, not even for a moment; SQLite gives its
 * -wal and -shm files the mode of the main file.
 *
 * A file that is there is looked at by its path and never opened: closing it would drop the locks that this process
 * holds on it through SQLite (POSIX locks belong to the process, not to the handle), and another process that closes the
 * file then takes the write-ahead log away from under us.
 *
 * @returns What refuses to let it be written, or null when it can be.
 * @throws {BackscrollError} `bad_store` when something else than a file is there; `io`.
 */
export function privateFile(path: string): unknown {
  try {
    const there = look(path);
    if (there === undefined) {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      makeEmpty(path);
    } else if (!there.isFile()) {
      throw noFile(path, there);
    } else if (there.size > 0 && there.size < smallest) {
      throw new BackscrollError(
        "bad_store",
        `${path} has ${there.size} bytes, too few for a database: it was cut, or is no database`,
        "Move the file away and import again; the transcripts of the agents themselves are not touched.",
      );
    } else if (process.platform !== "win32" && (there.mode & 0o077) !== 0 && isWritable(path)) {
      // A file that was copied or restored with wider modes becomes private again.
      chmodSync(path, 0o600);
    }
    for (const each of [dirname(path), path, `${path}-wal`, `${path}-shm`])
      if (existsSync(each)) accessSync(each, constants.W_OK);
    return null;
  } catch (error) {
    if (!isRefusal(error)) throw error instanceof BackscrollError ? error : cantWrite(path, error);
    return error;
  }
}

/** @throws {BackscrollError} `bad_store` when something else than a file is there, or the file's folder is a link; `io`. */
export function refuseNoFile(path: string): void {
  refuseLink(dirname(path));
  for (const each of [path, `${path}-wal`, `${path}-shm`]) {
    const there = told(each);
    if (there && !there.isFile()) throw noFile(each, there);
  }
}

function noFile(path: string, there: Stats): BackscrollError {
  const what = there.isDirectory() ? "a folder" : there.isSymbolicLink() ? "a symbolic link" : "no file";
  return new BackscrollError(
    "bad_store",
    `${path} is ${what}, where the database should be`,
    "Move it away; to keep the stores elsewhere, choose another home.",
  );
}

/** Deletion and backup promise to know every file of a store: it lies in the home, and nowhere else. */
export function refuseLink(folder: string): void {
  if (told(folder)?.isSymbolicLink() !== true) return;
  throw new BackscrollError(
    "bad_store",
    `${folder} is a symbolic link, where the agent's folder should be`,
    "Put the folder itself there. To keep the stores elsewhere, choose another home, which may be a link.",
  );
}

function told(path: string): Stats | undefined {
  try {
    return look(path);
  } catch (error) {
    throw toIoError(error, path);
  }
}

function look(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw isRefusal(error) ? toIoError(error, path) : error;
  }
}

/** Two processes may make it at once. */
function makeEmpty(path: string): void {
  try {
    closeSync(openSync(path, "ax", 0o600));
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof Error && "code" in error && ["EACCES", "EPERM", "EROFS"].includes(String(error.code));
}

export function cantWrite(path: string, cause: unknown): BackscrollError {
  return new BackscrollError(
    "io",
    `can't write ${path}: ${cause instanceof Error ? cause.message : cause}`,
    "Choose a home folder that can be written.",
    { cause },
  );
}
