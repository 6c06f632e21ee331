/** A legacy store of a program whose transcripts move in here (SPEC 8.10), and what can be done with it. */
import { isAbsolute, normalize } from "node:path";
import { BackscrollError } from "../../errors.ts";
import type { ImportOptions } from "../../import/importer.ts";
import { parseAgentId } from "../../model/ids.ts";
import type { Source } from "../../sources/source.ts";
import type { Home } from "../../store/home.ts";
import { dryRunLegacy } from "./legacy-dry-run.ts";
import { importLegacy } from "./legacy-import.ts";
import { inspectLegacy } from "./legacy-inspect.ts";
import { type FileOperations, fileOperations } from "./legacy-move.ts";
import type {
  LegacyDryRunReport,
  LegacyImportReport,
  LegacyInspectReport,
  LegacyRestoreReport,
  LegacyValidateReport,
} from "./legacy-report.ts";
import { restoreLegacy } from "./legacy-restore.ts";
import { isLegacySource, type LegacyStore } from "./legacy-store.ts";
import { validateLegacy } from "./legacy-validate.ts";

export interface LegacyOptions {
  /** The program's source; it has to know whose file a file is (`ownerOf`). */
  readonly source: Source;
  /** The program's state folder, absolute. */
  readonly folder: string;
  /** One agent's part only. */
  readonly agent?: string;
}

export interface LegacyContext {
  readonly home: Home;
  readonly now: () => number;
  readonly operations?: FileOperations;
}

type Progress = Pick<ImportOptions, "onProgress">;

export class Legacy {
  readonly #store: LegacyStore;
  readonly #home: Home;
  readonly #now: () => number;
  readonly #operations: FileOperations;

  /** @throws {BackscrollError} `bad_input`. */
  constructor(options: LegacyOptions, { home, now, operations = fileOperations }: LegacyContext) {
    this.#store = checked(options);
    this.#home = home;
    this.#now = now;
    this.#operations = operations;
  }

  /** Counts what there is. Reads only. @throws {BackscrollError} `bad_input` when it is no state folder of the program. */
  inspect(): Promise<LegacyInspectReport> {
    return inspectLegacy(this.#home, this.#store, this.#operations);
  }

  /** Imports into a throw-away home below `temporary`; writes neither to this home nor to the legacy store. */
  dryRun(options: Progress & { readonly temporary: string }): Promise<LegacyDryRunReport> {
    const { temporary, ...progress } = options;
    return dryRunLegacy(this.#store, temporary, { ...progress, now: this.#now });
  }

  /** Imports, verifies every file against the store, and moves those that were verified into an archive in the state folder. */
  import(options: Progress = {}): Promise<LegacyImportReport> {
    return importLegacy(this.#home, this.#store, this.#operations, { ...options, now: this.#now });
  }

  /** Compares the files, in their place and in the archives, with the store. `run`: the archive of that run alone. */
  validate(options: { readonly run?: string } = {}): Promise<LegacyValidateReport> {
    return validateLegacy(this.#home, this.#store, options.run);
  }

  /** Moves a run's files back. @throws {BackscrollError} `bad_input` when several runs could be meant. */
  async restore(options: { readonly run?: string } = {}): Promise<LegacyRestoreReport> {
    return restoreLegacy(this.#home, this.#store, this.#operations, options.run);
  }
}

function checked({ source, folder, agent }: LegacyOptions): LegacyStore {
  if (!isLegacySource(source)) {
    throw new BackscrollError(
      "bad_input",
      `${source.name} has no store that could be taken over`,
      "Import its transcripts; they stay where they are.",
    );
  }
  if (!isAbsolute(folder)) {
    throw new BackscrollError(
      "bad_input",
      `the folder ${JSON.stringify(folder)} is not absolute`,
      "Give the whole path.",
    );
  }
  const agentId = agent === undefined ? null : parseAgentId(agent);
  if (agent !== undefined && agentId === null) {
    throw new BackscrollError(
      "bad_input",
      `not an agent id: ${JSON.stringify(agent)}`,
      "Agent ids are 1 to 64 characters of a-z, 0-9, _ and -.",
    );
  }
  return { source, folder: normalize(folder).replace(/(?<=.)[\\/]+$/, ""), agentId };
}
