/**
 * Transcripts against what they say of themselves: the tree, the leaf, counters, flags, checksums, content; and the row
 * map of the index against the messages. Gives what the full-text table has to hold. Reads every entry once, in pages.
 */

import { hash53 } from "../../model/ids.ts";
import type { Role } from "../../model/transcript.ts";
import { redact } from "../../redaction/redact.ts";
import { indexText } from "../../text/index-text.ts";
import { searchableText, shows, showsOf } from "../../text/searchable.ts";
import { ascending } from "../ascending.ts";
import { type Body, decodeBody } from "../body.ts";
import type { Row } from "../driver.ts";
import { checkedRow, entryCrc } from "../entry-crc.ts";
import { firstNo, lastNo, positions, transcriptOf } from "../entry-no.ts";
import { isHusk, lostType } from "../husk.ts";
import { aboveRoot } from "../sessions.ts";
import { cutMasks } from "../without-secrets.ts";
import { type CheckContext, reindexFrom } from "./check-context.ts";
import { ExpectedIndex, message, sizesOf } from "./expected-index.ts";
import { sumOfTerms } from "./term-sum.ts";

const page = 500;

interface TranscriptFacts {
  readonly no: number;
  readonly key: string;
  readonly leaf: number | null;
  readonly next: number;
  readonly messages: number;
  readonly appendAt: number | null;
  /** Range not to be trusted, ends included. */
  readonly dirty: { readonly from: number; readonly to: number } | null;
}

export async function checkTranscripts(context: CheckContext): Promise<ExpectedIndex> {
  const { db, findings } = context;
  const expected = new ExpectedIndex();
  const transcripts = db
    .prepare(`
      SELECT t.no AS no, s.key AS key, t.leaf AS leaf, t.next AS next, t.messages AS messages, t.append_at AS appendAt,
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
  const mapped = Number(db.prepare("SELECT count(*) AS n FROM messages WHERE no BETWEEN :from AND :to").get(range)?.n);
  const size = last === null || last === undefined ? 0 : (Number(last) % positions) + 1;
  if (facts.next !== size)
    findings.add("wrong-counter", `${facts.key}: its next entry gets the position ${facts.next} of ${size}`);
  if (facts.messages !== mapped)
    findings.add("wrong-counter", `${facts.key}: ${facts.messages} indexed messages said, ${mapped} there`);
  if (size > 0) expected.open(facts.no, size - 1);
  const tree = await readTree(facts, size, context);
  for (const [name, no] of [
    ["leaf", facts.leaf],
    ["append_at", facts.appendAt === aboveRoot ? null : facts.appendAt],
  ] as const) {
    if (no === null || (transcriptOf(no) === facts.no && tree.has(no % positions))) continue;
    findings.add("wrong-leaf", `${facts.key}: ${name} ${no}`);
    reindexFrom(work, facts.no, range.from);
  }
  const onPath = tree.path(facts.leaf);
  const rows = db.prepare("SELECT * FROM entries WHERE no BETWEEN :from AND :to ORDER BY no LIMIT :page");
  const map = db.prepare("SELECT * FROM messages WHERE no BETWEEN :from AND :to ORDER BY no");
  for (let from = range.from; ; ) {
    const entries = rows.all({ from, to: range.to, page });
    const to = entries.length < page ? range.to : Number(entries.at(-1)?.no);
    const messages = new Map(map.all({ from, to }).map((row) => [Number(row.no), row]));
    for (const row of entries) {
      const no = Number(row.no);
      checkEntry(row, onPath[no % positions] === 1, messages.get(no), facts, expected, context);
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

interface TreeOf {
  has(position: number): boolean;
  /** 1 for each position on the path from an entry to its root. */
  path(leaf: number | null): Uint8Array;
}

/** Parents by position: 4 bytes an entry. */
async function readTree(
  facts: TranscriptFacts,
  size: number,
  { db, findings, work, tick }: CheckContext,
): Promise<TreeOf> {
  const absent = -2;
  const root = -1;
  const parents = new Int32Array(size).fill(absent);
  const page = db.prepare("SELECT no, parent FROM entries WHERE no BETWEEN :from AND :to ORDER BY no LIMIT 20000");
  for (let from = firstNo(facts.no); ; ) {
    const rows = page.all({ from, to: lastNo(facts.no) });
    for (const row of rows) {
      const no = Number(row.no);
      const parent = row.parent as number | null;
      const isThere =
        parent === null || (transcriptOf(parent) === facts.no && parent < no && parents[parent % positions] !== absent);
      if (!isThere) {
        findings.add("wrong-parent", `${facts.key}: entry ${no} below ${parent}`);
        work.misplaced.add(no);
        reindexFrom(work, facts.no, no);
      }
      parents[no % positions] = parent === null || !isThere ? root : parent % positions;
      from = ascending(from, no + 1);
    }
    await tick(0);
    if (rows.length === 0) break;
  }
  return {
    has: (position) => position < size && parents[position] !== absent,
    path: (leaf) => {
      const path = new Uint8Array(size);
      if (leaf === null || transcriptOf(leaf) !== facts.no) return path;
      for (let at = leaf % positions; at >= 0 && at < size && parents[at] !== absent; at = parents[at] ?? root)
        path[at] = 1;
      return path;
    },
  };
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
  const place = () => `${facts.key}: entry ${String(row.id)}`;
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
  const words = indexText(cutMasks(masked));
  const textSum = sumOfTerms(words.text);
  const partsSum = sumOfTerms(words.parts);
  expected.mark(no, message.expected);
  expected.add(no, "text", textSum.sum);
  expected.add(no, "parts", partsSum.sum);
  expected.add(no, "sizes", sizesOf(textSum.count, partsSum.count));
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
