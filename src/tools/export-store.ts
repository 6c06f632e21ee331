/**
 * Export as neutral JSONL (SPEC 8.11): sessions, entries of every kind, branches and leaves, one line at a time. Importing
 * an unmasked export gives the same store. Masked unless the owner asks for the raw text, which leaves a line in the
 * store's audit table (SPEC 5.7).
 */
import type { Json, Part } from "../model/transcript.ts";
import { redact } from "../redaction/redact.ts";
import type { AgentStore } from "../store/agent-store.ts";
import { noteReveal } from "../store/audit.ts";
import { type DumpedEntry, type DumpedSession, dumpEntries, dumpSessions } from "../store/dump.ts";

export interface ExportOptions {
  /** Unmasked. For the owner at a terminal only; no tool offers it. */
  readonly reveal: boolean;
  readonly now: number;
}

/** Lines without their newlines. */
export function* exportStore(store: AgentStore, options: ExportOptions): Generator<string> {
  if (options.reveal) noteReveal(store.db, options.now, "export");
  const shown = options.reveal ? (text: string) => text : (text: string) => redact(text).text;
  for (const session of dumpSessions(store.db)) {
    for (const transcript of session.transcripts) {
      yield JSON.stringify(sessionLine(session, transcript.sessionId, shown));
      let leaf: string | null = null;
      let appendAt: string | null = null;
      for (const entry of dumpEntries(store.db, transcript.no)) {
        yield JSON.stringify(entryLine(session, transcript.sessionId, entry, shown));
        if (entry.active) leaf = entry.id;
        if (entry.type !== "leaf") appendAt = entry.id;
      }
      // How the lines so far leave it is known to the reader; say so where it stands otherwise.
      if (leaf !== transcript.leafId || appendAt !== transcript.appendAtId)
        yield JSON.stringify({
          type: "leaf",
          sessionKey: session.key,
          sessionId: transcript.sessionId,
          targetId: transcript.leafId,
          ...(transcript.appendAtId === transcript.leafId ? {} : { appendParentId: transcript.appendAtId }),
        });
    }
  }
}

type Shown = (text: string) => string;

function sessionLine(session: DumpedSession, sessionId: string, shown: Shown): Json {
  return compact({
    type: "session",
    sessionKey: session.key,
    sessionId,
    title: session.title === null ? null : shown(session.title),
    titleRank: session.title === null ? null : session.titleRank,
    kind: session.kind,
    project: session.project === null ? null : shown(session.project),
    gitBranch: session.gitBranch === null ? null : shown(session.gitBranch),
    model: session.model === null ? null : shown(session.model),
    createdAt: session.createdAt,
    spawnedBy: session.spawnedBy,
    parentSessionKey: session.parentKey,
    forkedFrom: session.forkedFrom,
    archived: session.archived ? true : null,
    source: session.source,
  });
}

function entryLine(session: DumpedSession, sessionId: string, entry: DumpedEntry, shown: Shown): Json {
  const isMessage = entry.type === "message" && entry.role !== null;
  return compact(
    {
      type: isMessage ? "message" : "entry",
      sessionKey: session.key,
      sessionId,
      id: entry.id,
      ...(isMessage ? { role: entry.role } : { entryType: entry.type }),
      content: maskParts(entry.parts, shown) as Json,
      timestamp: entry.timestamp,
      model: entry.model === undefined ? null : shown(entry.model),
      typed: entry.typed ? true : null,
      // Whatever is not on the active branch lies at the side by now, however it came there; leaf entries have been heard.
      attach: entry.active ? null : "side",
      data: entry.data === undefined ? null : maskJson(entry.data, shown),
    },
    {
      parentId: entry.parentId,
      ...(entry.targetId !== undefined && { targetId: entry.targetId }),
      ...(entry.appendParentId !== undefined && { appendParentId: entry.appendParentId }),
    },
  );
}

/** Leaves out what is null; `kept` stays whatever it is (a null parent means a root). */
function compact(fields: Record<string, Json>, kept: Record<string, Json> = {}): Json {
  return { ...Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)), ...kept };
}

function maskParts(parts: readonly Part[], shown: Shown): readonly Part[] {
  const masked = parts.map((part) => maskPart(part, shown));
  const words = (all: readonly Part[]) => all.flatMap((part) => (part.type === "text" ? [part.text] : []));
  const together = shown(words(parts).join("\n"));
  if (together === words(masked).join("\n")) return masked;
  // A secret that begins in one part and ends in the next: the parts become one, masked as a whole.
  return [{ type: "text", text: together }, ...masked.filter((part) => part.type !== "text")];
}

function maskPart(part: Part, shown: Shown): Part {
  switch (part.type) {
    case "text":
    case "thinking":
    case "toolResult":
      return { ...part, text: shown(part.text) };
    case "toolCall":
      return { ...part, name: shown(part.name), arguments: maskJson(part.arguments, shown) };
    case "image":
      return part.url === undefined ? part : { ...part, url: shown(part.url) };
    case "other":
      return { ...part, value: maskJson(part.value, shown) };
  }
}

/** Masks every text inside; a field's name counts too, as `"password": "…"` shows its value only together with it. */
function maskJson(value: Json, shown: Shown): Json {
  const text = JSON.stringify(value);
  const masked = shown(text);
  if (masked === text) return value;
  try {
    return JSON.parse(masked) as Json;
  } catch {
    // A mask ran over JSON's own punctuation: what is left is text.
    return masked;
  }
}
