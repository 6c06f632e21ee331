/** The pages of a database file as they stand on the disk, the log's laid over them; read without SQLite. */
import { closeSync, existsSync, fstatSync, openSync, readSync } from "node:fs";
import { closeRaw, openRaw } from "../raw-handle.ts";
import { readWal, type WalFile } from "./wal-file.ts";

export class PageFile {
  readonly pageSize: number;
  readonly pageCount: number;
  readonly wal: WalFile | null;
  readonly #main: number;
  readonly #log: number | null;

  constructor(path: string) {
    this.#main = openRaw(path);
    const logPath = `${path}-wal`;
    const stated = pageSizeOf(path);
    this.wal = existsSync(logPath) ? readWal(logPath, stated) : null;
    this.#log = this.wal ? openSync(logPath, "r") : null;
    this.pageSize = stated ?? (this.wal && this.wal.pageSize > 0 ? this.wal.pageSize : 4096);
    const pages = Math.ceil(fstatSync(this.#main).size / this.pageSize);
    this.pageCount = Math.max(pages, this.wal?.pageCount ?? 0);
  }

  /** The page, zeros where the file ends before it. */
  read(no: number): Buffer {
    const offset = this.wal?.state === "foreign" ? undefined : this.wal?.pages.get(no);
    return offset === undefined || this.#log === null ? this.main(no) : this.#readAt(this.#log, offset);
  }

  /** What a page was after the first transaction of the log that wrote it. */
  first(no: number): Buffer | null {
    const offset = this.wal?.first.get(no);
    return offset === undefined || this.#log === null ? null : this.#readAt(this.#log, offset);
  }

  /** Where the log's content of a page is damaged: what the file itself has of it. */
  older(no: number): Buffer | null {
    return this.wal?.doubtful.has(no) ? this.main(no) : null;
  }

  /** The page without the log. */
  main(no: number): Buffer {
    return this.#readAt(this.#main, (no - 1) * this.pageSize);
  }

  close(): void {
    closeRaw(this.#main);
    if (this.#log !== null) closeSync(this.#log);
  }

  #readAt(file: number, offset: number): Buffer {
    const page = Buffer.alloc(this.pageSize);
    readSync(file, page, 0, this.pageSize, offset);
    return page;
  }
}

/** The page size that the file's header states; null where that is none. */
export function pageSizeOf(path: string): number | null {
  const file = openRaw(path);
  try {
    const header = Buffer.alloc(100);
    readSync(file, header, 0, 100, 0);
    const stated = header.readUInt16BE(16);
    const size = stated === 1 ? 65536 : stated;
    const isSize = size >= 512 && (size & (size - 1)) === 0;
    return isSize && fstatSync(file).size % size === 0 ? size : null;
  } finally {
    closeRaw(file);
  }
}
