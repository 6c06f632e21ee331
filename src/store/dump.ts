/** Everything of one store in order: what export writes. One entry in memory at a time. */
import type { EntryId, SessionId, SessionKey } from "../model/ids.ts";
import type { Role, SessionKind, TitleRank } from "../model/transcript.ts";
import { titleRanks } from "../model/transcript.ts";
import { ascending } from "./ascending.ts";
import { type Body, decodeBody } from "./body.ts";
import { dirtyRange } from "./dirty.ts";
import type { Database } from "./driver.ts";
import { firstNo, lastNo } from "./entry-no.ts";

export interface DumpedSession {
  readonly key: SessionKey;
  readonly kind: SessionKind;
  readonly title: string | null;
  readonly titleRank: TitleRank | null;
  readonly source: string | null;
  readonly project: string | null;
  readonly gitBranch: string | null;
  readonly model: string | null;
  readonly createdAt: number | null;
  readonly spawnedBy: SessionKey | null;
  readonly parentKey: SessionKey | null;
  readonly forkedFrom: SessionKey | null;
  readonly archived: boolean;
  /** Oldest generation first. */
  readonly transcripts: readonly {
    readonly no: number;
    readonly sessionId: SessionId;
    readonly leafId: EntryId | null;
    /** The append position; null above the root. */
    readonly appendAtId: EntryId | null;
  }[];
}

export interface DumpedEntry extends Body {
  /** Entry number. */
  readonly no: number;
  readonly id: EntryId;
  readonly parentId: EntryId | null;
  readonly type: string;
  readonly role: Role | null;
  readonly timestamp: number;
  readonly typed: boolean;
  /** Right for a dirty transcript too. */
  readonly active: boolean;
}

export function* dumpSessions(db: Database): Generator<DumpedSession> {
  const rows = db.prepare(`
    SELECT no, key, kind, title, title_rank AS titleRank, source, project, git_branch AS gitBranch, model,
      created_at AS createdAt, spawned_by AS spawnedBy, parent_key AS parentKey, forked_from AS forkedFrom, archived
    FROM sessions ORDER BY no
  `);
  for (const row of rows.all()) {
    const { no, titleRank, archived, ...rest } = row;
    const transcripts = db
      .prepare(`
        SELECT t.no AS no, t.session_id AS sessionId, (SELECT id FROM entries WHERE no = t.leaf) AS leafId,
          (SELECT id FROM entries WHERE no = coalesce(t.append_at, t.leaf)) AS appendAtId
        FROM transcripts t WHERE t.session = :no ORDER BY t.generation
      `)
      .all({ no: Number(no) });
    yield {
      ...(rest as unknown as Omit<DumpedSession, "titleRank" | "archived" | "transcripts">),
      titleRank: titleRanks[Number(titleRank)] ?? null,
      archived: archived === 1,
      transcripts: transcripts as unknown as DumpedSession["transcripts"],
    };
  }
}

export function* dumpEntries(db: Database, transcript: number): Generator<DumpedEntry> {
  // Pages, not one open cursor: the caller may write to the store in between.
  const page = db.prepare(`
    SELECT e.no AS no, e.id AS id, p.id AS parentId, e.type AS type, e.role AS role, e.timestamp AS timestamp,
      e.typed AS typed, e.active AS active, e.body AS body
    FROM entries e LEFT JOIN entries p ON p.no = e.parent WHERE e.no BETWEEN :from AND :to ORDER BY e.no LIMIT 200
  `);
  const path = activePath(db, transcript);
  for (let from = firstNo(transcript); ; ) {
    const rows = page.all({ from, to: lastNo(transcript) });
    for (const row of rows) {
      yield {
        ...decodeBody(row.body),
        no: Number(row.no),
        id: row.id as EntryId,
        parentId: row.parentId as EntryId | null,
        type: String(row.type),
        role: row.role as Role | null,
        timestamp: Number(row.timestamp),
        typed: row.typed === 1,
        active: path ? path.has(Number(row.no)) : row.active === 1,
      };
      from = ascending(from, Number(row.no) + 1);
    }
    if (rows.length === 0) return;
  }
}

/** The active branch of a dirty transcript, whose flags don't tell; null for a clean one. */
function activePath(db: Database, transcript: number): Set<number> | null {
  if (dirtyRange(db, transcript) === null) return null;
  const path = new Set<number>();
  const read = db.prepare("SELECT parent FROM entries WHERE no = :no");
  const leaf = db.prepare("SELECT leaf FROM transcripts WHERE no = :no").get({ no: transcript })?.leaf;
  for (let no = leaf; typeof no === "number" && !path.has(no); no = read.get({ no })?.parent) path.add(no);
  return path;
}
