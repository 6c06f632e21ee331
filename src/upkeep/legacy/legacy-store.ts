/**
 * A legacy store: the state folder of a program, with the folders in it that hold sessions, and what each file there is.
 * The program is known by its source alone. Reads names and first bytes.
 */
import { lstatSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { BackscrollError } from "../../errors.ts";
import { checkRoot, discover, type FoundFile, isFileError, reasonOf } from "../../import/discover.ts";
import { readHead } from "../../import/fingerprint.ts";
import type { ImportRoot } from "../../import/plan.ts";
import type { AgentId } from "../../model/ids.ts";
import type { Problem } from "../../model/problem.ts";
import type { Machine, Recognition, Source } from "../../sources/source.ts";

/** Folder in the state folder where files go that were taken in: beside the source's roots, not below them. */
export const archiveFolder = "backscroll-archive";

export interface LegacyStore {
  readonly source: Source;
  /** Absolute. */
  readonly folder: string;
  /** That agent's part only. */
  readonly agentId: AgentId | null;
}

export interface LegacyFile {
  readonly found: FoundFile;
  /** Path below the state folder, with `/`. */
  readonly name: string;
  readonly agentId: AgentId;
  readonly recognition: Recognition;
  /** The path is a symbolic link: read by an import, never moved. */
  readonly isLink: boolean;
}

export interface LegacyScan {
  readonly files: readonly LegacyFile[];
  /** What an import has to read to take these files in, and no other agent's. */
  readonly roots: readonly ImportRoot[];
  readonly problems: readonly Problem[];
}

const headBytes = 64 * 1024;

/** Whether a source's program has a store that can be taken over whole. */
export function isLegacySource(source: Source): boolean {
  return source.ownerOf !== undefined;
}

/** Names of the folders that hold sessions in the program's state folder. */
export function rootNames(source: Source): string[] {
  const anywhere: Machine = { home: "/", env: {}, platform: "linux" };
  return [...new Set(source.places(anywhere).map((place) => basename(place)))];
}

/** The program's state folders on this machine, where there are any. */
export function legacyFolders(source: Source, machine: Machine): string[] {
  const states = [...new Set(source.places(machine).map((place) => dirname(place)))];
  return states.filter((folder) =>
    [...rootNames(source), archiveFolder].some((name) => statSync(join(folder, name), { throwIfNoEntry: false })),
  );
}

/** @throws {BackscrollError} `bad_input` when the folder is not a state folder of the program. */
export function scanLegacy({ source, folder, agentId }: LegacyStore): LegacyScan {
  const problems: Problem[] = [];
  const files: LegacyFile[] = [];
  const roots = new Set<string>();
  const names = rootNames(source);
  const there = names.filter((name) => lstatSync(join(folder, name), { throwIfNoEntry: false }));
  if (there.length === 0 && !lstatSync(join(folder, archiveFolder), { throwIfNoEntry: false })) {
    throw new BackscrollError(
      "bad_input",
      `${folder} is no state folder of ${source.name}: it holds neither ${names.join(" nor ")}`,
      `Name the folder that ${source.name} keeps its state in, the one that holds ${names[0]}.`,
    );
  }
  for (const name of there) {
    const root = join(folder, name);
    if (!lstatSync(root).isDirectory()) {
      problems.push({ code: "outside-root", path: root, reason: "not a folder of its own, or a link; not followed" });
      continue;
    }
    const { problem } = checkRoot(root);
    if (problem) {
      problems.push(problem);
      continue;
    }
    const all = [...discover(root, (each) => problems.push(each))].flatMap((found) =>
      look(source, name, found, problems),
    );
    const isMixed = all.some((file) => file.agentId !== agentId);
    for (const file of all) {
      if (agentId !== null && file.agentId !== agentId) continue;
      const [first = "", ...deeper] = file.found.relative.split("/");
      if (isToRead(file)) {
        // One agent's folders are roots of their own; what lies beside those of others can't be read without them.
        if (agentId !== null && isMixed && deeper.length === 0) {
          const reason = "lies beside other agents' folders; taken in only without a choice of agent";
          problems.push({ code: "conflict", path: file.found.path, reason });
          continue;
        }
        roots.add(agentId === null || !isMixed ? root : join(root, first));
      }
      files.push(file);
    }
  }
  return { files, roots: [...roots].map((each) => ({ source, folder: each })), problems };
}

export function isToRead({ recognition }: LegacyFile): boolean {
  return recognition !== null && recognition.as !== "skip";
}

function look(source: Source, root: string, found: FoundFile, problems: Problem[]): LegacyFile[] {
  const agentId = source.ownerOf?.(found);
  if (agentId === undefined) return [];
  try {
    const recognition = source.recognise(found, readHead(found.path, Math.min(headBytes, found.size)));
    const isLink = lstatSync(found.path).isSymbolicLink();
    return [{ found, name: `${root}/${found.relative}`, agentId, recognition, isLink }];
  } catch (error) {
    if (!isFileError(error)) throw error;
    problems.push({ code: "unreadable", path: found.path, reason: `can't be looked at: ${reasonOf(error)}` });
    return [];
  }
}
