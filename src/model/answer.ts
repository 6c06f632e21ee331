/** What the tools answer: the same JSON in every interface (SPEC 7). Flags are absent rather than false. */
import type { AgentId, EntryId, SessionId, SessionKey } from "./ids.ts";
import type { Role, SessionKind } from "./transcript.ts";

/** A range in a text, in UTF-16 units; `end` is exclusive. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/**
 * How strictly a hit matched, strictest first: the query's words side by side in order; all of them, or their parts; the
 * last one as a beginning; all of them, some in another form (deploy, deployments); some of them.
 */
export const tiers = ["phrase", "words", "prefix", "forms", "some"] as const;
export type Tier = (typeof tiers)[number];

export interface Hit {
  readonly sessionKey: SessionKey;
  readonly sessionId: SessionId;
  readonly messageId: EntryId;
  /** Epoch ms. */
  readonly timestamp: number;
  readonly role: Role;
  /** Found in its tool calls or results; absent for what was said. */
  readonly part?: "tool";
  /** Cut from the masked message around the matches; at most 300 characters. */
  readonly snippet: string;
  /** Matches in the snippet. */
  readonly highlights: readonly Range[];
  /** Higher is better; comparable across agents, within one answer. */
  readonly score: number;
  readonly tier: Tier;
  readonly agentId: AgentId;
  readonly source?: string;
  readonly title?: string;
  readonly project?: string;
  readonly kind: SessionKind;
  readonly spawnedBy?: SessionKey;
  /** How many messages say the same (forks, resumes, repeats); this hit stands for all of them. */
  readonly copies?: number;
  /** Further hits of the same session that are not shown. */
  readonly moreInSession?: number;
}

export interface SearchAnswer {
  readonly results: readonly Hit[];
  /** More visible hits exist than are shown. */
  readonly truncated?: true;
  /** Words were too common to look up: only the newest messages (or oldest, by `sort`) were looked through for them. */
  readonly bounded?: true;
  /** The answer may miss what is still being indexed. */
  readonly indexing?: true;
  /** What the answer may miss, and why: older messages, sessions that are being indexed, a store that is damaged. */
  readonly warning?: string;
  readonly explain?: Explain;
}

/** Why there are few hits, none, or only some that have some of the words (SPEC 3.8). Counts cover visible messages only. */
export interface Explain {
  /** There is no message that the caller could find with any query. */
  readonly emptyStore?: true;
  /**
   * Per part of the query that was looked for: how many visible messages have it in any form, and how many tool calls and
   * results where those are searched. Filters don't count here.
   */
  readonly terms: readonly { readonly term: string; readonly messages: number; readonly tools?: number }[];
  /**
   * Parts of the query that need not match, as typed: punctuation, ORs that join nothing, repeated filters, what is over the
   * limit, function words beside others.
   */
  readonly ignored?: readonly string[];
  /** Filters in force, as understood. */
  readonly filters?: Readonly<Record<string, string>>;
  /** Per filter: how many more messages match without it. */
  readonly removed?: Readonly<Record<string, number>>;
  /** A query that finds something, where this one finds nothing, and in how many messages. */
  readonly nearest?: { readonly query: string; readonly messages: number };
  /** Next step, in a sentence. */
  readonly hint?: string;
}

export interface HistoryPart {
  readonly type: "text" | "thinking" | "toolCall" | "toolResult" | "image" | "other";
  readonly text?: string;
  readonly name?: string;
  /** Bytes of an image that is not shown. */
  readonly bytes?: number;
  readonly mime?: string;
  readonly injected?: true;
  readonly isError?: true;
  /**
   * Set where the text was cut: where it begins in the whole (masked) text, and how long that is. For text parts the whole
   * is all text parts of the message, one after the other: pass the next offset as `textOffset` to read on.
   */
  readonly textOffset?: number;
  readonly textLength?: number;
}

export interface HistoryMessage {
  readonly messageId: EntryId;
  readonly timestamp: number;
  /** Absent for entries that are not messages (compactions, custom entries). */
  readonly role?: Role;
  /** Absent for messages. */
  readonly type?: string;
  readonly content: readonly HistoryPart[];
  /** The message that the page was opened around. */
  readonly anchor?: true;
}

export interface HistoryAnswer {
  readonly sessionKey: SessionKey;
  readonly sessionId: SessionId;
  readonly title?: string;
  readonly project?: string;
  /** Oldest first. */
  readonly messages: readonly HistoryMessage[];
  /** Messages of this transcript's active branch that such a page shows. */
  readonly totalMessages: number;
  readonly hasOlder?: true;
  readonly hasNewer?: true;
  /** Give one of these as `cursor` to go on. */
  readonly older?: string;
  readonly newer?: string;
  /** Something was left out: a message for the size of the answer, or a piece of a text. */
  readonly truncated?: true;
  /** Messages of this page left out for the size of the answer. */
  readonly droppedMessages?: number;
  readonly contentTruncated?: true;
  readonly contentRedacted?: true;
  /** Size of `messages` as JSON. */
  readonly bytes: number;
  /** Session ids of the other generations, oldest first. */
  readonly generations?: readonly SessionId[];
  /** What the reader should know of this page: rewound anchor, untrusted text. */
  readonly note?: string;
  readonly indexing?: true;
  readonly warning?: string;
}

export interface SessionRow {
  readonly sessionKey: SessionKey;
  readonly sessionId: SessionId;
  readonly agentId: AgentId;
  readonly kind: SessionKind;
  readonly source?: string;
  readonly title?: string;
  readonly project?: string;
  readonly gitBranch?: string;
  readonly model?: string;
  readonly createdAt?: number;
  readonly updatedAt?: number;
  readonly spawnedBy?: SessionKey;
  readonly parentSessionKey?: SessionKey;
  readonly archived?: true;
  /** Spoken messages on the active branches of all generations. */
  readonly messages: number;
  /** Generations, where there is more than one. */
  readonly generations?: number;
  readonly lastMessage?: { readonly role: Role; readonly text: string };
}

export interface SessionsAnswer {
  readonly sessions: readonly SessionRow[];
  /** Visible sessions that the filters leave. */
  readonly totalSessions: number;
  readonly truncated?: true;
  readonly cursor?: string;
  /** The answer may miss what is still being indexed. */
  readonly indexing?: true;
  readonly warning?: string;
}
