/**
 * Copies what a session shows up to an entry into a new session: the entries of the active branch behind the last reset,
 * and nothing that was rewound, left aside or closed before it (SPEC 1.5: nothing hidden leaks).
 */
import { limits } from "../limits.ts";
import { markDirty } from "./dirty.ts";
import type { Database } from "./driver.ts";
import { entryCrc } from "./entry-crc.ts";
import { entryNo, transcriptOf } from "./entry-no.ts";
import { indexEntry } from "./index-entry.ts";
import type { MoveOptions } from "./move-leaf.ts";
import type { TranscriptRow } from "./sessions.ts";

/**
 * The numbers of the shown path from the start to an entry, ascending; null when the entry is not on the active branch.
 * O(path).
 */
export function shownPath(db: Database, transcript: TranscriptRow, last: number): number[] | null {
  const read = db.prepare("SELECT parent, type FROM entries WHERE no = :no");
  const path: number[] = [];
  let reached = false;
  for (let no = transcript.leaf; no !== null; ) {
    const row = read.get({ no });
    if (!row) break;
    reached ||= no === last;
    if (reached) path.push(no);
    // A reset closes what came before it. It stays readable in the session itself, but is not part of the conversation.
    if (reached && row.type === "reset") break;
    const parent = row.parent as number | null;
    no = parent !== null && parent < no ? parent : null;
  }
  return reached ? path.reverse() : null;
}

/** Fills an empty transcript with copies of entries, each below the one before. Returns how many. */
export function copyEntries(
  db: Database,
  path: readonly number[],
  to: TranscriptRow,
  options: Omit<MoveOptions, "tools">,
): number {
  const read = db.prepare("SELECT id, type, role, timestamp, typed, shows, body FROM entries WHERE no = :no");
  const insert = db.prepare(`
    INSERT INTO entries (no, id, parent, type, role, timestamp, active, typed, shows, body, crc)
    VALUES (:no, :id, :parent, :type, :role, :timestamp, 1, :typed, :shows, :body, :crc)
  `);
  const copied = new Map<number, number>();
  let parent: number | null = null;
  let text = 0;
  let newest = 0;
  for (const from of path) {
    const row = read.get({ no: from });
    if (!row) continue;
    const no = entryNo(to.no, copied.size);
    const { id, type, role, timestamp, typed, shows, body } = row;
    const content = {
      id: String(id),
      parent,
      type: String(type),
      role: role as string | null,
      timestamp: Number(timestamp),
      typed: Number(typed),
      body: body ?? null,
    };
    insert.run({ no, ...content, shows: Number(shows), crc: entryCrc(content) });
    if ((Number(shows) & (to.tools ? 3 : 1)) !== 0) text += typeof body === "string" ? body.length : 0;
    newest = Math.max(newest, content.timestamp);
    copied.set(from, no);
    parent = no;
  }
  copyAliases(db, copied, to);
  db.prepare("UPDATE transcripts SET leaf = :leaf, next = :next WHERE no = :no").run({
    leaf: parent,
    next: copied.size,
    no: to.no,
  });
  db.prepare("UPDATE sessions SET updated_at = max(coalesce(updated_at, 0), :newest) WHERE no = :session").run({
    newest,
    session: to.session,
  });
  if (!options.indexed) return copied.size;
  if (copied.size > options.inlineEntries || text > limits.inlineText.default) {
    markDirty(db, to.no, entryNo(to.no, 0), entryNo(to.no, copied.size - 1), "copy");
  } else for (const no of copied.values()) indexEntry(db, no, to.tools);
  return copied.size;
}

/** Later pieces of a message name the whole in the copy, too. O(aliases of the session). */
function copyAliases(db: Database, copied: ReadonlyMap<number, number>, to: TranscriptRow): void {
  const [first] = copied.keys();
  if (first === undefined) return;
  const insert = db.prepare("INSERT INTO aliases (transcript, id, entry) VALUES (:transcript, :id, :entry)");
  const rows = db
    .prepare("SELECT id, entry FROM aliases WHERE transcript = :transcript")
    .all({ transcript: transcriptOf(first) });
  for (const { id, entry } of rows) {
    const copy = copied.get(Number(entry));
    if (copy !== undefined) insert.run({ transcript: to.no, id: String(id), entry: copy });
  }
}
