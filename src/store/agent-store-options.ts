/** What the operations of a store are given beside entries. */
import type { EntryId } from "../model/ids.ts";
import type { SessionDraft } from "../model/transcript.ts";
import type { DatabaseOptions } from "./open-database.ts";

export interface StoreOptions extends DatabaseOptions {
  /** Most entries that a move of the leaf corrects in its own transaction (SPEC 2.3); `limits.inlineEntries` unless given. */
  readonly inlineEntries?: number;
  /** What is indexed beside messages. */
  readonly index?: IndexOptions;
}

export interface IndexOptions {
  /**
   * Tool calls and results, in an index of their own (SPEC 3.7). The store keeps the choice, whoever opens it later: absent
   * leaves it as it is, which is off in a new one.
   */
  readonly tools?: boolean;
}

/** What may be said of a session while appending to it. */
export interface AppendFacts extends Omit<Partial<SessionDraft>, "agentId" | "sessionKey"> {
  /**
   * The session lives in this process's memory only: no file, no index, no tool ever sees it (SPEC 6.5). Decided when it
   * begins; later calls with its key go to the same place.
   */
  readonly incognito?: boolean;
}

/** A summary that stands for what was said before it in a model's context. */
export interface Compaction {
  readonly id: EntryId;
  readonly summary: string;
  /** First entry that the model still sees in full. */
  readonly firstKeptId?: EntryId;
  /** Epoch ms. */
  readonly timestamp?: number;
}
