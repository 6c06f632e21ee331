/** The narrow tables: sessions, aliases, and rows that lead nowhere. One statement each. */
import { sessionKinds, titleRanks } from "../../model/transcript.ts";
import { ascending } from "../ascending.ts";
import type { SqlValue } from "../driver.ts";
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

/** Rows that are read as JSON elsewhere. */
export function checkSourceFiles({ db, findings }: CheckContext): void {
  const rows = db.prepare("SELECT path FROM source_files WHERE json_valid(state) = 0 OR json_valid(agents) = 0");
  for (const row of rows.all()) findings.add("wrong-value", `source file ${String(row.path)}`);
}
