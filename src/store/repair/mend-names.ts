/**
 * Session keys, session ids and entry ids stand twice in the file: in the row and in a unique index. Where the two
 * disagree, one of them was damaged, and making the index anew would make the damage final. Which one is right is told by
 * the entry's checksum, by the form of a key, or by the other name: most keys end in the id of their first transcript.
 */
import { type AgentId, parseSessionKey, sessionKeyOf } from "../../model/ids.ts";
import type { Database } from "../driver.ts";
import { type CheckedRow, entryCrc } from "../entry-crc.ts";
import { transaction } from "../transaction.ts";

export interface NameCorrection {
  readonly table: "sessions" | "transcripts" | "entries";
  readonly no: number;
  readonly name: string;
}

/** To be asked before an index is made anew. @param changed Entries with a wrong checksum. */
export function namesFromIndexes(db: Database, agentId: AgentId, changed: ReadonlySet<number>): NameCorrection[] {
  const corrections: NameCorrection[] = [];
  for (const { no, row, index } of disagreements(db, "sessions", "key", "sqlite_autoindex_sessions_1")) {
    const first = db
      .prepare("SELECT session_id AS id FROM transcripts NOT INDEXED WHERE session = :no ORDER BY generation LIMIT 1")
      .get({ no })?.id;
    if (isBetterKey(index, row, agentId, String(first))) corrections.push({ table: "sessions", no, name: index });
  }
  for (const { no, row, index } of disagreements(db, "transcripts", "session_id", "sqlite_autoindex_transcripts_1")) {
    const key = db
      .prepare(
        "SELECT s.key AS key FROM transcripts t JOIN sessions s NOT INDEXED ON s.no = t.session WHERE t.no = :no",
      )
      .get({ no })?.key;
    const fits = (id: string) => String(key).includes(id.replace(/~\d+$/, ""));
    if (fits(index) && !fits(row)) corrections.push({ table: "transcripts", no, name: index });
  }
  if (changed.size > 0) {
    for (const { id, no } of db.prepare("SELECT id, no FROM entries INDEXED BY entries_by_id").iterate()) {
      if (!changed.has(Number(no))) continue;
      const stored = db.prepare("SELECT * FROM entries WHERE no = :no").get({ no: Number(no) });
      if (stored?.crc === entryCrc({ ...(stored as unknown as CheckedRow), id: String(id) }))
        corrections.push({ table: "entries", no: Number(no), name: String(id) });
    }
  }
  return corrections;
}

/** To be done once the indexes agree with their tables. Returns how many. */
export function applyNames(db: Database, corrections: readonly NameCorrection[]): number {
  const column = { sessions: "key", transcripts: "session_id", entries: "id" } as const;
  return transaction(db, () =>
    corrections.reduce(
      (sum, { table, no, name }) =>
        sum + db.prepare(`UPDATE OR IGNORE ${table} SET ${column[table]} = :name WHERE no = :no`).run({ no, name }),
      0,
    ),
  );
}

export function isBetterKey(candidate: string, key: string, agentId: AgentId, firstId: string): boolean {
  if (!isKeyOf(candidate, agentId)) return false;
  if (!isKeyOf(key, agentId)) return true;
  const ofFirst = sessionKeyOf(agentId, firstId);
  return candidate === ofFirst && key !== ofFirst;
}

export function isKeyOf(key: string, agentId: AgentId): boolean {
  return parseSessionKey(key)?.agentId === agentId;
}

function disagreements(db: Database, table: string, column: string, index: string) {
  const names = (how: string) =>
    new Map(
      db
        .prepare(`SELECT no, ${column} AS name FROM ${table} ${how}`)
        .all()
        .map(({ no, name }) => [Number(no), String(name)]),
    );
  const inIndex = names(`INDEXED BY ${index}`);
  return [...names("NOT INDEXED")].flatMap(([no, row]) => {
    const other = inIndex.get(no);
    return other === undefined || other === row ? [] : { no, row, index: other };
  });
}
