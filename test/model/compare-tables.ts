/** What stands in the tables of a store against the oracle: transcripts entry by entry, and the index row by row. */
import assert from "node:assert/strict";
import type { EntryId, SessionKey } from "../../src/model/ids.ts";
import { decodeBody } from "../../src/store/body.ts";
import type { Database, Row } from "../../src/store/driver.ts";
import { entrySql } from "../../src/store/index-row.ts";
import { compareToolIndex } from "./compare-tools.ts";
import { type Oracle, type OracleTranscript, pathOf, searchable } from "./oracle.ts";
import { everyWord } from "./program.ts";

/** Nothing may be dirty. */
export function compareTables(db: Database, oracle: Oracle): void {
  checkIntegrity(db);
  assert.deepEqual(rows(db, "SELECT * FROM dirty"), [], "dirty");
  assert.deepEqual(readSessions(db), oracleSessions(oracle), "transcripts");
  compareIndex(db);
  compareToolIndex(db);
}

/** Without the driver's null prototype, which strict comparison tells from that of a literal. */
function rows(db: Database, sql: string): Row[] {
  return db
    .prepare(sql)
    .all()
    .map((row) => ({ ...row }));
}

export function checkIntegrity(db: Database): void {
  assert.deepEqual(rows(db, "PRAGMA integrity_check"), [{ integrity_check: "ok" }]);
  assert.deepEqual(rows(db, "PRAGMA foreign_key_check"), []);
  db.exec("INSERT INTO message_index (message_index, rank) VALUES ('integrity-check', 1)");
}

/** Every searchable message of an active branch has its rows, and nothing else has: told from the transcripts alone. */
export function compareIndex(db: Database): void {
  const numbers = (sql: string) =>
    db
      .prepare(sql)
      .all()
      .map(({ no }) => Number(no));
  const wanted = db
    .prepare("SELECT no, type, role, timestamp, body FROM entries WHERE active = 1 ORDER BY no")
    .all()
    .filter((row) => searchable(toPlain(row)) !== null);
  assert.deepEqual(
    rows(db, "SELECT no, role, timestamp FROM messages ORDER BY no"),
    wanted.map(({ no, role, timestamp }) => ({ no, role, timestamp })),
    "row map",
  );
  const indexed = wanted.map(({ no }) => Number(no));
  assert.deepEqual(numbers(`SELECT ${entrySql("rowid")} AS no FROM message_index ORDER BY no`), indexed, "index");
  const everywhere = `SELECT ${entrySql("rowid")} AS no FROM message_index WHERE message_index MATCH '${everyWord}' ORDER BY no`;
  assert.deepEqual(numbers(everywhere), indexed, "index, by its words");
  assert.deepEqual(
    rows(db, "SELECT no, messages, tokens FROM transcripts WHERE messages > 0 ORDER BY no"),
    rows(db, "SELECT no >> 24 AS no, count(*) AS messages, sum(length) AS tokens FROM messages GROUP BY 1 ORDER BY 1"),
    "messages and tokens of a transcript",
  );
}

function toPlain(row: Row) {
  const { parts, data } = decodeBody(row.body);
  return {
    id: row.id as EntryId,
    type: String(row.type),
    ...(row.role !== null && { role: row.role as "user" }),
    timestamp: Number(row.timestamp),
    parts,
    ...saidAsData(data),
  };
}

/** What entries without parts say: a reset that lost it looks the same otherwise. Other data is the store's own. */
function saidAsData(data: unknown) {
  return typeof data === "string" ? { data } : {};
}

/** A session as both sides can say it. */
export interface PlainSession {
  readonly key: SessionKey;
  readonly title: string | null;
  readonly archived: boolean;
  readonly forkedFrom: SessionKey | null;
  readonly transcripts: readonly unknown[];
}

/** What the tables say, by session key. */
export function readSessions(db: Database): PlainSession[] {
  const transcripts = db.prepare(
    "SELECT no, leaf, append_at AS appendAt FROM transcripts WHERE session = :session ORDER BY generation",
  );
  const entries = db.prepare(`
    SELECT e.no AS no, e.id AS id, p.id AS parent, e.type AS type, e.role AS role, e.timestamp AS timestamp,
      e.active AS active, e.body AS body
    FROM entries e LEFT JOIN entries p ON p.no = e.parent WHERE e.no >> 24 = :transcript ORDER BY e.no
  `);
  return db
    .prepare("SELECT no, key, title, archived, forked_from AS forkedFrom FROM sessions ORDER BY key")
    .all()
    .map(({ no, key, title, archived, forkedFrom }) => ({
      key: key as SessionKey,
      title: title as string | null,
      archived: archived === 1,
      forkedFrom: forkedFrom as SessionKey | null,
      transcripts: transcripts.all({ session: Number(no) }).map(({ no: transcript, leaf, appendAt }) => {
        const rows = entries.all({ transcript: Number(transcript) });
        const idOf = (no: unknown) =>
          no === null || no === -1 ? null : (rows.find((row) => row.no === no)?.id ?? `no entry ${no}`);
        return {
          leaf: idOf(leaf),
          // As it is stored: null for that of the leaf, -1 above the root.
          appendAt: idOf(appendAt ?? leaf),
          entries: rows.map((row) => ({
            ...toPlain(row),
            parent: row.parent as EntryId | null,
            active: row.active === 1,
          })),
        };
      }),
    }));
}

/** What the oracle says, by session key. */
export function oracleSessions(oracle: Oracle): PlainSession[] {
  return [...oracle.sessions.values()]
    .sort((one, two) => (one.key < two.key ? -1 : 1))
    .map(({ key, title, archived, forkedFrom, transcripts }) => ({
      key,
      title,
      archived,
      forkedFrom,
      transcripts: transcripts.map(plainTranscript),
    }));
}

function plainTranscript(transcript: OracleTranscript) {
  const active = new Set(pathOf(transcript).map(({ id }) => id));
  return {
    leaf: transcript.leaf,
    appendAt: transcript.appendAt,
    entries: [...transcript.entries.values()].map(({ id, type, role, timestamp, parts, data, parent }) => ({
      id,
      type,
      ...(role !== undefined && { role }),
      timestamp,
      parts,
      ...saidAsData(data),
      parent,
      active: active.has(id),
    })),
  };
}
