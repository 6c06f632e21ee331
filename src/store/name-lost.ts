/** Gives what stands in for a lost entry the id that a source knows it by. */
import type { Database } from "./driver.ts";
import { checkedRow, entryCrc } from "./entry-crc.ts";
import { lostType } from "./husk.ts";
import { isMadeUp } from "./lost-places.ts";

/** Only where its own was made up. Returns whether it was. */
export function nameLost(db: Database, no: number, id: string): boolean {
  const row = db.prepare("SELECT * FROM entries WHERE no = :no").get({ no });
  if (row?.type !== lostType || !isMadeUp(String(row.id))) return false;
  const crc = entryCrc({ ...checkedRow(row), id });
  return db.prepare("UPDATE entries SET id = :id, crc = :crc WHERE no = :no").run({ no, id, crc }) === 1;
}
