/** Stores one batch of a source in one agent's database. Runs inside the importer's transaction for that batch. */
import { BackscrollError } from "../errors.ts";
import type { SourceId } from "../model/ids.ts";
import type { SourceFile, SourceItem } from "../sources/source.ts";
import type { AgentStore } from "../store/agent-store.ts";
import { titleByEntry } from "../store/entry-titles.ts";
import { applyFacts, transcriptById } from "../store/sessions.ts";
import { hasTombstone } from "../store/tombstones.ts";
import { TranscriptWriter } from "../store/transcript-writer.ts";
import { FileEnd } from "./file-end.ts";
import { addProblem, type ImportReport } from "./report.ts";

export type StoredItem = Extract<SourceItem, { kind: "session" | "entry" | "alias" | "leaf" | "title" }>;

export interface BatchContext {
  readonly store: AgentStore;
  readonly source: SourceId;
  readonly file: SourceFile;
  readonly report: ImportReport;
  /** Session keys that got something in this run, over all files. */
  readonly touched: Set<string>;
  /** Per session id: kept from batch to batch of the file, with the ids that they know. */
  readonly writers: Map<string, TranscriptWriter>;
  /** Per session id: whether the last entry read was there before. */
  readonly replaying: Map<string, boolean>;
  /** Session ids that were deleted, over all files of the run: passed over. */
  readonly forgotten: Set<string>;
  /** Whether this file has said something of one of those. */
  passedOver: boolean;
  /** Per session id: where the file says that it ends. Null for a file that is not read anew. */
  readonly ends: Map<string, FileEnd> | null;
}

function nameOf(item: StoredItem): string {
  if (item.kind === "entry") return `entry ${item.entry.id} of session ${item.sessionId}`;
  if (item.kind === "leaf") return `a leaf at ${item.targetId} of session ${item.sessionId}`;
  return item.kind === "session" ? `session ${item.session.sessionId}` : item.kind;
}

export function applyBatch(items: readonly StoredItem[], context: BatchContext): void {
  const { store, source, file, report } = context;
  const used = new Set<TranscriptWriter>();
  // Asked once per transcript and batch, and only where anything was ever forgotten.
  const asked = new Map<string, boolean>();
  const isForgotten = (sessionId: string): boolean => {
    let forgotten = asked.get(sessionId);
    if (forgotten === undefined) {
      forgotten = hasTombstone(store.db, sessionId);
      asked.set(sessionId, forgotten);
      if (forgotten) {
        context.forgotten.add(sessionId);
        context.passedOver = true;
      }
    }
    return forgotten;
  };

  const writerOf = (sessionId: Extract<StoredItem, { kind: "entry" }>["sessionId"]): TranscriptWriter => {
    let writer = context.writers.get(sessionId);
    if (!writer || !used.has(writer)) {
      const row =
        transcriptById(store.db, sessionId) ??
        applyFacts(store.db, store.agentId, { agentId: store.agentId, sessionId }, source);
      if (!writer?.isCurrent(row)) {
        writer = new TranscriptWriter(store.db, row, {
          onRepeat: "replace",
          passForgotten: true,
          fallbackTime: file.mtimeMs,
        });
        context.writers.set(sessionId, writer);
      }
      used.add(writer);
    }
    return writer;
  };

  for (const item of items) {
    const sessionId = item.kind === "session" ? item.session.sessionId : item.kind === "title" ? null : item.sessionId;
    if (sessionId !== null && isForgotten(sessionId)) continue;
    try {
      switch (item.kind) {
        case "session":
          applyFacts(store.db, store.agentId, item.session, source);
          break;
        case "entry": {
          const writer = writerOf(item.sessionId);
          const end = endOf(item.sessionId, context);
          const isNew = writer.find(item.entry.id) === undefined;
          if (end && isNew && !writer.fillsLost(item.entry.id)) end.standAt(writer);
          const outcome = writer.write(item.entry);
          context.replaying.set(item.sessionId, outcome === "same");
          if (outcome === "forgotten") {
            report.forgottenEntries += 1;
            context.passedOver = true;
          } else {
            report.entries[outcome] += 1;
            if (outcome !== "same") context.touched.add(writer.sessionKey);
          }
          end?.passEntry(item.entry, writer);
          break;
        }
        case "alias": {
          const writer = writerOf(item.sessionId);
          const no = item.of === null ? null : writer.find(item.of);
          // An unknown target stands for "whatever the leaf is now", as an unknown parent does.
          writer.alias(item.id, no === undefined ? writer.leaf : no);
          break;
        }
        case "leaf": {
          const writer = writerOf(item.sessionId);
          const end = endOf(item.sessionId, context);
          if (end) end.passMove(item, writer);
          // In a stretch that is stored already (a copy, another importer) the move was made and left behind long ago.
          else if (!context.replaying.get(item.sessionId) && !writer.control(item))
            addProblem(report, {
              code: "bad-record",
              path: file.path,
              reason: `${nameOf(item)}: no such entry; left out`,
            });
          break;
        }
        case "title":
          titleByEntry(store.db, item.entryId, item.text, item.rank);
          break;
      }
    } catch (error) {
      if (!(error instanceof BackscrollError) || error.code !== "bad_input") throw error;
      const code = item.kind === "entry" ? "bad-record" : "conflict";
      addProblem(report, { code, path: file.path, reason: `${nameOf(item)}: ${error.message}; not taken in` });
    }
  }
  for (const writer of used) writer.flush();
}

function endOf(sessionId: string, { ends, store }: BatchContext): FileEnd | null {
  if (ends === null) return null;
  const end = ends.get(sessionId) ?? new FileEnd(store.db);
  ends.set(sessionId, end);
  return end;
}

/** A file that was read anew says how its transcripts end, also where none of its entries is new. */
export function applyEnds(context: BatchContext): void {
  const { store, file } = context;
  for (const [sessionId, end] of context.ends ?? []) {
    const row = transcriptById(store.db, sessionId);
    if (!row) continue;
    const writer = new TranscriptWriter(store.db, row, { onRepeat: "replace", fallbackTime: file.mtimeMs });
    end.apply(writer);
    writer.flush();
  }
}
