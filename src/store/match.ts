/**
 * Runs a match expression under a scope: which messages match, and how many. One statement each; visibility and
 * filters stand inside it, so a limit never eats what a caller may see (SPEC 4.6).
 */
import type { Scope } from "../model/caller.ts";
import type { EntryId, SessionId, SessionKey } from "../model/ids.ts";
import type { Role, SessionKind } from "../model/transcript.ts";
import { searchableText } from "../text/searchable.ts";
import { decodeBody } from "./body.ts";
import { inDirtyRange, isDirty, trusted } from "./dirty.ts";
import type { Database, SqlValue } from "./driver.ts";
import { type SessionFilter, visibleSessions } from "./visible-sessions.ts";

export interface MessageFilter extends SessionFilter {
  readonly role?: Role;
  /** Epoch ms, inclusive. */
  readonly after?: number;
  /** Epoch ms, exclusive. */
  readonly before?: number;
}

export interface MatchRequest {
  readonly expression: string;
  readonly scope: Scope;
  readonly filter: MessageFilter;
  readonly order: "relevance" | "newest" | "oldest";
  /** Most rows returned, best first. */
  readonly limit: number;
  /** Transcripts of which enough is known already: left out before anything is ranked. */
  readonly without: readonly number[];
}

/** A match, by what its narrow row says: enough to tell copies and sessions apart without reading any text. */
export interface MatchRow {
  readonly no: number;
  /** Hash of role and masked text. */
  readonly copy: number;
}

/** The matching messages, best first by the index's own BM25 (or by time). */
export function matchMessages(db: Database, request: MatchRequest): MatchRow[] {
  const { cte, join, where, params } = conditions(
    db,
    request.expression,
    request.scope,
    request.filter,
    request.order !== "relevance",
  );
  if (request.without.length > 0) {
    where.push("(message_index.rowid >> 24) NOT IN (SELECT value FROM json_each(:without))");
    params.without = JSON.stringify(request.without);
  }
  // `bm25()` sorted outside of FTS5 keeps only the best rows; `ORDER BY rank` was 2 to 3 times slower on a million.
  const rank = { relevance: "bm25(message_index, 1.0, 0.5)", newest: "-m.timestamp", oldest: "m.timestamp" }[
    request.order
  ];
  return db
    .prepare(`
      ${cte}SELECT found.no AS no, messages.copy AS copy FROM (
        SELECT message_index.rowid AS no, ${rank} AS score FROM message_index ${join} WHERE ${where.join(" AND ")}
        ORDER BY score, no LIMIT :limit
      ) AS found CROSS JOIN messages ON messages.no = found.no ORDER BY found.score, found.no
    `)
    .all({ ...params, limit: request.limit })
    .map((row) => ({ no: Number(row.no), copy: Number(row.copy) }));
}

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

/** How many messages match. */
export function countMatches(db: Database, expression: string, scope: Scope, filter: MessageFilter): number {
  const { cte, join, where, params } = conditions(db, expression, scope, filter, false);
  return Number(
    db.prepare(`${cte}SELECT count(*) AS n FROM message_index ${join} WHERE ${where.join(" AND ")}`).get(params)?.n,
  );
}

/** How many messages the caller can search at all. O(transcripts in the scope): each knows its number. */
export function countMessages(db: Database, scope: Scope): number {
  const sessions = visibleSessions(scope);
  const where = sessions ? `WHERE ${sessions.where}` : "";
  const all = db
    .prepare(
      `${sessions?.cte ?? ""}SELECT sum(t.messages) AS n FROM transcripts t JOIN sessions s ON s.no = t.session ${where}`,
    )
    .get(sessions?.params);
  if (!isDirty(db)) return Number(all?.n ?? 0);
  const untrusted = db
    .prepare(`
      ${sessions?.cte ?? ""}SELECT count(*) AS n FROM dirty JOIN transcripts t ON t.no = dirty.transcript
      JOIN sessions s ON s.no = t.session JOIN messages m ON ${inDirtyRange("m.no")} ${where}
    `)
    .get(sessions?.params);
  return Number(all?.n ?? 0) - Number(untrusted?.n ?? 0);
}

function conditions(db: Database, expression: string, scope: Scope, filter: MessageFilter, needsTime: boolean) {
  const no = "message_index.rowid";
  const where = ["message_index MATCH :expression"];
  const params: Record<string, SqlValue> = { expression };
  const sessions = visibleSessions(scope, filter);
  if (sessions) {
    where.push(
      `(${no} >> 24) IN (SELECT t.no FROM transcripts t JOIN sessions s ON s.no = t.session WHERE ${sessions.where})`,
    );
    Object.assign(params, sessions.params);
  }
  // Asked once here: as a condition it cost each match of a clean store as much again as finding it.
  if (isDirty(db)) where.push(trusted(no));
  const { role, after, before } = filter;
  if (role !== undefined) {
    where.push("m.role = :role");
    params.role = role;
  }
  if (after !== undefined) {
    where.push("m.timestamp >= :after");
    params.after = after;
  }
  if (before !== undefined) {
    where.push("m.timestamp < :before");
    params.before = before;
  }
  const joined = needsTime || role !== undefined || after !== undefined || before !== undefined;
  // CROSS JOIN: the match comes first, whatever the planner makes of the other conditions.
  const join = joined ? "CROSS JOIN messages m ON m.no = message_index.rowid" : "";
  return { cte: sessions?.cte ?? "", join, where, params };
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
  readonly source: string | null;
  readonly title: string | null;
  readonly project: string | null;
  readonly kind: SessionKind;
  readonly spawnedBy: SessionKey | null;
  readonly forkedFrom: SessionKey | null;
}

/** Loads messages by number, in the given order. */
export function loadMessages(db: Database, numbers: readonly number[]): MessageRow[] {
  const statement = db.prepare(`
    SELECT e.id AS messageId, s.key AS sessionKey, t.session_id AS sessionId, m.role AS role, m.timestamp AS timestamp,
      m.copy AS copy, e.body AS body, s.source AS source, s.title AS title, s.project AS project, s.kind AS kind,
      s.spawned_by AS spawnedBy, s.forked_from AS forkedFrom
    FROM messages m JOIN entries e ON e.no = m.no JOIN transcripts t ON t.no = m.no >> 24 JOIN sessions s ON s.no = t.session
    WHERE m.no = :no
  `);
  const rows: MessageRow[] = [];
  for (const no of numbers) {
    const row = statement.get({ no });
    if (!row) continue;
    const { body, ...rest } = row;
    const role = row.role as Role;
    const text = searchableText({ type: "message", role, parts: decodeBody(body).parts }) ?? "";
    rows.push({ ...(rest as unknown as Omit<MessageRow, "no" | "text">), no, text });
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
