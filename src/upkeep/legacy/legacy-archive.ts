/**
 * The files of one run on their way into the archive and back. The disk says how far that went: a file of the manifest lies
 * in one of two places, and where a kill left it in both, the second one is taken away.
 */
import { lstatSync, rmdirSync } from "node:fs";
import { dirname } from "node:path";
import { BackscrollError } from "../../errors.ts";
import { isFileError, reasonOf } from "../../import/discover.ts";
import type { Home } from "../../store/home.ts";
import { flushFolder } from "../../store/make-durable.ts";
import { moveSourceFile, sourceFiles } from "../../store/source-files.ts";
import { transaction } from "../../store/transaction.ts";
import type { ManifestFile } from "./legacy-manifest.ts";
import {
  archiveFile,
  type FileOperations,
  type FileState,
  fileState,
  isThere,
  removeParts,
  restoreFile,
  sha256,
} from "./legacy-move.ts";
import { pathBelow } from "./legacy-path.ts";

export class LegacyArchive {
  /** State folder of the program, absolute. */
  readonly #folder: string;
  readonly #home: Home;
  readonly #operations: FileOperations;

  constructor(folder: string, home: Home, operations: FileOperations) {
    this.#folder = folder;
    this.#home = home;
    this.#operations = operations;
  }

  /** Whether the file lies in the archive. @throws {BackscrollError} as {@link pathBelow}. */
  holds(file: ManifestFile): boolean {
    return fileState(pathBelow(this.#folder, file.to)) !== null;
  }

  /** Removes what killed copies left at either place. */
  tidy(file: ManifestFile): void {
    removeParts(pathBelow(this.#folder, file.to), this.#operations);
    removeParts(pathBelow(this.#folder, file.from), this.#operations);
  }

  /** Finishes what a killed run began with a file. */
  settle(file: ManifestFile): ManifestFile {
    const from = pathBelow(this.#folder, file.from);
    const to = pathBelow(this.#folder, file.to);
    this.tidy(file);
    if (!isThere(to)) return file;
    // In both places: the copy to another device was killed before the original went, or the way back was.
    if (isThere(from) && isSameFile(from, to, file)) this.#operations.unlink(from);
    return { ...file, status: "moved" };
  }

  /** Moves a file that is still what it was when it was verified. */
  archive(file: ManifestFile): ManifestFile {
    return attempt(file, () => {
      const from = pathBelow(this.#folder, file.from);
      const to = pathBelow(this.#folder, file.to);
      if (!isSameState(fileState(from), file) || sha256(from) !== file.sha256)
        return "it changed since it was verified";
      archiveFile(from, to, this.#operations);
      const moved = fileState(to);
      // A copy on another device may keep its time less exactly.
      if (moved?.size === file.size && (moved.mtime === file.mtime || sha256(to) === file.sha256)) return null;
      // Somebody wrote in the moment between looking and moving. It is whole in the archive; back it goes.
      restoreFile(to, from, this.#operations);
      return "it changed while it was moved, and was put back";
    });
  }

  /** Moves a file back. One that is in its place again, with other content, is left alone. */
  restore(file: ManifestFile): ManifestFile {
    return attempt(
      { ...file, status: "moved" },
      () => {
        const from = pathBelow(this.#folder, file.from);
        const to = pathBelow(this.#folder, file.to);
        if (isThere(from)) {
          if (!isSameFile(from, to, file))
            return "there is a file in its place; the archived one was left in the archive";
          this.#operations.unlink(to);
        } else restoreFile(to, from, this.#operations);
        return null;
      },
      "restored",
    );
  }

  /** Makes the moves survive a power cut. */
  flush(files: readonly ManifestFile[]): void {
    const folders = files.flatMap(({ from, to }) => [from, to].map((name) => dirname(pathBelow(this.#folder, name))));
    for (const folder of new Set(folders)) flushFolder(folder);
  }

  /** Removes the run's folders that are empty. */
  prune(files: readonly ManifestFile[]): void {
    const folders = new Set<string>();
    for (const { to } of files) {
      const segments = to.split("/").slice(0, -1);
      for (let depth = segments.length; depth > 0; depth--) folders.add(segments.slice(0, depth).join("/"));
    }
    for (const name of [...folders].sort((a, b) => b.length - a.length)) {
      try {
        rmdirSync(pathBelow(this.#folder, name));
      } catch (error) {
        // Not empty, not there, a link: it stays as it is.
        if (!(error instanceof BackscrollError) && !isFileError(error)) throw error;
      }
    }
  }

  /** What the store remembers of how far each file was read goes where the file went. */
  relocate(files: readonly ManifestFile[], to: "archive" | "place"): void {
    const moves = files.map((file) => {
      const place = pathBelow(this.#folder, file.from);
      const archived = pathBelow(this.#folder, file.to);
      return to === "archive" ? [place, archived] : [archived, place];
    });
    for (const agentId of this.#home.agents()) {
      const { db } = this.#home.store(agentId);
      const known = new Set(sourceFiles(db).map(({ path }) => path));
      const wanted = moves.filter(([from = ""]) => known.has(from) && !isThere(from));
      if (wanted.length === 0) continue;
      transaction(db, () => {
        for (const [from = "", where = ""] of wanted) moveSourceFile(db, from, where);
      });
    }
  }
}

function attempt(file: ManifestFile, work: () => string | null, done: ManifestFile["status"] = "moved"): ManifestFile {
  const { reason: _reason, ...plain } = file;
  try {
    const reason = work();
    if (reason === null) return { ...plain, status: done };
    return { ...plain, status: done === "moved" ? "stayed" : file.status, reason };
  } catch (error) {
    if (!(error instanceof BackscrollError) && !isFileError(error)) throw error;
    return {
      ...plain,
      status: done === "moved" ? "stayed" : file.status,
      reason: `can't be moved: ${reasonOf(error)}`,
    };
  }
}

function isSameState(now: FileState | null, { size, mtime }: FileState): boolean {
  return now !== null && now.size === size && now.mtime === mtime;
}

/** One file under two names, or two that are both what the manifest says. */
function isSameFile(one: string, two: string, file: ManifestFile): boolean {
  const [first, second] = [lstatSync(one, { bigint: true }), lstatSync(two, { bigint: true })];
  if (!first.isFile() || !second.isFile()) return false;
  if (first.dev === second.dev && first.ino === second.ino) return true;
  return sha256(one) === file.sha256 && sha256(two) === file.sha256;
}
