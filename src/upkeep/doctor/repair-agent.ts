/**
 * Repairs what a check found, from the transcripts: in place where statements can reach it, else by a new file with
 * everything that can be read. Nothing that was said is thrown away.
 */
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { BackscrollError } from "../../errors.ts";
import type { AgentId } from "../../model/ids.ts";
import { agentPaths, closeModes } from "../../store/check/check-files.ts";
import { dirtyTranscripts } from "../../store/dirty.ts";
import type { Database } from "../../store/driver.ts";
import { openNodeDriver } from "../../store/driver-node.ts";
import { transcriptOf } from "../../store/entry-no.ts";
import { toolTables } from "../../store/index-tables.ts";
import { checkIndexVersion } from "../../store/index-version.ts";
import { openDatabase } from "../../store/open-database.ts";
import { makePrivateFile } from "../../store/private-files.ts";
import { purgeAll } from "../../store/purge.ts";
import { reconcile } from "../../store/reconcile.ts";
import { remakeIndex } from "../../store/recreate-index.ts";
import { moveLogAside } from "../../store/repair/foreign-log.ts";
import { fillLost, remakeIndexesKeepingIds } from "../../store/repair/lost-entry.ts";
import { applyNames, namesFromIndexes } from "../../store/repair/mend-names.ts";
import { mendSchema, setMarks } from "../../store/repair/mend-schema.ts";
import { mendToolTotals } from "../../store/repair/mend-tools.ts";
import { replaceDamaged } from "../../store/repair/repair-file.ts";
import {
  markForRepair,
  mendAliases,
  mendEmptySessions,
  mendEntries,
  mendLeaves,
  mendOrphans,
  mendSequences,
  mendSessions,
  mendTranscripts,
  removeExtra,
  writeChecksums,
} from "../../store/repair/repair-rows.ts";
import { readSourcesAnew, uniteWithMirror } from "../../store/tombstones.ts";
import type { AgentCheck } from "./check-agent.ts";
import type { Repair } from "./doctor-report.ts";

export interface AgentRepair {
  readonly repairs: Repair[];
  /** The next import reads the sources anew. */
  readonly sourcesWaiting: boolean;
}

export interface RepairContext {
  /** Epoch ms; names the folder of what is put aside. */
  readonly at: number;
  /** Closes the handle that the program itself has on the file. Idempotent. */
  readonly release: () => void;
  readonly tick: (rows: number) => Promise<void>;
}

/** @throws {BackscrollError} `busy` when another process holds the file, `io`. */
export async function repairAgent(
  path: string,
  agentId: AgentId,
  check: AgentCheck,
  { at, release, tick }: RepairContext,
): Promise<AgentRepair> {
  const repairs: Repair[] = [];
  const did = (what: string, count: number) => {
    if (count > 0) repairs.push({ agentId, what, count });
  };
  const { findings } = check;
  did("folders and files closed to others", closeModes(agentPaths(dirname(path))));
  if (!check.isOurs) {
    release();
    return { repairs, sourcesWaiting: false };
  }
  if (findings.has("wal-foreign") && existsSync(`${path}-wal`)) {
    const { folder, takenIn } = moveLogAside(path, at, release);
    const outcome = takenIn ? `taken out of the file again, which is kept with it in` : "moved to";
    did(`write-ahead log of another database or time ${outcome} ${folder}`, 1);
    // What the file itself is like shows only now.
    return { repairs, sourcesWaiting: false };
  }
  release();
  const replace = async (): Promise<AgentRepair> => {
    // A log without its file: one of no bytes takes its place, and what the log has is put together.
    if (!existsSync(path)) makePrivateFile(path);
    const { kept, rows, lost, lostIds, madeUp, cut, unread, mirrorIsWhole } = await replaceDamaged(
      path,
      agentId,
      at,
      tick,
      check.hasTools,
    );
    // Also where nothing could be read: a store must not be empty without a word.
    repairs.push({
      agentId,
      what: `entries copied into a new file; the damaged one is kept in ${kept}`,
      count: rows.entries ?? 0,
    });
    did("sessions copied", rows.sessions ?? 0);
    did("sessions and transcripts made up for entries that had lost theirs", madeUp);
    did(`entries lost: ${lostIds.join(", ")}${lost > lostIds.length ? " …" : ""}`, lost);
    did("entries of which the end is lost", cut);
    did("pages and rows that could not be read, those of the index included", unread);
    // What was forgotten stands in the same file, and in the one beside it.
    if (unread > 0 && !mirrorIsWhole) {
      did("list of what was forgotten that may be incomplete: what a sync brings back of it, forget again", 1);
    }
    return { repairs, sourcesWaiting: lost + madeUp + cut + unread > 0 || rows.entries === undefined };
  };
  if (findings.has("damaged-pages", "wal-damaged", "check-failed")) return replace();
  try {
    if (!mendFile(path, agentId, check, did)) return await replace();
    return { repairs, sourcesWaiting: await mendRows(path, agentId, check, did, tick) };
  } catch (error) {
    // Below what statements can reach after all.
    if (!(error instanceof BackscrollError) || error.code !== "bad_store") throw error;
    return replace();
  }
}

type Did = (what: string, count: number) => void;

/** Marks and schema. Returns whether that was enough. */
function mendFile(path: string, agentId: AgentId, { findings, work }: AgentCheck, did: Did): boolean {
  if (!findings.has("wrong-version", "schema-object", "damaged-index")) return true;
  const db = openNodeDriver(path, { busyWait: 10_000 });
  try {
    if (findings.has("wrong-version")) {
      setMarks(db);
      did("marks of the file set", 1);
    }
    if (findings.has("damaged-index")) {
      const names = namesFromIndexes(db, agentId, work.changed);
      const kept = remakeIndexesKeepingIds(db, work.lost);
      did("indexes of SQLite's own made anew", 1);
      did("places of lost entries filled, with their ids", kept);
      did("keys and ids made again what was written, by their index", applyNames(db, names));
    }
    if (!findings.has("schema-object")) return true;
    const { made, complete } = mendSchema(db);
    did(`objects of the schema made anew: ${made.join(", ")}`, made.length);
    return complete;
  } finally {
    db.close();
  }
}

function mendMirror(db: Database, did: Did): void {
  try {
    const { toTable, toMirror, skipped } = uniteWithMirror(db);
    did("tombstones taken back into the store, from the file beside it", toTable);
    did("tombstones added to the file beside the store", toMirror);
    did("lines that are no tombstones left out of that file", skipped);
  } catch (error) {
    // A folder in its place, for instance: that stays a finding, and must not keep the rest from being repaired.
    if (!(error instanceof BackscrollError) || error.code !== "io") throw error;
  }
}

/** Returns whether the sources are to be read anew. */
async function mendRows(
  path: string,
  agentId: AgentId,
  { findings, work }: AgentCheck,
  did: Did,
  tick: (rows: number) => Promise<void>,
): Promise<boolean> {
  const db = openDatabase(path);
  try {
    if (findings.has("pending")) did("transcripts indexed that waited for it", dirtyTranscripts(db).length);
    if (findings.has("lost-tombstone", "mirror-behind", "mirror-damaged")) mendMirror(db, did);
    if (findings.has("wal-unfinished")) did("write-ahead log taken in as far as it goes", 1);
    // First, and noted before it is done: a repair that is killed in between must not leave places that nothing fills.
    if (work.lost.length > 0) readSourcesAnew(db);
    did("places of lost entries filled", await fillLost(db, work.lost, tick));
    const wrong = new Set([...work.changed, ...work.unreadable, ...work.misfiled, ...work.misplaced]);
    const mended = await mendEntries(db, wrong, tick);
    did("entries made again what was written, by their checksum", mended.corrected);
    did("entries kept as they are, with a checksum of what they say now", mended.accepted);
    did("entries that can't be read kept as raw content", mended.raw);
    did("transcripts that end again where their flags lead", mendLeaves(db));
    // Marks transcripts as dirty, whose flags are followed no more.
    checkIndexVersion(db);
    if (findings.has("no-checksum")) did("checksums written", await writeChecksums(db, tick));
    if (findings.has("wrong-name", "wrong-value")) did("sessions put right", mendSessions(db, agentId));
    if (findings.has("orphan-row")) did("rows that led nowhere put right", mendOrphans(db, agentId));
    if (findings.has("empty-session")) did("sessions given an empty transcript", mendEmptySessions(db));
    did("counters of sessions and transcripts put right", mendSequences(db));
    if (findings.has("wrong-alias")) did("other ids that led nowhere removed", mendAliases(db));
    const reindex = new Map(work.reindex);
    // The index rows of an entry follow from what it says.
    for (const no of wrong) {
      const transcript = transcriptOf(no);
      reindex.set(transcript, Math.min(no, reindex.get(transcript) ?? no));
    }
    if (findings.has("damaged-search-index", "search-failed", "not-found")) {
      remakeIndex(db);
      did("full-text index made anew", 1);
    } else {
      const removed = removeExtra(db, work.extra, work.stray);
      did(
        "index rows without a message removed",
        removed + removeExtra(db, work.extraTools, work.strayTools, toolTables),
      );
    }
    did("transcripts indexed anew from the first wrong entry on", markForRepair(db, reindex));
    did("transcripts with a wrong leaf or count put right", mendTranscripts(db));
    await reconcile(db, Number.POSITIVE_INFINITY, () => 0);
    did("counters of tool calls and results put right", mendToolTotals(db));
    did("transcripts with a wrong leaf or count put right", mendTranscripts(db));
    const again = mended.accepted + mended.raw > 0 || findings.has("missing-entry", "wrong-value", "wrong-alias");
    const waiting = again ? readSourcesAnew(db) : 0;
    if (findings.has("unpurged") && purgeAll(db)) did("words of deleted messages taken out of the index", 1);
    return waiting > 0;
  } finally {
    db.close();
  }
}
