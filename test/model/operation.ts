/** What can be done to a home, as plain values: what a program of the model test and a writer of the crash test do. */
import type { EntryId, SessionKey } from "../../src/model/ids.ts";
import type { EntryDraft } from "../../src/model/transcript.ts";

/** An entry that says everything about itself: the models need no clock. */
export type PlainEntry = EntryDraft & { readonly timestamp: number };

export type Operation =
  | { readonly does: "append"; readonly session: SessionKey; readonly entries: readonly PlainEntry[] }
  /** To a session that lives in the memory of the connection that writes it, and that nobody is shown. */
  | { readonly does: "incognito"; readonly session: SessionKey; readonly entries: readonly PlainEntry[] }
  | { readonly does: "setLeaf"; readonly session: SessionKey; readonly entry: EntryId | null }
  | { readonly does: "upsert"; readonly session: SessionKey; readonly entry: PlainEntry }
  | { readonly does: "deleteEntry"; readonly session: SessionKey; readonly entry: EntryId }
  | {
      readonly does: "compact";
      readonly session: SessionKey;
      readonly id: EntryId;
      readonly summary: string;
      readonly timestamp: number;
    }
  | { readonly does: "reset"; readonly session: SessionKey; readonly timestamp: number }
  | {
      readonly does: "fork";
      readonly session: SessionKey;
      readonly to: SessionKey;
      readonly entry?: EntryId;
      readonly timestamp: number;
    }
  | { readonly does: "rename"; readonly session: SessionKey; readonly to: SessionKey }
  | { readonly does: "archive"; readonly session: SessionKey; readonly archived: boolean }
  | { readonly does: "title"; readonly session: SessionKey; readonly title: string }
  | { readonly does: "deleteSession"; readonly session: SessionKey }
  | { readonly does: "deleteAgent" };

/** What an operation came to: what it returned, or the code of the error that it threw. */
export type Result = { readonly returned: unknown } | { readonly threw: string };
