/** Counters of the index of tool calls and results, counted anew. */
import { wrongToolTotals } from "../check/check-tools.ts";
import type { Database } from "../driver.ts";
import { transaction } from "../transaction.ts";

/** Returns how many transcripts had wrong ones. */
export function mendToolTotals(db: Database): number {
  return transaction(db, () => {
    const wrong = db.prepare(wrongToolTotals).all().length;
    if (wrong === 0) return 0;
    db.exec("DELETE FROM tool_totals");
    db.exec(`
      INSERT INTO tool_totals (transcript, messages, tokens)
      SELECT no >> 24, count(*), sum(length) FROM tool_messages WHERE no >> 24 IN (SELECT no FROM transcripts) GROUP BY 1
    `);
    return wrong;
  });
}
