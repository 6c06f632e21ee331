/** What a home holds after a kill: which of the states that it may be in, and whether its index is whole. */
import assert from "node:assert/strict";
import { open } from "../../src/index.ts";
import {
  checkIntegrity,
  compareIndex,
  oracleSessions,
  type PlainSession,
  readSessions,
} from "../model/compare-tables.ts";
import type { Operation } from "../model/operation.ts";
import type { Oracle } from "../model/oracle.ts";
import { agent } from "../model/program.ts";

/** Something acknowledged is not there, or something is there that was never whole. */
export class Mismatch extends Error {
  /** Acknowledged operations that are not there; 0 when what is there fits no moment at all. */
  readonly lost: number;
  constructor(message: string, lost: number) {
    super(message);
    this.lost = lost;
  }
}

/** Opens the store as the next process would, reconciles, checks it, and gives what it holds. */
export async function readHome(home: string): Promise<PlainSession[]> {
  const store = open({ home, durability: "normal" });
  try {
    const { db } = store.store(agent);
    checkIntegrity(db);
    const { indexing } = await store.sessions();
    assert(!indexing, "reconciliation did not end");
    checkIntegrity(db);
    compareIndex(db);
    return readSessions(db);
  } finally {
    store.close();
  }
}

/** Checks what each acknowledged operation came to. @throws {Mismatch} */
export function follow(before: Oracle, operations: readonly Operation[], acknowledged: readonly string[]): void {
  const oracle = before.clone();
  acknowledged.forEach((got, at) => {
    const operation = operations[at];
    if (operation === undefined) throw new Error("more was acknowledged than there was to do");
    const wanted = JSON.stringify(oracle.apply(operation));
    if (got !== wanted) {
      throw new Mismatch(`operation ${at} came to ${got}, not to ${wanted}: ${JSON.stringify(operation)}`, 0);
    }
  });
}

/**
 * The state after what was acknowledged, or with the operation in flight, whole. Returns the oracle of the one that it is.
 * @param before Oracle of the state that the writer began with.
 * @throws {Mismatch}
 */
export function settle(
  found: readonly PlainSession[],
  before: Oracle,
  operations: readonly Operation[],
  acknowledged: number,
): Oracle {
  const oracle = before.clone();
  for (const operation of operations.slice(0, acknowledged)) oracle.apply(operation);
  const wanted = oracleSessions(oracle);
  if (isSame(found, wanted)) return oracle;
  const inFlight = operations[acknowledged];
  if (inFlight) oracle.apply(inFlight);
  if (isSame(found, oracleSessions(oracle))) return oracle;
  const reached = momentOf(found, before, operations.slice(0, acknowledged));
  throw new Mismatch(difference(found, wanted), reached === null ? 0 : acknowledged - reached);
}

/** After how many of the operations the home was what it is; the last such moment, null when there was none. */
export function momentOf(
  found: readonly PlainSession[],
  before: Oracle,
  operations: readonly Operation[],
): number | null {
  const oracle = before.clone();
  let moment = isSame(found, oracleSessions(oracle)) ? 0 : null;
  for (const [at, operation] of operations.entries()) {
    oracle.apply(operation);
    if (isSame(found, oracleSessions(oracle))) moment = at + 1;
  }
  return moment;
}

function isSame(one: readonly PlainSession[], two: readonly PlainSession[]): boolean {
  return JSON.stringify(one) === JSON.stringify(two);
}

export function difference(found: readonly PlainSession[], wanted: readonly PlainSession[]): string {
  try {
    assert.deepEqual(found, wanted);
  } catch (error) {
    return String(error instanceof Error ? error.message : error).slice(0, 4000);
  }
  return "the same in another order of keys";
}
