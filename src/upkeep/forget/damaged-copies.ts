/**
 * What a repair put aside because it was damaged. A copy that can't be cleaned of what is forgotten goes whole: what could
 * be read of it is in the store that took its place, and who forgets wants the words gone more than the copy kept.
 */
import { existsSync, rmSync } from "node:fs";
import { sep } from "node:path";

/** Removes the folders of damaged copies that these files lie in. Returns their paths. */
export function dropDamaged(files: readonly string[]): string[] {
  const folders = new Set(files.map(damagedFolder).filter((folder) => folder !== null));
  const there = [...folders].filter((folder) => existsSync(folder)).sort();
  for (const folder of there) rmSync(folder, { recursive: true });
  return there;
}

function damagedFolder(file: string): string | null {
  const parts = file.split(sep);
  const at = parts.findLastIndex((part) => part.startsWith("damaged-"));
  return at > 0 && at < parts.length - 1 ? parts.slice(0, at + 1).join(sep) : null;
}
