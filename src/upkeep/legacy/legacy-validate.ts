/** Compares the files of a legacy store, in their place or in the archive of a run, with what the store holds. Writes nothing. */
import { limits } from "../../limits.ts";
import type { Problem } from "../../model/problem.ts";
import type { SourceFile } from "../../sources/source.ts";
import type { Home } from "../../store/home.ts";
import {
  checkFile,
  type DifferenceCode,
  type DifferenceCounts,
  type FileCheck,
  type LegacyDifference,
} from "./legacy-check.ts";
import { sum } from "./legacy-import.ts";
import { type Manifest, type ManifestFile, Manifests } from "./legacy-manifest.ts";
import { type FileState, fileState } from "./legacy-move.ts";
import { pathBelow } from "./legacy-path.ts";
import type { LegacyValidateReport } from "./legacy-report.ts";
import { type LegacyStore, scanLegacy } from "./legacy-store.ts";

/** @param run One run's archive; without it, what lies in its place, and every archive. */
export async function validateLegacy(home: Home, store: LegacyStore, run?: string): Promise<LegacyValidateReport> {
  const validation = new Validation(home, store);
  const manifests = new Manifests(home.path, store);
  if (run === undefined) {
    await validation.inPlace();
    const unusable: Problem[] = validation.problems;
    const all = manifests.all((error) => unusable.push({ code: "unreadable", path: home.path, reason: error.message }));
    for (const manifest of all) await validation.archived(manifest);
  } else await validation.archived(manifests.one(run));
  return validation.report();
}

class Validation {
  readonly problems: Problem[] = [];
  readonly #home: Home;
  readonly #store: LegacyStore;
  readonly #checks: FileCheck[] = [];
  readonly #differences: LegacyDifference[] = [];
  readonly #counts: DifferenceCounts = {};

  constructor(home: Home, store: LegacyStore) {
    this.#home = home;
    this.#store = store;
  }

  async inPlace(): Promise<void> {
    const { files, problems } = scanLegacy(this.#store);
    this.problems.push(...problems);
    for (const { found, recognition } of files) {
      if (recognition && recognition.as !== "skip") await this.#check(found, recognition);
    }
  }

  async archived({ run, files }: Manifest): Promise<void> {
    for (const planned of files) {
      if (this.#store.agentId !== null && planned.agentId !== this.#store.agentId) continue;
      const path = pathBelow(this.#store.folder, planned.to);
      const state = fileState(path);
      if (state) await this.#archived(planned, { path, ...state });
      else if (planned.status === "moved" && !fileState(pathBelow(this.#store.folder, planned.from))) {
        this.#differ({ code: "missing-file", path, reason: `run ${run} archived it, and it is in neither place` });
      }
    }
  }

  report(): LegacyValidateReport {
    return {
      mode: "validate",
      folder: this.#store.folder,
      files: this.#checks.length,
      counts: sum(this.#checks),
      differences: this.#differences,
      differenceCounts: this.#counts,
      problems: this.problems,
    };
  }

  async #archived(planned: ManifestFile, { path, size, mtime }: FileState & { readonly path: string }): Promise<void> {
    const file = { path, relative: planned.from, root: this.#store.folder, size, mtimeMs: Math.floor(mtime / 1000) };
    const check = await this.#check(file, planned);
    if (check.sha256 !== planned.sha256) {
      this.#differ({ code: "changed-file", path, reason: "its bytes are not those that were archived" });
    }
    const { sessions, entries } = check.counts;
    if (sessions !== planned.sessions || entries !== planned.entries) {
      const wanted = `${planned.sessions} and ${planned.entries}`;
      const reason = `${sessions} sessions and ${entries} entries, the manifest says ${wanted}`;
      this.#differ({ code: "other-count", path, reason });
    }
  }

  async #check(file: SourceFile, recognition: { readonly as: "transcript" | "facts" }): Promise<FileCheck> {
    const check = await checkFile(this.#home, this.#store.source, file, recognition);
    this.#checks.push(check);
    for (const [code, count] of Object.entries(check.differenceCounts) as [DifferenceCode, number][]) {
      this.#count(code, count);
    }
    for (const difference of check.differences) this.#list(difference);
    return check;
  }

  #differ(difference: LegacyDifference): void {
    this.#count(difference.code, 1);
    this.#list(difference);
  }

  #count(code: DifferenceCode, count: number): void {
    this.#counts[code] = (this.#counts[code] ?? 0) + count;
  }

  #list(difference: LegacyDifference): void {
    if (this.#differences.length < limits.problemsKept.default) this.#differences.push(difference);
  }
}
