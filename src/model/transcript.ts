/**
 * The nouns of a transcript: session, entry, message, part (glossary in ARCHITECTURE.md).
 * Allowed values are constant arrays from which the types derive, so a check and its type can't differ.
 */
import type { AgentId, EntryId, SessionId, SessionKey, SourceId } from "./ids.ts";

export const sessionKinds = [
  "main",
  "direct",
  "group",
  "channel",
  "thread",
  "subagent",
  "cron",
  "hook",
  "imported",
  "other",
] as const;
export type SessionKind = (typeof sessionKinds)[number];

export const roles = ["user", "assistant", "toolResult", "system", "other"] as const;
export type Role = (typeof roles)[number];

/** Entry types with a meaning to the store (SPEC 1.3). Any other type is kept as it is and never indexed. */
export const entryTypes = [
  "message",
  "compaction",
  "branch_summary",
  "custom",
  "custom_message",
  "model_change",
  "thinking_level_change",
  "label",
  "session_info",
  "reset",
  "leaf",
  // What is left of an entry that was deleted: its id and place.
  "deleted",
] as const;

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** A typed piece of a message. */
export type Part =
  /** Words. `injected` marks words that the harness put there (reminders, envelopes, command wrappers): kept, never searched. */
  | { readonly type: "text"; readonly text: string; readonly injected?: true }
  | { readonly type: "thinking"; readonly text: string }
  | { readonly type: "toolCall"; readonly id?: string; readonly name: string; readonly arguments: Json }
  | {
      readonly type: "toolResult";
      readonly id?: string;
      readonly name?: string;
      readonly text: string;
      readonly isError?: true;
    }
  /** `data` is base64 as found; `url` where the image was only referred to. */
  | { readonly type: "image"; readonly mime?: string; readonly data?: string; readonly url?: string }
  | { readonly type: "other"; readonly value: Json };

/**
 * How an entry finds its place in the tree.
 * - `tree`: below the parent it names. The format's own tree is exact (pi, OpenClaw, neutral JSONL).
 * - `turns`: below the leaf, since the format's parent links also fork where nobody went back (parallel tool results,
 *   progress records). Only a message that a person typed, naming a parent that lies before an earlier typed message
 *   of the active branch, moves the leaf back to that parent first (Claude Code).
 * - `side`: below the parent it names, without moving the leaf. A `leaf` entry so attached is kept and moves nothing.
 */
export type Attach = "tree" | "turns" | "side";

/** One record of a transcript as a source or a caller hands it over. */
export interface EntryDraft {
  readonly id: EntryId;
  /**
   * The record has no id of its own, and this one says only where in its file it stands: where lines come or go above it,
   * another record has the id.
   */
  readonly idByPlace?: true;
  /**
   * Entry that this one hangs below. `null`: a root. Absent: the current leaf. What continues the leaf too: an id that is
   * not known, the append position, and whatever lies in front of a reset of the active branch (SPEC 1.9).
   */
  readonly parentId?: EntryId | null;
  /** One of {@link entryTypes}, or any other word of at most 64 characters. */
  readonly type: string;
  /** Messages have a role, other entries none. */
  readonly role?: Role;
  /** Epoch milliseconds; null when the record has none or a bad one. */
  readonly timestamp: number | null;
  /** What was said, in order. Empty for state entries. */
  readonly parts: readonly Part[];
  readonly attach?: Attach;
  /**
   * Pieces of one message share this id (a streamed answer written as several records). The first piece makes the
   * entry; later ones add their parts to it, exact repeats left out, and their own ids become aliases of it.
   */
  readonly pieceOf?: string;
  /** A user message with words that a person typed, as opposed to one put together by the harness. Only `turns` placing asks. */
  readonly typed?: true;
  /** For `leaf` entries: the entry that becomes the leaf; null empties the branch. */
  readonly targetId?: EntryId | null;
  /** For `leaf` entries: the append position from then on (null: above the root). Absent: `targetId`. */
  readonly appendParentId?: EntryId | null;
  readonly model?: string;
  /** Whatever else of the record is worth keeping. */
  readonly data?: Json;
}

/** Which of two titles wins: what a person gave, what a program made, what a summary says. The later one of equal rank wins. */
export const titleRanks = ["summary", "generated", "given"] as const;
export type TitleRank = (typeof titleRanks)[number];

/**
 * What is known of a session and of the transcript in hand. Facts may arrive in any order and in pieces: absent means
 * "not said here", never "empty". A session id seen before keeps its session unless `sessionKey` names another one,
 * which then takes over the transcript.
 */
export interface SessionDraft {
  readonly agentId: AgentId;
  readonly sessionId: SessionId;
  /** Absent: the key the transcript has already, else `agent:<agentId>:<sessionId>`. */
  readonly sessionKey?: SessionKey;
  readonly title?: { readonly text: string; readonly rank: TitleRank };
  readonly kind?: SessionKind;
  /** Absolute folder that the work was in, as the program wrote it. */
  readonly project?: string;
  readonly gitBranch?: string;
  readonly model?: string;
  readonly spawnedBy?: SessionKey;
  readonly parentSessionKey?: SessionKey;
  /** The session that this one was copied from. Texts they share are copies of one another. */
  readonly forkedFrom?: SessionKey;
  /** The program that it comes from, where that is not the source that reads it: an export keeps it. */
  readonly source?: SourceId;
  /** Epoch milliseconds. */
  readonly createdAt?: number;
  readonly archived?: boolean;
}
