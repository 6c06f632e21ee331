/**
 * The index of tool calls and results against what it has to hold: nothing where the store does not index them, else every
 * entry of the active branches that has some, row by row and term by term like the messages. Flags are the transcripts' check.
 */
import { hash53 } from "../../model/ids.ts";
import type { Role } from "../../model/transcript.ts";
import { ascending } from "../ascending.ts";
import { decodeBody } from "../body.ts";
import type { Row } from "../driver.ts";
import { firstNo, lastNo, positions, transcriptOf } from "../entry-no.ts";
import { indexColumns } from "../index-columns.ts";
import { toolTables } from "../index-tables.ts";
import { shownId } from "../lost-places.ts";
import { hasToolIndex } from "../tool-choice.ts";
import { type ToolText, toolText } from "../tool-text.ts";
import { cutMasks } from "../without-secrets.ts";
import { type CheckContext, reindexFrom } from "./check-context.ts";
import { ExpectedIndex, message, sizesOf } from "./expected-index.ts";
import { sumOfTerms } from "./term-sum.ts";

const page = 500;

interface Place {
  readonly no: number;
  readonly key: string;
  /** Range not to be trusted, ends included. */
  readonly dirty: { readonly from: number; readonly to: number } | null;
}

/** What the full-text table of tools has to hold; its row map and counters are compared on the way. */
export async function checkTools(context: CheckContext): Promise<ExpectedIndex> {
  const { db, findings, work } = context;
  const expected = new ExpectedIndex();
  checkTotals(context);
  const isThere = new Set<number>();
  const isOn = hasToolIndex(db);
  const rows = db.prepare(`
    SELECT t.no AS no, t.next AS next, s.key AS key, d."from" AS "from", coalesce(d."to", (t.no << 24) + 16777215) AS "to"
    FROM transcripts t LEFT JOIN sessions s ON s.no = t.session LEFT JOIN dirty d ON d.transcript = t.no ORDER BY t.no
  `);
  for (const { no, next, key, from, to } of rows.all()) {
    isThere.add(Number(no));
    const last = db
      .prepare("SELECT max(no) AS no FROM entries WHERE no BETWEEN :from AND :to")
      .get({ from: firstNo(Number(no)), to: lastNo(Number(no)) })?.no;
    const size = Math.max(Number(next), typeof last === "number" ? (last % positions) + 1 : 0);
    if (isOn && size > 0) expected.open(Number(no), Math.min(size, positions) - 1);
    await checkTranscript(
      {
        no: Number(no),
        key: key === null ? `transcript ${no}` : String(key),
        dirty: from === null ? null : { from: Number(from), to: Number(to) },
      },
      isOn,
      expected,
      context,
    );
  }
  for (const row of db.prepare("SELECT no FROM tool_messages").iterate()) {
    const no = Number(row.no);
    if (isThere.has(transcriptOf(no))) continue;
    findings.add("extra-message", `tool index row ${no} of a transcript that is not there`);
    work.extraTools.add(no);
  }
  return expected;
}

async function checkTranscript(
  place: Place,
  isOn: boolean,
  expected: ExpectedIndex,
  context: CheckContext,
): Promise<void> {
  const { db, findings, work } = context;
  const entries = db.prepare(`
    SELECT no, id, role, timestamp, active, body FROM entries
    WHERE no BETWEEN :from AND :to AND type = 'message' AND (shows & 2) <> 0 ORDER BY no LIMIT :page
  `);
  const map = db.prepare("SELECT * FROM tool_messages WHERE no BETWEEN :from AND :to ORDER BY no");
  const end = lastNo(place.no);
  for (let from = firstNo(place.no); ; ) {
    const some = isOn ? entries.all({ from, to: end, page }) : [];
    const to = some.length < page ? end : Number(some.at(-1)?.no);
    const mapped = new Map(map.all({ from, to }).map((row) => [Number(row.no), row]));
    for (const row of some) {
      checkEntry(row, mapped.get(Number(row.no)), place, expected, context);
      mapped.delete(Number(row.no));
    }
    for (const no of mapped.keys()) {
      if (isOn && isDirty(no, place)) continue;
      findings.add("extra-message", `${place.key}: tool index row ${no}`);
      work.extraTools.add(no);
    }
    await context.tick(0);
    if (to === end) return;
    from = ascending(from, to + 1);
  }
}

function isDirty(no: number, { dirty }: Place): boolean {
  return dirty !== null && no >= dirty.from && no <= dirty.to;
}

function checkEntry(
  row: Row,
  mapped: Row | undefined,
  place: Place,
  expected: ExpectedIndex,
  { findings, work }: CheckContext,
): void {
  const no = Number(row.no);
  if (mapped !== undefined) expected.mark(no, message.mapped);
  if (isDirty(no, place)) {
    expected.mark(no, message.untrusted);
    return;
  }
  let said: ToolText | null = null;
  try {
    if (row.active === 1)
      said = toolText({ type: "message", role: row.role as Role, parts: decodeBody(row.body).parts });
  } catch {
    // Content that can't be read is the transcripts' check to name; it is indexed anew from there on.
    return;
  }
  const where = () => `${place.key}: tool traffic of entry ${shownId(String(row.id))}`;
  if (said === null) {
    if (mapped === undefined) return;
    findings.add(row.active === 1 ? "extra-message" : "off-branch-message", where);
    work.extraTools.add(no);
    return;
  }
  const timestamp = Number(row.timestamp);
  const words = indexColumns(no, timestamp, cutMasks(said));
  const [text, parts, stems] = [sumOfTerms(words.text), sumOfTerms(words.parts), sumOfTerms(words.stems)];
  expected.mark(no, message.expected);
  expected.add(no, "text", text.sum);
  expected.add(no, "parts", parts.sum);
  expected.add(no, "stems", stems.sum);
  expected.add(no, "sizes", sizesOf(text.count, parts.count, stems.count));
  if (mapped === undefined) findings.add("missing-message", where);
  else if (
    mapped.role !== said.role ||
    mapped.timestamp !== timestamp ||
    mapped.length !== words.length ||
    mapped.copy !== hash53(`tool ${said.role}\n${said.text}`)
  )
    findings.add("stale-message", where);
  else return;
  expected.mark(no, message.named);
  reindexFrom(work, place.no, no);
}

/** SQL: transcripts whose counters of the tool index are not what its row map says. */
export const wrongToolTotals = `
  SELECT t.no AS no FROM transcripts t LEFT JOIN tool_totals c ON c.transcript = t.no
  LEFT JOIN (SELECT no >> 24 AS transcript, count(*) AS messages, sum(length) AS tokens FROM tool_messages GROUP BY 1) m
    ON m.transcript = t.no
  WHERE coalesce(c.messages, 0) <> coalesce(m.messages, 0) OR coalesce(c.tokens, 0) <> coalesce(m.tokens, 0)`;

function checkTotals({ db, findings }: CheckContext): void {
  for (const { no } of db.prepare(wrongToolTotals).all())
    findings.add("wrong-counter", `${toolTables.map} of transcript ${Number(no)}`);
}
