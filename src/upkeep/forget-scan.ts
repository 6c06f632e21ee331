/** Reads every file of a home for what must not be in it any more, and tells what is still said elsewhere. */
import { closeSync, openSync, readdirSync, readSync } from "node:fs";
import { join } from "node:path";
import { everyValue } from "../store/contents.ts";
import type { Database } from "../store/driver.ts";
import { ByteScan } from "./byte-scan.ts";

const chunk = 1024 * 1024;

export interface ScanResult {
  /** Files read, and their bytes. */
  readonly files: number;
  readonly bytes: number;
  /** Indexes of the probes that stand in some file. */
  readonly found: ReadonlySet<number>;
  /** Files that they stand in. */
  readonly paths: readonly string[];
}

/** One pass over every file below a folder, databases and their logs included. Memory: one chunk. */
export function scanFolder(folder: string, probes: readonly Uint8Array[]): ScanResult {
  const scan = new ByteScan(probes);
  const found = new Set<number>();
  const paths: string[] = [];
  let files = 0;
  let bytes = 0;
  for (const path of filesBelow(folder)) {
    const here = new Set<number>();
    bytes += scanFile(path, scan, here);
    files += 1;
    if (here.size > 0) paths.push(path);
    for (const probe of here) found.add(probe);
  }
  return { files, bytes, found, paths };
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

function scanFile(path: string, scan: ByteScan, found: Set<number>): number {
  const overlap = Math.max(0, scan.longest - 1);
  const buffer = Buffer.alloc(chunk + overlap);
  let kept = 0;
  let total = 0;
  const file = openSync(path, "r");
  try {
    for (;;) {
      const read = readSync(file, buffer, kept, chunk, null);
      if (read === 0) return total;
      total += read;
      scan.scan(buffer.subarray(0, kept + read), found);
      // A sequence may lie across two chunks.
      const rest = Math.min(overlap, kept + read);
      buffer.copy(buffer, 0, kept + read - rest, kept + read);
      kept = rest;
    }
  } finally {
    closeSync(file);
  }
}

/**
 * Of the probes found in the files: those for which there is a good reason, and where. The home's own lists (roots, files
 * seen, manifests) name paths and say nothing of a transcript.
 */
export function findLiving(
  home: string,
  databases: readonly Database[],
  probes: readonly Uint8Array[],
): Map<number, Set<string>> {
  const scan = new ByteScan(probes);
  const living = new Map<number, Set<string>>();
  const note = (here: ReadonlySet<number>, where: string) => {
    for (const probe of here) {
      const places = living.get(probe);
      if (places) places.add(where);
      else living.set(probe, new Set([where]));
    }
  };
  for (const path of filesBelow(home).filter((path) => path.endsWith(".json"))) {
    const here = new Set<number>();
    scanFile(path, scan, here);
    note(here, path);
  }
  for (const db of databases) {
    for (const { where, bytes } of everyValue(db)) {
      const here = new Set<number>();
      scan.scan(bytes, here);
      note(here, where);
    }
  }
  return living;
}
