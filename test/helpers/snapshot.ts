/** Everything a store holds, as plain values to compare: transcripts with branches, and the index as it answers. */
import type { AgentStore } from "../../src/store/agent-store.ts";
import { dumpEntries, dumpSessions } from "../../src/store/dump.ts";
import { firstNo, lastNo } from "../../src/store/entry-no.ts";

export interface SnapshotSession {
  readonly key: string;
  readonly [fact: string]: unknown;
  readonly transcripts: readonly {
    readonly sessionId: string;
    readonly leafId: string | null;
    readonly appendAtId: string | null;
    readonly entries: readonly unknown[];
    /** Ids of indexed messages, in order. */
    readonly indexed: readonly string[];
  }[];
}

export function snapshot(store: AgentStore): SnapshotSession[] {
  return [...dumpSessions(store.db)]
    .map((session) => ({
      ...session,
      transcripts: session.transcripts.map(({ no, sessionId, leafId, appendAtId }) => ({
        sessionId,
        leafId,
        appendAtId,
        // Without their numbers, which tell in what order transcripts came.
        entries: [...dumpEntries(store.db, no)].map(({ no: _, ...entry }) => entry),
        indexed: indexedIds(store, no),
      })),
    }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
}

export function indexedIds(store: AgentStore, transcript: number): string[] {
  return store.db
    .prepare(
      "SELECT e.id AS id FROM messages m JOIN entries e ON e.no = m.no WHERE m.no BETWEEN :from AND :to ORDER BY m.no",
    )
    .all({ from: firstNo(transcript), to: lastNo(transcript) })
    .map((row) => String(row.id));
}
