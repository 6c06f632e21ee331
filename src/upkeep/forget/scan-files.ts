/**
 * A program of its own: reads every file below a folder for byte sequences. Not a function of the process that asks, as that
 * has the databases open: the first descriptor of a file that a process closes takes all its locks on that file away
 * (POSIX), and SQLite's with them. In: JSON on stdin, `{folder, probes: base64[], only?: suffix}`. Out: JSON.
 */
import { closeSync, openSync, readdirSync, readSync } from "node:fs";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { ByteScan } from "./byte-scan.ts";

const chunk = 1024 * 1024;

const { folder, probes, only } = (await json(process.stdin)) as { folder: string; probes: string[]; only?: string };
const scan = new ByteScan(probes.map((probe) => Buffer.from(probe, "base64")));
const found = new Set<number>();
const paths: { path: string; found: number[] }[] = [];
let files = 0;
let bytes = 0;
for (const path of filesBelow(folder)) {
  if (only !== undefined && !path.endsWith(only)) continue;
  const here = new Set<number>();
  const read = unlessGone(() => scanFile(path, here));
  if (read === null) continue;
  bytes += read;
  files += 1;
  if (here.size > 0) paths.push({ path, found: [...here] });
  for (const probe of here) found.add(probe);
}
process.stdout.write(JSON.stringify({ files, bytes, found: [...found], paths }));

function filesBelow(folder: string): string[] {
  const entries = unlessGone(() => readdirSync(folder, { withFileTypes: true })) ?? [];
  return entries
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return filesBelow(path);
      return entry.isFile() ? [path] : [];
    })
    .sort();
}

/** Other processes finish their work meanwhile: a log, an unfinished backup. What is gone holds nothing. */
function unlessGone<T>(work: () => T): T | null {
  try {
    return work();
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}

function scanFile(path: string, here: Set<number>): number {
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
      scan.scan(buffer.subarray(0, kept + read), here);
      // A sequence may lie across two chunks.
      const rest = Math.min(overlap, kept + read);
      buffer.copy(buffer, 0, kept + read - rest, kept + read);
      kept = rest;
    }
  } finally {
    closeSync(file);
  }
}
