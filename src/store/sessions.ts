/**
 * Session and transcript rows. Facts arrive in any order and in pieces (see `SessionDraft`): what is said replaces what
 * was known, what is not said stays.
 */
import { BackscrollError } from "../errors.ts";
import { type AgentId, agentOf, type SessionId, type SessionKey, sessionKeyOf } from "../model/ids.ts";
import { type SessionDraft, titleRanks } from "../model/transcript.ts";
import type { Database, Row } from "./driver.ts";
import { foldCase, foldPath } from "./fold-name.ts";
import { hasTitleTombstone } from "./tombstones.ts";
import { hasToolIndexSql } from "./tool-choice.ts";
import { withoutSecrets } from "./without-secrets.ts";

export interface TranscriptRow {
  readonly no: number;
  readonly session: number;
  readonly sessionId: SessionId;
  readonly sessionKey: SessionKey;
  readonly generation: number;
  readonly leaf: number | null;
  /** The append position, the leaf most of the time; null above the root. */
  readonly appendAt: number | null;
  readonly next: number;
  /** Whether this store indexes tool calls and results. */
  readonly tools: boolean;
}

/** Stands in `transcripts.append_at` for "above the root", as null says "the leaf" there. */
export const aboveRoot = -1;

const transcriptColumns = `
  t.no AS no, t.session AS session, t.session_id AS sessionId, s.key AS sessionKey, t.generation AS generation,
  t.leaf AS leaf, t.append_at AS appendAt, t.next AS next, ${hasToolIndexSql} AS tools`;

function toTranscript(row: Row | undefined): TranscriptRow | null {
  if (!row) return null;
  return {
    no: Number(row.no),
    session: Number(row.session),
    sessionId: row.sessionId as SessionId,
    sessionKey: row.sessionKey as SessionKey,
    generation: Number(row.generation),
    leaf: row.leaf as number | null,
    appendAt: appendAtOf(row.appendAt as number | null, row.leaf as number | null),
    next: Number(row.next),
    tools: row.tools === 1,
  };
}

export function appendAtOf(stored: number | null, leaf: number | null): number | null {
  if (stored === null) return leaf;
  return stored === aboveRoot ? null : stored;
}

/** How an append position is stored. */
export function storedAppendAt(appendAt: number | null, leaf: number | null): number | null {
  return appendAt === leaf ? null : (appendAt ?? aboveRoot);
}

export function transcriptById(db: Database, sessionId: string): TranscriptRow | null {
  return toTranscript(
    db
      .prepare(
        `SELECT ${transcriptColumns} FROM transcripts t JOIN sessions s ON s.no = t.session WHERE t.session_id = :sessionId`,
      )
      .get({ sessionId }),
  );
}

/** The key of the session that a transcript belongs to. */
export function sessionOf(db: Database, transcript: number): SessionKey | null {
  const row = db
    .prepare("SELECT s.key AS key FROM transcripts t JOIN sessions s ON s.no = t.session WHERE t.no = :transcript")
    .get({ transcript });
  return (row?.key ?? null) as SessionKey | null;
}

/** All generations of a session, oldest first. */
export function transcriptsOf(db: Database, key: string): TranscriptRow[] {
  return db
    .prepare(`
      SELECT ${transcriptColumns} FROM transcripts t JOIN sessions s ON s.no = t.session
      WHERE s.key = :key ORDER BY t.generation
    `)
    .all({ key })
    .map(toTranscript)
    .filter((row) => row !== null);
}

/**
 * Stores facts and returns the transcript, made if it is new. Opens no transaction of its own.
 * @throws {BackscrollError} `bad_input` when the session key belongs to another agent.
 */
export function applyFacts(db: Database, agentId: AgentId, draft: SessionDraft, source: string | null): TranscriptRow {
  if (draft.agentId !== agentId || (draft.sessionKey !== undefined && agentOf(draft.sessionKey) !== agentId)) {
    throw new BackscrollError(
      "bad_input",
      `session ${draft.sessionKey ?? draft.sessionId} is not one of agent ${agentId}`,
      `Use a session key that begins with agent:${agentId}:`,
    );
  }
  const known = transcriptById(db, draft.sessionId);
  const key = draft.sessionKey ?? known?.sessionKey ?? sessionKeyOf(agentId, draft.sessionId);
  const session = sessionNo(db, key, source);
  writeFacts(db, session, draft, source);
  if (known && known.session === session) return known;
  const generation =
    1 +
    Number(
      db.prepare("SELECT max(generation) AS n FROM transcripts WHERE session = :session").get({ session })?.n ?? 0,
    );
  if (known) {
    db.prepare("UPDATE transcripts SET session = :session, generation = :generation WHERE no = :no").run({
      session,
      generation,
      no: known.no,
    });
    takeOver(db, known.session, session);
  } else {
    db.prepare(`
      INSERT INTO transcripts (session, session_id, generation, created_at) VALUES (:session, :sessionId, :generation, :createdAt)
    `).run({ session, sessionId: draft.sessionId, generation, createdAt: draft.createdAt ?? null });
  }
  const row = transcriptById(db, draft.sessionId);
  if (!row) throw new Error(`the transcript ${draft.sessionId} was not stored`);
  return row;
}

function sessionNo(db: Database, key: SessionKey, source: string | null): number {
  const find = db.prepare("SELECT no FROM sessions WHERE key = :key");
  const known = find.get({ key });
  if (known) return Number(known.no);
  db.prepare("INSERT INTO sessions (key, source) VALUES (:key, :source)").run({ key, source });
  return Number(find.get({ key })?.no);
}

function writeFacts(db: Database, session: number, draft: SessionDraft, source: string | null): void {
  db.prepare(`
    UPDATE sessions SET
      kind = coalesce(:kind, kind), source = coalesce(:source, source), project = coalesce(:project, project),
      project_folded = coalesce(:projectFolded, project_folded),
      git_branch = coalesce(:gitBranch, git_branch), model = coalesce(:model, model),
      created_at = min(coalesce(:createdAt, created_at), coalesce(created_at, :createdAt)),
      updated_at = coalesce(updated_at, :createdAt),
      spawned_by = coalesce(:spawnedBy, spawned_by), parent_key = coalesce(:parentKey, parent_key),
      forked_from = coalesce(:forkedFrom, forked_from), archived = coalesce(:archived, archived)
    WHERE no = :session
  `).run({
    session,
    source: draft.source ?? source,
    kind: draft.kind ?? null,
    project: draft.project ?? null,
    projectFolded: draft.project === undefined ? null : foldPath(withoutSecrets(draft.project)),
    gitBranch: draft.gitBranch ?? null,
    model: draft.model ?? null,
    createdAt: draft.createdAt ?? null,
    spawnedBy: draft.spawnedBy ?? null,
    parentKey: draft.parentSessionKey ?? null,
    forkedFrom: draft.forkedFrom ?? null,
    archived: draft.archived === undefined ? null : Number(draft.archived),
  });
  if (draft.title && (source === null || !isTitleForgotten(db, session))) {
    setTitle(db, session, draft.title.text, draft.title.rank);
  }
}

/** Whether imports leave the session without a title. */
export function isTitleForgotten(db: Database, session: number): boolean {
  const key = db.prepare("SELECT key FROM sessions WHERE no = :session").get({ session })?.key;
  return key !== undefined && hasTitleTombstone(db, String(key));
}

/** Sets a title unless one of a higher rank is there. */
export function setTitle(db: Database, session: number, text: string, rank: (typeof titleRanks)[number]): void {
  db.prepare(`
    UPDATE sessions SET title = :text, title_folded = :folded, title_rank = :rank
    WHERE no = :session AND title_rank <= :rank
  `).run({
    session,
    text,
    folded: foldCase(withoutSecrets(text)),
    rank: titleRanks.indexOf(rank),
  });
}

/** A transcript went over to another session: its times and facts go along, and a session left without transcripts goes. */
function takeOver(db: Database, from: number, to: number): void {
  db.prepare(`
    UPDATE sessions SET
      title = CASE WHEN old.title_rank > sessions.title_rank THEN old.title ELSE sessions.title END,
      title_folded = CASE WHEN old.title_rank > sessions.title_rank THEN old.title_folded ELSE sessions.title_folded END,
      title_rank = max(old.title_rank, sessions.title_rank),
      kind = CASE WHEN sessions.kind = 'other' THEN old.kind ELSE sessions.kind END,
      spawned_by = coalesce(sessions.spawned_by, old.spawned_by),
      parent_key = coalesce(sessions.parent_key, old.parent_key),
      archived = max(sessions.archived, old.archived),
      project = coalesce(sessions.project, old.project),
      project_folded = coalesce(sessions.project_folded, old.project_folded), git_branch = coalesce(sessions.git_branch, old.git_branch),
      model = coalesce(sessions.model, old.model), forked_from = coalesce(sessions.forked_from, old.forked_from),
      created_at = min(coalesce(sessions.created_at, old.created_at), coalesce(old.created_at, sessions.created_at)),
      updated_at = max(coalesce(sessions.updated_at, old.updated_at), coalesce(old.updated_at, sessions.updated_at))
    FROM (SELECT * FROM sessions WHERE no = :from) AS old WHERE sessions.no = :to
  `).run({ from, to });
  db.prepare(
    "DELETE FROM sessions WHERE no = :from AND NOT EXISTS (SELECT 1 FROM transcripts WHERE session = :from)",
  ).run({ from });
}

/** Renames a session's key, and every mention of it in this database. The caller has a transaction open. */
export function renameSession(db: Database, from: SessionKey, to: SessionKey): void {
  db.prepare("UPDATE sessions SET key = :to WHERE key = :from").run({ from, to });
  for (const column of ["spawned_by", "parent_key", "forked_from"]) {
    db.prepare(`UPDATE sessions SET ${column} = :to WHERE ${column} = :from`).run({ from, to });
  }
}

/** Facts of a session that a fork of it begins with: where and with what the work was, not what was made of the talk. */
export function factsForFork(
  db: Database,
  key: SessionKey,
): Pick<SessionDraft, "kind" | "project" | "gitBranch" | "model"> {
  const row = db
    .prepare("SELECT kind, project, git_branch AS gitBranch, model FROM sessions WHERE key = :key")
    .get({ key });
  const facts = Object.entries(row ?? {}).filter(([, value]) => value !== null);
  return Object.fromEntries(facts) as Pick<SessionDraft, "kind" | "project" | "gitBranch" | "model">;
}

export function sessionExists(db: Database, key: string): boolean {
  return db.prepare("SELECT 1 FROM sessions WHERE key = :key").get({ key }) !== undefined;
}
