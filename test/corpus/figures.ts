/** Counts and hashes of what an import made of a set of files: enough to see that something changed, and no text. */
import { createHash } from "node:crypto";
import type { Backscroll, ImportReport } from "../../src/index.ts";
import { dumpEntries, dumpSessions } from "../../src/store/dump.ts";
import { searchableText } from "../../src/text/searchable.ts";

export interface SourceFigures {
  readonly files: ImportReport["files"];
  readonly sessions: number;
  readonly entries: number;
  /** Searchable messages on active branches, by role. */
  readonly messages: number;
  readonly byRole: Readonly<Record<string, number>>;
  readonly kinds: Readonly<Record<string, number>>;
  readonly skipped: Readonly<Record<string, number>>;
  readonly ignored: Readonly<Record<string, number>>;
  readonly problems: Readonly<Record<string, number>>;
  /** Of session keys, message ids, roles and texts, in order of the keys. Times that come from files are left out. */
  readonly hash: string;
}

export function figuresOf(store: Backscroll, report: ImportReport): SourceFigures {
  const hash = createHash("sha256");
  const byRole: Record<string, number> = {};
  const kinds: Record<string, number> = {};
  let entries = 0;
  let sessions = 0;
  for (const agent of store.agents()) {
    const { db } = store.store(agent);
    for (const session of [...dumpSessions(db)].sort((a, b) => (a.key < b.key ? -1 : 1))) {
      sessions += 1;
      kinds[session.kind] = (kinds[session.kind] ?? 0) + 1;
      hash.update(`${session.key}\n${session.spawnedBy ?? ""}\n${session.project ?? ""}\n`);
      for (const { no } of session.transcripts) {
        for (const entry of dumpEntries(db, no)) {
          entries += 1;
          const text = entry.active ? searchableText(entry) : null;
          if (text === null || entry.role === null) continue;
          byRole[entry.role] = (byRole[entry.role] ?? 0) + 1;
          hash.update(`${entry.id}\n${entry.role}\n${text}\n`);
        }
      }
    }
  }
  return {
    files: report.files,
    sessions,
    entries,
    messages: Object.values(byRole).reduce((sum, count) => sum + count, 0),
    byRole: sorted(byRole),
    kinds: sorted(kinds),
    skipped: sorted(report.skipped),
    ignored: sorted(report.ignored),
    problems: sorted(report.problemCounts as Record<string, number>),
    hash: hash.digest("hex").slice(0, 32),
  };
}

function sorted(counts: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1)));
}
