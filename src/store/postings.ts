/**
 * What the full-text table says of a term, under a scope: which messages have it, how often and where. Every statement
 * holds visibility and filters itself, so no bound ever counts what a caller can't see (SPEC 4.5, 4.6). Lists come as
 * arrays: a match costs a tenth of a microsecond, a place in a message a third of one.
 */
import type { Scope } from "../model/caller.ts";
import type { Role } from "../model/transcript.ts";
import { passageTokens } from "../text/passage.ts";
import { inDirtyRange, isDirty, trusted } from "./dirty.ts";
import type { Database, SqlValue } from "./driver.ts";
import { entryOf, entrySql, startOfWeek, transcriptSql, transcriptTerm, weekOf, weekTerm } from "./index-row.ts";
import { type IndexTables, messageTables } from "./index-tables.ts";
import { type SessionFilter, visibleSessions } from "./visible-sessions.ts";

export interface MessageFilter extends SessionFilter {
  readonly role?: Role;
  /** Epoch ms, inclusive. */
  readonly after?: number;
  /** Epoch ms, exclusive. */
  readonly before?: number;
}

/** A term in a message: how often in which passage; as part of an identifier, it has no place. */
export interface Place {
  readonly no: number;
  readonly passage: number;
  readonly count: number;
  readonly isPart: boolean;
}

/** What the messages of a scope are, all together. */
export interface Totals {
  readonly messages: number;
  readonly tokens: number;
  readonly transcripts: number;
}

/** Weeks that the newest messages are looked for in, and how many without any before the next are asked for. */
const mostWeeks = 100;
const mostEmptyWeeks = 4;
/** Transcripts up to which a scope is given to FTS5 itself, as terms. */
const fewTranscripts = 48;

/** The messages of one agent that a caller may see and that filters leave. Good for one synchronous piece of work. */
export class VisibleMessages {
  readonly #db: Database;
  readonly #fts: IndexTables["fts"];
  readonly #map: IndexTables["map"];
  readonly #where: readonly string[];
  readonly #params: Readonly<Record<string, SqlValue>>;
  readonly #join: string;
  /** Expression that every match has to fulfil as well, where the scope is small. */
  readonly #among: string | null;
  readonly #sessions: boolean;
  /** Expression for the newest weeks. */
  #newest: string | undefined;

  /** @param tables Of the messages, or of tool calls and results. */
  constructor(db: Database, scope: Scope, filter: MessageFilter, { fts, map }: IndexTables = messageTables) {
    this.#db = db;
    this.#fts = fts;
    this.#map = map;
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
    return this.#rows(`${this.#fts}.rowid`, expression, "").map(([row]) => entryOf(Number(row)));
  }

  /** The same; at most so many, and null where there are more. */
  matchingUpTo(expression: string, most: number): number[] | null {
    const found = this.#rows(`${this.#fts}.rowid`, expression, `LIMIT ${most + 1}`);
    return found.length > most ? null : found.map(([row]) => entryOf(Number(row)));
  }

  /** Those that match, of the newest weeks that have at least so many messages together. O(messages of those weeks). */
  matchingNewest(expression: string, messages: number): number[] {
    this.#newest ??= this.#newestWeeks(messages);
    return this.matching(`(${this.#newest}) AND (${expression})`);
  }

  #newestWeeks(messages: number): string {
    const terms: string[] = [];
    const before = this.#db.prepare("SELECT max(updated_at) AS time FROM sessions WHERE updated_at < :end");
    let week = weekOf(Number(this.#db.prepare("SELECT max(updated_at) AS time FROM sessions").get()?.time ?? 0));
    for (let sum = 0, empty = 0; sum < messages && terms.length < mostWeeks; ) {
      const term = `"${weekTerm(week)}"`;
      const found = this.count(term, messages - sum);
      sum += found;
      empty = found === 0 ? empty + 1 : 0;
      if (found > 0 || terms.length === 0) terms.push(term);
      if (empty < mostEmptyWeeks) week -= 1;
      else {
        const time = before.get({ end: startOfWeek(week) })?.time;
        if (typeof time !== "number") break;
        week = weekOf(time);
        empty = 0;
      }
    }
    return terms.join(" OR ");
  }

  /** How many match; more than `most` count as so many. */
  count(expression: string, most?: number): number {
    if (most === undefined) return Number(this.#rows("count(*)", expression, "")[0]?.[0] ?? 0);
    const inner = `SELECT 1 FROM ${this.#fts} ${this.#join} WHERE ${this.#conditions()} LIMIT ${most}`;
    const counted = this.#db.prepare(`SELECT count(*) AS n FROM (${inner})`).get({
      ...this.#params,
      expression: this.#bounded(expression),
    });
    return Number(counted?.n ?? 0);
  }

  /** By time; the newest first, or the oldest. */
  matchingByTime(expression: string, order: "newest" | "oldest", most: number): number[] {
    const no = entrySql(`${this.#fts}.rowid`);
    const join = this.#join === "" ? `CROSS JOIN ${this.#map} m ON m.no = ${no}` : this.#join;
    return this.#db
      .prepare(`
        SELECT m.no FROM ${this.#fts} ${join} WHERE ${this.#conditions()}
        ORDER BY m.timestamp ${order === "newest" ? "DESC" : "ASC"}, m.no LIMIT :most
      `)
      .rows({ ...this.#params, expression: this.#bounded(expression), most })
      .map(([found]) => Number(found));
  }

  #rows(columns: string, expression: string, rest: string): SqlValue[][] {
    const inner = `FROM ${this.#fts} ${this.#join} WHERE ${this.#conditions()} ${rest}`;
    return this.#db.prepare(`SELECT ${columns} ${inner}`).rows({
      ...this.#params,
      expression: this.#bounded(expression),
    });
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
   * Where a term stands, message by message, in the order of rows. Not filtered by more than the scope: the caller keeps
   * what it knows to match. O(every place of the term in the store); put together here, as SQLite would sort them first.
   */
  *places(term: string): Generator<Place> {
    const postings = `postings_of_${this.#fts}`;
    this.#db.exec(`CREATE VIRTUAL TABLE IF NOT EXISTS temp.${postings} USING fts5vocab(main, ${this.#fts}, instance)`);
    const scoped =
      this.#sessions && this.#among === null ? `AND ${transcriptSql("doc")} IN (SELECT no FROM temp.in_scope)` : "";
    const rows = this.#db
      .prepare(`SELECT doc, "offset", col = 'parts' FROM temp.${postings} WHERE term = :term ${scoped}`)
      .rows({ term }) as [number, number, number][];
    let row = none;
    let passage = 0;
    let count = 0;
    let isPart = false;
    for (const [doc, offset, part] of rows) {
      const here = Math.floor(offset / passageTokens);
      if (doc === row && here === passage && isPart === (part === 1)) {
        count += 1;
        continue;
      }
      if (row !== none) yield { no: entryOf(row), passage, count, isPart };
      row = doc;
      passage = here;
      count = 1;
      isPart = part === 1;
    }
    if (row !== none) yield { no: entryOf(row), passage, count, isPart };
  }
}

/** No row. */
const none = -1;

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

/** Messages, tokens and transcripts of a scope. O(transcripts in it): each knows its own. */
export function totalsOf(db: Database, scope: Scope, { map, totals: table }: IndexTables = messageTables): Totals {
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

/** Tokens that each transcript has. */
export function tokensOf(
  db: Database,
  transcripts: readonly number[],
  { totals }: IndexTables = messageTables,
): Map<number, number> {
  const rows = db
    .prepare(
      `SELECT c.transcript, c.tokens FROM json_each(:numbers) j CROSS JOIN ${totals} c ON c.transcript = j.value`,
    )
    .rows({ numbers: JSON.stringify(transcripts) });
  return new Map(rows.map(([no, tokens]) => [Number(no), Number(tokens)]));
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
