/** What an import would do: takes everything into a home of its own that is thrown away, and checks every file against that. */
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { toIoError } from "../../errors.ts";
import { type ImportOptions, importRoots } from "../../import/importer.ts";
import { SeenFiles } from "../../import/seen-files.ts";
import { Home } from "../../store/home.ts";
import { checkAll, sum } from "./legacy-import.ts";
import type { LegacyDryRunReport } from "./legacy-report.ts";
import { type LegacyStore, scanLegacy } from "./legacy-store.ts";

/** @param temporary Folder in which the home is made, for its owner alone. It needs room for the whole store. */
export async function dryRunLegacy(
  store: LegacyStore,
  temporary: string,
  options: ImportOptions,
): Promise<LegacyDryRunReport> {
  const scan = scanLegacy(store);
  const folder = makeFolder(temporary);
  const home = new Home(folder, { durability: "normal" });
  try {
    const report = await importRoots(home, scan.roots, new SeenFiles(join(folder, "seen-files.json")), options);
    const checked = await checkAll(home, store, scan.files);
    return {
      mode: "dry-run",
      folder: store.folder,
      files: checked.length,
      counts: sum(checked.map(({ check }) => check)),
      stays: checked.flatMap(({ file, reason }) => (reason === null ? [] : [{ path: file.found.path, reason }])),
      report,
      problems: scan.problems,
    };
  } finally {
    home.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function makeFolder(temporary: string): string {
  try {
    return mkdtempSync(join(temporary, "backscroll-dry-run-"));
  } catch (error) {
    throw toIoError(error, temporary);
  }
}
