/**
 * The manifest of a run: which files went from where to where, written before the first of them moves. What became of each
 * is read off the disk, so a killed run needs nothing but its manifest. Checked before use: see `legacy-path.ts`.
 */
import { randomBytes } from "node:crypto";
import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync, readFileSync, realpathSync, writeSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import * as z from "zod";
import { BackscrollError, toIoError } from "../../errors.ts";
import { flushFolder } from "../../store/make-durable.ts";
import { type FileOperations, fileOperations } from "./legacy-move.ts";
import { isNameBelow } from "./legacy-path.ts";
import { archiveFolder, type LegacyStore, rootNames } from "./legacy-store.ts";

const runPattern = /^\d{8}T\d{6}Z-[0-9a-f]{6}$/;

const fileSchema = z.strictObject({
  /** Below the state folder. */
  from: z.string(),
  to: z.string(),
  agentId: z.string(),
  /** A list of sessions says facts, and goes after its agent's transcripts. */
  as: z.enum(["transcript", "facts"]),
  size: z.int().min(0),
  /** Epoch microseconds. */
  mtime: z.int(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  sessions: z.int().min(0),
  entries: z.int().min(0),
  status: z.enum(["planned", "moved", "stayed", "restored"]),
  reason: z.string().optional(),
});

const manifestSchema = z.strictObject({
  version: z.literal(1),
  run: z.string().regex(runPattern),
  at: z.int(),
  source: z.string(),
  folder: z.string().refine(isAbsolute, "not an absolute folder"),
  /** `moving` until every file of it went or stayed. */
  status: z.enum(["moving", "moved", "restored"]),
  files: z.array(fileSchema),
});

export type ManifestFile = z.infer<typeof fileSchema>;
export type Manifest = z.infer<typeof manifestSchema>;

/** Sorts by time. */
export function newRun(now: number): string {
  const time = new Date(now).toISOString().replace(/\.\d+/, "").replace(/[-:]/g, "");
  return `${time}-${randomBytes(3).toString("hex")}`;
}

/** Where a file of the run goes, below the state folder. */
export function archivedName(run: string, from: string): string {
  return `${archiveFolder}/${run}/${from}`;
}

export class Manifests {
  readonly #home: string;
  readonly #store: LegacyStore;
  readonly #operations: Pick<FileOperations, "rename">;

  constructor(home: string, store: LegacyStore, operations: Pick<FileOperations, "rename"> = fileOperations) {
    this.#home = home;
    this.#store = store;
    this.#operations = operations;
  }

  path(run: string): string {
    return join(this.#home, "legacy", `${run}.json`);
  }

  /** Those of this store, oldest first. `unusable` is told of each file that is no manifest. */
  all(unusable: (error: BackscrollError) => void): Manifest[] {
    let names: string[];
    try {
      names = readdirSync(join(this.#home, "legacy"));
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
      throw toIoError(error, join(this.#home, "legacy"));
    }
    return names
      .filter((name) => name.endsWith(".json"))
      .sort()
      .flatMap((name) => {
        try {
          const manifest = this.#load(name.slice(0, -5));
          return this.#isOurs(manifest) ? [manifest] : [];
        } catch (error) {
          if (!(error instanceof BackscrollError)) throw error;
          unusable(error);
          return [];
        }
      })
      .sort((a, b) => a.at - b.at);
  }

  /** @throws {BackscrollError} `bad_input` when there is no such run of this store, or its manifest can't be trusted. */
  one(run: string): Manifest {
    const manifest = runPattern.test(run) ? this.#load(run) : null;
    if (manifest && this.#isOurs(manifest)) return manifest;
    throw new BackscrollError(
      "bad_input",
      `no run ${JSON.stringify(run)} of ${this.#store.folder}`,
      "backscroll doctor import lists the runs there were.",
    );
  }

  /** Whole, flushed and renamed into place. */
  save(manifest: Manifest): void {
    const path = this.path(manifest.run);
    const folder = join(this.#home, "legacy");
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const file = openSync(`${path}.new`, "w", 0o600);
      try {
        writeAll(file, Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`));
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
      this.#operations.rename(`${path}.new`, path);
      flushFolder(folder);
      flushFolder(this.#home);
    } catch (error) {
      throw toIoError(error, path);
    }
  }

  #load(run: string): Manifest {
    const path = this.path(run);
    let text: string;
    try {
      text = readFileSync(path, "utf8");
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") throw refuse(path, "it is not there");
      throw toIoError(error, path);
    }
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      throw refuse(path, "it is not JSON");
    }
    const parsed = manifestSchema.safeParse(value);
    if (!parsed.success) throw refuse(path, z.prettifyError(parsed.error).split("\n")[0] ?? "");
    const manifest = parsed.data;
    if (manifest.run !== run) throw refuse(path, `it names another run, ${manifest.run}`);
    const seen = new Set<string>();
    for (const { from, to } of manifest.files) {
      const isPlain = isNameBelow(from) && rootNames(this.#store.source).includes(from.split("/")[0] ?? "");
      if (!isPlain) throw refuse(path, `${JSON.stringify(from)} is not below a folder with sessions`);
      if (to !== archivedName(run, from)) throw refuse(path, `${JSON.stringify(to)} is not the archive's place for it`);
      if (seen.has(from)) throw refuse(path, `${JSON.stringify(from)} is there twice`);
      seen.add(from);
    }
    return manifest;
  }

  #isOurs({ source, folder }: Manifest): boolean {
    return source === this.#store.source.id && realPath(folder) === realPath(this.#store.folder);
  }
}

/** A folder named through a link is the same folder. */
function realPath(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}

function writeAll(file: number, bytes: Buffer): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
}

function refuse(path: string, reason: string): BackscrollError {
  return new BackscrollError(
    "bad_input",
    `${path} is not a manifest that can be followed: ${reason}`,
    "Nothing was moved. If the file was damaged, move the archived files back by hand.",
  );
}
