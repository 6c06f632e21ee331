/**
 * Puts rows right that contradict one another, from what the transcripts say. Everything is computed anew from what is
 * there, so that a repair that was killed, or made twice, does no harm. Each function is one transaction.
 */

import { type AgentId, sessionKeyOf } from "../../model/ids.ts";
import type { Role } from "../../model/transcript.ts";
import { shows, showsOf } from "../../text/searchable.ts";
import { ascending } from "../ascending.ts";
import { type Body, decodeBody } from "../body.ts";
import { aliasesToNowhere, foldedProject, foldedTitle, wrongFact, wrongSequences } from "../check/check-tables.ts";
import { markDirty } from "../dirty.ts";
import type { Database, SqlValue } from "../driver.ts";
import { type CheckedRow, checkedRow, entryCrc } from "../entry-crc.ts";
import { firstNo, lastNo, positions, transcriptOf } from "../entry-no.ts";
import { flaggedLeaf, rightLeaf } from "../flagged-path.ts";
import { isHusk } from "../husk.ts";
import { entrySql, rowOf, rowRanges } from "../index-row.ts";
import { bothIndexes, type IndexTables, messageTables } from "../index-tables.ts";
import { aboveRoot } from "../sessions.ts";
import { transaction } from "../transaction.ts";
import { correctEntry } from "./correct-entry.ts";
import { rawBody } from "./lost-entry.ts";
import { isKeyOf } from "./mend-names.ts";

/** Entries of one transaction. */
const slice = 200;

/** What became of entries that were not as they were written. */
export interface MendedEntries {
  /** Made what they were: their checksum says so. */
  corrected: number;
  /** Kept as they are now. */
  accepted: number;
  /** Kept as raw content. */
  raw: number;
}

/** Entries with a wrong checksum, parent, filing or content. Gives way between slices. */
export async function mendEntries(
  db: Database,
  numbers: ReadonlySet<number>,
  tick: (rows: number) => Promise<void>,
): Promise<MendedEntries> {
  const mended = { corrected: 0, accepted: 0, raw: 0 };
  const all = [...numbers].sort((a, b) => a - b);
  for (let at = 0; at < all.length; at += slice) {
    transaction(db, () => {
      for (const no of all.slice(at, at + slice)) mended[mendEntry(db, no)] += 1;
    });
    await tick(slice);
  }
  return mended;
}

function mendEntry(db: Database, no: number): keyof MendedEntries {
  const stored = db.prepare("SELECT * FROM entries WHERE no = :no").get({ no });
  if (!stored) return "accepted";
  const row = checkedRow(stored);
  const corrected =
    stored.crc === null || stored.crc === entryCrc(row) ? row : correctEntry(db, no, row, Number(stored.crc));
  const now: { -readonly [key in keyof CheckedRow]: CheckedRow[key] } = { ...(corrected ?? row) };
  if (!isParent(db, no, now.parent)) now.parent = entryBefore(db, no);
  let raw = false;
  let body: Body;
  try {
    body = decodeBody(now.body);
  } catch {
    raw = true;
    now.body = rawBody(now.body);
    body = decodeBody(now.body);
  }
  const bits = isHusk(now.type) ? 0 : showsOf({ type: now.type, role: now.role as Role | null, parts: body.parts });
  if (now.typed !== 0 && (now.typed !== 1 || (bits & shows.spoken) === 0))
    now.typed = (bits & shows.spoken) === 0 ? 0 : 1;
  db.prepare(`
    UPDATE entries SET id = :id, parent = :parent, type = :type, role = :role, timestamp = :timestamp, typed = :typed,
      shows = :shows, body = :body, crc = :crc WHERE no = :no
  `).run({ no, ...now, shows: bits, crc: entryCrc(now) });
  return raw ? "raw" : corrected !== null && corrected !== row ? "corrected" : "accepted";
}

function isParent(db: Database, no: number, parent: number | null): boolean {
  if (parent === null) return true;
  if (parent >= no || transcriptOf(parent) !== transcriptOf(no)) return false;
  return db.prepare("SELECT 1 FROM entries WHERE no = :parent").get({ parent }) !== undefined;
}

function entryBefore(db: Database, no: number): number | null {
  const row = db
    .prepare("SELECT max(no) AS no FROM entries WHERE no < :no AND no >= :first")
    .get({ no, first: firstNo(transcriptOf(no)) });
  return (row?.no ?? null) as number | null;
}

/** Entries that an older version wrote get their checksum. Returns how many. */
export async function writeChecksums(db: Database, tick: (rows: number) => Promise<void>): Promise<number> {
  let written = 0;
  for (let from = Number.MIN_SAFE_INTEGER; ; ) {
    const rows = db
      .prepare("SELECT * FROM entries WHERE no >= :from AND crc IS NULL ORDER BY no LIMIT 500")
      .all({ from });
    if (rows.length === 0) return written;
    transaction(db, () => {
      for (const row of rows) {
        // Between reading and now somebody may have written it anew, with a checksum.
        written += db
          .prepare("UPDATE entries SET crc = :crc WHERE no = :no AND crc IS NULL")
          .run({ no: Number(row.no), crc: entryCrc(checkedRow(row)) });
      }
    });
    from = ascending(from, Number(rows.at(-1)?.no) + 1);
    await tick(rows.length);
  }
}

/** Folded names, and facts that no session has. Returns how many sessions changed. */
export function mendSessions(db: Database, agentId: AgentId): number {
  return transaction(db, () => {
    let changed = 0;
    for (const row of db.prepare("SELECT * FROM sessions").all()) {
      const no = Number(row.no);
      const title = foldedTitle(row.title);
      const project = foldedProject(row.project);
      if (title !== row.title_folded || project !== row.project_folded) {
        db.prepare("UPDATE sessions SET title_folded = :title, project_folded = :project WHERE no = :no").run({
          no,
          title,
          project,
        });
        changed += 1;
      }
      if (!isKeyOf(String(row.key), agentId)) {
        const first = db
          .prepare("SELECT session_id AS id FROM transcripts WHERE session = :no ORDER BY generation LIMIT 1")
          .get({ no })?.id;
        const wanted = [sessionKeyOf(agentId, String(first ?? no)), sessionKeyOf(agentId, `recovered-session-${no}`)];
        for (const key of wanted) {
          const renamed = db.prepare("UPDATE OR IGNORE sessions SET key = :key WHERE no = :no").run({ no, key });
          changed += renamed;
          if (renamed > 0) break;
        }
      }
      const standard: Readonly<Record<string, SqlValue>> = {
        kind: "other",
        archived: 0,
        title_rank: row.title === null ? -1 : 0,
        source: null,
      };
      const now: Record<string, SqlValue> = { ...row };
      for (let wrong = wrongFact(now); wrong !== null; wrong = wrongFact(now)) {
        now[wrong] = standard[wrong] ?? null;
        db.prepare(`UPDATE sessions SET ${wrong} = :value WHERE no = :no`).run({ no, value: now[wrong] ?? null });
        changed += 1;
      }
    }
    db.prepare("UPDATE source_files SET state = 'null', stage = 'again' WHERE json_valid(state) = 0").run();
    db.prepare("UPDATE source_files SET agents = '[]', stage = 'again' WHERE json_valid(agents) = 0").run();
    return changed;
  });
}

/** Rows that lead nowhere: entries get a session, the others go. Returns how many rows were touched. */
export function mendOrphans(db: Database, agentId: AgentId): number {
  return transaction(db, () => {
    let touched = 0;
    // A session that is not there: every transcript of it goes to one that is made in its place.
    const lost = db.prepare(
      "SELECT DISTINCT session FROM transcripts WHERE session NOT IN (SELECT no FROM sessions) ORDER BY session",
    );
    for (const { session } of lost.all()) {
      const no = Number(session);
      touched += db
        .prepare("INSERT OR IGNORE INTO sessions (no, key) VALUES (:no, :key)")
        .run({ no, key: sessionKeyOf(agentId, `recovered-session-${no}`) });
    }
    const next = db.prepare("SELECT no FROM entries WHERE no >= :from ORDER BY no LIMIT 1");
    let before = -1;
    for (let row = next.get({ from: 0 }); row; ) {
      const transcript = ascending(before, transcriptOf(Number(row.no)));
      before = transcript;
      if (transcript > 0 && !db.prepare("SELECT 1 FROM transcripts WHERE no = :transcript").get({ transcript })) {
        const key = sessionKeyOf(agentId, `recovered-${transcript}`);
        db.prepare("INSERT OR IGNORE INTO sessions (key) VALUES (:key)").run({ key });
        const session = Number(db.prepare("SELECT no FROM sessions WHERE key = :key").get({ key })?.no);
        db.prepare(`
          INSERT INTO transcripts (no, session, session_id, generation) VALUES (:transcript, :session, :id, 1)
        `).run({ transcript, session, id: `recovered-${transcript}` });
        endAtNewest(db, transcript);
        touched += 1;
      }
      row = next.get({ from: firstNo(transcript + 1) });
    }
    for (const table of ["aliases", "dirty", "tool_totals"]) {
      touched += db.prepare(`DELETE FROM ${table} WHERE transcript NOT IN (SELECT no FROM transcripts)`).run();
    }
    for (const { map } of bothIndexes)
      touched += db.prepare(`DELETE FROM ${map} WHERE no >> 24 NOT IN (SELECT no FROM transcripts)`).run();
    return touched;
  });
}

/** A transcript of which nothing but its entries is known ends at the newest. It is indexed by reconciliation. */
export function endAtNewest(db: Database, transcript: number): void {
  const range = { from: firstNo(transcript), to: lastNo(transcript) };
  const newest = db
    .prepare("SELECT max(no) AS no FROM entries WHERE no BETWEEN :from AND :to AND type <> 'leaf'")
    .get(range)?.no;
  const last = db.prepare("SELECT max(no) AS no FROM entries WHERE no BETWEEN :from AND :to").get(range)?.no;
  if (typeof last !== "number") return;
  db.prepare("UPDATE transcripts SET leaf = :leaf, next = :next WHERE no = :transcript").run({
    transcript,
    leaf: newest ?? null,
    next: (last % positions) + 1,
  });
  markDirty(db, transcript, range.from, last, "repair");
}

/** Sessions without a transcript get an empty one. Returns how many. */
export function mendEmptySessions(db: Database): number {
  return transaction(db, () => {
    const empty = db.prepare("SELECT no, key FROM sessions WHERE no NOT IN (SELECT session FROM transcripts)").all();
    for (const { no, key } of empty) {
      db.prepare("INSERT OR IGNORE INTO transcripts (session, session_id, generation) VALUES (:no, :key, 1)").run({
        no: Number(no),
        key: String(key),
      });
    }
    return empty.length;
  });
}

/** Other ids that lead nowhere. Returns how many. */
export function mendAliases(db: Database): number {
  return transaction(db, () => db.prepare(`DELETE FROM aliases WHERE ${aliasesToNowhere}`).run());
}

/** What the next session and transcript get as their numbers. Returns how many were wrong. */
export function mendSequences(db: Database): number {
  return transaction(db, () => {
    const wrong = wrongSequences(db);
    for (const { table, last } of wrong) {
      const values = { table, last };
      if (db.prepare("UPDATE sqlite_sequence SET seq = CAST(:last AS INTEGER) WHERE name = :table").run(values) === 0)
        db.prepare("INSERT INTO sqlite_sequence (name, seq) VALUES (:table, CAST(:last AS INTEGER))").run(values);
    }
    return wrong.length;
  });
}

/**
 * Leaves that contradict the flags of a transcript that is not dirty. To be done before anything marks it so: the flags are
 * followed no more then. Returns how many.
 */
export function mendLeaves(db: Database): number {
  return transaction(db, () => {
    let changed = 0;
    for (const row of db.prepare("SELECT no, leaf FROM transcripts").all()) {
      const no = Number(row.no);
      const leaf = rightLeaf(db, row.leaf as number | null, flaggedLeaf(db, no));
      if (leaf !== null) changed += db.prepare("UPDATE transcripts SET leaf = :leaf WHERE no = :no").run({ no, leaf });
    }
    return changed;
  });
}

/** Leaves, positions and the count of messages. Returns how many transcripts changed. */
export function mendTranscripts(db: Database): number {
  return transaction(db, () => {
    let changed = 0;
    for (const row of db.prepare("SELECT no, leaf, append_at, next, messages, tokens FROM transcripts").all()) {
      const no = Number(row.no);
      const range = { from: firstNo(no), to: lastNo(no) };
      const last =
        db.prepare("SELECT max(no) AS no FROM entries WHERE no BETWEEN :from AND :to").get(range)?.no ?? null;
      const newest =
        db.prepare("SELECT max(no) AS no FROM entries WHERE no BETWEEN :from AND :to AND type <> 'leaf'").get(range)
          ?.no ?? null;
      const size = last === null ? 0 : (Number(last) % positions) + 1;
      const next = Number(row.next);
      const isThere = (at: SqlValue | undefined) =>
        typeof at === "number" &&
        transcriptOf(at) === no &&
        db.prepare("SELECT 1 FROM entries WHERE no = :at").get({ at }) !== undefined;
      const index = db
        .prepare(
          "SELECT count(*) AS n, coalesce(sum(length), 0) AS tokens FROM messages WHERE no BETWEEN :from AND :to",
        )
        .get(range);
      const now = {
        leaf: row.leaf === null || isThere(row.leaf) ? (row.leaf ?? null) : (flaggedLeaf(db, no) ?? newest),
        appendAt: row.append_at === aboveRoot || isThere(row.append_at) ? (row.append_at ?? null) : null,
        next: size,
        messages: Number(index?.n),
        tokens: Number(index?.tokens),
      };
      if (
        now.leaf === row.leaf &&
        now.appendAt === row.append_at &&
        now.next === next &&
        now.messages === row.messages &&
        now.tokens === row.tokens
      )
        continue;
      db.prepare(
        "UPDATE transcripts SET leaf = :leaf, append_at = :appendAt, next = :next, messages = :messages, tokens = :tokens WHERE no = :no",
      ).run({ no, ...now });
      changed += 1;
    }
    return changed;
  });
}

/** Index rows that no entry stands behind, and those of no number that one could have. Returns how many. */
export function removeExtra(
  db: Database,
  numbers: ReadonlySet<number>,
  stray: ReadonlySet<number>,
  { fts, map }: IndexTables = messageTables,
): number {
  return transaction(db, () => {
    const remove = db.prepare(`DELETE FROM ${fts} WHERE rowid = :row`);
    for (const row of stray) remove.run({ row });
    for (const no of numbers) {
      remove.run({ row: rowOf(no) });
      db.prepare(`DELETE FROM ${map} WHERE no = :no`).run({ no });
    }
    return numbers.size + stray.size;
  });
}

/** Transcripts that are made anew from an entry on: flags and index rows. Full-text rows without a row map go first. */
export function markForRepair(db: Database, from: ReadonlyMap<number, number>): number {
  return transaction(db, () => {
    for (const [transcript, no] of from) {
      const last = db
        .prepare("SELECT max(no) AS no FROM entries WHERE no BETWEEN :first AND :last")
        .get({ first: firstNo(transcript), last: lastNo(transcript) })?.no;
      db.prepare(
        'DELETE FROM dirty WHERE transcript = :transcript AND ("from" > coalesce("to", "from") OR "from" >> 24 <> transcript)',
      ).run({ transcript });
      if (
        typeof last !== "number" ||
        !db.prepare("SELECT 1 FROM transcripts WHERE no = :transcript").get({ transcript })
      )
        continue;
      // Reconciliation goes by the row map: what only the full-text table has would stay, and be there twice.
      for (const { from: first, to } of rowRanges(no, last)) {
        for (const { fts, map } of bothIndexes) {
          db.prepare(`
            DELETE FROM ${fts} WHERE rowid IN (
              SELECT id FROM ${fts}_docsize WHERE id BETWEEN :first AND :to AND ${entrySql("id")} NOT IN (SELECT no FROM ${map})
            )
          `).run({ first, to });
        }
      }
      markDirty(db, transcript, Math.min(no, last), last, "repair");
    }
    return from.size;
  });
}
