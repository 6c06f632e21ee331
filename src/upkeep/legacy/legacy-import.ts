/**
 * Takes a legacy store in: import, verify every file against the store, write the manifest, move what was verified. What
 * could not be verified stays where it is.
 */
import { join } from "node:path";
import { type ImportOptions, importRoots } from "../../import/importer.ts";
import { SeenFiles } from "../../import/seen-files.ts";
import type { Problem } from "../../model/problem.ts";
import type { Home } from "../../store/home.ts";
import { makeDurable } from "../../store/make-durable.ts";
import { LegacyArchive } from "./legacy-archive.ts";
import { checkFile, type FileCheck, type LegacyCounts, type LegacyDifference } from "./legacy-check.ts";
import { archivedName, type Manifest, type ManifestFile, Manifests, newRun } from "./legacy-manifest.ts";
import { type FileOperations, isThere } from "./legacy-move.ts";
import type { LegacyImportReport, LegacyStay } from "./legacy-report.ts";
import { archiveFolder, isToRead, type LegacyFile, type LegacyStore, scanLegacy } from "./legacy-store.ts";

export interface Checked {
  readonly file: LegacyFile;
  readonly check: FileCheck;
  readonly as: "transcript" | "facts";
  /** Why it has to stay. */
  readonly reason: string | null;
}

/** Checks every file that an import reads; lists of sessions last, as they go along only with all of their agent's transcripts. */
export async function checkAll(home: Home, store: LegacyStore, files: readonly LegacyFile[]): Promise<Checked[]> {
  const checked: Checked[] = [];
  for (const file of inOrder(files)) {
    const { recognition } = file;
    if (recognition === null || recognition.as === "skip") continue;
    const check = await checkFile(home, store.source, file.found, recognition);
    checked.push({ file, as: recognition.as, check, reason: reasonToStay(file, check) });
  }
  return checked.map((each) => {
    if (each.reason !== null || each.as !== "facts") return each;
    const { agentId } = each.file;
    const left = checked.filter(
      (other) => other.file.agentId === agentId && other.as === "transcript" && other.reason !== null,
    );
    return left.length === 0 ? each : { ...each, reason: listStays(left.length) };
  });
}

function inOrder(files: readonly LegacyFile[]): LegacyFile[] {
  const isFacts = (file: LegacyFile) => Number(file.recognition?.as === "facts");
  return files.filter(isToRead).sort((a, b) => isFacts(a) - isFacts(b));
}

function listStays(left: number): string {
  return left === 1
    ? "a transcript of its agent stays, and may need it"
    : `${left} transcripts of its agent stay, and may need it`;
}

function reasonToStay({ found, isLink }: LegacyFile, { differences, differenceCounts }: FileCheck): string | null {
  if (isLink) return "a symbolic link; links are never moved";
  if (isThere(`${found.path}.lock`)) {
    return "a lock file lies beside it: the program may be writing to it. Stop it, or remove a lock that nobody holds";
  }
  const [first] = differences;
  if (!first) return null;
  const more = Object.values(differenceCounts).reduce((total, count) => total + count, -1);
  const where = [first.sessionId, first.entryId].filter((id) => id !== undefined).join(" ");
  return `not verified: ${first.code}${where === "" ? "" : ` ${where}`}: ${first.reason}${more === 0 ? "" : ` (and ${more} more)`}`;
}

/** Of all files together: a session that several of them name is one. */
export function sum(checks: readonly FileCheck[]): LegacyCounts {
  const sessions = new Set(checks.flatMap((check) => [...check.sessions]));
  const total: LegacyCounts = { sessions: sessions.size, entries: 0, merged: 0, deleted: 0 };
  for (const { counts } of checks) {
    total.entries += counts.entries;
    total.merged += counts.merged;
    total.deleted += counts.deleted;
  }
  return total;
}

export async function importLegacy(
  home: Home,
  store: LegacyStore,
  operations: FileOperations,
  options: ImportOptions,
): Promise<LegacyImportReport> {
  const problems: Problem[] = [];
  const manifests = new Manifests(home.path, store, operations);
  const archive = new LegacyArchive(store.folder, home, operations);
  // A run that was killed goes on under its own name.
  const killed = manifests
    .all((error) => problems.push({ code: "unreadable", path: home.path, reason: error.message }))
    .findLast(({ status }) => status === "moving");
  const before = (killed?.files ?? []).map((file) => archive.settle(file)).filter(({ status }) => status === "moved");

  const scan = scanLegacy(store);
  problems.push(...scan.problems);
  const seen = new SeenFiles(join(home.path, "seen-files.json"));
  const report = await importRoots(home, scan.roots, seen, options);
  const checked = await checkAll(home, store, scan.files);
  const stays: LegacyStay[] = checked.flatMap(({ file, reason }) =>
    reason === null ? [] : [{ path: file.found.path, reason }],
  );
  const differences: LegacyDifference[] = checked.flatMap(({ check }) => check.differences);
  const going = checked.filter(({ reason }) => reason === null);
  const answer = {
    mode: "import" as const,
    folder: store.folder,
    files: checked.length,
    verified: going.length,
    counts: sum(checked.map(({ check }) => check)),
    differences,
    report,
    problems,
  };
  if (going.length === 0 && !killed) return { ...answer, run: null, manifest: null, archive: null, moved: 0, stays };

  const run = killed?.run ?? newRun(options.now());
  const planned = going.map((each) => planOf(run, each));
  const replaced = new Set(planned.map(({ from }) => from));
  // A name that is in the archive already and in its place again can't go there a second time.
  const manifest: Manifest = {
    version: 1,
    run,
    at: killed?.at ?? options.now(),
    source: store.source.id,
    folder: store.folder,
    status: "moving",
    files: [...before, ...planned.filter(({ from }) => !before.some((file) => file.from === from))],
  };
  for (const { from } of before) {
    if (replaced.has(from))
      stays.push({ path: join(store.folder, from), reason: "the run archived one of that name already; run it again" });
  }
  for (const agentId of home.agents()) makeDurable(home.store(agentId).db);
  manifests.save(manifest);
  const files = moveAll(manifest.files, archive);
  const moved = files.filter(({ status }) => status === "moved");
  archive.flush(moved);
  archive.relocate(moved, "archive");
  manifests.save({ ...manifest, status: "moved", files });
  for (const { from, status, reason } of files) {
    if (status !== "moved") stays.push({ path: join(store.folder, from), reason: reason ?? "not moved" });
  }
  return {
    ...answer,
    run,
    manifest: manifests.path(run),
    archive: join(store.folder, archiveFolder, run),
    moved: moved.length,
    stays,
  };
}

function planOf(run: string, { file, as, check }: Checked): ManifestFile {
  return {
    from: file.name,
    to: archivedName(run, file.name),
    agentId: file.agentId,
    as,
    size: check.size,
    mtime: check.mtime,
    sha256: check.sha256,
    sessions: check.counts.sessions,
    entries: check.counts.entries,
    status: "planned",
  };
}

/** Transcripts first: a list of sessions goes only where none of its agent's stayed after all. */
function moveAll(files: readonly ManifestFile[], archive: LegacyArchive): ManifestFile[] {
  const left = new Map<string, number>();
  return files.map((file) => {
    if (file.status !== "planned") return file;
    const stayed = left.get(file.agentId) ?? 0;
    if (file.as === "facts" && stayed > 0) return { ...file, status: "stayed", reason: listStays(stayed) };
    const after = archive.archive(file);
    if (after.status !== "moved") left.set(file.agentId, stayed + 1);
    return after;
  });
}
