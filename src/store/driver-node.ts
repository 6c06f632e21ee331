/** `node:sqlite` behind the driver slice. */
import { DatabaseSync } from "node:sqlite";
import { BackscrollError } from "../errors.ts";
import type { Database, OpenDriver, OpenOptions, Params, Row, SqlValue, Statement } from "./driver.ts";
import { resultCode, translate } from "./sqlite-error.ts";

export const openNodeDriver: OpenDriver = (path, options) => new NodeDatabase(path, options);

class NodeDatabase implements Database {
  readonly path: string;
  readonly #db: DatabaseSync;
  readonly #options: OpenOptions;
  readonly #statements = new Map<string, Statement>();
  #busyWait: number;
  #refused = false;
  #isClosed = false;

  constructor(path: string, options: OpenOptions) {
    this.path = path;
    this.#options = options;
    this.#busyWait = options.busyWait;
    this.#db = this.#told(
      () =>
        new DatabaseSync(options.location ?? path, {
          readOnly: options.readOnly ?? false,
          timeout: options.busyWait,
          enableForeignKeyConstraints: true,
          allowExtension: false,
          defensive: options.shadowWrites !== true,
        }),
    );
  }

  exec(sql: string): void {
    this.#told(() => this.#db.exec(sql));
  }

  prepare(sql: string): Statement {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.#told(() => wrap(this.#db, sql, this.#told));
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  get inTransaction(): boolean {
    return this.#db.isOpen && this.#db.isTransaction;
  }

  get readOnly(): boolean {
    return this.#refused || (this.#options.readOnly ?? false);
  }

  get stale(): boolean {
    return this.#options.isStale?.() ?? false;
  }

  get busyWait(): number {
    return this.#busyWait;
  }

  set busyWait(milliseconds: number) {
    this.exec(`PRAGMA busy_timeout = ${milliseconds}`);
    this.#busyWait = milliseconds;
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#statements.clear();
    this.#db.close();
    this.#options.onClose?.();
  }

  /** Where a sandbox lets SQLite open the file for reading only, SQLite keeps quiet about it until the first write. */
  readonly #told: Tell = (work) => {
    try {
      return work();
    } catch (error) {
      if (resultCode(error) === 8) this.#refused = true;
      if (this.#isClosed) {
        throw new BackscrollError("io", `${this.path} was closed`, "Open the store again.", { cause: error });
      }
      throw translate(error, this.path);
    }
  };
}

type Tell = <T>(work: () => T) => T;

/** Binds by position: by name, `node:sqlite` looks each name up at each call, a third of what a small statement costs. */
function wrap(db: DatabaseSync, sql: string, told: Tell): Statement {
  const names: string[] = [];
  const positional = sql.replace(/:([a-z][a-zA-Z]*)/g, (_, name: string) => {
    if (!names.includes(name)) names.push(name);
    return `?${names.indexOf(name) + 1}`;
  });
  const statement = db.prepare(positional);
  let asArrays: ReturnType<DatabaseSync["prepare"]> | undefined;
  const none: Params = {};
  const values = (params: Params) => names.map((name) => bound(params, name));
  return {
    run: (params = none) => told(() => Number(statement.run(...values(params)).changes)),
    get: (params = none) => told(() => statement.get(...values(params)) as Row | undefined),
    all: (params = none) => told(() => statement.all(...values(params)) as Row[]),
    rows: (params = none) =>
      told(() => {
        if (asArrays === undefined) {
          asArrays = db.prepare(positional);
          asArrays.setReturnArrays(true);
        }
        return asArrays.all(...values(params)) as unknown as SqlValue[][];
      }),
    iterate: (params = none) => toldEach(told, () => statement.iterate(...values(params)) as Iterator<Row>),
  };
}

/** Damage can come to light at any row, and by then the caller is in the middle of a loop. */
function toldEach(told: Tell, start: () => Iterator<Row>): IterableIterator<Row> {
  const rows = told(start);
  return {
    next: () => told(() => rows.next()),
    return: () => rows.return?.() ?? { done: true, value: undefined },
    [Symbol.iterator]() {
      return this;
    },
  };
}

function bound(params: Params, name: string): SqlValue {
  const value = params[name];
  if (value === undefined) throw new TypeError(`no value for :${name}`);
  return value;
}
