/** `node:sqlite` behind the driver slice. */
import { DatabaseSync } from "node:sqlite";
import type { Database, OpenDriver, Params, Row, SqlValue, Statement } from "./driver.ts";
import { translate } from "./sqlite-error.ts";

export const openNodeDriver: OpenDriver = (path, options) => {
  const db = new DatabaseSync(path, {
    readOnly: options.readOnly ?? false,
    timeout: options.busyWait,
    enableForeignKeyConstraints: true,
    allowExtension: false,
  });
  return new NodeDatabase(path, db);
};

class NodeDatabase implements Database {
  readonly path: string;
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, Statement>();

  constructor(path: string, db: DatabaseSync) {
    this.path = path;
    this.#db = db;
  }

  exec(sql: string): void {
    this.#db.exec(sql);
  }

  prepare(sql: string): Statement {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = wrap(this.#db, this.path, sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  get inTransaction(): boolean {
    return this.#db.isTransaction;
  }

  close(): void {
    this.#statements.clear();
    if (this.#db.isOpen) this.#db.close();
  }
}

/** Binds by position: by name, `node:sqlite` looks each name up at each call, a third of what a small statement costs. */
function wrap(db: DatabaseSync, path: string, sql: string): Statement {
  const names: string[] = [];
  const positional = sql.replace(/:([a-z][a-zA-Z]*)/g, (_, name: string) => {
    if (!names.includes(name)) names.push(name);
    return `?${names.indexOf(name) + 1}`;
  });
  const statement = db.prepare(positional);
  const none: Params = {};
  const values = (params: Params) => names.map((name) => bound(params, name));
  return {
    run: (params = none) => told(path, () => Number(statement.run(...values(params)).changes)),
    get: (params = none) => told(path, () => statement.get(...values(params)) as Row | undefined),
    all: (params = none) => told(path, () => statement.all(...values(params)) as Row[]),
    iterate: (params = none) => statement.iterate(...values(params)) as IterableIterator<Row>,
  };
}

function told<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw translate(error, path);
  }
}

function bound(params: Params, name: string): SqlValue {
  const value = params[name];
  if (value === undefined) throw new TypeError(`no value for :${name}`);
  return value;
}
