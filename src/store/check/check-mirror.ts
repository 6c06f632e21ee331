/** The table of tombstones against its mirror beside the database (SPEC 2.18). Has to come before the snapshot of the others. */
import { setTimeout } from "node:timers/promises";
import { mirrorPath, readMirror } from "../tombstone-mirror.ts";
import { readTombstones } from "../tombstones.ts";
import type { CheckContext } from "./check-context.ts";

/** Another process may be between its commit and its line, or in the middle of undoing: what is wrong is so at every look. */
const looks = 3;
const pauseMs = 30;

export async function checkMirror({ db, findings }: CheckContext): Promise<void> {
  const path = mirrorPath(db.path);
  if (path === null) return;
  for (let look = 1; ; look++) {
    const mirror = readMirror(path);
    const stored = new Set(readTombstones(db).map(({ hash }) => hash));
    const mirrored = new Set(mirror.rows.map(({ hash }) => hash));
    const lost = mirrored.difference(stored).size;
    const behind = stored.difference(mirrored).size;
    if (lost + behind + mirror.skipped === 0) return;
    if (look < looks) {
      await setTimeout(pauseMs);
      continue;
    }
    if (lost > 0) findings.add("lost-tombstone", path, lost);
    if (behind > 0) findings.add("mirror-behind", path, behind);
    if (mirror.skipped > 0) findings.add("mirror-damaged", path, mirror.skipped);
    return;
  }
}
