/**
 * The tombstones of a store once more, in a file of their own beside it: a damaged page of the database, or the loss of all of
 * it, must not bring back what was forgotten. One line each; lines are only ever added, except where a deletion is undone.
 * Whoever reads it trusts nothing: a line that is none is passed over and counted.
 */
import { closeSync, constants, fstatSync, fsyncSync, lstatSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { crc32 } from "node:zlib";
import { toIoError } from "../errors.ts";
import { limits } from "../limits.ts";
import { databaseName } from "./database-file.ts";
import { makePrivateFile, renameInto, syncFile, syncFolder } from "./private-files.ts";

/** A row of the table. */
export interface Tombstone {
  readonly hash: string;
  readonly session: string;
  /** Epoch ms. */
  readonly at: number;
}

export interface Mirror {
  readonly rows: readonly Tombstone[];
  /** Lines, or a whole file, that could not be read. */
  readonly skipped: number;
  readonly isThere: boolean;
}

export const mirrorName = "tombstones.txt";
/** Under this name it is written anew. */
const freshName = ".backscroll-unfinished-tombstones";

const head = "backscroll tombstones 1";
/** A longer line is none. */
const longestLine = 256;
const chunk = 64 * 1024;

/** Where the mirror of a database lies. Null for one that is not an agent's own: in memory, unfinished, or set aside. */
export function mirrorPath(database: string): string | null {
  const folder = dirname(database);
  if (basename(database) !== databaseName || /^(?:damaged|replaced)-/.test(basename(folder))) return null;
  return join(folder, mirrorName);
}

/** Of a hash that stands twice, the later line counts. Throws nothing: what can't be read counts as skipped. */
export function readMirror(path: string): Mirror {
  let file: number;
  try {
    const there = lstatSync(path, { throwIfNoEntry: false });
    if (there === undefined) return { rows: [], skipped: 0, isThere: false };
    if (!there.isFile()) return { rows: [], skipped: 1, isThere: true };
    file = openSync(path, constants.O_RDONLY | noLink);
  } catch {
    return { rows: [], skipped: 1, isThere: true };
  }
  const rows = new Map<string, Tombstone>();
  let skipped = 0;
  let first = true;
  try {
    for (const line of linesOf(file)) {
      if (first && line === head) {
        first = false;
        continue;
      }
      // Without it, the file was written by another version, or lost its beginning.
      if (first) skipped += 1;
      first = false;
      const row = line === null ? null : parse(line, path);
      if (row) rows.set(row.hash, row);
      // A torn line is followed by an empty one.
      else if (line !== "") skipped += 1;
    }
    // Cut to nothing.
    if (first) skipped += 1;
  } catch {
    skipped += 1;
  } finally {
    closeSync(file);
  }
  return { rows: [...rows.values()], skipped, isThere: true };
}

/**
 * Adds lines in one write, which other processes' never get into the middle of, and has them on the disk when it returns.
 * @throws {BackscrollError} `io`, also where something else than a file is there.
 */
export function appendToMirror(path: string, rows: readonly Tombstone[]): void {
  try {
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) throw new Error("it is a symbolic link");
    const file = openSync(path, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | noLink, 0o600);
    try {
      const stat = fstatSync(file);
      if (!stat.isFile()) throw new Error("it is no file");
      const last = Buffer.alloc(1);
      // A line that was torn stays one of its own.
      const isTorn = stat.size > 0 && readSync(file, last, 0, 1, stat.size - 1) === 1 && last.toString() !== "\n";
      const begin = stat.size === 0 ? `${head}\n` : isTorn ? "\n" : "";
      writeAll(file, begin + linesFor(path, rows));
      fsyncSync(file);
      if (stat.size === 0) syncFolder(dirname(path));
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw toIoError(error, path);
  }
}

/** Puts a file with these rows in its place, whatever is there: the old one or the new at any moment. @throws {BackscrollError} `io`. */
export function writeMirror(path: string, rows: readonly Tombstone[]): void {
  const fresh = join(dirname(path), freshName);
  try {
    rmSync(fresh, { force: true });
    makePrivateFile(fresh, mirrorText(path, rows));
    syncFile(fresh);
    renameInto(fresh, path);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw toIoError(error, path);
  }
}

/** Windows has no such flag; a link is seen there before it is opened. */
const noLink = constants.O_NOFOLLOW ?? 0;

function writeAll(file: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
}

function linesFor(path: string, rows: readonly Tombstone[]): string {
  return rows.map((row) => format(row, path)).join("");
}

/** Hash, hash of the session, time, and a checksum: a letter that changed is noticed, and a line of another agent's file. */
function format({ hash, session, at }: Tombstone, path: string): string {
  const said = `${hash} ${session} ${at}`;
  return `${said} ${checkOf(said, path).toString(16).padStart(8, "0")}\n`;
}

/** Two agents can have transcripts of one id: what was forgotten of one is not of the other. */
function checkOf(said: string, path: string): number {
  return crc32(`${basename(dirname(path))} ${said}`);
}

const lineShape = /^((?:title:)?[\w-]{43}|entry:[\w-]{43}:[\w-]{22}) ([\w-]{43}) (-?\d{1,16}) ([0-9a-f]{8})$/;

function parse(line: string, path: string): Tombstone | null {
  const [, hash = "", session = "", at = "", check = ""] = lineShape.exec(line) ?? [];
  if (hash === "" || checkOf(`${hash} ${session} ${at}`, path) !== Number.parseInt(check, 16)) return null;
  return Number.isSafeInteger(Number(at)) ? { hash, session, at: Number(at) } : null;
}

/** Null for what is too long to be a line, for a last one without an end, and for all that is over the limit. */
function* linesOf(file: number): Generator<string | null> {
  const buffer = Buffer.alloc(chunk);
  let rest = "";
  let isTooLong = false;
  for (let total = 0; ; ) {
    const read = readSync(file, buffer, 0, chunk, null);
    if (read === 0) break;
    total += read;
    const lines = (rest + buffer.toString("latin1", 0, read)).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      yield isTooLong || line.length > longestLine ? null : line;
      isTooLong = false;
    }
    if (rest.length > longestLine) {
      isTooLong = true;
      rest = "";
    }
    if (total > limits.mirrorBytes.default) {
      yield null;
      return;
    }
  }
  if (rest !== "" || isTooLong) yield null;
}

/** The lines of a mirror as they are written, its first one included: what the file has good reason to hold. */
export function mirrorText(path: string, rows: readonly Tombstone[]): string {
  return `${head}\n${linesFor(path, rows)}`;
}
