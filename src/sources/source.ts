/**
 * The contract of a source: a transcript format and where it lies.
 *
 * A source reads files and yields what they say in the model's words. It never sees the store, never decides what is
 * new, never deletes: fingerprints, batching, retries and re-reading live in `import/`, so that a new format can't get
 * them wrong. Adding a format touches its own file, its fixtures, one row in `registry.ts` and one in the docs.
 */
import type { AgentId, EntryId, SessionId, SourceId } from "../model/ids.ts";
import type { Problem } from "../model/problem.ts";
import type { EntryDraft, Json, SessionDraft, TitleRank } from "../model/transcript.ts";

/** The machine as a source may know it. Passed in, so that no source reads the environment. */
export interface Machine {
  /** The user's home folder, absolute. */
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
}

/** A file below a root. */
export interface SourceFile {
  /** Absolute. */
  readonly path: string;
  /** Path below the root, with `/` on every system. */
  readonly relative: string;
  /** Absolute root that it was found under. */
  readonly root: string;
  /** Bytes, at the time of discovery. Reading stops there, so that a growing file gives a definite answer. */
  readonly size: number;
  /** Epoch milliseconds of the last change. */
  readonly mtimeMs: number;
}

/**
 * What a source makes of a file from its path and first bytes.
 * - `transcript`: `read` takes it.
 * - `facts`: `read` takes it too, before any transcript: it only says things about sessions (titles, keys).
 * - `skip`: a file of this program that holds no transcript of its own; `reason` says what it is.
 * - null: not of this format.
 */
export type Recognition =
  | {
      readonly as: "transcript" | "facts";
      /**
       * Whether the file only ever grows at its end, so that the next import may go on from the last offset. A `false`
       * file is read anew, whole, whenever it changed.
       */
      readonly appendOnly: boolean;
    }
  | { readonly as: "skip"; readonly reason: string }
  | null;

/** Where reading stopped, and what the reader must remember to go on from there. */
export interface Checkpoint {
  /** Byte offset of the next unread record. Everything before it has been handed over. */
  readonly offset: number;
  /** Lines before that offset. */
  readonly line: number;
  /** The reader's own memory: small (a few KiB), plain JSON. Null at the start of a file. */
  readonly state: Json;
}

export type SourceItem =
  /** Facts about a session; must come before that transcript's first entry in the file. May repeat with more. */
  | { readonly kind: "session"; readonly session: SessionDraft }
  /** Entries of one transcript, in file order. */
  | { readonly kind: "entry"; readonly agentId: AgentId; readonly sessionId: SessionId; readonly entry: EntryDraft }
  /** `id` was the id of a record that is not kept; whoever names it as parent means `of` (null: a root). */
  | {
      readonly kind: "alias";
      readonly agentId: AgentId;
      readonly sessionId: SessionId;
      readonly id: EntryId;
      readonly of: EntryId | null;
    }
  /** Moves the leaf to an entry (null: above the root) without leaving an entry of its own. */
  | {
      readonly kind: "leaf";
      readonly agentId: AgentId;
      readonly sessionId: SessionId;
      readonly targetId: EntryId | null;
      /** The append position; absent: the target. */
      readonly appendParentId?: EntryId | null;
    }
  /** A title for the session that holds this entry, wherever it lies. */
  | {
      readonly kind: "title";
      readonly agentId: AgentId;
      readonly entryId: EntryId;
      readonly text: string;
      readonly rank: TitleRank;
    }
  /** A record of a known type that holds nothing to keep. Counted per `what`. */
  | { readonly kind: "ignored"; readonly what: string }
  | { readonly kind: "problem"; readonly problem: Problem };

/** Some items and the checkpoint after them. The importer stores both in one transaction. */
export interface SourceBatch {
  readonly items: readonly SourceItem[];
  readonly at: Checkpoint;
}

export interface Source {
  readonly id: SourceId;
  /** The program's name as people write it. */
  readonly name: string;
  /** Folders where the program leaves transcripts, best first. They need not exist. Pure. */
  places(machine: Machine): string[];
  /**
   * Tells what a file is. Pure and cheap: called for every file below the root. `head` is the text of the first 64 KiB
   * (possibly cut inside a character or line; empty for an empty file).
   */
  recognise(file: SourceFile, head: string): Recognition;
  /**
   * Reads the file from a checkpoint (null: from the start) to `file.size` or the last whole record before it.
   * Batches stay small (about 1 MiB of input). Never throws for what a file holds: a bad record is a problem item.
   * Throws only what the file system throws. Reading the same bytes from the same checkpoint yields the same items.
   */
  read(file: SourceFile, from: Checkpoint | null): AsyncIterable<SourceBatch>;
  /**
   * Of a program whose store can be taken over whole (SPEC 8.10): the agent whose file it is, by its path. Then all of
   * `places` lie in state folders of the program, one level down. Pure.
   */
  ownerOf?(file: SourceFile): AgentId;
}
