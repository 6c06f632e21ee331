/**
 * Import: discover → fingerprint → read → store, in bounded batches, each one transaction with the offset it ends at.
 * Knows no format by name. Reading the same bytes twice stores nothing twice, so that a killed import, two importers at
 * once, or a file under two roots do no harm.
 */
import type { AgentId } from "../model/ids.ts";
import type { Checkpoint, SourceBatch, SourceItem } from "../sources/source.ts";
import { settleTitles } from "../store/entry-titles.ts";
import type { Home } from "../store/home.ts";
import { countMessages } from "../store/match.ts";
import { type SourceFileRow, saveSourceFile, withoutMemory } from "../store/source-files.ts";
import { transaction } from "../store/transaction.ts";
import { applyBatch, applyEnds, type BatchContext, type StoredItem } from "./apply-batch.ts";
import { isFileError, reasonOf } from "./discover.ts";
import { type FileIdentity, fingerprint, identify, isSame } from "./fingerprint.ts";
import { hasAllAgents, type ImportRoot, type Job, type KnownFile, planImport } from "./plan.ts";
import { addProblem, count, emptyReport, type ImportReport } from "./report.ts";
import type { SeenFiles } from "./seen-files.ts";

export interface ImportOptions {
  /** Called after each batch and each file. */
  readonly onProgress?: (progress: ImportProgress) => void;
  /** Epoch ms after which no further file is begun; what is left is counted as pending. */
  readonly until?: number;
  readonly now: () => number;
}

export interface ImportProgress {
  readonly filesDone: number;
  readonly filesTotal: number;
  readonly bytesDone: number;
  readonly bytesTotal: number;
}

export async function importRoots(
  home: Home,
  roots: readonly ImportRoot[],
  seen: SeenFiles,
  options: ImportOptions,
): Promise<ImportReport> {
  const report = emptyReport();
  const start = options.now();
  const indexedBefore = countIndexed(home);
  const jobs = planImport(home, roots, seen, report);
  const progress = {
    filesDone: 0,
    filesTotal: jobs.length,
    bytesDone: 0,
    bytesTotal: jobs.reduce((sum, job) => sum + unread(job), 0),
  };
  const run = {
    home,
    report,
    seen,
    touched: new Set<string>(),
    forgotten: new Set<string>(),
    agents: new Set<AgentId>(),
  };

  for (const job of jobs) {
    if (options.until !== undefined && options.now() >= options.until) {
      report.files.pending += 1;
      continue;
    }
    try {
      await importFile(job, run, (bytes) => {
        progress.bytesDone += bytes;
        report.bytes += bytes;
        options.onProgress?.({ ...progress });
      });
    } catch (error) {
      if (!isFileError(error)) throw error;
      report.files.failed += 1;
      addProblem(report, {
        code: "unreadable",
        path: job.file.path,
        reason: `reading failed: ${reasonOf(error)}; tried again next time`,
      });
    }
    progress.filesDone += 1;
    options.onProgress?.({ ...progress });
  }

  for (const agentId of run.agents) {
    const { db } = home.store(agentId);
    const waiting = transaction(db, () => settleTitles(db));
    if (waiting > 0) report.ignored["titles of messages that are not here"] = waiting;
  }
  seen.save();
  report.messages = countIndexed(home) - indexedBefore;
  report.sessions = run.touched.size;
  report.forgotten = run.forgotten.size;
  report.ms = options.now() - start;
  return report;
}

function countIndexed(home: Home): number {
  return home.agents().reduce((sum, agentId) => sum + countMessages(home.store(agentId).db, { sees: "everything" }), 0);
}

/** Where reading begins, or null for the start of the file. */
function resumeAt(job: Job): KnownFile | null {
  if (!job.recognition.appendOnly) return null;
  const [row] = [...job.known].sort((a, b) => a.position - b.position);
  // A second reading decides where transcripts end, so one that was cut short begins anew. So does a file of which one
  // agent's part is missing: that agent's database was moved away.
  if (!row || row.stage === "again" || row.position > job.file.size || !hasAllAgents(job.known)) return null;
  const now = fingerprint(job.file.path, row.position);
  return now.head === row.head && now.tail === row.tail ? row : null;
}

function unread(job: Job): number {
  const positions = job.known.map((row) => row.position);
  return job.recognition.appendOnly && positions.length > 0
    ? Math.max(0, job.file.size - Math.min(...positions))
    : job.file.size;
}

/** A head that no file has: the next import takes the file for another one. */
const replaced = "replaced";

interface Run {
  readonly home: Home;
  readonly report: ImportReport;
  readonly seen: SeenFiles;
  readonly touched: Set<string>;
  readonly forgotten: Set<string>;
  readonly agents: Set<AgentId>;
}

async function importFile(job: Job, run: Run, read: (bytes: number) => void): Promise<void> {
  const { source, file, known } = job;
  const { home, report } = run;
  const resume = resumeAt(job);
  const isReread = known.length > 0 && resume === null;
  // One that was marked to be read again is no news to anybody.
  const isAsked = known.every(({ stage }) => stage === "again");
  if (isReread && job.recognition.appendOnly && hasAllAgents(known) && !isAsked) {
    addProblem(report, {
      code: "rewritten",
      path: file.path,
      reason: "not a continuation of what was imported; read again from its start",
    });
  }
  const agents = new Map<AgentId, BatchContext>();
  const join = (agentId: AgentId): BatchContext => {
    let context = agents.get(agentId);
    if (!context) {
      run.agents.add(agentId);
      context = {
        store: home.store(agentId),
        source: source.id,
        file,
        report,
        touched: run.touched,
        forgotten: run.forgotten,
        passedOver: false,
        ends: isReread ? new Map() : null,
        replaying: new Map(),
        writers: new Map(),
      };
      agents.set(agentId, context);
    }
    return context;
  };
  for (const row of known) join(row.agentId);

  const begin = identify(file.path, file.size);
  const from: Checkpoint | null =
    resume && resume.position > 0 ? { offset: resume.position, line: resume.line, state: resume.state } : null;
  const placed = new Set(known.map((row) => row.agentId));
  let position = from?.offset ?? 0;
  let at: Checkpoint = from ?? { offset: 0, line: 0, state: null };
  const rowAt = (stage: SourceFileRow["stage"]): SourceFileRow => ({
    ...place(job, at, begin),
    stage,
    agents: [...agents.keys()],
  });
  // What the reader remembers of a file can be a title: nothing of what was forgotten is kept that way.
  const rowFor = ({ passedOver }: BatchContext, row: SourceFileRow) => (passedOver ? withoutMemory(row) : row);
  for await (const batch of source.read(file, from)) {
    const perAgent = sortOut(batch, report, join);
    // The parts of several agents can't be stored in one transaction. So each agent first gets a row that says where this
    // batch begins: whichever part is missing after a kill, reading goes on from there.
    if (agents.size > 1) {
      const before = rowAt(isReread ? "again" : "first");
      for (const [agentId, context] of agents) {
        if (!placed.has(agentId)) transaction(context.store.db, () => saveSourceFile(context.store.db, before));
      }
    }
    for (const agentId of agents.keys()) placed.add(agentId);
    read(Math.max(0, batch.at.offset - position));
    position = batch.at.offset;
    at = batch.at;
    const row = rowAt(isReread ? "again" : "first");
    for (const [agentId, context] of agents) {
      transaction(context.store.db, () => {
        applyBatch(perAgent.get(agentId) ?? [], context);
        saveSourceFile(context.store.db, rowFor(context, row));
      });
    }
  }
  // Only now is it known that the file was read whole.
  const row = rowAt("whole");
  if (row.head === replaced) {
    addProblem(report, {
      code: "rewritten",
      path: file.path,
      reason: "replaced while it was being read; read again next time",
    });
  }
  for (const context of agents.values()) {
    transaction(context.store.db, () => {
      if (isReread) applyEnds(context);
      saveSourceFile(context.store.db, rowFor(context, row));
    });
  }
  if (agents.size === 0) run.seen.remember(source.id, file, "holds no session");
  if (known.length === 0) report.files.imported += 1;
  else if (isReread) report.files.reread += 1;
  else report.files.grown += 1;
}

/** Counts what is not for a store and sorts the rest by agent. */
function sortOut(
  batch: SourceBatch,
  report: ImportReport,
  join: (agentId: AgentId) => BatchContext,
): Map<AgentId, StoredItem[]> {
  const perAgent = new Map<AgentId, StoredItem[]>();
  for (const item of batch.items) {
    if (item.kind === "ignored") count(report.ignored, item.what);
    else if (item.kind === "problem") addProblem(report, item.problem);
    else {
      const agentId = agentOfItem(item);
      const list = perAgent.get(agentId);
      if (list) list.push(item);
      else {
        join(agentId);
        perAgent.set(agentId, [item]);
      }
    }
  }
  return perAgent;
}

function agentOfItem(item: Extract<SourceItem, { kind: StoredItem["kind"] }>): AgentId {
  return item.kind === "session" ? item.session.agentId : item.agentId;
}

/** The row that remembers how far the file was read. A compressed file's offsets are not those of its bytes. */
function place(job: Job, at: Checkpoint, begin: FileIdentity): Omit<SourceFileRow, "stage" | "agents"> {
  const { file, source } = job;
  const position = file.path.endsWith(".zst") ? Math.min(at.offset, file.size) : at.offset;
  return {
    path: file.path,
    source: source.id,
    device: file.device,
    inode: file.inode,
    size: file.size,
    mtime: file.mtimeUs,
    position: at.offset,
    line: at.line,
    state: at.state,
    ...fingerprint(file.path, position),
    // The hashes are of what lies at the path now: of another file than the one that was read, they would vouch for it.
    ...(isSame(begin, identify(file.path, file.size)) ? {} : { head: replaced }),
  };
}
