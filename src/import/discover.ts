/**
 * Walks a source's root and yields its files, in path order. A symbolic link is followed only to a file inside the root
 * (SPEC 8.7); linked folders are not entered, as what is in the root is found without them.
 */
import { type BigIntStats, type Dirent, readdirSync, realpathSync, statSync } from "node:fs";
import { join, relative, sep } from "node:path";
import type { Problem } from "../model/problem.ts";
import type { SourceFile } from "../sources/source.ts";

export interface FoundFile extends SourceFile {
  /** Epoch microseconds of the last change: finer than what sources get, as two writes can fall into one millisecond. */
  readonly mtimeUs: number;
  readonly device: number;
  readonly inode: number;
}

/** Whether a root can be walked. One that is not there is no problem: a program that was never used has none. */
export function checkRoot(root: string): { readonly exists: boolean; readonly problem: Problem | null } {
  try {
    readdirSync(root);
    return { exists: true, problem: null };
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return { exists: false, problem: null };
    return {
      exists: true,
      problem: { code: "unreadable", path: root, reason: `the root can't be read: ${reasonOf(error)}` },
    };
  }
}

export function* discover(root: string, problem: (problem: Problem) => void): Generator<FoundFile> {
  let real: string;
  try {
    real = realpathSync(root);
  } catch (error) {
    if (isMissing(error)) return;
    problem({ code: "unreadable", path: root, reason: `the folder can't be opened: ${reasonOf(error)}` });
    return;
  }
  yield* walk(root, real, root, problem);
}

function* walk(
  folder: string,
  realRoot: string,
  root: string,
  problem: (problem: Problem) => void,
): Generator<FoundFile> {
  let entries: Dirent[];
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    problem({ code: "unreadable", path: folder, reason: `the folder can't be listed: ${reasonOf(error)}` });
    return;
  }
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* walk(path, realRoot, root, problem);
    else if (entry.isFile() || entry.isSymbolicLink()) {
      const file = look(path, entry.isSymbolicLink(), realRoot, root, problem);
      if (file) yield file;
    }
  }
}

function look(
  path: string,
  isLink: boolean,
  realRoot: string,
  root: string,
  problem: (problem: Problem) => void,
): FoundFile | null {
  let stats: BigIntStats;
  try {
    if (isLink) {
      const target = realpathSync(path);
      if (target !== realRoot && !target.startsWith(realRoot + sep)) {
        problem({ code: "outside-root", path, reason: "the link leads out of the root; not followed" });
        return null;
      }
    }
    stats = statSync(path, { bigint: true });
  } catch (error) {
    // Gone between listing and looking, or a link to nothing: there is nothing to read.
    if (!isMissing(error)) problem({ code: "unreadable", path, reason: `can't be looked at: ${reasonOf(error)}` });
    return null;
  }
  if (!stats.isFile()) return null;
  return {
    path,
    relative: relative(root, path).split(sep).join("/"),
    root,
    size: Number(stats.size),
    mtimeMs: Number(stats.mtimeNs / 1_000_000n),
    mtimeUs: Number(stats.mtimeNs / 1000n),
    // Windows has 64-bit file ids: what matters is that equal ones stay equal.
    device: Number(BigInt.asUintN(53, stats.dev)),
    inode: Number(BigInt.asUintN(53, stats.ino)),
  };
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Whether an error is the file system's: it costs the file, not the import. */
export function isFileError(error: unknown): boolean {
  return error instanceof Error && "syscall" in error;
}
