/**
 * A write-ahead log that ends in the middle, or in rubbish, as a power cut leaves it: what is before the damage is there,
 * transaction by transaction, and the rest is gone whole (SPEC 1.6).
 */
import { closeSync, existsSync, ftruncateSync, openSync, readFileSync, rmSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { oracleSessions } from "../model/compare-tables.ts";
import type { Operation } from "../model/operation.ts";
import type { Oracle } from "../model/oracle.ts";
import { agent } from "../model/program.ts";
import { difference, Mismatch, momentOf, readHome } from "./check.ts";
import type { Random } from "./random.ts";

const walHeader = 32;
const frame = 24 + 4096;

/**
 * Spoils the log of a home (a copy that may be spoilt), and checks that it holds what the oracle says after some of the
 * operations. Returns whether there was a log to spoil.
 */
export async function checkTorn(
  home: string,
  before: Oracle,
  operations: readonly Operation[],
  random: Random,
): Promise<boolean> {
  const file = join(home, "agents", agent, "transcripts.sqlite");
  if (!spoil(file, random)) return false;
  const found = await readHome(home);
  if (momentOf(found, before, operations) !== null) return true;
  throw new Mismatch(`torn log: fits no moment; ${difference(found, oracleSessions(before))}`, 0);
}

function spoil(file: string, random: Random): boolean {
  const wal = `${file}-wal`;
  if (!existsSync(wal)) return false;
  const from = syncedBytes(readFileSync(wal), `${file}-shm`);
  const { size } = statSync(wal);
  if (size <= from) return false;
  const at = random.integer(from, size - 1);
  const handle = openSync(wal, "r+");
  if (random.chance(0.5)) ftruncateSync(handle, at);
  else {
    const length = Math.min(size - at, random.integer(1, 20_000));
    const rubbish = Uint8Array.from({ length }, () => random.integer(0, 255));
    writeSync(handle, rubbish, 0, length, at);
  }
  closeSync(handle);
  // The index of the log lives in memory: after a power cut there is none.
  rmSync(`${file}-shm`, { force: true });
  return true;
}

/**
 * Bytes of the log that had been synced because a checkpoint copies them, or has copied them, into the database: a power cut
 * leaves those whole, and a database that is newer than its log is no state that a power cut can make. Offsets are those
 * of the log's header and of its index in SQLite's wal.c: salts, and `nBackfillAttempted`.
 */
function syncedBytes(log: Uint8Array, shm: string): number {
  const index = existsSync(shm) ? readFileSync(shm) : Buffer.alloc(0);
  if (index.length < 132) return 0;
  // Other salts: all of the log was copied, and the next one is begun in the index only.
  if (!index.subarray(32, 40).equals(log.subarray(16, 24))) return log.length;
  return walHeader + index.readUInt32LE(128) * frame;
}
