/** The file's schema, object by object, against that of a new store. */

import type { Database } from "../driver.ts";
import { openNodeDriver } from "../driver-node.ts";
import { bothIndexes } from "../index-tables.ts";
import { applicationId, migrate, schemaVersion } from "../migrate.ts";
import type { CheckContext } from "./check-context.ts";

export interface SchemaObject {
  readonly type: string;
  readonly name: string;
  /** Null for the indexes that SQLite makes by itself. */
  readonly sql: string | null;
}

let fresh: { readonly schema: readonly SchemaObject[]; readonly settings: string } | null = null;

function newStore(): NonNullable<typeof fresh> {
  if (fresh === null) {
    const db = openNodeDriver(":memory:", { busyWait: 0 });
    migrate(db);
    fresh = { schema: readSchema(db), settings: readSettings(db) };
    db.close();
  }
  return fresh;
}

/** What the migrations make. */
export function wantedSchema(): readonly SchemaObject[] {
  return newStore().schema;
}

/** The full-text table's own settings, which decide when it merges. */
function readSettings(db: Database): string {
  return JSON.stringify(bothIndexes.map(({ fts }) => db.prepare(`SELECT k, v FROM ${fts}_config ORDER BY k`).all()));
}

export function checkSettings({ db, findings }: CheckContext): void {
  if (readSettings(db) !== newStore().settings)
    findings.add("damaged-search-index", "settings of the full-text tables");
}

export function readSchema(db: Database): SchemaObject[] {
  return db
    .prepare("SELECT type, name, sql FROM sqlite_schema ORDER BY rowid")
    .all()
    .map((row) => row as unknown as SchemaObject);
}

export interface SchemaDifference extends SchemaObject {
  /** `extra`: a trigger that the migrations don't make; other objects of somebody else's harm nothing. */
  readonly what: "missing" | "changed" | "extra";
}

export function compareSchema(db: Database): SchemaDifference[] {
  const name = (object: SchemaObject) => `${object.type} ${object.name}`;
  const there = new Map(readSchema(db).map((object) => [name(object), object]));
  const wanted = wantedSchema();
  const names = new Set(wanted.map(name));
  return [
    ...wanted.flatMap((object): SchemaDifference[] => {
      const found = there.get(name(object));
      if (!found) return [{ ...object, what: "missing" }];
      return found.sql === object.sql ? [] : [{ ...object, what: "changed" }];
    }),
    ...[...there.values()].flatMap((object): SchemaDifference[] =>
      object.type === "trigger" && !names.has(name(object)) ? [{ ...object, what: "extra" }] : [],
    ),
  ];
}

export function checkSchema({ db, findings }: CheckContext): void {
  for (const { type, name, what } of compareSchema(db)) {
    findings.add("schema-object", what === "extra" ? `${type} ${name} does not belong` : `${type} ${name} is ${what}`);
  }
}

/** Whose file it is: by its marks, and where those were damaged by its tables. */
export type Ownership = "ours" | "ours-mismarked" | "older" | "newer" | "foreign" | "empty";

export function ownership(db: Database): Ownership {
  const pragma = (name: string) => Number(db.prepare(`PRAGMA ${name}`).get()?.[name] ?? 0);
  const owner = pragma("application_id");
  const version = pragma("user_version");
  const schema = readSchema(db);
  if (schema.length === 0) return owner === 0 || owner === applicationId ? "empty" : "foreign";
  const looksOurs = isOurs(schema);
  if (owner !== applicationId) return looksOurs ? "ours-mismarked" : "foreign";
  if (version === schemaVersion) return "ours";
  if (version > schemaVersion) return "newer";
  return looksOurs ? "ours-mismarked" : "older";
}

/** Tables exactly as this version makes them: no other program has those, and no older version. */
function isOurs(schema: readonly SchemaObject[]): boolean {
  const there = new Map(schema.map(({ name, sql }) => [name, sql]));
  const tables = wantedSchema().filter(({ name }) => ["sessions", "transcripts", "entries", "aliases"].includes(name));
  return tables.filter(({ name, sql }) => there.get(name) === sql).length >= 3;
}
