/**
 * What the asker is in the middle of: its last question and all that was said since. Searching for one's own words finds
 * them there first, and that is no memory (SPEC 4.3).
 */
import { limits } from "../limits.ts";
import type { SessionKey } from "../model/ids.ts";
import type { Database } from "./driver.ts";
import { firstNo, lastNo } from "./entry-no.ts";

/** Entry numbers, ends included. */
export interface Turn {
  readonly from: number;
  readonly to: number;
}

/** Null where the session was last written to longer ago than a turn pauses, or nobody asked anything. @param now Epoch ms. */
export function currentTurn(db: Database, sessionKey: SessionKey, now: number): Turn | null {
  const transcript = db
    .prepare(`
      SELECT t.no AS no FROM transcripts t JOIN sessions s ON s.no = t.session WHERE s.key = :sessionKey
      ORDER BY t.generation DESC LIMIT 1
    `)
    .get({ sessionKey })?.no;
  if (typeof transcript !== "number") return null;
  const range = { from: firstNo(transcript), to: lastNo(transcript) };
  const written = db
    .prepare("SELECT timestamp FROM entries WHERE no BETWEEN :from AND :to ORDER BY no DESC LIMIT 1")
    .get(range)?.timestamp;
  if (typeof written !== "number" || Math.abs(now - written) > limits.turnPause.default) return null;
  const asked = db
    .prepare("SELECT max(no) AS no FROM messages WHERE no BETWEEN :from AND :to AND role = 'user'")
    .get(range)?.no;
  return typeof asked === "number" ? { from: asked, to: range.to } : null;
}
