/**
 * Remembers files that hold nothing to import, so that the next run need not open them. Only a cache: a lost file costs
 * reading the first bytes of each such file once more. Written whole and renamed into place.
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { toIoError } from "../errors.ts";
import type { FoundFile } from "./discover.ts";

/** Bump when a source's `recognise` changes: what was passed over before may be a transcript now. */
const recognitionVersion = 1;

type Seen = Record<string, { readonly size: number; readonly mtime: number; readonly reason: string | null }>;

export class SeenFiles {
  readonly #path: string;
  #files: Seen;
  #changed = false;

  /** @param path File of the cache; need not exist. */
  constructor(path: string) {
    this.#path = path;
    this.#files = load(path);
  }

  /** Why the file was passed over (null: not of the source), or undefined when it is new or changed. */
  lookUp(source: string, file: FoundFile): string | null | undefined {
    const entry = this.#files[`${source} ${file.path}`];
    return entry && entry.size === file.size && entry.mtime === file.mtimeUs ? entry.reason : undefined;
  }

  remember(source: string, file: FoundFile, reason: string | null): void {
    this.#files[`${source} ${file.path}`] = { size: file.size, mtime: file.mtimeUs, reason };
    this.#changed = true;
  }

  /** Does nothing when nothing is new. */
  save(): void {
    if (!this.#changed) return;
    try {
      mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
      const next = `${this.#path}.${process.pid}`;
      writeFileSync(next, JSON.stringify({ version: recognitionVersion, files: this.#files }), { mode: 0o600 });
      renameSync(next, this.#path);
    } catch (error) {
      throw toIoError(error, this.#path);
    }
    this.#changed = false;
  }
}

function load(path: string): Seen {
  const empty = Object.create(null) as Seen;
  try {
    const stored = JSON.parse(readFileSync(path, "utf8")) as { version?: unknown; files?: Seen };
    return stored.version === recognitionVersion && stored.files ? Object.assign(empty, stored.files) : empty;
  } catch {
    // Not there yet, or damaged: a cache starts empty.
    return empty;
  }
}
