/** The file's first bytes: what in them can have one value only, and no check of SQLite's looks at. */
import { readSync } from "node:fs";
import { applicationId } from "../migrate.ts";
import { closeRaw, openRaw } from "../raw-handle.ts";
import { PageFile } from "../repair/page-file.ts";
import type { Findings } from "./findings.ts";

/** Bytes of the header that every file of ours has alike: offset, what they are, and what they may be. */
const constants: readonly (readonly [number, string, readonly number[]])[] = [
  // Above 2 SQLite opens the file for reading only.
  [18, "write version", [1, 2]],
  [19, "read version", [1, 2]],
  [20, "reserved bytes of a page", [0]],
  [21, "payload fraction", [64]],
  [22, "payload fraction", [32]],
  [23, "payload fraction", [32]],
  [47, "schema format", [4]],
  [59, "text encoding", [1]],
];

export function checkHeader(path: string, findings: Findings): void {
  const file = new PageFile(path);
  try {
    const page = file.read(1);
    if (page.every((byte) => byte === 0)) return;
    for (const [offset, name, allowed] of constants) {
      if (!allowed.includes(page[offset] ?? 0)) findings.add("damaged-pages", `header: the ${name} is ${page[offset]}`);
    }
  } finally {
    file.close();
  }
}

/** Whether the file itself, whatever log lies beside it, has our mark. */
export function isMarked(path: string): boolean {
  const file = openRaw(path);
  try {
    const mark = Buffer.alloc(4);
    readSync(file, mark, 0, 4, 68);
    return mark.readUInt32BE(0) === applicationId;
  } finally {
    closeRaw(file);
  }
}
