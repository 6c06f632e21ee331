/**
 * What was forgotten stays forgotten when an older copy comes back: the deletions of the store that is replaced are made
 * again in the one that takes its place.
 */
import type { SessionKey } from "../../model/ids.ts";
import { type AuditLine, addAuditLines, auditLines } from "../audit.ts";
import { clearTitle } from "../contents.ts";
import { deleteEntry } from "../delete-entry.ts";
import { deleteSession } from "../delete-session.ts";
import type { Database } from "../driver.ts";
import { firstNo, lastNo } from "../entry-no.ts";
import { saidOf } from "../entry-tombstone.ts";
import { deletedType } from "../husk.ts";
import { isPurgeWanted, purgeAll, wantPurge } from "../purge.ts";
import { findEntry } from "../read-branch.ts";
import { transcriptById } from "../sessions.ts";
import type { Tombstone } from "../tombstone-mirror.ts";
import { copyTombstones, isBefore, readTombstones } from "../tombstones.ts";
import { transaction } from "../transaction.ts";

export interface Deletions {
  readonly tombstones: readonly Tombstone[];
  /** Single entries. */
  readonly entries: readonly DeletedEntry[];
  /** What the store noted of copies and uncovered output: copies elsewhere have to stay known. */
  readonly audit: readonly AuditLine[];
}

interface DeletedEntry {
  readonly sessionId: string;
  readonly id: string;
  /** Ids of the entries above it, nearest first. */
  readonly above: readonly string[];
}

export interface DeletedAgain {
  readonly sessions: number;
  readonly entries: number;
  /** Deleted entries that the backup does not know yet, and no tombstone: an import can bring them back. */
  readonly unknown: number;
}

export const nothingDeleted: DeletedAgain = { sessions: 0, entries: 0, unknown: 0 };

/** The deletions that a store of any schema remembers. Reads all its entries. */
export function readDeletions(db: Database): Deletions {
  const above = db.prepare(`
    WITH RECURSIVE path (no, depth) AS (
      SELECT parent, 1 FROM entries WHERE no = :no
      UNION ALL SELECT e.parent, depth + 1 FROM entries e JOIN path ON e.no = path.no WHERE depth < 100
    )
    SELECT e.id AS id FROM path JOIN entries e ON e.no = path.no ORDER BY depth
  `);
  const entries = db
    .prepare(`
      SELECT t.session_id AS sessionId, e.id AS id, e.no AS no
      FROM entries e JOIN transcripts t ON t.no = e.no >> 24 WHERE e.type = :type ORDER BY e.no
    `)
    .all({ type: deletedType });
  return {
    tombstones: readTombstones(db),
    audit: auditLines(db),
    entries: entries.map(({ sessionId, id, no }) => ({
      sessionId: String(sessionId),
      id: String(id),
      above: above.all({ no: Number(no) }).map((row) => String(row.id)),
    })),
  };
}

/** Makes the deletions again, and takes what they leave out of the file. */
export function deleteAgain(db: Database, deletions: Deletions, now: number): DeletedAgain {
  const done = transaction(db, () => {
    const sessions = deletedSessions(db, deletions);
    for (const key of sessions) deleteSession(db, key, now);
    const titles = deletedTitles(db, deletions);
    for (const key of titles) clearTitle(db, key);
    const later = deletedEntries(db, deletions);
    copyTombstones(db, deletions.tombstones);
    for (const no of later) deleteEntry(db, no, now);
    const isKnown = isBefore([], deletions.tombstones).entriesOf;
    const outcomes = deletions.entries.map((entry) => deleteOne(db, entry, now));
    const count = (wanted: string) => outcomes.filter((outcome) => outcome === wanted).length;
    const unknown = deletions.entries.filter(
      ({ sessionId }, at) => outcomes[at] === "unknown" && !isKnown(sessionId),
    ).length;
    if (titles.length > 0) wantPurge(db);
    addAuditLines(db, deletions.audit);
    return { sessions: sessions.length, entries: later.length + count("deleted"), unknown };
  });
  if (isPurgeWanted(db)) purgeAll(db);
  return done;
}

/** Sessions of a copy that were deleted since it was made. */
export function deletedSessions(db: Database, { tombstones }: Pick<Deletions, "tombstones">): SessionKey[] {
  if (tombstones.length === 0) return [];
  const isDeleted = isBefore(readTombstones(db), tombstones);
  const keys = db
    .prepare("SELECT t.session_id AS id, s.key AS key FROM transcripts t JOIN sessions s ON s.no = t.session")
    .all()
    .filter(({ id }) => isDeleted.transcript(String(id)))
    .map(({ key }) => key as SessionKey);
  return [...new Set(keys)];
}

/** Sessions of a copy whose title was forgotten since it was made. */
export function deletedTitles(db: Database, { tombstones }: Pick<Deletions, "tombstones">): SessionKey[] {
  if (tombstones.length === 0) return [];
  const isDeleted = isBefore(readTombstones(db), tombstones);
  return db
    .prepare("SELECT key FROM sessions WHERE title IS NOT NULL")
    .all()
    .map(({ key }) => key as SessionKey)
    .filter((key) => isDeleted.titleOf(key));
}

/** Single entries of a copy that were deleted since it was made: by their ids, and by what they say where they had others then. */
export function deletedEntries(db: Database, deletions: Pick<Deletions, "entries" | "tombstones">): number[] {
  const byId = deletions.entries.flatMap(({ sessionId, id }) => {
    const transcript = transcriptById(db, sessionId);
    const entry = transcript && findEntry(db, transcript.no, id);
    return entry && entry.id === id && entry.type !== deletedType ? [entry.no] : [];
  });
  return [...new Set([...byId, ...deletedByWords(db, deletions)])];
}

function deletedByWords(db: Database, { tombstones }: Pick<Deletions, "tombstones">): number[] {
  const isDeleted = isBefore(readTombstones(db), tombstones);
  const found: number[] = [];
  for (const { no, sessionId } of db.prepare("SELECT no, session_id AS sessionId FROM transcripts").all()) {
    if (!isDeleted.entriesOf(String(sessionId))) continue;
    const rows = db
      .prepare("SELECT no, type, role, timestamp, body FROM entries WHERE no BETWEEN :from AND :to")
      .iterate({ from: firstNo(Number(no)), to: lastNo(Number(no)) });
    for (const row of rows) {
      const said = saidOf(row);
      if (said && isDeleted.entry(String(sessionId), said)) found.push(Number(row.no));
    }
  }
  return found;
}

function deleteOne(
  db: Database,
  { sessionId, id, above }: DeletedEntry,
  now: number,
): "deleted" | "kept away" | "unknown" {
  const transcript = transcriptById(db, sessionId);
  if (!transcript) return "unknown";
  const entry = findEntry(db, transcript.no, id);
  if (entry?.id === id) return deleteEntry(db, entry.no, now).entries > 0 ? "deleted" : "kept away";
  // The backup is older than the entry: its id gets another meaning, so that an import passes it over.
  const parent = above.map((each) => findEntry(db, transcript.no, each)).find((found) => found !== null);
  if (!parent) return "unknown";
  db.prepare(
    "INSERT INTO aliases (transcript, id, entry) VALUES (:transcript, :id, :entry) ON CONFLICT DO NOTHING",
  ).run({
    transcript: transcript.no,
    id,
    entry: parent.no,
  });
  return "kept away";
}
