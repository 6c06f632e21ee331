/**
 * Languages that messages of the index were ever in: a query is cut to word forms in these alone. Kept as names in
 * `index_state`; one that is no longer used costs a query a few microseconds.
 */
import { type Language, languages } from "../text/languages.ts";
import type { Database } from "./driver.ts";

const prefix = "language:";

/** Told already, per connection, so that a message costs no statement. Rolled back, the next one says it again: see below. */
const told = new WeakMap<Database, Set<Language>>();

/** The caller has a transaction open. */
export function addLanguage(db: Database, language: Language): void {
  let known = told.get(db);
  if (!known) {
    known = new Set(languagesOf(db));
    told.set(db, known);
  }
  if (known.has(language)) return;
  db.prepare("INSERT OR IGNORE INTO index_state (name, value) VALUES (:name, 1)").run({ name: prefix + language });
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
