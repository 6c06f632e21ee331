/** `node:sqlite` behind the driver slice. */
import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { Database, OpenDriver, Params, Row, Statement } from "./driver.ts";

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
      statement = wrap(this.#db.prepare(sql));
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

function wrap(statement: StatementSync): Statement {
  const none: Params = {};
  return {
    run: (params = none) => Number(statement.run(params).changes),
    get: (params = none) => statement.get(params) as Row | undefined,
    all: (params = none) => statement.all(params) as Row[],
    iterate: (params = none) => statement.iterate(params) as IterableIterator<Row>,
  };
}
