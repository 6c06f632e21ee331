/** What SQLite and FTS5 can tell by themselves, and one real MATCH, as all of their checks can pass where that fails. */
import { bothIndexes } from "../index-tables.ts";
import type { CheckContext } from "./check-context.ts";

/** Includes FTS5's own check. The one check that gives way to nothing: SQLite makes it in one go. */
export function checkIntegrity({ db, findings }: CheckContext): void {
  for (const row of db.prepare("PRAGMA integrity_check(100)").all()) {
    // One row can hold several lines.
    for (const line of String(row.integrity_check).split("\n")) {
      if (line === "ok" || /^\*\*\* in database /.test(line)) continue;
      if (/fts5|virtual table/i.test(line)) findings.add("damaged-search-index", line);
      else if (/^(?:wrong # of entries in index|row \d+ missing from index|non-unique entry in index)/i.test(line))
        findings.add("damaged-index", line);
      else findings.add("damaged-pages", line);
    }
  }
}

/** The most common way of asking, with a term out of the index itself. */
export function checkMatch({ db, findings }: CheckContext): void {
  for (const { fts } of bothIndexes) {
    db.exec(`CREATE VIRTUAL TABLE IF NOT EXISTS temp.words_of_${fts} USING fts5vocab(main, ${fts}, row)`);
    const term = db.prepare(`SELECT term FROM temp.words_of_${fts} ORDER BY doc DESC LIMIT 1`).get()?.term;
    if (term === undefined) continue;
    const rows = db
      .prepare(`
        SELECT rowid AS no, bm25(${fts}, 1.0, 0.5) AS score FROM ${fts} WHERE ${fts} MATCH :expression
        ORDER BY score LIMIT 10
      `)
      .all({ expression: `"${String(term)}"` });
    if (rows.length === 0) findings.add("search-failed", `${fts} finds nothing for a term of its own`);
  }
}
