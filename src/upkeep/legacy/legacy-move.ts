/**
 * Moves one file so that, whatever the moment of a kill or power cut, its bytes are whole at one of the two places, and
 * nothing is ever overwritten. Into the archive by `rename`, which takes whatever lies there at that moment, all of it.
 * Back by a second name, which fails where a program has made a new file meanwhile. Across devices by a copy that is
 * flushed and compared before the original goes.
 */
import { createHash, randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  copyFileSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  unlinkSync,
  utimesSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { BackscrollError } from "../../errors.ts";
import { flushFolder } from "../../store/make-durable.ts";

/** Each change to the file system by its name, so that a test can stand in for a second device, or end the process at any of them. */
export interface FileOperations {
  link(from: string, to: string): void;
  rename(from: string, to: string): void;
  /** To a name that must not exist. Keeps mode and times. */
  copy(from: string, to: string): void;
  unlink(path: string): void;
  makeFolder(path: string): void;
}

export const fileOperations: FileOperations = {
  link: linkSync,
  rename: renameSync,
  copy(from, to) {
    const { atime, mtime } = lstatSync(from);
    copyFileSync(from, to, constants.COPYFILE_EXCL);
    utimesSync(to, atime, mtime);
    const file = openSync(to, "r+");
    try {
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  },
  unlink: unlinkSync,
  makeFolder: (path) => void mkdirSync(path, { recursive: true, mode: 0o700 }),
};

/** What tells whether a file changed. */
export interface FileState {
  readonly size: number;
  /** Epoch microseconds. */
  readonly mtime: number;
}

/** Null when there is nothing, or no plain file: a link is not one. */
export function fileState(path: string): FileState | null {
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return stats?.isFile() ? { size: Number(stats.size), mtime: Number(stats.mtimeNs / 1000n) } : null;
}

/** Whether anything is there, of whatever kind. */
export function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Hex. */
export function sha256(path: string): string {
  const hash = createHash("sha256");
  const file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  try {
    const chunk = Buffer.allocUnsafe(1024 * 1024);
    for (let count = readSync(file, chunk); count > 0; count = readSync(file, chunk))
      hash.update(chunk.subarray(0, count));
  } finally {
    closeSync(file);
  }
  return hash.digest("hex");
}

/**
 * Into the archive, where nobody else writes. A rename is one step for the file system, so its folders are flushed once for
 * all files, by {@link flushFolder} afterwards; file by file that took two thirds of an import.
 * @throws What the file system throws, `EEXIST` among it; then the file is where it was.
 */
export function archiveFile(from: string, to: string, operations: FileOperations): void {
  operations.makeFolder(dirname(to));
  if (isThere(to)) throw exists(to);
  try {
    operations.rename(from, to);
  } catch (error) {
    if (codeOf(error) !== "EXDEV") throw error;
    copyAcross(from, to, operations);
    flushFolder(dirname(to));
    operations.unlink(from);
  }
}

/** Out of the archive. @throws As {@link archiveFile}. */
export function restoreFile(from: string, to: string, operations: FileOperations): void {
  operations.makeFolder(dirname(to));
  try {
    secondName(from, to, operations);
  } catch (error) {
    if (codeOf(error) !== "EXDEV") throw error;
    copyAcross(from, to, operations);
  }
  flushFolder(dirname(to));
  if (isThere(from)) operations.unlink(from);
}

/** File systems without second names, and systems that don't allow them for this file. */
const noLinks = new Set(["EPERM", "EACCES", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK", "EINVAL"]);

function secondName(from: string, to: string, operations: FileOperations): void {
  try {
    operations.link(from, to);
  } catch (error) {
    if (!noLinks.has(codeOf(error))) throw error;
    if (isThere(to)) throw exists(to);
    operations.rename(from, to);
  }
}

const partMark = ".part-";

function copyAcross(from: string, to: string, operations: FileOperations): void {
  if (isThere(to)) throw exists(to);
  const before = fileState(from);
  const part = `${to}${partMark}${randomBytes(4).toString("hex")}`;
  operations.copy(from, part);
  secondName(part, to, operations);
  if (isThere(part)) operations.unlink(part);
  const isSame = sha256(to) === sha256(from);
  const after = fileState(from);
  if (isSame && before?.size === after?.size && before?.mtime === after?.mtime) return;
  operations.unlink(to);
  throw new BackscrollError("busy", `${from} changed while it was copied`, "Try again when nobody writes to it.");
}

/** Removes what a killed copy to this place left. */
export function removeParts(to: string, operations: FileOperations): void {
  const folder = dirname(to);
  if (!isThere(folder)) return;
  const start = basename(to) + partMark;
  for (const name of readdirSync(folder)) {
    if (name.startsWith(start) && /^[0-9a-f]{8}$/.test(name.slice(start.length))) operations.unlink(join(folder, name));
  }
}

function exists(path: string): Error {
  return Object.assign(new Error(`EEXIST: there is a file already, ${path}`), { code: "EEXIST", syscall: "link" });
}

export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
