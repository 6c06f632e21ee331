/**
 * The full-text table against what it has to hold: which messages, and each term at each place (FTS5's own integrity
 * check of a contentless table looks at the structure only: emptied, it still says ok). Terms are read through
 * fts5vocab, which passes over what is marked as deleted; 0.7 µs each.
 */

import type { SqlValue } from "../driver.ts";
import { transcriptOf } from "../entry-no.ts";
import { readFtsStructure } from "../fts-structure.ts";
import { entryOf, rowOf } from "../index-row.ts";
import { bothIndexes, type IndexTables, messageTables } from "../index-tables.ts";
import { isPurgeWanted } from "../purge.ts";
import { type CheckContext, reindexFrom } from "./check-context.ts";
import { type ExpectedIndex, message, sizesOf } from "./expected-index.ts";
import { placedTerm, termHash } from "./term-sum.ts";

/** Terms between two moments for other work. */
const breath = 20_000;

/** Which messages the full-text table has, and the sizes that it keeps for BM25. */
export async function checkIndexedMessages(
  expected: ExpectedIndex,
  context: CheckContext,
  { fts }: IndexTables = messageTables,
): Promise<void> {
  const { db, findings, work } = context;
  const [extra, stray] = fts === "tool_index" ? [work.extraTools, work.strayTools] : [work.extra, work.stray];
  let seen = 0;
  for (const row of db.prepare(`SELECT id, sz FROM ${fts}_docsize ORDER BY id`).iterate()) {
    const no = entryOf(Number(row.id));
    if (rowOf(no) !== Number(row.id)) {
      findings.add("extra-message", `full-text row ${Number(row.id)}`);
      stray.add(Number(row.id));
      continue;
    }
    const state = expected.state(no);
    expected.mark(no, message.indexed);
    if ((state & (message.expected | message.untrusted)) === 0 && !extra.has(no)) {
      findings.add("extra-message", `full-text row ${no}`);
      extra.add(no);
    }
    if ((state & message.expected) !== 0) expected.add(no, "sizes", -sizesOf(...sizes(row.sz)));
    seen += 1;
    if (seen % breath === 0) await context.tick(0);
  }
}

/** Every term of the full-text table. Messages that are not expected were named before. */
export async function checkTerms(
  expected: ExpectedIndex,
  context: CheckContext,
  { fts }: IndexTables = messageTables,
): Promise<number> {
  const { db } = context;
  const places = `places_of_${fts}`;
  db.exec(`CREATE VIRTUAL TABLE IF NOT EXISTS temp.${places} USING fts5vocab(main, ${fts}, instance)`);
  let term: SqlValue | undefined;
  let hash = 0;
  let seen = 0;
  for (const row of db.prepare(`SELECT term, doc, col, "offset" AS place FROM temp.${places}`).iterate()) {
    if (row.term !== term) {
      term = row.term;
      hash = termHash(String(term));
    }
    const column = row.col === "parts" || row.col === "stems" ? row.col : "text";
    expected.add(entryOf(Number(row.doc)), column, -placedTerm(hash, Number(row.place)));
    seen += 1;
    if (seen % breath === 0) await context.tick(0);
  }
  return seen;
}

/** Says what did not come out, after both of the above. */
export function compareIndex(expected: ExpectedIndex, termsRead: boolean, { findings, work }: CheckContext): void {
  for (const no of expected.marked()) {
    const state = expected.state(no);
    if ((state & message.expected) === 0 || (state & message.named) !== 0) continue;
    if ((state & message.indexed) === 0) {
      findings.add("missing-message", `full-text row ${no}`);
      reindexFrom(work, transcriptOf(no), no);
    } else if (termsRead && !expected.agrees(no)) {
      findings.add("stale-message", `full-text row ${no}`);
      reindexFrom(work, transcriptOf(no), no);
    }
  }
}

function sizes(blob: SqlValue | undefined): [number, number, number] {
  const found: number[] = [];
  let value = 0;
  if (blob instanceof Uint8Array) {
    for (const byte of blob) {
      value = value * 128 + (byte & 0x7f);
      if (byte & 0x80) continue;
      found.push(value);
      value = 0;
    }
  }
  return [found[0] ?? 0, found[1] ?? 0, found[2] ?? 0];
}

/** What was deleted and is still in the file: a notice, as the next purge rewrites it. */
export function checkTombstones({ db, findings }: CheckContext): void {
  if (!isPurgeWanted(db)) return;
  const pages = bothIndexes.reduce((sum, { fts }) => sum + (readFtsStructure(db, fts)?.tombstonePages ?? 0), 0);
  findings.add("unpurged", "message_index", Math.max(1, pages));
}
