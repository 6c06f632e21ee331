/** What a run counts. */
import { Mismatch } from "./check.ts";

export class Figures {
  kills = 0;
  acknowledged = 0;
  /** Acknowledged operations that were not there afterwards. */
  lost = 0;
  mismatches = 0;
  /** Homes checked after a kill that held something. */
  checked = 0;
  /** Write-ahead logs that were cut or spoilt. */
  torn = 0;
  /** Kills of two writers at once. */
  pairs = 0;
  /** Kills while an old schema was being brought up. */
  migrations = 0;
  /** Operations that failed for want of space. */
  refused = 0;
  readonly failures: string[] = [];

  fail(where: string, error: unknown): void {
    if (error instanceof Mismatch) this.lost += error.lost;
    this.mismatches += 1;
    this.failures.push(`${where}: ${error instanceof Error ? (error.stack ?? error.message) : error}`);
  }
}
