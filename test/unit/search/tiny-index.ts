/** The store's own full-text table in memory, without the store around it: what a match expression really finds. */
import { DatabaseSync } from "node:sqlite";
import { planQuery } from "../../../src/search/plan.ts";
import type { Query } from "../../../src/search/query.ts";
import { messageIndexSql } from "../../../src/store/migrations/0004-word-forms.ts";
import { indexText } from "../../../src/text/index-text.ts";

/** All words of a query, as they were said or by their parts; null when it holds nothing to search for. */
export function matchExpression(query: Query): string | null {
  const { clauses, without } = planQuery(query, []);
  if (clauses.length === 0) return null;
  const wanted = clauses.map(({ exact }) => exact).join(" AND ");
  return without === null ? wanted : `(${wanted}) NOT ${without}`;
}

export interface TinyIndex {
  /** Replaces what was there. */
  set(no: number, text: string): void;
  /** Numbers of the texts that match. Throws where the index calls the expression a syntax error. */
  find(query: Query): number[];
  close(): void;
}

export function tinyIndex(...texts: readonly string[]): TinyIndex {
  const db = new DatabaseSync(":memory:");
  db.exec(messageIndexSql);
  const put = db.prepare("INSERT OR REPLACE INTO message_index (rowid, text, parts) VALUES (:no, :text, :parts)");
  const match = db.prepare("SELECT rowid FROM message_index WHERE message_index MATCH :expression ORDER BY rowid");
  const index: TinyIndex = {
    set(no, source) {
      const { text, parts } = indexText(source);
      put.run({ no, text, parts });
    },
    find(query) {
      const expression = matchExpression(query);
      return expression === null ? [] : match.all({ expression }).map((row) => Number(row.rowid));
    },
    close: () => db.close(),
  };
  texts.forEach((text, at) => {
    index.set(at + 1, text);
  });
  return index;
}
