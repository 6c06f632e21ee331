/**
 * READ FIRST. Opens a home and wires the flow into one object:
 *
 *   who asks → visibility scope → plan the query → postings under that scope → rank → load what is shown → redact →
 *   cut snippet → bound → answer
 *
 * and the way in: sources → import → transcript store, where an entry and its index rows are one transaction.
 * Folders and the arrows between them: ARCHITECTURE.md. Numbered behaviour: SPEC.md.
 */
import { join, resolve } from "node:path";
import { BackscrollError } from "./errors.ts";
import { type ImportOptions, importRoots } from "./import/importer.ts";
import type { ImportRoot } from "./import/plan.ts";
import type { ImportReport } from "./import/report.ts";
import { Roots } from "./import/roots.ts";
import { SeenFiles } from "./import/seen-files.ts";
import type { HistoryAnswer, SearchAnswer, SessionsAnswer } from "./model/answer.ts";
import { type Caller, owner } from "./model/caller.ts";
import { type AgentId, parseAgentId } from "./model/ids.ts";
import { builtInSources } from "./sources/registry.ts";
import type { Machine, Source } from "./sources/source.ts";
import type { AgentStore } from "./store/agent-store.ts";
import type { IndexOptions } from "./store/agent-store-options.ts";
import type { Removed } from "./store/delete-session.ts";
import { Home } from "./store/home.ts";
import { readIndexChoice, writeIndexChoice } from "./store/index-choice.ts";
import { readStats, type StoreStats } from "./store/stats.ts";
import { hasToolIndex, setToolIndex } from "./store/tool-choice.ts";
import { catalog } from "./tools/catalog.ts";
import { type ExportOptions, exportStore } from "./tools/export-store.ts";
import { parseInput, type Tool, type ToolContext } from "./tools/tool.ts";
import { type BackupOptions, type BackupReport, backUp } from "./upkeep/backup/backup.ts";
import { type BackupFile, listBackups } from "./upkeep/backup/backup-files.ts";
import { type RestoreOptions, type RestoreReport, restore } from "./upkeep/backup/restore.ts";
import { type DoctorOptions, runDoctor } from "./upkeep/doctor/doctor.ts";
import type { DoctorReport } from "./upkeep/doctor/doctor-report.ts";
import {
  type ForgetContext,
  type ForgetPreview,
  type ForgetReceipt,
  forget,
  previewForget,
  type Unforgotten,
  undoForget,
} from "./upkeep/forget/forget.ts";
import { type ForgetRequest, planForget } from "./upkeep/forget/forget-plan.ts";
import { Legacy, type LegacyOptions } from "./upkeep/legacy/legacy.ts";

export interface OpenOptions {
  /** Folder that holds the agents' databases; made when something is first written. */
  readonly home: string;
  /**
   * `full` (the default): an append that returned survives a power cut. `normal`: survives a crash of the process;
   * several times faster, for imports, which can be repeated.
   */
  readonly durability?: "full" | "normal";
  /**
   * Patience for another process's write lock, in milliseconds: {@link limits}.busyWait unless given. After that it is
   * the error `busy`, and nothing was stored.
   */
  readonly busyWait?: number;
  /**
   * Folder in which a store that can't be written may be copied to be read: only where its write-ahead log was left
   * unmerged. Without one, such a store is refused.
   */
  readonly scratch?: string;
  /** IANA name; dates in filters are meant in it. The host's zone unless given. */
  readonly timeZone?: string;
  /** Clock in epoch ms. The host's unless given. */
  readonly now?: () => number;
  /**
   * Most entries that a move of the leaf corrects in its own transaction (SPEC 2.3); `limits.inlineEntries` unless given.
   * Lower for a host that can't spare the time, at the price of answers that are `indexing` for a moment.
   */
  readonly inlineEntries?: number;
  /**
   * What is indexed beside messages (SPEC 3.7). Each store keeps the choice for whoever opens it later; absent leaves that as it
   * is.
   */
  readonly index?: IndexOptions;
  /** Transcript formats to import. The built-in ones unless given. */
  readonly sources?: readonly Source[];
}

/** Opens a home. Touches no file until something is read or written. */
export function open(options: OpenOptions): Backscroll {
  return new Backscroll(options);
}

export class Backscroll {
  readonly #home: Home;
  readonly #roots: Roots;
  readonly #context: Omit<ToolContext, "caller">;

  constructor(options: OpenOptions) {
    const path = resolve(options.home);
    const { durability, busyWait, scratch, inlineEntries, index } = options;
    this.#home = new Home(path, {
      ...(durability !== undefined && { durability }),
      ...(busyWait !== undefined && { busyWait }),
      ...(scratch !== undefined && { scratch }),
      ...(inlineEntries !== undefined && { inlineEntries }),
      ...(index !== undefined && { index }),
    });
    this.#roots = new Roots(path, options.sources ?? builtInSources);
    this.#context = {
      home: this.#home,
      now: options.now ?? Date.now,
      timeZone: () => options.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    };
  }

  /** Finds messages. @throws {BackscrollError} `bad_input`, `unknown_session`. */
  search(input: unknown, caller: Caller = owner): Promise<SearchAnswer> {
    return this.#run(catalog.sessionsSearch, input, caller);
  }

  /** Reads a page of a session. @throws {BackscrollError} `bad_input`, `unknown_session`, `unknown_message`. */
  history(input: unknown, caller: Caller = owner): Promise<HistoryAnswer> {
    return this.#run(catalog.sessionsHistory, input, caller);
  }

  /** Lists sessions. @throws {BackscrollError} `bad_input`. */
  sessions(input: unknown = {}, caller: Caller = owner): Promise<SessionsAnswer> {
    return this.#run(catalog.sessionsList, input, caller);
  }

  /** The roots that an import reads: those remembered for this home, else the programs' default places. */
  roots(machine: Machine): ImportRoot[] {
    return this.#roots.all(machine);
  }

  /** Remembers roots for this home. @throws {BackscrollError} `bad_input`. */
  addRoots(roots: readonly { readonly source: string; readonly folder: string }[]): void {
    this.#roots.add(roots);
  }

  /** Imports what is new or changed below the roots. Repeating it reads nothing that did not change. */
  import(roots: readonly ImportRoot[], options: Omit<ImportOptions, "now"> = {}): Promise<ImportReport> {
    const seen = new SeenFiles(join(this.#home.path, "seen-files.json"));
    return importRoots(this.#home, roots, seen, { ...options, now: this.#context.now });
  }

  /** A program's own store that is to be taken over whole: look, try, import and archive, compare, undo. @throws {BackscrollError} */
  legacy(options: LegacyOptions): Legacy {
    return new Legacy(options, { home: this.#home, now: this.#context.now });
  }

  /** Agents that have a store. */
  agents(): AgentId[] {
    return this.#home.agents();
  }

  /** The store of one agent, for writing: append, rewind, reset, delete. Made when it is new. @throws {BackscrollError} */
  store(agent: string): AgentStore {
    return this.#home.store(agentIdOf(agent));
  }

  /** What a request to forget would remove. Changes nothing. @throws {BackscrollError} as {@link forget}. */
  previewForget(request: ForgetRequest): ForgetPreview {
    return previewForget(planForget(request, this.#home, this.#context));
  }

  /**
   * Removes sessions, a message, or everything that mentions something, from transcripts, index, files and backups of this
   * home; no import brings it back. The receipt proves it (SPEC 2.2).
   * @throws {BackscrollError} `bad_input`, `unknown_session`, `unknown_message`, `busy`, `io`.
   */
  forget(request: ForgetRequest, onProgress?: ForgetContext["onProgress"]): Promise<ForgetReceipt> {
    return Promise.resolve().then(() =>
      forget(planForget(request, this.#home, this.#context), {
        home: this.#home,
        now: this.#context.now,
        ...(onProgress && { onProgress }),
      }),
    );
  }

  /** Lets the next import bring back a session that was forgotten, by key or session id, or its forgotten entries. */
  undoForget(reference: string): Unforgotten {
    return undoForget(reference, this.#home);
  }

  /**
   * Deletes every session of an agent; an import does not bring them back (SPEC 2.2). Returns what was removed, by table.
   * @throws {BackscrollError} `bad_input`.
   */
  deleteAgent(agent: string): Removed {
    return this.store(agent).removeAll(this.#context.now());
  }

  /** Finishes what is pending in every store: dirty transcripts, and what deletions left to purge. */
  async settle(): Promise<void> {
    for (const agentId of this.#home.agents()) await this.#home.store(agentId).reconciler.finish();
  }

  /**
   * Turns the index of tool calls and results on or off, for every agent that is here and those to come (SPEC 3.7). What is
   * stored is indexed in the background, or by {@link settle}; turned off, the index is emptied at once.
   * @throws {BackscrollError} `busy`, `io`.
   */
  indexTools(on: boolean): void {
    writeIndexChoice(this.#home.path, { tools: on });
    for (const agentId of this.#home.agents()) setToolIndex(this.#home.store(agentId).db, on);
  }

  /** Whether tool calls and results are indexed, agent by agent, and for those to come. */
  toolIndexes(): { readonly agents: Readonly<Record<string, boolean>>; readonly new: boolean } {
    const agents = this.#home.agents().map((agentId) => [agentId, hasToolIndex(this.#home.store(agentId).db)] as const);
    return { agents: Object.fromEntries(agents), new: readIndexChoice(this.#home.path).tools ?? false };
  }

  /** Counts and sizes per agent. */
  stats(): { agentId: AgentId; stats: StoreStats }[] {
    return this.#home.agents().map((agentId) => ({ agentId, stats: readStats(this.#home.store(agentId).db) }));
  }

  /** Everything as lines of neutral JSONL, agent by agent. */
  *export(options: Pick<ExportOptions, "reveal"> & { readonly agent?: string }): Generator<string> {
    for (const agentId of this.#home.agents()) {
      if (options.agent !== undefined && options.agent !== agentId) continue;
      yield* exportStore(this.#home.store(agentId), { reveal: options.reveal, now: this.#context.now() });
    }
  }

  /**
   * Copies every agent's store and the home's settings into one file, unmasked, while others go on writing. The file is
   * there whole or not at all. Each store notes the copy in its audit table.
   * @param file One with the time in the home's folder `backups` unless given.
   * @throws {BackscrollError} `bad_input`, `io`, `busy`, `bad_store`.
   */
  backup(file?: string, options: BackupOptions = {}): Promise<BackupReport> {
    return backUp(this.#home, file, this.#context.now(), options);
  }

  /** The backups in the home's folder `backups`, oldest first. */
  backups(): BackupFile[] {
    return listBackups(this.#home.path);
  }

  /**
   * Brings stores back from a backup. Stores that this object has open are closed first; nobody else may have them open.
   * @throws {BackscrollError} `io`, `bad_store`, `bad_input`, `busy`; then every store is as it was.
   */
  restore(file: string, options: RestoreOptions = {}): Promise<RestoreReport> {
    this.#home.close();
    return restore(this.#home.path, file, this.#context.now(), options);
  }

  /**
   * Checks every store, or one agent's: files, schema, transcripts, index, and real searches. With `fix` it repairs what it
   * finds, from the transcripts, and checks again (SPEC 2.8). A damaged file is replaced: stores of that agent that were
   * handed out before are closed then.
   * @throws {BackscrollError} `bad_input` for an agent that is not there.
   */
  doctor(
    options: {
      readonly fix?: boolean;
      readonly agent?: string;
      readonly onProgress?: DoctorOptions["onProgress"];
      /** Read anew after a repair, for what it could not bring back; else the next import does that. */
      readonly roots?: readonly ImportRoot[];
    } = {},
  ): Promise<DoctorReport> {
    const { fix, agent, onProgress, roots } = options;
    return Promise.resolve().then(() =>
      runDoctor(
        {
          ...(fix && { fix }),
          ...(agent !== undefined && { agent: agentIdOf(agent) }),
          ...(onProgress && { onProgress }),
          ...(roots && { importAgain: () => this.import(roots) }),
        },
        { ...this.#context, release: (agentId) => this.#home.release(agentId) },
      ),
    );
  }

  /** Closes every database. Idempotent. */
  close(): void {
    this.#home.close();
  }

  #run<Input, Answer>(tool: Tool<Input, Answer>, input: unknown, caller: Caller): Promise<Answer> {
    // Inside the promise, so that a bad input rejects like every other failure instead of throwing at the call.
    return Promise.resolve().then(() => {
      const parsed = parseInput(tool, input);
      return this.#home.undisturbed(() => tool.run(parsed, { ...this.#context, caller }));
    });
  }
}

function agentIdOf(agent: string): AgentId {
  const agentId = parseAgentId(agent);
  if (agentId !== null) return agentId;
  throw new BackscrollError(
    "bad_input",
    `not an agent id: ${JSON.stringify(agent)}`,
    "Agent ids are 1 to 64 characters of a-z, 0-9, _ and -.",
  );
}
