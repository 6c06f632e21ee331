/**
 * Which matches are shown. The index gives its best by number; repeats and sessions over their cap are thinned out on
 * narrow rows, and only what can still be shown is loaded, masked and scored: the cost is that of the answer, not of
 * the matches, also where one session holds them all.
 */
import { limits } from "../limits.ts";
import type { Scope } from "../model/caller.ts";
import { redact } from "../redaction/redact.ts";
import { collapse } from "../search/copies.ts";
import { findMatches, type Matches } from "../search/matches.ts";
import { compare, type Statistics, score } from "../search/rank.ts";
import type { AgentStore } from "../store/agent-store.ts";
import { transcriptOf } from "../store/entry-no.ts";
import { familyOf, loadMessages, type MatchRow, type MessageRow, matchMessages } from "../store/match.ts";
import type { SearchRequest } from "./search-input.ts";

export interface Candidate {
  readonly row: MessageRow;
  readonly store: AgentStore;
  readonly masked: string;
  readonly matches: Matches;
  readonly score: number;
  readonly timestamp: number;
  readonly sessionKey: string;
  readonly messageId: string;
  readonly automatic: boolean;
  readonly copy: number;
  readonly family: string;
  /** How often the same transcript says it again; grows as more is fetched. */
  readonly repeats: number;
}

export interface ShownHit {
  readonly candidate: Candidate;
  readonly copies: number;
  /** Further hits of its session, as far as they were counted. */
  readonly more: number;
}

export interface Selection {
  readonly shown: readonly ShownHit[];
  /** There is more than is shown. */
  readonly hidden: boolean;
}

/** @param pools One per agent. */
export function selectHits(request: SearchRequest, pools: readonly Pool[], statistics: Statistics): Selection {
  for (const pool of pools) pool.begin(statistics);
  for (;;) {
    const selection = choose(pools, request);
    if (selection.shown.length >= request.limit) return selection;
    // Short: more of what the index has, until it has no more.
    if (!pools.map((pool) => pool.grow()).some(Boolean)) return selection;
  }
}

function choose(pools: readonly Pool[], request: SearchRequest): Selection {
  const groups = collapse(pools.flatMap((pool) => pool.loaded).sort(compare(request.sort)));
  const perSession = new Map<string, number>();
  const chosen: { candidate: Candidate; copies: number }[] = [];
  for (const { hit, copies } of groups) {
    const before = perSession.get(hit.sessionKey) ?? 0;
    if (before >= request.perSession || chosen.length >= request.limit) continue;
    perSession.set(hit.sessionKey, before + 1);
    chosen.push({ candidate: hit, copies });
  }
  const shown = chosen.map(({ candidate, copies }) => {
    const found = poolOf(pools, candidate).foundIn(candidate.sessionKey);
    return { candidate, copies, more: Math.max(0, found - (perSession.get(candidate.sessionKey) ?? 0)) };
  });
  return { shown, hidden: shown.length < groups.length || pools.some((pool) => pool.hasMore) };
}

function poolOf(pools: readonly Pool[], candidate: Candidate): Pool {
  const pool = pools.find(({ store }) => store === candidate.store);
  if (!pool) throw new Error("a candidate of no pool");
  return pool;
}

/** Candidates loaded beyond those that a session may show: scoring in full may change their order. */
const spare = 10;
const automaticKinds: readonly string[] = ["cron", "hook", "subagent"];

/** The matches of one agent: fetched by number, thinned, and loaded as far as wanted. */
export class Pool {
  readonly store: AgentStore;
  readonly loaded: Candidate[] = [];
  readonly #request: SearchRequest;
  readonly #find: (limit: number, without: readonly number[]) => MatchRow[];
  #statistics: Statistics = { messages: 0, withClause: [] };
  #limit = limits.matches.default;
  #complete = false;
  /** Numbers to load, best first; those before `#next` are. */
  readonly #kept: number[] = [];
  #next = 0;
  /** Per transcript and copy: the first match. */
  readonly #first = new Map<string, number>();
  /** Per transcript: distinct matching texts, as far as they were fetched. */
  readonly #distinct = new Map<number, number>();
  readonly #seen = new Set<number>();
  /** First match of a text in its transcript → how often that says it again. */
  readonly #repeats = new Map<number, number>();
  /** Transcripts with more distinct texts than can be shown of them. */
  readonly #full = new Set<number>();
  readonly #sessions = new Map<string, Set<number>>();

  /** Fetches the first matches; nothing is loaded yet. */
  constructor(store: AgentStore, request: SearchRequest, expression: string, scope: Scope) {
    this.store = store;
    this.#request = request;
    const { filter, sort } = request;
    this.#find = (limit, without) =>
      matchMessages(store.db, { expression, scope, filter, order: sort, limit, without });
    this.#fetch();
  }

  /** Loads the first candidates, scored with the statistics of all agents. */
  begin(statistics: Statistics): void {
    this.#statistics = statistics;
    this.grow();
  }

  /** Whether there are matches that are not loaded. */
  get hasMore(): boolean {
    return !this.#complete || this.#full.size > 0 || this.#next < this.#kept.length;
  }

  /** Distinct matching texts of a session, in the transcripts that were seen of it. */
  foundIn(sessionKey: string): number {
    let sum = 0;
    for (const transcript of this.#sessions.get(sessionKey) ?? []) sum += this.#distinct.get(transcript) ?? 0;
    return sum;
  }

  /** Loads more. Returns false when there is nothing left to load. */
  grow(): boolean {
    while (this.#next >= this.#kept.length) {
      if (this.#complete) return false;
      this.#fetch();
    }
    const numbers = this.#kept.slice(this.#next, this.#next + limits.candidates.default);
    this.#next += numbers.length;
    for (const row of loadMessages(this.store.db, numbers)) {
      const transcripts = this.#sessions.get(row.sessionKey) ?? new Set();
      this.#sessions.set(row.sessionKey, transcripts.add(transcriptOf(row.no)));
      const candidate = this.#toCandidate(row);
      if (candidate) this.loaded.push(candidate);
    }
    return true;
  }

  /** Adds the best matches not seen yet; transcripts that are over their cap are no longer asked for. */
  #fetch(): void {
    const rows = this.#find(this.#limit, [...this.#full]);
    this.#complete = rows.length < this.#limit;
    const cap = this.#request.perSession + spare;
    const before = this.#full.size;
    for (const { no, copy } of rows) {
      const transcript = transcriptOf(no);
      const text = `${transcript} ${copy}`;
      if (this.#seen.has(no)) continue;
      this.#seen.add(no);
      const first = this.#first.get(text);
      if (first !== undefined) {
        this.#repeats.set(first, (this.#repeats.get(first) ?? 0) + 1);
        continue;
      }
      this.#first.set(text, no);
      const distinct = (this.#distinct.get(transcript) ?? 0) + 1;
      this.#distinct.set(transcript, distinct);
      if (distinct <= cap) this.#kept.push(no);
      else this.#full.add(transcript);
    }
    // Nothing that could be left out came up: what is missing lies further down.
    if (this.#full.size === before) this.#limit *= 8;
  }

  #toCandidate(row: MessageRow): Candidate | null {
    const { text: masked, masks } = redact(row.text);
    const matches = findMatches(masked, this.#request.query.clauses, masks);
    // No snippet without a visible match (SPEC 5.1).
    if (matches.all.length === 0) return null;
    const repeats = () => this.#repeats.get(row.no) ?? 0;
    return {
      get repeats() {
        return repeats();
      },
      row,
      store: this.store,
      masked,
      matches,
      score: score(matches, this.#statistics),
      timestamp: row.timestamp,
      sessionKey: row.sessionKey,
      messageId: row.messageId,
      automatic: automaticKinds.includes(row.kind),
      copy: row.copy,
      family: row.forkedFrom === null ? row.sessionKey : familyOf(this.store.db, row.sessionKey),
    };
  }
}
