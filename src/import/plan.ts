/**
 * What there is to read: every file below the roots is looked at, and opened only where it is new or changed. Moved files
 * are known again, what can't be read is named, and facts about sessions come before transcripts.
 */
import { sep } from "node:path";
import type { AgentId } from "../model/ids.ts";
import type { Recognition, Source } from "../sources/source.ts";
import type { Home } from "../store/home.ts";
import { moveSourceFile, type SourceFileRow, sourceFiles } from "../store/source-files.ts";
import { checkRoot, discover, type FoundFile, isFileError, reasonOf } from "./discover.ts";
import { fingerprint, readHead } from "./fingerprint.ts";
import { addProblem, count, type ImportReport } from "./report.ts";
import type { SeenFiles } from "./seen-files.ts";

export interface ImportRoot {
  readonly source: Source;
  /** Absolute folder. */
  readonly folder: string;
}

/** A file with something to read. */
export interface Job {
  readonly source: Source;
  readonly file: FoundFile;
  readonly recognition: Exclude<Recognition, null | { as: "skip" }>;
  readonly known: readonly KnownFile[];
}

export interface KnownFile extends SourceFileRow {
  readonly agentId: AgentId;
}

/** Bytes that a source sees of a file to recognise it. */
const headBytes = 64 * 1024;

/** Looks at every file without reading those that did not change; facts come before transcripts. */
export function planImport(home: Home, roots: readonly ImportRoot[], seen: SeenFiles, report: ImportReport): Job[] {
  const known = loadKnown(home);
  const jobs: Job[] = [];
  const there = new Set<string>();
  const fresh: { source: Source; file: FoundFile }[] = [];
  const take = (source: Source, file: FoundFile, rows: readonly KnownFile[]) => {
    let recognition: Recognition;
    try {
      recognition = source.recognise(file, readHead(file.path, Math.min(headBytes, file.size)));
    } catch (error) {
      if (!isFileError(error)) throw error;
      report.files.failed += 1;
      addProblem(report, {
        code: "unreadable",
        path: file.path,
        reason: `can't be opened: ${reasonOf(error)}; tried again next time`,
      });
      return;
    }
    if (recognition === null || recognition.as === "skip") {
      const reason = recognition === null ? null : recognition.reason;
      seen.remember(source.id, file, reason);
      noteSkipped(report, reason);
      return;
    }
    jobs.push({ source, file, recognition, known: rows });
  };

  const unreadable = new Set<string>();
  for (const { source, folder } of roots) {
    const root = checkRoot(folder);
    if (root.problem) {
      addProblem(report, root.problem);
      report.files.rootsFailed += 1;
    }
    if (root.problem || !root.exists) {
      unreadable.add(folder);
      continue;
    }
    for (const file of discover(folder, (problem) => addProblem(report, problem))) {
      if (there.has(`${source.id} ${file.path}`)) continue;
      there.add(`${source.id} ${file.path}`);
      report.files.found += 1;
      const rows = (known.get(file.path) ?? []).filter((row) => row.source === source.id);
      if (rows.length > 0) {
        if (hasAllAgents(rows) && rows.every((row) => isUnchanged(row, file))) report.files.unchanged += 1;
        else take(source, file, rows);
        continue;
      }
      const verdict = seen.lookUp(source.id, file);
      if (verdict !== undefined) noteSkipped(report, verdict);
      else fresh.push({ source, file });
    }
  }
  // A root that is away (a drive that is not there) says nothing about its files.
  const readable = roots.filter(({ folder }) => !unreadable.has(folder));
  const vanished = [...known.values()]
    .flat()
    .filter((row) => isBelow(row, readable) && !there.has(`${row.source} ${row.path}`));
  for (const { source, file } of fresh) {
    const rows = adopt(home, file, source, vanished);
    if (rows.length > 0 && hasAllAgents(rows) && rows.every((row) => isUnchanged(row, file)))
      report.files.unchanged += 1;
    else take(source, file, rows);
  }
  report.files.vanished = new Set(vanished.map((row) => row.path)).size;
  return [
    ...jobs.filter((job) => job.recognition.as === "facts"),
    ...jobs.filter((job) => job.recognition.as === "transcript"),
  ];
}

/** Whether every agent that the file feeds still has its row. */
export function hasAllAgents(rows: readonly KnownFile[]): boolean {
  const there = new Set(rows.map((row) => row.agentId));
  return rows.every((row) => row.agents.every((agentId) => there.has(agentId)));
}

function isUnchanged(row: KnownFile, file: FoundFile): boolean {
  return row.stage === "whole" && row.size === file.size && row.mtime === file.mtimeUs;
}

function noteSkipped(report: ImportReport, reason: string | null): void {
  if (reason === null) report.files.foreign += 1;
  else {
    report.files.skipped += 1;
    count(report.skipped, reason);
  }
}

function isBelow(row: KnownFile, roots: readonly ImportRoot[]): boolean {
  return roots.some(({ source, folder }) => source.id === row.source && row.path.startsWith(folder + sep));
}

/** A file that was moved or renamed keeps its place: same disk record, same first bytes. Takes it out of `vanished`. */
function adopt(home: Home, file: FoundFile, source: Source, vanished: KnownFile[]): KnownFile[] {
  const same = vanished.filter(
    (row) =>
      row.source === source.id && row.inode === file.inode && row.device === file.device && file.size >= row.position,
  );
  const adopted: KnownFile[] = [];
  for (const row of same) {
    if (fingerprint(file.path, row.position).head !== row.head) continue;
    moveSourceFile(home.store(row.agentId).db, row.path, file.path);
    vanished.splice(vanished.indexOf(row), 1);
    adopted.push({ ...row, path: file.path });
  }
  return adopted;
}

function loadKnown(home: Home): Map<string, KnownFile[]> {
  const known = new Map<string, KnownFile[]>();
  for (const agentId of home.agents()) {
    for (const row of sourceFiles(home.store(agentId).db)) {
      const list = known.get(row.path);
      if (list) list.push({ ...row, agentId });
      else known.set(row.path, [{ ...row, agentId }]);
    }
  }
  return known;
}
