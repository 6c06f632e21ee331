/**
 * Reads one file of a legacy store again, through its source, and looks up every session and entry of it in the store. Writes
 * nothing: what was deleted stays so, and is counted as deleted.
 */
import { isFileError, reasonOf } from "../../import/discover.ts";
import { limits } from "../../limits.ts";
import type { AgentId } from "../../model/ids.ts";
import type { Problem } from "../../model/problem.ts";
import type { Source, SourceFile, SourceItem } from "../../sources/source.ts";
import { heldEntry, heldTranscript } from "../../store/held-entry.ts";
import type { Home } from "../../store/home.ts";
import { fileState, sha256 } from "./legacy-move.ts";

/**
 * - `missing-session`, `missing-entry`: the file has it, the store has not.
 * - `changed-text`: the store has other words under that id.
 * - `unread`: something of the file could not be read, or it changed meanwhile, so it can't be vouched for.
 * - `other-count`, `changed-file`, `missing-file`: an archived file is not what its manifest says.
 */
export const differenceCodes = [
  "missing-session",
  "missing-entry",
  "changed-text",
  "unread",
  "other-count",
  "changed-file",
  "missing-file",
] as const;
export type DifferenceCode = (typeof differenceCodes)[number];

export type DifferenceCounts = Partial<Record<DifferenceCode, number>>;

export interface LegacyDifference {
  readonly code: DifferenceCode;
  readonly path: string;
  readonly sessionId?: string;
  readonly entryId?: string;
  /** One sentence. */
  readonly reason: string;
}

/** What was found of one or more files. */
export interface LegacyCounts {
  /** Session ids that the files name. */
  sessions: number;
  /** Entries that they hold. */
  entries: number;
  /** Of these: kept as part of another entry. */
  merged: number;
  /** Of these: deleted here, and not brought back. */
  deleted: number;
}

export interface FileCheck {
  readonly counts: LegacyCounts;
  /** Agent and session id of each session that the file names. */
  readonly sessions: ReadonlySet<string>;
  readonly size: number;
  readonly mtime: number;
  readonly sha256: string;
  /** The first ones; the counts are complete. */
  readonly differences: readonly LegacyDifference[];
  readonly differenceCounts: DifferenceCounts;
  readonly problems: readonly Problem[];
}

/** Problems after which a file may hold more than was read of it. A line that is no JSON is none of them: nobody will ever read it. */
const unread = new Set<Problem["code"]>(["half-line", "long-line", "unreadable"]);

export async function checkFile(
  home: Home,
  source: Source,
  file: SourceFile,
  recognition: { readonly as: "transcript" | "facts" },
): Promise<FileCheck> {
  const check = new Check(home, file.path);
  const before = fileState(file.path);
  let hash = "";
  try {
    for await (const { items } of source.read({ ...file, size: before?.size ?? 0 }, null)) {
      for (const item of items) check.take(item, recognition.as);
    }
    hash = sha256(file.path);
  } catch (error) {
    if (!isFileError(error)) throw error;
    check.differ({ code: "unread", reason: `reading failed: ${reasonOf(error)}` });
  }
  const after = fileState(file.path);
  if (before?.size !== after?.size || before?.mtime !== after?.mtime) {
    check.differ({ code: "unread", reason: "it changed while it was read" });
  }
  return {
    counts: { ...check.counts, sessions: check.sessions.size },
    sessions: check.sessions,
    size: before?.size ?? 0,
    mtime: before?.mtime ?? 0,
    sha256: hash,
    differences: check.differences,
    differenceCounts: check.differenceCounts,
    problems: check.problems,
  };
}

class Check {
  readonly counts: LegacyCounts = { sessions: 0, entries: 0, merged: 0, deleted: 0 };
  readonly sessions = new Set<string>();
  readonly differences: LegacyDifference[] = [];
  readonly problems: Problem[] = [];
  readonly differenceCounts: DifferenceCounts = {};
  readonly #home: Home;
  readonly #path: string;
  /** Of the session in hand: entries of one session come in a row. */
  #last: { readonly name: string; readonly held: ReturnType<typeof heldTranscript> } | null = null;

  constructor(home: Home, path: string) {
    this.#home = home;
    this.#path = path;
  }

  take(item: SourceItem, as: "transcript" | "facts"): void {
    if (item.kind === "session") this.#session(item.session.agentId, item.session.sessionId);
    else if (item.kind === "entry") this.#entry(item);
    else if (item.kind === "problem") {
      if (this.problems.length < limits.problemsKept.default) this.problems.push(item.problem);
      const { code, line, reason } = item.problem;
      // A list of sessions that can't be read says nothing that could be compared.
      if (unread.has(code) || (as === "facts" && code === "bad-record")) {
        this.differ({ code: "unread", reason: line === undefined ? reason : `line ${line}: ${reason}` });
      }
    }
  }

  differ(difference: Omit<LegacyDifference, "path">): void {
    this.differenceCounts[difference.code] = (this.differenceCounts[difference.code] ?? 0) + 1;
    if (this.differences.length < limits.problemsKept.default)
      this.differences.push({ path: this.#path, ...difference });
  }

  #session(agentId: AgentId, sessionId: string): ReturnType<typeof heldTranscript> {
    const name = `${agentId} ${sessionId}`;
    if (this.#last?.name === name) return this.#last.held;
    const store = this.#home.existing(agentId);
    const held = store ? heldTranscript(store.db, sessionId) : "missing";
    this.#last = { name, held };
    if (!this.sessions.has(name)) {
      this.sessions.add(name);
      if (held === "missing") this.differ({ code: "missing-session", sessionId, reason: "not in the store" });
    }
    return held;
  }

  #entry({ agentId, sessionId, entry }: Extract<SourceItem, { kind: "entry" }>): void {
    this.counts.entries += 1;
    const transcript = this.#session(agentId, sessionId);
    if (transcript === "deleted") this.counts.deleted += 1;
    if (typeof transcript !== "number") return;
    const held = heldEntry(this.#home.store(agentId).db, transcript, entry);
    if (held === "merged") this.counts.merged += 1;
    else if (held === "deleted") this.counts.deleted += 1;
    else if (held !== "same") {
      const code = held === "missing" ? "missing-entry" : "changed-text";
      const reason = held === "missing" ? "not in the store" : "the store has other words under this id";
      this.differ({ code, sessionId, entryId: entry.id, reason });
    }
  }
}
