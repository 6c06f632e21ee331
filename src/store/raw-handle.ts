/**
 * Handles to read a database's file with, past SQLite. They are never closed while the file is there: the first handle of
 * a file that a process closes takes away all the locks that the process holds on it through SQLite (POSIX locks belong to
 * the process, not to the handle). Without those, another process takes the write-ahead log away from under a store that is
 * open here, and writes to a file that is being replaced. So there is one such handle for each file, kept for next time.
 */
import { closeSync, fstatSync, openSync, statSync } from "node:fs";

/** By device and inode: whichever name the file is asked for by. */
const kept = new Map<string, number>();

/** @throws what `open` throws. */
export function openRaw(path: string): number {
  closeRemoved();
  // Locks belong to handles there, and a file that is open can't be moved.
  if (process.platform === "win32") return openSync(path, "r");
  const known = kept.get(identity(statSync(path, { bigint: true })));
  if (known !== undefined) return known;
  const handle = openSync(path, "r");
  // Another one than the one looked at, when it was replaced in between; even one that is known must not be closed.
  const opened = identity(fstatSync(handle, { bigint: true }));
  if (!kept.has(opened)) kept.set(opened, handle);
  return handle;
}

/** Has to follow every {@link openRaw}. */
export function closeRaw(handle: number): void {
  if (process.platform === "win32") closeSync(handle);
}

/** What has no name any more is nobody's store: its space is given back. */
function closeRemoved(): void {
  for (const [file, handle] of kept) {
    if (fstatSync(handle).nlink > 0) continue;
    kept.delete(file);
    closeSync(handle);
  }
}

function identity({ dev, ino }: { readonly dev: bigint; readonly ino: bigint }): string {
  return `${dev}:${ino}`;
}
