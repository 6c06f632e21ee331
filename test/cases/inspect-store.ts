/**
 * Looks into the databases of a home with SQL of its own, past the library: what a check of the store's health must not
 * take the store's word for.
 */

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { entrySql } from "../../src/store/index-row.ts";
import { NotRun } from "./not-run.ts";

/** What SQLite's and FTS5's own checks, and the foreign keys, find wrong; empty when nothing is. */
export function integrityProblems(home: string): string[] {
  return eachDatabase(home, (db, agent) => {
    const found: string[] = [];
    for (const row of db.prepare("PRAGMA integrity_check").all()) {
      const verdict = String(row.integrity_check);
      if (verdict !== "ok") found.push(`${agent}: ${verdict}`);
    }
    for (const row of db.prepare("PRAGMA foreign_key_check").all())
      found.push(`${agent}: a ${row.table} row without ${row.parent}`);
    for (const index of ftsTables(db)) {
      try {
        db.exec(`INSERT INTO "${index}" ("${index}") VALUES ('integrity-check')`);
      } catch (error) {
        found.push(`${agent}: ${index}: ${error instanceof Error ? error.message : error}`);
      }
    }
    return found;
  });
}

/** Rows of the index, and of the map beside it, whose message is not there. */
export function orphanIndexRows(home: string): number {
  const counts = eachDatabase(home, (db) => {
    const strange = ftsTables(db).filter((name) => name !== "message_index" && name !== "tool_index");
    if (strange.length > 0) throw new NotRun(`orphanIndexRows: the index ${strange.join(", ")} is not known here`);
    const row = db
      .prepare(`
        SELECT (SELECT count(*) FROM message_index_docsize WHERE ${entrySql("id")} NOT IN (SELECT no FROM entries))
          + (SELECT count(*) FROM messages WHERE no NOT IN (SELECT no FROM entries))
          + (SELECT count(*) FROM message_index_docsize WHERE ${entrySql("id")} NOT IN (SELECT no FROM messages)) AS n
      `)
      .get();
    return [Number(row?.n)];
  });
  return counts.reduce((sum, count) => sum + count, 0);
}

export function vacuum(home: string): void {
  eachDatabase(home, (db) => {
    db.exec("VACUUM");
    return [];
  });
}

function eachDatabase<T>(home: string, look: (db: DatabaseSync, agent: string) => T[]): T[] {
  const agents = join(home, "agents");
  if (!existsSync(agents)) return [];
  return readdirSync(agents).flatMap((agent) => {
    const file = join(agents, agent, "transcripts.sqlite");
    if (!existsSync(file)) return [];
    const db = new DatabaseSync(file, { timeout: 5000 });
    try {
      return look(db, agent);
    } finally {
      db.close();
    }
  });
}

function ftsTables(db: DatabaseSync): string[] {
  return db
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL TABLE%USING fts5%'")
    .all()
    .map((row) => String(row.name));
}
