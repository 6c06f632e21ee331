/** A line for each use of unmasked output (SPEC 5.7). */
import type { Database } from "./driver.ts";

export function noteReveal(db: Database, at: number, what: string): void {
  db.prepare("INSERT INTO audit (at, what) VALUES (:at, :what)").run({ at, what });
}
