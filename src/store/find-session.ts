/** Finds one session by key or session id, under a scope. */
import type { Scope } from "../model/caller.ts";
import type { SessionKey } from "../model/ids.ts";
import type { Database } from "./driver.ts";
import { visibleSessions } from "./visible-sessions.ts";

export interface FoundSession {
  readonly no: number;
  readonly key: SessionKey;
  readonly title: string | null;
  readonly project: string | null;
}

export function findSession(db: Database, scope: Scope, reference: string): FoundSession | null {
  const condition = visibleSessions(scope, { session: reference });
  const row = db
    .prepare(`
      ${condition?.cte ?? ""}SELECT s.no AS no, s.key AS key, s.title AS title, s.project AS project
      FROM sessions s WHERE ${condition?.where ?? "true"} ORDER BY s.key = :session DESC LIMIT 1
    `)
    .get(condition?.params);
  return row ? (row as unknown as FoundSession) : null;
}
