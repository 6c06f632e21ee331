/**
 * What the full-text table says of a term, under a scope: which messages have it, how often and where. Every statement
 * holds visibility and filters itself, so no bound ever counts what a caller can't see (SPEC 4.5, 4.6). Lists come as
 * arrays: a match costs a tenth of a microsecond, a place in a message a third of one.
 */
import type { Scope } from "../model/caller.ts";
import type { Role } from "../model/transcript.ts";
import { passageTokens } from "../text/passage.ts";
import { inDirtyRange, isDirty, trusted } from "./dirty.ts";
import type { Database, Params, SqlValue } from "./driver.ts";
import { entryOf, entrySql, transcriptSql, transcriptTerm, weekOf, weekTerm } from "./index-row.ts";
import { type IndexTables, messageTables } from "./index-tables.ts";
import { type IndexedWords, indexedWords } from "./indexed-words.ts";
import { type SessionFilter, visibleSessions } from "./visible-sessions.ts";

export interface MessageFilter extends SessionFilter {
  readonly role?: Role;
  /** Epoch ms, inclusive. */
  readonly after?: number;
  /** Epoch ms, exclusive. */
  readonly before?: number;
}

/** What the messages of a scope are, all together. */
export interface Totals {
  readonly messages: number;
  readonly tokens: number;
  readonly transcripts: number;
}

/** Weeks with messages that are looked through, ten years of them; and how many are asked for at once behind an empty one. */
const mostWeeks = 520;
const mostAtOnce = 128;
/** Transcripts up to which a scope is given to FTS5 itself, as terms. */
const fewTranscripts = 48;

/** Told of a term: in which message and passage, how often; or as a part of an identifier, which has no passage. */
export type Look = (no: number, passage: number, count: number, isPart: boolean) => void;

/** Messages that are read for where a term stands in them, at 0.1 ms each. */
const readAtMost = 300;

/** Where messages are looked for that are too many. */
export type End = "newest" | "oldest";

/** The messages of one agent that a caller may see and that filters leave. Good for one synchronous piece of work. */
export class VisibleMessages {
  readonly #db: Database;
  readonly #fts: IndexTables["fts"];
  readonly #tables: IndexTables;
  readonly #words = new Map<number, IndexedWords>();
  readonly #where: readonly string[];
  readonly #params: Readonly<Record<string, SqlValue>>;
  readonly #join: string;
  /** Expression that every match has to fulfil as well, where the scope is small. */
  readonly #among: string | null;
  readonly #sessions: boolean;
  /** Expressions for the weeks at either end. */
  readonly #weeks = new Map<End, string>();

  /** @param tables Of the messages, or of tool calls and results. */
  constructor(db: Database, scope: Scope, filter: MessageFilter, tables: IndexTables = messageTables) {
    const { fts, map } = tables;
    this.#db = db;
    this.#tables = tables;
    this.#fts = fts;
    const no = entrySql(`${fts}.rowid`);
    const where: string[] = [];
    const params: Record<string, SqlValue> = {};
    const transcripts = transcriptsIn(db, scope, filter);
    this.#sessions = transcripts !== null;
    this.#among = transcripts === "many" || transcripts === null ? null : amongOf(transcripts);
    if (transcripts === "many") where.push(`${transcriptSql(`${fts}.rowid`)} IN (SELECT no FROM temp.in_scope)`);
    // Asked once here: as a condition it cost each match of a clean store as much again as finding it.
    if (isDirty(db)) where.push(trusted(no));
    const { role, after, before } = filter;
    if (role !== undefined) {
      where.push("m.role = :role");
      params.role = role;
    }
    if (after !== undefined) {
      where.push("m.timestamp >= :after");
      params.after = after;
    }
    if (before !== undefined) {
      where.push("m.timestamp < :before");
      params.before = before;
    }
    // CROSS JOIN: the match comes first, whatever the planner makes of the other conditions.
    this.#join = Object.keys(params).length === 0 ? "" : `CROSS JOIN ${map} m ON m.no = ${no}`;
    this.#where = where;
    this.#params = params;
  }

  /** Numbers of the messages that match, ascending by row. */
  matching(expression: string): number[] {
    return this.#list(expression, "");
  }

  /** The same; at most so many, and null where there are more. */
  matchingUpTo(expression: string, most: number): number[] | null {
    const found = this.#list(expression, `LIMIT ${most + 1}`);
    return found.length > most ? null : found;
  }

  /**
   * Those that match, of the newest (or oldest) weeks that have at least so many messages together. O(messages of those
   * weeks).
   */
  matchingAt(end: End, expression: string, messages: number): number[] {
    let weeks = this.#weeks.get(end);
    if (weeks === undefined) {
      weeks = this.#weeksAt(end, messages);
      this.#weeks.set(end, weeks);
    }
    return weeks === "" ? [] : this.matching(`(${weeks}) AND (${expression})`);
  }

  /** Goes by what is visible alone: a week in which only others said something is as good as none. */
  #weeksAt(end: End, messages: number): string {
    const newest = this.#db.prepare("SELECT max(updated_at) AS time FROM sessions").get()?.time;
    const last = weekOf(Number(newest ?? 0));
    const weeks: number[] = [];
    let sum = 0;
    // From the end on, week by week; behind an empty one in steps that grow, and back to single weeks where there is something.
    for (let done = 0, step = 1; done <= last && sum < messages && weeks.length < mostWeeks; ) {
      const size = Math.min(step, last - done + 1);
      const some = Array.from({ length: size }, (_, at) => (end === "newest" ? last - done - at : done + at));
      const found = this.count(weeksExpression(some), size === 1 ? messages - sum : 1);
      if (found === 0) {
        done += size;
        step = Math.min(mostAtOnce, step * 2);
      } else if (size > 1) step = Math.ceil(size / 2);
      else {
        weeks.push(...some);
        sum += found;
        done += 1;
        step = 1;
      }
    }
    return weeksExpression(weeks);
  }

  /** How many match; more than `most` count as so many. */
  count(expression: string, most?: number): number {
    const inner = this.#matches("1", most === undefined ? "" : `LIMIT ${most}`);
    const counted = this.#db.prepare(`SELECT count(*) AS n FROM (${inner})`).get(this.#with(expression));
    return Number(counted?.n ?? 0);
  }

  /** As JSON: an array of arrays took twice the time, and five times the memory. */
  #list(expression: string, limit: string): number[] {
    const found = this.#db
      .prepare(`SELECT json_group_array(row) AS rows FROM (${this.#matches(`${this.#fts}.rowid AS row`, limit)})`)
      .get(this.#with(expression));
    const rows = JSON.parse(String(found?.rows)) as number[];
    for (let at = 0; at < rows.length; at++) rows[at] = entryOf(rows[at] ?? 0);
    return rows;
  }

  #matches(columns: string, limit: string): string {
    return `SELECT ${columns} FROM ${this.#fts} ${this.#join} WHERE ${this.#conditions()} ${limit}`;
  }

  #with(expression: string): Params {
    return { ...this.#params, expression: this.#bounded(expression) };
  }

  #conditions(): string {
    return [`${this.#fts} MATCH :expression`, ...this.#where].join(" AND ");
  }

  #bounded(expression: string): string {
    return this.#among === null ? expression : `(${this.#among}) AND (${expression})`;
  }

  /** Whether every message of the store is meant. */
  get isEverything(): boolean {
    return this.#where.length === 0 && this.#among === null;
  }

  /**
   * Where a term stands, message by message. Not filtered by more than the scope: the caller keeps what it knows to match.
   * O(every place of the term in the store), put together here, as SQLite would sort them first. Of a caller who sees few
   * messages these are read instead: a common word of a large store would else cost as if all of it were visible.
   * @param docs Messages that have the term, or may have it.
   */
  eachPlace(term: string, docs: readonly number[], look: Look): void {
    if (this.#among !== null && docs.length <= readAtMost) for (const no of docs) this.#eachPlaceIn(no, term, look);
    else this.#eachPosting(term, look);
  }

  #eachPlaceIn(no: number, term: string, look: Look): void {
    let words = this.#words.get(no);
    if (words === undefined) {
      words = indexedWords(this.#db, no, this.#tables);
      this.#words.set(no, words);
    }
    const counts = new Map<number, number>();
    for (const column of [words.text, words.stems]) {
      for (let at = column.indexOf(term); at >= 0; at = column.indexOf(term, at + 1)) {
        const passage = Math.floor(at / passageTokens);
        counts.set(passage, (counts.get(passage) ?? 0) + 1);
      }
    }
    for (const [passage, count] of counts) look(no, passage, count, false);
    if (words.parts.includes(term)) look(no, 0, 1, true);
  }

  #eachPosting(term: string, look: Look): void {
    const postings = `postings_of_${this.#fts}`;
    this.#db.exec(`CREATE VIRTUAL TABLE IF NOT EXISTS temp.${postings} USING fts5vocab(main, ${this.#fts}, instance)`);
    const scoped =
      this.#sessions && this.#among === null ? `AND ${transcriptSql("doc")} IN (SELECT no FROM temp.in_scope)` : "";
    // A passage and whether it is a part, in one number.
    const found = this.#db
      .prepare(`
        SELECT json_group_array(doc) AS docs, json_group_array("offset" / ${passageTokens} * 2 + (col = 'parts')) AS places
        FROM temp.${postings} WHERE term = :term ${scoped}
      `)
      .get({ term });
    const docs = JSON.parse(String(found?.docs)) as number[];
    const places = JSON.parse(String(found?.places)) as number[];
    for (let from = 0, to = 0; from < docs.length; from = to) {
      const [doc = 0, place = 0] = [docs[from], places[from]];
      while (docs[to] === doc && places[to] === place) to += 1;
      look(entryOf(doc), place >> 1, to - from, (place & 1) === 1);
    }
  }
}

function weeksExpression(weeks: readonly number[]): string {
  return weeks.map((week) => `"${weekTerm(week)}"`).join(" OR ");
}

function amongOf(transcripts: readonly number[]): string {
  // No transcript: a term that no message has.
  const numbers = transcripts.length === 0 ? [0] : transcripts;
  return numbers.map((no) => `"${transcriptTerm(no)}"`).join(" OR ");
}

/** Null: all. A list: few. "many": in the table `in_scope`. */
function transcriptsIn(db: Database, scope: Scope, filter: SessionFilter): readonly number[] | "many" | null {
  const sessions = visibleSessions(scope, filter);
  if (!sessions) return null;
  const select = `${sessions.cte}SELECT t.no AS no FROM transcripts t JOIN sessions s ON s.no = t.session WHERE ${sessions.where}`;
  const few = db.prepare(`${select} LIMIT ${fewTranscripts + 1}`).rows(sessions.params);
  if (few.length <= fewTranscripts) return few.map(([no]) => Number(no));
  db.exec("CREATE TEMP TABLE IF NOT EXISTS in_scope (no INTEGER PRIMARY KEY); DELETE FROM temp.in_scope");
  db.prepare(`INSERT INTO temp.in_scope ${select}`).run(sessions.params);
  return "many";
}

const known = new WeakMap<Database, Map<string, { readonly version: string; readonly totals: Totals }>>();

/** Messages, tokens and transcripts of a scope. O(transcripts in it): each knows its own. Of the whole store until it changes. */
export function totalsOf(db: Database, scope: Scope, tables: IndexTables = messageTables): Totals {
  if (visibleSessions(scope) !== null) return sumTotals(db, scope, tables);
  const { data, changes } =
    db.prepare("SELECT data_version AS data, total_changes() AS changes FROM pragma_data_version").get() ?? {};
  const version = `${data} ${changes}`;
  const ofTables = known.get(db) ?? new Map<string, { readonly version: string; readonly totals: Totals }>();
  const before = ofTables.get(tables.fts);
  if (before?.version === version) return before.totals;
  const totals = sumTotals(db, scope, tables);
  known.set(db, ofTables.set(tables.fts, { version, totals }));
  return totals;
}

function sumTotals(db: Database, scope: Scope, { map, totals: table }: IndexTables): Totals {
  const sessions = visibleSessions(scope);
  const from = sessions
    ? `${table} c JOIN transcripts t ON t.no = c.transcript JOIN sessions s ON s.no = t.session`
    : `${table} c`;
  const where = sessions ? `WHERE ${sessions.where}` : "";
  const all = db
    .prepare(`
      ${sessions?.cte ?? ""}SELECT sum(c.messages) AS messages, sum(c.tokens) AS tokens, count(nullif(c.messages, 0)) AS transcripts
      FROM ${from} ${where}
    `)
    .get(sessions?.params);
  const totals = {
    messages: Number(all?.messages ?? 0),
    tokens: Number(all?.tokens ?? 0),
    transcripts: Number(all?.transcripts ?? 0),
  };
  if (!isDirty(db)) return totals;
  const untrusted = db
    .prepare(`
      ${sessions?.cte ?? ""}SELECT count(*) AS messages, sum(m.length) AS tokens FROM dirty JOIN transcripts t ON t.no = dirty.transcript
      JOIN sessions s ON s.no = t.session JOIN ${map} m ON ${inDirtyRange("m.no")} ${where}
    `)
    .get(sessions?.params);
  return {
    ...totals,
    messages: totals.messages - Number(untrusted?.messages ?? 0),
    tokens: totals.tokens - Number(untrusted?.tokens ?? 0),
  };
}

/** Facts of messages that ranking goes by, from their narrow rows. */
export interface MessageFacts {
  readonly no: number;
  /** Tokens. */
  readonly length: number;
  readonly timestamp: number;
  readonly isUser: boolean;
  /** Hash of role and masked text. */
  readonly copy: number;
}

/** In the order of the numbers; one that is not indexed is left out. */
export function factsOf(
  db: Database,
  numbers: readonly number[],
  { map }: IndexTables = messageTables,
): MessageFacts[] {
  return db
    .prepare(`
      SELECT m.no, m.length, m.timestamp, m.role = 'user', m.copy FROM json_each(:numbers) j CROSS JOIN ${map} m ON m.no = j.value
    `)
    .rows({ numbers: JSON.stringify(numbers) })
    .map(([no, length, timestamp, isUser, copy]) => ({
      no: Number(no),
      length: Number(length),
      timestamp: Number(timestamp),
      isUser: isUser === 1,
      copy: Number(copy),
    }));
}

/** What ranking goes by of a transcript: its tokens, its title, and the session by which ties are decided. */
export interface TranscriptFacts {
  readonly tokens: number;
  readonly sessionKey: string;
  readonly kind: string;
  /** That it was given; null when it goes by its first words. */
  readonly title: string | null;
}

export function transcriptFactsOf(
  db: Database,
  transcripts: readonly number[],
  { totals }: IndexTables = messageTables,
): Map<number, TranscriptFacts> {
  const rows = db
    .prepare(`
      SELECT c.transcript, c.tokens, s.key, s.kind, s.title FROM json_each(:numbers) j
      CROSS JOIN ${totals} c ON c.transcript = j.value
      CROSS JOIN transcripts t ON t.no = c.transcript CROSS JOIN sessions s ON s.no = t.session
    `)
    .rows({ numbers: JSON.stringify(transcripts) });
  return new Map(
    rows.map(([no, tokens, sessionKey, kind, title]) => [
      Number(no),
      { tokens: Number(tokens), sessionKey: String(sessionKey), kind: String(kind), title: title as string | null },
    ]),
  );
}

/** The indexed messages before and behind one in its transcript: the nearest first, at most so many of each. */
export function neighboursOf(
  db: Database,
  no: number,
  most: number,
  { map }: IndexTables = messageTables,
): { before: number[]; behind: number[] } {
  const first = no - (no % 2 ** 24);
  const before = db
    .prepare(`SELECT no FROM ${map} WHERE no < :no AND no >= :first ORDER BY no DESC LIMIT :most`)
    .rows({ no, first, most });
  const behind = db
    .prepare(`SELECT no FROM ${map} WHERE no > :no AND no < :end ORDER BY no LIMIT :most`)
    .rows({ no, end: first + 2 ** 24, most });
  return { before: before.map(([each]) => Number(each)), behind: behind.map(([each]) => Number(each)) };
}
