/** Session rows for lists: filtered, sorted, one page. Counts and previews are read for the page's rows only. */
import type { Scope } from "../model/caller.ts";
import type { SessionId, SessionKey } from "../model/ids.ts";
import type { Role, SessionKind } from "../model/transcript.ts";
import { shows } from "../text/searchable.ts";
import { trusted } from "./dirty.ts";
import type { Database } from "./driver.ts";
import { firstNo, lastNo } from "./entry-no.ts";
import { loadMessages } from "./match.ts";
import { countShown } from "./read-branch.ts";
import { type SessionFilter, visibleSessions } from "./visible-sessions.ts";

export interface ListedSession {
  readonly no: number;
  readonly key: SessionKey;
  readonly sessionId: SessionId;
  readonly kind: SessionKind;
  readonly source: string | null;
  readonly title: string | null;
  readonly project: string | null;
  readonly gitBranch: string | null;
  readonly model: string | null;
  readonly createdAt: number | null;
  readonly updatedAt: number;
  readonly spawnedBy: SessionKey | null;
  readonly parentKey: SessionKey | null;
  readonly archived: number;
  readonly generations: number;
}

export interface ListRequest {
  readonly scope: Scope;
  readonly filter: SessionFilter;
  readonly limit: number;
  /** Only sessions that come after this place in the order newest first. */
  readonly after?: { readonly updatedAt: number; readonly key: string };
  /** Only sessions whose newest entry is in this time: epoch ms, start inclusive, end exclusive. */
  readonly from?: number;
  readonly to?: number;
}

/** Sessions, newest first; by key on equal time. */
export function listSessions(db: Database, request: ListRequest): ListedSession[] {
  const { cte, where, params } = condition(request);
  const after = request.after
    ? "AND (coalesce(s.updated_at, 0) < :updatedAt OR (coalesce(s.updated_at, 0) = :updatedAt AND s.key > :afterKey))"
    : "";
  return db
    .prepare(`
      ${cte}SELECT s.no AS no, s.key AS key, s.kind AS kind, s.source AS source, s.title AS title, s.project AS project,
        s.git_branch AS gitBranch, s.model AS model, s.created_at AS createdAt, coalesce(s.updated_at, 0) AS updatedAt,
        s.spawned_by AS spawnedBy, s.parent_key AS parentKey, s.archived AS archived,
        (SELECT session_id FROM transcripts WHERE session = s.no ORDER BY generation DESC LIMIT 1) AS sessionId,
        (SELECT count(*) FROM transcripts WHERE session = s.no) AS generations
      FROM sessions s WHERE ${where} ${after} ORDER BY coalesce(s.updated_at, 0) DESC, s.key LIMIT :limit
    `)
    .all({
      ...params,
      ...(request.after && { updatedAt: request.after.updatedAt, afterKey: request.after.key }),
      limit: request.limit,
    })
    .map((row) => row as unknown as ListedSession);
}

export function countSessions(db: Database, request: Omit<ListRequest, "limit" | "after">): number {
  const { cte, where, params } = condition(request);
  return Number(db.prepare(`${cte}SELECT count(*) AS n FROM sessions s WHERE ${where}`).get(params)?.n);
}

function condition(request: Omit<ListRequest, "limit" | "after">) {
  const sessions = visibleSessions(request.scope, request.filter);
  // A session of which only facts are known (its transcript has not been read) is no session to show.
  const where = [
    sessions?.where ?? "true",
    "EXISTS (SELECT 1 FROM transcripts t WHERE t.session = s.no AND t.next > 0)",
  ];
  if (request.from !== undefined) where.push("s.updated_at >= :from");
  if (request.to !== undefined) where.push("s.updated_at < :to");
  return {
    cte: sessions?.cte ?? "",
    where: where.join(" AND "),
    params: {
      ...sessions?.params,
      ...(request.from !== undefined && { from: request.from }),
      ...(request.to !== undefined && { to: request.to }),
    },
  };
}

/** Spoken messages on the active branches of a session, all generations. */
export function countSpoken(db: Database, session: number): number {
  return transcriptNumbers(db, session).reduce((sum, no) => sum + countShown(db, no, shows.spoken), 0);
}

/** The first or last searchable message of a session: for a title when it has none, and for a preview. Unmasked. */
export function edgeMessage(
  db: Database,
  session: number,
  edge: "first" | "last",
  role?: Role,
): { role: Role; text: string } | null {
  const numbers = transcriptNumbers(db, session);
  if (edge === "last") numbers.reverse();
  const by = role === undefined ? "" : "AND role = :role";
  for (const no of numbers) {
    const row = db
      .prepare(
        `SELECT no FROM messages WHERE no BETWEEN :from AND :to ${by} AND ${trusted("messages.no")} ORDER BY no ${edge === "first" ? "ASC" : "DESC"} LIMIT 1`,
      )
      .get({ from: firstNo(no), to: lastNo(no), ...(role !== undefined && { role }) });
    const [message] = row ? loadMessages(db, [Number(row.no)]) : [];
    if (message) return { role: message.role, text: message.text };
  }
  return null;
}

function transcriptNumbers(db: Database, session: number): number[] {
  return db
    .prepare("SELECT no FROM transcripts WHERE session = :session ORDER BY generation")
    .all({ session })
    .map((row) => Number(row.no));
}
