/** Reads every file of a home for what must not be in it any more, and tells what is still said elsewhere. */
import { execFile } from "node:child_process";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { BackscrollError } from "../../errors.ts";
import { everyValue } from "../../store/contents.ts";
import type { Database } from "../../store/driver.ts";
import { mirrorName, mirrorText, readMirror } from "../../store/tombstone-mirror.ts";
import { ByteScan } from "./byte-scan.ts";

export interface ScanResult {
  /** Files read, and their bytes. */
  readonly files: number;
  readonly bytes: number;
  /** Indexes of the probes that stand in some file. */
  readonly found: readonly number[];
  /** Files that they stand in, and which of them in each. */
  readonly paths: readonly { readonly path: string; readonly found: readonly number[] }[];
}

/** Most that are looked for at once: the tables for them stay below 20 MB. */
const perPass = 60_000;

/** What is looked for, as much as one pass takes each. */
function passes(probes: readonly Uint8Array[]): { readonly from: number; readonly probes: readonly Uint8Array[] }[] {
  const count = Math.max(1, Math.ceil(probes.length / perPass));
  return Array.from({ length: count }, (_, at) => ({
    from: at * perPass,
    probes: probes.slice(at * perPass, (at + 1) * perPass),
  }));
}

/**
 * Passes over every file below a folder, databases and their logs included, in a process of its own (see scan-files.ts).
 * @param only Ending of the files to read; all unless given.
 * @throws {BackscrollError} `io` when a file can't be read.
 */
export async function scanFolder(folder: string, probes: readonly Uint8Array[], only?: string): Promise<ScanResult> {
  const found: number[] = [];
  const paths = new Map<string, number[]>();
  let files = 0;
  let bytes = 0;
  for (const pass of passes(probes)) {
    const result = await scanOnce(folder, pass.probes, only);
    found.push(...result.found.map((probe) => pass.from + probe));
    for (const { path, found: here } of result.paths) {
      paths.set(path, [...(paths.get(path) ?? []), ...here.map((probe) => pass.from + probe)]);
    }
    files = result.files;
    bytes = result.bytes;
  }
  return { files, bytes, found, paths: [...paths].map(([path, here]) => ({ path, found: here })) };
}

function scanOnce(folder: string, probes: readonly Uint8Array[], only?: string): Promise<ScanResult> {
  // As this file is: source or built.
  const program = fileURLToPath(
    new URL(import.meta.url.endsWith(".ts") ? "scan-files.ts" : "scan-files.js", import.meta.url),
  );
  return new Promise((resolve, reject) => {
    const child = execFile(process.execPath, [program], { maxBuffer: 2 ** 28 }, (error, stdout, stderr) => {
      if (error === null) resolve(JSON.parse(stdout) as ScanResult);
      else {
        const reason = stderr.split("\n").find((line) => line.startsWith("Error")) ?? error.message;
        reject(
          new BackscrollError(
            "io",
            `the files below ${folder} could not be searched: ${reason.slice(0, 300)}`,
            "What was to be forgotten is removed, but not proven to be gone. Make the files readable and repeat it.",
            { cause: error },
          ),
        );
      }
    });
    // A child that ended early says so above.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(
      JSON.stringify({ folder, probes: probes.map((probe) => Buffer.from(probe).toString("base64")), only }),
    );
  });
}

/** The probes for which there is a good reason to stand in a file: something that stays says them, too. */
export class Living {
  readonly #probes: readonly Uint8Array[];
  readonly #passes: readonly { readonly scan: ByteScan; readonly found: Set<number> }[];

  constructor(probes: readonly Uint8Array[]) {
    this.#probes = probes;
    this.#passes = passes(probes).map((pass) => ({ scan: new ByteScan(pass.probes), found: new Set() }));
  }

  has(probe: number): boolean {
    return this.#passes[Math.floor(probe / perPass)]?.found.has(probe % perPass) ?? false;
  }

  /** Reads every value of a store. */
  addDatabase(db: Database): void {
    for (const bytes of everyValue(db)) this.#add(bytes);
  }

  /** Of what was forgotten a mirror of tombstones says nothing but hashes: its whole lines are what has to stand there. */
  addMirrors(paths: readonly string[]): void {
    for (const path of paths)
      if (basename(path) === mirrorName) this.#add(Buffer.from(mirrorText(path, readMirror(path).rows)));
  }

  #add(bytes: Uint8Array): void {
    for (const { scan, found } of this.#passes) scan.scan(bytes, found);
  }

  /** The home's own lists (roots, files seen, manifests) name paths and say nothing of a transcript. */
  async addLists(home: string): Promise<void> {
    for (const probe of (await scanFolder(home, this.#probes, ".json")).found) {
      this.#passes[Math.floor(probe / perPass)]?.found.add(probe % perPass);
    }
  }
}
