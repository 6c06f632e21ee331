/**
 * Transcripts against what they say of themselves: the tree, the leaf, counters, flags, checksums, content; and the row
 * map of the index against the messages. Gives what the full-text table has to hold. Reads every entry once, in pages.
 */

import { hash53 } from "../../model/ids.ts";
import type { Role } from "../../model/transcript.ts";
import { redact } from "../../redaction/redact.ts";
import { searchableText, shows, showsOf } from "../../text/searchable.ts";
import { ascending } from "../ascending.ts";
import { type Body, decodeBody } from "../body.ts";
import type { Database, Row } from "../driver.ts";
import { checkedRow, entryCrc } from "../entry-crc.ts";
import { firstNo, lastNo, positions, transcriptOf } from "../entry-no.ts";
import { rightLeaf } from "../flagged-path.ts";
import { isHusk, lostType } from "../husk.ts";
import { indexColumns } from "../index-columns.ts";
import { shownId } from "../lost-places.ts";
import { aboveRoot } from "../sessions.ts";
import { cutMasks } from "../without-secrets.ts";
import { type CheckContext, reindexFrom } from "./check-context.ts";
import { ExpectedIndex, message, sizesOf } from "./expected-index.ts";
import { sumOfTerms } from "./term-sum.ts";
import { readTree, type TranscriptTree } from "./transcript-tree.ts";

const page = 500;

interface TranscriptFacts {
  readonly no: number;
  readonly key: string;
  readonly leaf: number | null;
  readonly next: number;
  readonly messages: number;
  readonly tokens: number;
  readonly appendAt: number | null;
  /** Range not to be trusted, ends included. */
  readonly dirty: { readonly from: number; readonly to: number } | null;
}

export async function checkTranscripts(context: CheckContext): Promise<ExpectedIndex> {
  const { db, findings } = context;
  const expected = new ExpectedIndex();
  const transcripts = db
    .prepare(`
      SELECT t.no AS no, s.key AS key, t.leaf AS leaf, t.next AS next, t.messages AS messages, t.tokens AS tokens, t.append_at AS appendAt,
        d.transcript AS dirty, d."from" AS "from", d."to" AS "to"
      FROM transcripts t LEFT JOIN sessions s ON s.no = t.session LEFT JOIN dirty d ON d.transcript = t.no ORDER BY t.no
    `)
    .all();
  const known = new Set<number>();
  for (const row of transcripts) {
    const no = Number(row.no);
    known.add(no);
    const last = lastNo(no);
    const facts: TranscriptFacts = {
      no,
      key: row.key === null ? `transcript ${no}` : String(row.key),
      leaf: row.leaf as number | null,
      next: Number(row.next),
      messages: Number(row.messages),
      tokens: Number(row.tokens),
      appendAt: row.appendAt as number | null,
      dirty:
        row.dirty === null
          ? null
          : { from: Number(row.from), to: row.to === null ? last : Math.min(last, Number(row.to)) },
    };
    if (row.key === null) findings.add("orphan-row", `transcript ${no} without a session`);
    if (facts.dirty) checkDirty(facts, context);
    await checkTranscript(facts, expected, context);
  }
  checkOrphans("entries", known, context);
  checkOrphans("messages", known, context);
  return expected;
}

function checkDirty({ no, key, dirty }: TranscriptFacts, { findings, work }: CheckContext): void {
  if (dirty === null) return;
  if (transcriptOf(dirty.from) === no && dirty.from <= dirty.to && transcriptOf(dirty.to) === no) {
    findings.add("pending", key);
  } else {
    findings.add("wrong-dirty", key);
    reindexFrom(work, no, firstNo(no));
  }
}

/** Rows whose number leads to no transcript. Jumps from transcript to transcript. */
function checkOrphans(table: "entries" | "messages", known: ReadonlySet<number>, { db, findings, work }: CheckContext) {
  const next = db.prepare(`SELECT no FROM ${table} WHERE no >= :from ORDER BY no LIMIT 1`);
  const count = db.prepare(`SELECT count(*) AS n FROM ${table} WHERE no BETWEEN :from AND :to`);
  for (let from = Number.MIN_SAFE_INTEGER; ; ) {
    const row = next.get({ from });
    if (!row) return;
    const transcript = transcriptOf(Number(row.no));
    const range = { from: firstNo(transcript), to: lastNo(transcript) };
    if (!known.has(transcript)) {
      const n = Number(count.get(range)?.n);
      findings.add("orphan-row", `${table} of transcript ${transcript}, which is not there`, n);
      if (table === "messages") {
        for (const each of db.prepare("SELECT no FROM messages WHERE no BETWEEN :from AND :to").iterate(range))
          work.extra.add(Number(each.no));
      }
    }
    from = ascending(from, range.to + 1);
  }
}

async function checkTranscript(facts: TranscriptFacts, expected: ExpectedIndex, context: CheckContext): Promise<void> {
  const { db, findings, work } = context;
  const range = { from: firstNo(facts.no), to: lastNo(facts.no) };
  const last = db.prepare("SELECT max(no) AS no FROM entries WHERE no BETWEEN :from AND :to").get(range)?.no;
  const index = db
    .prepare("SELECT count(*) AS n, coalesce(sum(length), 0) AS tokens FROM messages WHERE no BETWEEN :from AND :to")
    .get(range);
  const mapped = Number(index?.n);
  const there = last === null || last === undefined ? 0 : (Number(last) % positions) + 1;
  const tree = await readTree(facts, there, context);
  const { size } = tree;
  if (facts.next !== size)
    findings.add("wrong-counter", `${facts.key}: its next entry gets the position ${facts.next} of ${size}`);
  if (facts.messages !== mapped)
    findings.add("wrong-counter", `${facts.key}: ${facts.messages} indexed messages said, ${mapped} there`);
  if (facts.tokens !== Number(index?.tokens))
    findings.add("wrong-counter", `${facts.key}: ${facts.tokens} indexed words said, ${Number(index?.tokens)} there`);
  if (size > 0) expected.open(facts.no, size - 1);
  for (const run of tree.lost) {
    const count = run.to - run.from + 1;
    const place =
      count === 1 ? `place ${run.from % positions}` : `places ${run.from % positions} to ${run.to % positions}`;
    findings.add("missing-entry", `${facts.key}: ${place}`, count);
    work.lost.push(run);
  }
  tree.markPath(checkLeaf(facts, tree, context));
  const rows = db.prepare("SELECT * FROM entries WHERE no BETWEEN :from AND :to ORDER BY no LIMIT :page");
  const map = db.prepare("SELECT * FROM messages WHERE no BETWEEN :from AND :to ORDER BY no");
  for (let from = range.from; ; ) {
    const entries = rows.all({ from, to: range.to, page });
    const to = entries.length < page ? range.to : Number(entries.at(-1)?.no);
    const messages = new Map(map.all({ from, to }).map((row) => [Number(row.no), row]));
    for (const row of entries) {
      const no = Number(row.no);
      checkEntry(row, tree.isOnPath(no), messages.get(no), facts, expected, context);
      messages.delete(no);
    }
    for (const no of messages.keys()) {
      findings.add("extra-message", `${facts.key}: index row ${no} without an entry`);
      work.extra.add(no);
    }
    await context.tick(entries.length);
    if (to === range.to) return;
    from = ascending(from, to + 1);
  }
}

/** The leaf and the append position. Returns the leaf that the flags are compared with. */
function checkLeaf(facts: TranscriptFacts, tree: TranscriptTree, { db, findings, work }: CheckContext): number | null {
  const { key, leaf, appendAt } = facts;
  if (appendAt !== null && appendAt !== aboveRoot && !tree.has(appendAt))
    findings.add("wrong-leaf", `${key}: append_at ${appendAt}`);
  const right = facts.dirty === null ? rightLeaf(db, leaf, tree.flagged) : null;
  if (right !== null) {
    findings.add("wrong-leaf", `${key}: ${nameOf(db, leaf)}, its entries say ${nameOf(db, right)}`);
    return right;
  }
  if (leaf !== null && !tree.has(leaf)) {
    findings.add("wrong-leaf", `${key}: leaf ${leaf}`);
    reindexFrom(work, facts.no, firstNo(facts.no));
  }
  return leaf;
}

function nameOf(db: Database, no: number | null): string {
  if (no === null) return "no entry";
  const id = db.prepare("SELECT id FROM entries WHERE no = :no").get({ no })?.id;
  return id === undefined ? `entry ${no}, which is not there` : `entry ${shownId(String(id))}`;
}

function checkEntry(
  row: Row,
  onPath: boolean,
  mapped: Row | undefined,
  facts: TranscriptFacts,
  expected: ExpectedIndex,
  { findings, work }: CheckContext,
): void {
  const no = Number(row.no);
  const place = () => `${facts.key}: entry ${shownId(String(row.id))}`;
  const checked = checkedRow(row);
  if (checked.type === lostType) findings.add("lost-entry", place);
  if (row.crc === null) findings.add("no-checksum", place);
  else if (row.crc !== entryCrc(checked)) {
    findings.add("changed-entry", place);
    work.changed.add(no);
  }
  const trusted = facts.dirty === null || no < facts.dirty.from || no > facts.dirty.to;
  const active = row.active === 1;
  if (trusted && active !== onPath) {
    findings.add("wrong-flag", place);
    reindexFrom(work, facts.no, no);
  }
  let body: Body;
  try {
    body = decodeBody(row.body);
  } catch {
    findings.add("unreadable-entry", place);
    work.unreadable.add(no);
    reindexFrom(work, facts.no, no);
    return;
  }
  const spoken = { type: checked.type, role: checked.role as Role | null, parts: body.parts };
  const bits = isHusk(checked.type) ? 0 : showsOf(spoken);
  if (
    bits !== row.shows ||
    (checked.typed === 1 && (bits & shows.spoken) === 0) ||
    (checked.typed !== 0 && checked.typed !== 1)
  ) {
    findings.add("wrong-facts", place);
    work.misfiled.add(no);
    reindexFrom(work, facts.no, no);
  }
  const text = onPath || mapped !== undefined ? searchableText(spoken) : null;
  if (mapped !== undefined) expected.mark(no, message.mapped);
  if (!trusted) {
    expected.mark(no, message.untrusted);
    return;
  }
  if (!onPath || text === null) {
    if (mapped === undefined) return;
    findings.add(onPath ? "extra-message" : "off-branch-message", place);
    work.extra.add(no);
    return;
  }
  const masked = redact(text);
  const words = indexColumns(no, checked.timestamp, cutMasks(masked));
  const textSum = sumOfTerms(words.text);
  const partsSum = sumOfTerms(words.parts);
  expected.mark(no, message.expected);
  expected.add(no, "text", textSum.sum);
  expected.add(no, "parts", partsSum.sum);
  const stemsSum = sumOfTerms(words.stems);
  expected.add(no, "stems", stemsSum.sum);
  expected.add(no, "sizes", sizesOf(textSum.count, partsSum.count, stemsSum.count));
  if (mapped === undefined) {
    findings.add("missing-message", place);
    expected.mark(no, message.named);
    reindexFrom(work, facts.no, no);
  } else if (
    mapped.role !== checked.role ||
    mapped.timestamp !== checked.timestamp ||
    mapped.length !== words.length ||
    mapped.copy !== hash53(`${checked.role}\n${masked.text}`)
  ) {
    findings.add("stale-message", place);
    expected.mark(no, message.named);
    reindexFrom(work, facts.no, no);
  }
}
