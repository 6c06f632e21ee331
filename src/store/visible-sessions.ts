/**
 * The one SQL form of "sessions that this caller may see and these filters leave" (SPEC 6.1): search, history and list
 * all stand on it, so visibility holds before any limit and can't differ between them.
 */
import type { Scope } from "../model/caller.ts";
import type { Params, SqlValue } from "./driver.ts";
import { foldCase, foldPath } from "./fold-name.ts";

/** Filters on sessions. Every one given has to hold. */
export interface SessionFilter {
  /** Session key or session id, exactly. */
  readonly session?: string;
  /** Folder: the whole path, its last segments, or a folder above it. */
  readonly project?: string;
  readonly source?: string;
  readonly kind?: string;
  readonly branch?: string;
  /** Part of a title, whatever its case. */
  readonly title?: string;
  readonly archived?: boolean;
}

/** A condition on `sessions s`, or null when every session passes. */
export interface SessionCondition {
  /** Goes in front of the statement. */
  readonly cte: string;
  readonly where: string;
  readonly params: Params;
}

export function visibleSessions(scope: Scope, filter: SessionFilter = {}): SessionCondition | null {
  const where: string[] = [];
  const params: Record<string, SqlValue> = {};
  let cte = "";
  if (scope.sees === "session") {
    where.push("s.key = :scopeKey");
    params.scopeKey = scope.sessionKey;
  } else if (scope.sees === "tree") {
    cte = `WITH RECURSIVE tree (key) AS (
      SELECT :scopeKey UNION SELECT child.key FROM tree JOIN sessions child ON child.spawned_by = tree.key
    ) `;
    where.push("s.key IN (SELECT key FROM tree)");
    params.scopeKey = scope.root;
  }
  if (filter.session !== undefined) {
    where.push("(s.key = :session OR s.no = (SELECT session FROM transcripts WHERE session_id = :session))");
    params.session = filter.session;
  }
  if (filter.project !== undefined) {
    const folder = foldPath(filter.project).replace(/(?<=.)\/+$/, "");
    // The whole path; a folder above it; its last segments. substr, as LIKE would give % and _ a meaning.
    where.push(`(
      s.project_folded = :project OR substr(s.project_folded, 1, length(:project) + 1) = :project || '/'
      OR substr(s.project_folded, -length(:project) - 1) = '/' || :project
    )`);
    params.project = folder;
  }
  for (const [name, column] of [
    ["source", "source"],
    ["kind", "kind"],
    ["branch", "git_branch"],
  ] as const) {
    const value = filter[name];
    if (value === undefined) continue;
    where.push(`s.${column} = :${name}`);
    params[name] = value;
  }
  if (filter.title !== undefined) {
    where.push("instr(s.title_folded, :title) > 0");
    params.title = foldCase(filter.title);
  }
  if (filter.archived !== undefined) {
    where.push("s.archived = :archived");
    params.archived = Number(filter.archived);
  }
  return where.length === 0 ? null : { cte, where: where.join(" AND "), params };
}
