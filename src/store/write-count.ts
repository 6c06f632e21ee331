/**
 * Numbers the transactions that write to a store, one after the other, from a number of its own on. The number stands in
 * the file and, changed by each of them, in the write-ahead log: so a log can be told from one of another time, or of another
 * store (see check/log-against-file.ts). One page more a transaction; no other mark changes with a leaf that only moved.
 */
import type { Database } from "./driver.ts";
import { resultCode } from "./sqlite-error.ts";

export const writeCountName = "writes";
/** Above every number of a row, so that a value alone tells it from those. Numbers of two stores are far apart. */
export const leastWriteCount = 2 ** 40;
const spread = 2 ** 50;

const add = `
  INSERT INTO index_state (name, value) VALUES ('${writeCountName}', ${leastWriteCount} + abs(random() % ${spread}))
  ON CONFLICT DO UPDATE SET value = value + 1`;

/** How much this connection has changed so far. */
export function changesSoFar(db: Database): number {
  return Number(db.prepare("SELECT total_changes() AS n").get()?.n);
}

/** To be called last in a transaction. @param before What {@link changesSoFar} was at its start. */
export function countWrite(db: Database, before: number): void {
  if (db.path === ":memory:" || changesSoFar(db) === before) return;
  try {
    db.prepare(add).run();
  } catch (error) {
    // 1: no such table yet, or any more; 11, 26: damaged. Nobody is kept from storing by a number that the doctor wants.
    if (![1, 11, 26].includes((resultCode(error) ?? 0) & 0xff)) throw error;
  }
}
