/** The narrow tables: sessions, aliases, and rows that lead nowhere. One statement each. */
import { sessionKinds, titleRanks } from "../../model/transcript.ts";
import { ascending } from "../ascending.ts";
import type { Database, SqlValue } from "../driver.ts";
import { foldCase, foldPath } from "../fold-name.ts";
import { isKeyOf } from "../repair/mend-names.ts";
import { withoutSecrets } from "../without-secrets.ts";
import type { CheckContext } from "./check-context.ts";

export function checkForeignKeys({ db, findings }: CheckContext): void {
  for (const row of db.prepare('SELECT "table", count(*) AS n FROM pragma_foreign_key_check GROUP BY 1').all())
    findings.add("orphan-row", `${row.table} without what they belong to`, Number(row.n));
}

export async function checkSessions({ db, agentId, findings, tick }: CheckContext): Promise<void> {
  const rows = db.prepare(`
    SELECT s.*, EXISTS (SELECT 1 FROM transcripts t WHERE t.session = s.no) AS started
    FROM sessions s WHERE s.no > :after ORDER BY s.no LIMIT 1000
  `);
  for (let after = Number.MIN_SAFE_INTEGER; ; ) {
    const page = rows.all({ after });
    for (const row of page) {
      after = ascending(after, Number(row.no));
      const key = String(row.key);
      if (row.started === 0) findings.add("empty-session", key);
      if (row.title_folded !== foldedTitle(row.title) || row.project_folded !== foldedProject(row.project))
        findings.add("wrong-name", key);
      const wrong = isKeyOf(key, agentId) ? wrongFact(row) : "key";
      if (wrong !== null) findings.add("wrong-value", `${key}: ${wrong}`);
    }
    await tick(0);
    if (page.length === 0) return;
  }
}

export function foldedTitle(title: SqlValue | undefined): string | null {
  return typeof title === "string" ? foldCase(withoutSecrets(title)) : null;
}

export function foldedProject(project: SqlValue | undefined): string | null {
  return typeof project === "string" ? foldPath(withoutSecrets(project)) : null;
}

/** The name of a column that holds what no session has. */
export function wrongFact(row: Readonly<Record<string, SqlValue>>): string | null {
  if (!(sessionKinds as readonly SqlValue[]).includes(row.kind ?? null)) return "kind";
  if (row.archived !== 0 && row.archived !== 1) return "archived";
  const rank = Number(row.title_rank);
  if (rank < -1 || rank >= titleRanks.length || (rank === -1) !== (row.title === null)) return "title_rank";
  if (typeof row.source === "string" && !/^[a-z][a-z0-9-]{0,31}$/.test(row.source)) return "source";
  return null;
}

export const aliasesToNowhere = `
  entry IS NOT NULL AND (entry >> 24 <> transcript OR NOT EXISTS (SELECT 1 FROM entries e WHERE e.no = aliases.entry))`;

export function checkAliases({ db, findings }: CheckContext): void {
  const rows = db.prepare(
    `SELECT transcript, count(*) AS n FROM aliases WHERE ${aliasesToNowhere} GROUP BY transcript`,
  );
  for (const row of rows.all()) findings.add("wrong-alias", `transcript ${row.transcript}`, Number(row.n));
}

/** Most transcripts that an agent can have: their numbers are the upper part of entries' numbers. */
export const mostTranscripts = 2 ** 29;

/** Where the number that the next row gets is none that it can have. `last`: the highest that is in use. */
export function wrongSequences(db: Database): { readonly table: string; readonly last: number }[] {
  return ["sessions", "transcripts"].flatMap((table) => {
    const row = db
      .prepare(`
        SELECT (SELECT coalesce(max(no), 0) FROM ${table}) AS last,
          (SELECT count(*) FROM sqlite_sequence WHERE name = :table AND typeof(seq) = 'integer' AND seq < :most
            AND seq >= (SELECT coalesce(max(no), 0) FROM ${table})) AS right
      `)
      .get({ table, most: mostTranscripts });
    const last = Number(row?.last);
    return row?.right === 1 || (last === 0 && isNew(db, table)) ? [] : [{ table, last }];
  });
}

/** Before its first row a table has no line there. */
function isNew(db: Database, table: string): boolean {
  return db.prepare("SELECT 1 FROM sqlite_sequence WHERE name = :table").get({ table }) === undefined;
}

export function checkSequences({ db, findings }: CheckContext): void {
  for (const { table } of wrongSequences(db))
    findings.add("wrong-counter", `the number that the next of ${table} gets`);
}

/** Numbers that only damage can have made, and that can't be read: of every table that is copied into a new file. */
export function checkNumbers({ db }: CheckContext): void {
  const columns = db.prepare(`
    SELECT t.name AS "table", c.name AS name FROM pragma_table_list t JOIN pragma_table_info(t.name) c
    WHERE t.schema = 'main' AND t.type = 'table' AND c.type = 'INTEGER'
      AND t.name IN ('sessions', 'transcripts', 'source_files', 'pending_titles', 'tombstones', 'audit')
  `);
  for (const { table, name } of columns.all()) {
    const most = Number.MAX_SAFE_INTEGER;
    const sql = `SELECT 1 FROM ${table} WHERE "${name}" > ${most} OR "${name}" < -${most} LIMIT 1`;
    if (db.prepare(sql).get()) throw new Error(`${table}.${name} holds a number that nothing wrote`);
  }
}

/** Rows that are read as JSON elsewhere. */
export function checkSourceFiles({ db, findings }: CheckContext): void {
  const rows = db.prepare("SELECT path FROM source_files WHERE json_valid(state) = 0 OR json_valid(agents) = 0");
  for (const row of rows.all()) findings.add("wrong-value", `source file ${String(row.path)}`);
}
