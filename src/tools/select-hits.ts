/**
 * Which candidates are shown. They come ranked; repeats and sessions over their cap are thinned out by number, and only
 * what can still be shown is loaded and masked: the cost is that of the answer, not of the matches.
 */
import { limits } from "../limits.ts";
import type { Tier } from "../model/answer.ts";
import { redact } from "../redaction/redact.ts";
import type { Boost } from "../search/boost.ts";
import { collapse } from "../search/copies.ts";
import { holdsLiterals, literalsOf } from "../search/literal.ts";
import { findMatches, type Matches } from "../search/matches.ts";
import { compare } from "../search/rank.ts";
import type { Statistics } from "../search/scoreboard.ts";
import type { AgentStore } from "../store/agent-store.ts";
import type { Turn } from "../store/current-turn.ts";
import { transcriptOf } from "../store/entry-no.ts";
import { familyOf, loadMessages, type MessageRow } from "../store/match.ts";
import type { Gathered } from "./gather.ts";
import { type Candidate, rankCandidates } from "./rank-candidates.ts";
import type { SearchRequest } from "./search-input.ts";

/** A candidate with its text. */
export interface LoadedHit {
  readonly row: MessageRow;
  readonly store: AgentStore;
  readonly masked: string;
  readonly matches: Matches;
  /** Found by its tool calls and results, not by what was said. */
  readonly isTool: boolean;
  readonly tier: Tier;
  readonly rank: number;
  readonly score: number;
  readonly timestamp: number;
  readonly sessionKey: string;
  readonly messageId: string;
  readonly automatic: boolean;
  readonly copy: number;
  readonly family: string;
  /** How often the same transcript says it again. */
  readonly repeats: number;
}

export interface ShownHit {
  readonly candidate: LoadedHit;
  readonly copies: number;
  /** Further hits of its session, as far as they were counted. */
  readonly more: number;
}

export interface Selection {
  readonly shown: readonly ShownHit[];
  /** There is more than is shown. */
  readonly hidden: boolean;
}

/** @param pools One per agent and index. */
export function selectHits(request: SearchRequest, pools: readonly Pool[]): Selection {
  for (const pool of pools) pool.grow();
  for (;;) {
    const selection = choose(pools, request);
    if (selection.shown.length >= request.limit) return selection;
    // Short: more of what the index has, until it has no more.
    if (!pools.map((pool) => pool.grow()).some(Boolean)) return selection;
  }
}

function choose(pools: readonly Pool[], request: SearchRequest): Selection {
  const groups = oncePerEntry(collapse(pools.flatMap((pool) => pool.loaded).sort(compare(request.sort))));
  const perSession = new Map<string, number>();
  const chosen: { candidate: LoadedHit; copies: number }[] = [];
  for (const { hit, copies } of groups) {
    const before = perSession.get(hit.sessionKey) ?? 0;
    if (before >= request.perSession || chosen.length >= request.limit) continue;
    perSession.set(hit.sessionKey, before + 1);
    chosen.push({ candidate: hit, copies });
  }
  const shown = chosen.map(({ candidate, copies }) => {
    const found = foundIn(pools, candidate);
    return { candidate, copies, more: Math.max(0, found - (perSession.get(candidate.sessionKey) ?? 0)) };
  });
  return { shown, hidden: shown.length < groups.length || pools.some((pool) => pool.hasMore) };
}

/** An entry that is found both by its words and by its tool calls is one hit: the better one. */
function oncePerEntry<T extends { readonly hit: LoadedHit }>(sorted: readonly T[]): T[] {
  const seen = new Set<string>();
  return sorted.filter(({ hit: { store, row } }) => {
    const entry = `${store.agentId} ${row.no}`;
    if (seen.has(entry)) return false;
    seen.add(entry);
    return true;
  });
}

function foundIn(pools: readonly Pool[], { store, sessionKey }: LoadedHit): number {
  const own = pools.filter((pool) => pool.store === store);
  return own.reduce((sum, pool) => sum + pool.foundIn(sessionKey), 0);
}

/** Loaded beyond those that a session may show: copies and masks can take some away. */
const spare = 10;
/** Before everything that only has the word. */
const literalLead = 10;
/** What a hit in tool traffic is worth beside one in what was said: a path stands in many results. */
const toolWeight = 0.5;

/** What a query and its asker mean for the messages of one store. */
export interface PoolMarks {
  readonly boost: Boost;
  readonly turn: Turn | null;
}

/** The candidates of one agent: ranked, thinned, and loaded as far as wanted. */
export class Pool {
  readonly store: AgentStore;
  readonly loaded: LoadedHit[] = [];
  /** Transcripts with more distinct texts than can be shown of them: nothing else of them would be. */
  fullTranscripts = 0;
  readonly #request: SearchRequest;
  readonly #gathered: Gathered;
  readonly #statistics: Statistics;
  readonly #boost: Boost;
  readonly #turn: Turn | null;
  #most = limits.ranked.default;
  /** Best first, thinned; those before `#next` are loaded. */
  #kept: Candidate[] = [];
  #next = 0;
  /** Transcripts of which some candidates were thinned out. */
  #thinned = false;
  readonly #done = new Set<number>();
  /** Per transcript: distinct texts. */
  readonly #distinct = new Map<number, number>();
  /** First candidate of a text in its transcript → how often that says it again. */
  readonly #repeats = new Map<number, number>();
  readonly #sessions = new Map<string, Set<number>>();

  /** Ranks, with the statistics of all agents. Nothing is loaded yet. */
  constructor(
    store: AgentStore,
    request: SearchRequest,
    gathered: Gathered,
    statistics: Statistics,
    { boost, turn }: PoolMarks,
  ) {
    this.store = store;
    this.#request = request;
    this.#gathered = gathered;
    this.#statistics = statistics;
    this.#boost = boost;
    this.#turn = turn;
    this.#rank();
  }

  /** Whether there are matches that are not loaded. */
  get hasMore(): boolean {
    return this.#thinned || this.#next < this.#kept.length || this.#most < this.#gathered.board.size;
  }

  /** Distinct matching texts of a session, in the transcripts that were seen of it. */
  foundIn(sessionKey: string): number {
    let sum = 0;
    for (const transcript of this.#sessions.get(sessionKey) ?? []) sum += this.#distinct.get(transcript) ?? 0;
    return sum;
  }

  /** Loads more. Returns false when there is nothing left to load. */
  grow(): boolean {
    if (this.#next >= this.#kept.length) {
      if (this.#most >= this.#gathered.board.size || this.fullTranscripts >= this.#gathered.board.transcripts)
        return false;
      // Everything there is: the best were not enough, as when one text was said in a thousand sessions.
      this.#most = Number.POSITIVE_INFINITY;
      this.#rank();
      if (this.#next >= this.#kept.length) return false;
    }
    const some = this.#kept.slice(this.#next, this.#next + limits.candidates.default);
    this.#next += some.length;
    const byNumber = new Map(some.map((candidate) => [candidate.no, candidate]));
    for (const row of loadMessages(this.store.db, [...byNumber.keys()], this.#gathered.tables)) {
      const transcripts = this.#sessions.get(row.sessionKey) ?? new Set();
      this.#sessions.set(row.sessionKey, transcripts.add(transcriptOf(row.no)));
      this.#done.add(row.no);
      const candidate = byNumber.get(row.no);
      const hit = candidate && this.#toHit(row, candidate);
      if (hit) this.loaded.push(hit);
    }
    return true;
  }

  /** Puts the candidates in order, leaves out repeats, and of each transcript what could not be shown anyway. */
  #rank(): void {
    const { sort, isAll, perSession } = this.#request;
    const boost = this.#boost;
    const ranked = rankCandidates(this.store, this.#request.query, this.#gathered, this.#statistics, {
      sort,
      isAll,
      boost,
      turn: this.#turn,
      most: this.#most,
    });
    const first = new Map<string, number>();
    this.#distinct.clear();
    this.#repeats.clear();
    this.#thinned = false;
    this.fullTranscripts = 0;
    const kept: Candidate[] = [];
    for (const candidate of ranked) {
      const transcript = transcriptOf(candidate.no);
      const text = `${transcript} ${candidate.copy}`;
      const earlier = first.get(text);
      if (earlier !== undefined) {
        this.#repeats.set(earlier, (this.#repeats.get(earlier) ?? 0) + 1);
        continue;
      }
      first.set(text, candidate.no);
      const distinct = (this.#distinct.get(transcript) ?? 0) + 1;
      this.#distinct.set(transcript, distinct);
      if (distinct === perSession + spare) this.fullTranscripts += 1;
      if (distinct > perSession + spare) this.#thinned = true;
      else if (!this.#done.has(candidate.no)) kept.push(candidate);
    }
    this.#kept = this.#literalFirst(kept);
    this.#next = 0;
  }

  /** Of the best candidates those that hold a word with its sign (`--from`) come first. */
  #literalFirst(kept: readonly Candidate[]): Candidate[] {
    const literals = literalsOf(this.#request.query);
    if (literals.length === 0 || this.#request.sort !== "relevance") return [...kept];
    const best = kept.slice(0, limits.literals.default).map(({ no }) => no);
    const texts = loadMessages(this.store.db, best, this.#gathered.tables);
    const holding = new Set(
      texts.filter(({ masked, text }) => holdsLiterals(masked?.text ?? text, literals)).map(({ no }) => no),
    );
    const first = kept.flatMap((each) => (holding.has(each.no) ? [{ ...each, rank: each.rank - literalLead }] : []));
    return [...first, ...kept.filter(({ no }) => !holding.has(no))];
  }

  #toHit(row: MessageRow, { no, tier, rank, score, automatic }: Candidate): LoadedHit | null {
    const { text: masked, masks } = row.masked ?? redact(row.text);
    const isTool = row.masked !== undefined;
    const { clauses } = this.#gathered.plan;
    // What only holds a question together is shown where the whole of it was said.
    const isWanted = (clause: number) => tier === "phrase" || clauses[clause]?.isIgnorable !== true;
    const asTyped = tier === "phrase" || tier === "words";
    const beginning = tier === "prefix" ? clauses.length - 1 : null;
    const matches = findMatches(masked, this.#request.query.clauses, masks, { isWanted, asTyped, beginning });
    // No snippet without a visible match (SPEC 5.1).
    if (matches.all.length === 0) return null;
    const repeats = () => this.#repeats.get(no) ?? 0;
    return {
      get repeats() {
        return repeats();
      },
      row,
      store: this.store,
      masked,
      matches,
      isTool,
      tier,
      rank,
      score: isTool ? score * toolWeight : score,
      timestamp: row.timestamp,
      sessionKey: row.sessionKey,
      messageId: row.messageId,
      automatic,
      copy: row.copy,
      family: row.forkedFrom === null ? row.sessionKey : familyOf(this.store.db, row.sessionKey),
    };
  }
}
