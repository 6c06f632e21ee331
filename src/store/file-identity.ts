/**
 * Is the file at a path still the one that was opened? SQLite does not ask: in a file that was removed or replaced it goes
 * on reading and writing, and what it acknowledges is gone with the process. One `stat`, about two microseconds.
 */
import { statSync } from "node:fs";

/** Tells whether the path leads to another file by now, or to none. */
export function watchIdentity(path: string): () => boolean {
  return changed(() => mark(path, false));
}

/** Tells whether any of the files changed in size or time, came or went. For what is read without locks. */
export function watchContent(paths: readonly string[]): () => boolean {
  return changed(() => paths.map((path) => mark(path, true)).join(" "));
}

function changed(read: () => string): () => boolean {
  const before = read();
  return () => read() !== before;
}

function mark(path: string, content: boolean): string {
  try {
    const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
    if (stats === undefined) return "none";
    return `${stats.dev}:${stats.ino}${content ? `:${stats.size}:${stats.mtimeNs}` : ""}`;
  } catch {
    // A folder on the way that can't be entered any more: it is not the file that was opened, as far as one can tell.
    return "hidden";
  }
}
