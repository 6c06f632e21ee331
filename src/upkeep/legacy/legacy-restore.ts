/** Undoes a run: what lies in its archive goes back to where it was. Nothing there is overwritten; doing it twice is no harm. */
import { join } from "node:path";
import { BackscrollError } from "../../errors.ts";
import type { Home } from "../../store/home.ts";
import { LegacyArchive } from "./legacy-archive.ts";
import { type Manifest, type ManifestFile, Manifests } from "./legacy-manifest.ts";
import type { FileOperations } from "./legacy-move.ts";
import type { LegacyRestoreReport, LegacyStay } from "./legacy-report.ts";
import type { LegacyStore } from "./legacy-store.ts";

/** @param run May be left out where only one has anything to undo. @throws {BackscrollError} `bad_input`. */
export function restoreLegacy(
  home: Home,
  store: LegacyStore,
  operations: FileOperations,
  run?: string,
): LegacyRestoreReport {
  const manifests = new Manifests(home.path, store, operations);
  const archive = new LegacyArchive(store.folder, home, operations);
  const manifest = run === undefined ? theOne(manifests, archive) : manifests.one(run);
  if (!manifest) return { mode: "restore", folder: store.folder, run: null, restored: 0, stays: [] };
  const isMeant = (file: ManifestFile) => store.agentId === null || file.agentId === store.agentId;
  let restored = 0;
  const stays: LegacyStay[] = [];
  const files = manifest.files.map((file) => {
    if (!isMeant(file)) return file;
    archive.tidy(file);
    if (!archive.holds(file)) return file;
    const after = archive.restore(file);
    if (after.status === "restored") restored += 1;
    else stays.push({ path: join(store.folder, file.to), reason: after.reason ?? "not moved" });
    return after;
  });
  archive.flush(files.filter(({ status }) => status === "restored"));
  archive.relocate(files.filter(isMeant), "place");
  archive.prune(files.filter(isMeant));
  const left = files.some((file) => archive.holds(file));
  const after: Manifest = { ...manifest, status: left ? "moved" : "restored", files };
  if (restored > 0 || after.status !== manifest.status) manifests.save(after);
  return { mode: "restore", folder: store.folder, run: manifest.run, restored, stays };
}

function theOne(manifests: Manifests, archive: LegacyArchive): Manifest | null {
  const all = manifests.all((error) => {
    throw error;
  });
  const full = all.filter(({ files }) => files.some((file) => archive.holds(file)));
  if (full.length < 2) return full[0] ?? all.at(-1) ?? null;
  throw new BackscrollError(
    "bad_input",
    `${full.length} runs have archived files: ${full.map(({ run }) => run).join(", ")}`,
    "Name the one to undo with --run; the newest first.",
  );
}
