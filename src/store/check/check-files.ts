/** The files of a home: whose they are to read, and which don't belong. Opens none. */
import { chmodSync, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { toIoError } from "../../errors.ts";
import { codeOf } from "../private-files.ts";
import { Findings } from "./findings.ts";

/** What a command puts there for a while, or a killed one left: the next that works there takes it away. */
const unfinished = /^\.backscroll-unfinished-/;
const homeNames = [
  /^agents$/,
  /^backups$/,
  /^legacy$/,
  /^roots\.json$/,
  /^index\.json$/,
  /^seen-files\.json$/,
  unfinished,
];
const agentNames = [
  /^transcripts\.sqlite(?:-wal|-shm)?$/,
  /^tombstones\.txt$/,
  /^(?:damaged|replaced)-[\w-]+$/,
  unfinished,
];

/** Posix modes mean nothing on Windows. */
const hasModes = process.platform !== "win32";

export function checkHomeFiles(home: string, findings: Findings): void {
  const strays = checkFolder(home, homeNames, findings);
  // A folder that holds other things too is not ours to close; what lies in it is closed by itself.
  if (strays === 0) checkMode(home, findings);
  // An agent's folder is looked at with the agent.
  for (const name of listed(join(home, "agents"), findings)) {
    const path = join(home, "agents", name);
    if (lstatSync(path).isSymbolicLink()) findings.add("symbolic-link", path);
  }
}

/** @param folder That of one agent. */
export function checkAgentFiles(folder: string, findings: Findings): void {
  checkMode(folder, findings);
  checkFolder(folder, agentNames, findings);
}

/**
 * Makes folders 0700 and files 0600, links left alone. Returns how many were changed. What belongs to somebody else, or lies on
 * a disk that can't be written, stays as it is, and a fault.
 */
export function closeModes(paths: readonly string[]): number {
  let changed = 0;
  for (const path of paths) {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (!hasModes || !stat || stat.isSymbolicLink() || (stat.mode & 0o077) === 0) continue;
    try {
      chmodSync(path, stat.isDirectory() ? 0o700 : 0o600);
      changed += 1;
    } catch (error) {
      if (!["EPERM", "EACCES", "EROFS", "ENOENT"].includes(String(codeOf(error)))) throw toIoError(error, path);
    }
  }
  return changed;
}

/** The paths that belong to a home itself, without its agents' files. */
export function homePaths(home: string): string[] {
  const names = list(home);
  const strays = names.filter((name) => !belongs(name, homeNames));
  const files = names.filter((name) => belongs(name, homeNames)).map((name) => join(home, name));
  return strays.length === 0 ? [home, ...files] : files;
}

export function agentPaths(folder: string): string[] {
  const names = list(folder).filter((name) => belongs(name, agentNames));
  const paths = names.map((name) => join(folder, name));
  return [folder, ...paths, ...paths.filter(isFolder).flatMap((path) => list(path).map((name) => join(path, name)))];
}

function checkFolder(folder: string, known: readonly RegExp[], findings: Findings): number {
  let strays = 0;
  for (const name of listed(folder, findings)) {
    const path = join(folder, name);
    if (!belongs(name, known)) {
      findings.add("stray-file", path);
      strays += 1;
    } else {
      if (lstatSync(path).isSymbolicLink()) findings.add("symbolic-link", path);
      checkMode(path, findings);
    }
  }
  return strays;
}

function checkMode(path: string, findings: Findings): void {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!hasModes || !stat || stat.isSymbolicLink() || (stat.mode & 0o077) === 0) return;
  findings.add("open-mode", `${path} is ${(stat.mode & 0o777).toString(8).padStart(4, "0")}`);
}

function belongs(name: string, known: readonly RegExp[]): boolean {
  return known.some((pattern) => pattern.test(name));
}

/** A link to one is none: what it leads to is not ours. */
function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** One that is not there holds nothing; of one that can't be listed nobody knows. */
function listed(folder: string, findings: Findings): string[] {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    if (codeOf(error) !== "ENOENT") findings.add("unlisted-folder", `${folder} (${codeOf(error)})`);
    return [];
  }
}

/** For closing modes: what can't be listed is named by the check. */
function list(folder: string): string[] {
  return listed(folder, new Findings());
}
