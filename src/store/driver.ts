/**
 * The slice of a SQLite driver that the store uses, declared by us so that any driver can stand behind it.
 * Everything is synchronous; integers stay below 2^53.
 */

export type SqlValue = string | number | null | Uint8Array;
export type Row = Readonly<Record<string, SqlValue>>;
export type Params = Readonly<Record<string, SqlValue>>;

export interface Statement {
  /** Runs it and returns the number of rows changed. */
  run(params?: Params): number;
  get(params?: Params): Row | undefined;
  all(params?: Params): Row[];
  /** As arrays, a value a column: for long lists, of which each row then costs a tenth of a microsecond. */
  rows(params?: Params): SqlValue[][];
  iterate(params?: Params): IterableIterator<Row>;
}

export interface Database {
  /** Path of the file, or `:memory:`. */
  readonly path: string;
  /** Runs SQL without results: schema, pragmas, transaction control. */
  exec(sql: string): void;
  /** Compiles once per SQL text; later calls return the same statement. */
  prepare(sql: string): Statement;
  /** Whether a transaction is open on this connection. */
  readonly inTransaction: boolean;
  /** Nothing can be written: the file or its folder belongs to somebody else, or the disk is read-only. */
  readonly readOnly: boolean;
  /** The path leads to another file by now, or to none (see file-identity.ts). Asks the file system each time. */
  readonly stale: boolean;
  /** Milliseconds to wait for another connection's lock; may be changed. */
  busyWait: number;
  /** Idempotent. */
  close(): void;
}

export interface OpenOptions {
  readonly readOnly?: boolean;
  /** Milliseconds to wait for another connection's lock. */
  readonly busyWait: number;
  /** What SQLite opens, where that is not the path: a `file:` URL with parameters, or a private copy. */
  readonly location?: string | URL;
  /** Behind {@link Database.stale}. */
  readonly isStale?: () => boolean;
  /** Called once, after closing. */
  readonly onClose?: () => void;
  /** Lets FTS5's own tables be written: only for mending a damaged index, and for damaging one in a test. */
  readonly shadowWrites?: true;
}

export type OpenDriver = (path: string, options: OpenOptions) => Database;
