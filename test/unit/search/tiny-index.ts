/** The store's own full-text table in memory, without the store around it: what a match expression really finds. */
import { DatabaseSync } from "node:sqlite";
import { matchExpression } from "../../../src/search/match-expression.ts";
import type { Query } from "../../../src/search/query.ts";
import { searchIndex } from "../../../src/store/migrations/0002-search-index.ts";
import { indexText } from "../../../src/text/index-text.ts";

export interface TinyIndex {
  /** Replaces what was there. */
  set(no: number, text: string): void;
  /** Numbers of the texts that match. Throws where the index calls the expression a syntax error. */
  find(query: Query): number[];
  close(): void;
}

export function tinyIndex(...texts: readonly string[]): TinyIndex {
  const db = new DatabaseSync(":memory:");
  db.exec(searchIndex.sql);
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
