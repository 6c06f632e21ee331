/** Matching messages with all that a hit shows, and what a caller still waits for. */
import type { Scope } from "../model/caller.ts";
import type { EntryId, SessionId, SessionKey } from "../model/ids.ts";
import type { Role, SessionKind } from "../model/transcript.ts";
import type { Redaction } from "../redaction/redact.ts";
import { searchableText } from "../text/searchable.ts";
import { decodeBody } from "./body.ts";
import { isDirty } from "./dirty.ts";
import type { Database } from "./driver.ts";
import { type IndexTables, messageTables } from "./index-tables.ts";
import { totalsOf } from "./postings.ts";
import { toolText } from "./tool-text.ts";
import { visibleSessions } from "./visible-sessions.ts";

/** Dirty transcripts of visible sessions: what a caller can't see is none of its business, pending or not. */
export function visibleDirty(db: Database, scope: Scope): number[] {
  if (!isDirty(db)) return [];
  const sessions = visibleSessions(scope);
  return db
    .prepare(`
      ${sessions?.cte ?? ""}SELECT t.no AS no FROM dirty JOIN transcripts t ON t.no = dirty.transcript
      JOIN sessions s ON s.no = t.session ${sessions ? `WHERE ${sessions.where}` : ""} ORDER BY t.no
    `)
    .all(sessions?.params)
    .map(({ no }) => Number(no));
}

/** How many messages the caller can search at all. */
export function countMessages(db: Database, scope: Scope): number {
  return totalsOf(db, scope).messages;
}

/** A matching message with all that a hit shows. */
export interface MessageRow {
  readonly no: number;
  readonly messageId: EntryId;
  readonly sessionKey: SessionKey;
  readonly sessionId: SessionId;
  readonly role: Role;
  readonly timestamp: number;
  readonly copy: number;
  /** Unmasked. */
  readonly text: string;
  /** What is shown instead of the text: that of tool calls and results comes masked. */
  readonly masked?: Redaction;
  readonly source: string | null;
  readonly title: string | null;
  readonly project: string | null;
  readonly kind: SessionKind;
  readonly spawnedBy: SessionKey | null;
  readonly forkedFrom: SessionKey | null;
}

const nothingSaid: Redaction = { text: "", masks: [] };

/** Loads messages by number, in the given order. */
export function loadMessages(
  db: Database,
  numbers: readonly number[],
  { map }: IndexTables = messageTables,
): MessageRow[] {
  const statement = db.prepare(`
    SELECT e.id AS messageId, s.key AS sessionKey, t.session_id AS sessionId, m.role AS role, m.timestamp AS timestamp,
      m.copy AS copy, e.body AS body, s.source AS source, s.title AS title, s.project AS project, s.kind AS kind,
      s.spawned_by AS spawnedBy, s.forked_from AS forkedFrom
    FROM ${map} m JOIN entries e ON e.no = m.no JOIN transcripts t ON t.no = m.no >> 24 JOIN sessions s ON s.no = t.session
    WHERE m.no = :no
  `);
  const rows: MessageRow[] = [];
  for (const no of numbers) {
    const row = statement.get({ no });
    if (!row) continue;
    const { body, ...rest } = row;
    const role = row.role as Role;
    const entry = { type: "message", role, parts: decodeBody(body).parts };
    const facts = rest as unknown as Omit<MessageRow, "no" | "text">;
    if (map === "tool_messages") rows.push({ ...facts, no, text: "", masked: toolText(entry) ?? nothingSaid });
    else rows.push({ ...facts, no, text: searchableText(entry) ?? "" });
  }
  return rows;
}

/** The session at the root of a chain of forks; the key itself when it was not forked or its origin is not here. */
export function familyOf(db: Database, key: string): string {
  const read = db.prepare("SELECT forked_from AS origin FROM sessions WHERE key = :key");
  const seen = new Set<string>([key]);
  let family = key;
  for (;;) {
    const origin = read.get({ key: family })?.origin;
    if (typeof origin !== "string" || seen.has(origin)) return family;
    seen.add(origin);
    family = origin;
  }
}
