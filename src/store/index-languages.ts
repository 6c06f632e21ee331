/**
 * Languages that messages of the index were ever in: a query is cut to word forms in these alone. Kept as names in
 * `index_state`; one that is no longer used costs a query a few microseconds.
 */
import { type Language, languages } from "../text/languages.ts";
import type { Database } from "./driver.ts";

const prefix = "language:";

/**
 * The caller has a transaction open. Asked anew for each message: what a connection remembers is wrong after a rollback, and
 * after another process made the index anew.
 */
export function addLanguage(db: Database, language: Language): void {
  const name = prefix + language;
  if (db.prepare("SELECT 1 FROM index_state WHERE name = :name").get({ name })) return;
  db.prepare("INSERT OR IGNORE INTO index_state (name, value) VALUES (:name, 1)").run({ name });
}

/** In the order of `languages`. */
export function languagesOf(db: Database): readonly Language[] {
  const names = new Set(
    db
      .prepare("SELECT name FROM index_state WHERE name GLOB :pattern")
      .all({ pattern: `${prefix}*` })
      .map(({ name }) => String(name)),
  );
  return languages.filter((language) => names.has(prefix + language));
}
