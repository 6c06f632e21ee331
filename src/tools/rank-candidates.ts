/**
 * Order of one agent's candidates (SPEC 4.1): own words by the best passage, the messages around, the session as a whole.
 * From narrow rows alone: no text is read before the order stands.
 */
import { limits } from "../limits.ts";
import { tiers as allTiers, type Tier } from "../model/answer.ts";
import { redact } from "../redaction/redact.ts";
import { rarity } from "../search/bm25.ts";
import type { Boost } from "../search/boost.ts";
import { findMatches } from "../search/matches.ts";
import type { Query } from "../search/query.ts";
import { compareUnnamed } from "../search/rank.ts";
import type { Scored, Statistics } from "../search/scoreboard.ts";
import { signals } from "../search/signals.ts";
import type { AgentStore } from "../store/agent-store.ts";
import type { Turn } from "../store/current-turn.ts";
import { transcriptOf } from "../store/entry-no.ts";
import type { IndexTables } from "../store/index-tables.ts";
import { factsOf, neighboursOf, type TranscriptFacts, transcriptFactsOf } from "../store/postings.ts";
import type { Gathered } from "./gather.ts";

export interface Candidate {
  readonly no: number;
  readonly score: number;
  readonly tier: Tier;
  /** Place among the tiers as they are ranked; smaller comes first. */
  readonly rank: number;
  readonly timestamp: number;
  readonly sessionKey: string;
  /** A run without a person. */
  readonly automatic: boolean;
  /** Hash of role and text. */
  readonly copy: number;
}

export interface RankOptions {
  readonly sort: "relevance" | "newest" | "oldest";
  /** Only what has all words, as typed or as parts. */
  readonly isAll: boolean;
  /** What a message's score is multiplied by, for when it was said and by whom. */
  readonly boost: Boost;
  /** Messages that are no hits: the asker's own turn. */
  readonly turn: Turn | null;
  /** Most candidates that are looked at closely; the others stay away. */
  readonly most: number;
}

/** Sessions without a person: SPEC 4.7. */
const automaticKinds: readonly string[] = ["cron", "hook", "subagent"];

/** Best first. */
export function rankCandidates(
  { db }: AgentStore,
  query: Query,
  gathered: Gathered,
  statistics: Statistics,
  { sort, isAll, boost, turn, most }: RankOptions,
): Candidate[] {
  const { plan, board, tables } = gathered;
  const found = board.best(statistics, sort === "relevance" ? most : Number.POSITIVE_INFINITY);
  const facts = factsOf(
    db,
    found.flatMap(({ no }) => (turn && no >= turn.from && no <= turn.to ? [] : [no])),
    tables,
  );
  const own = board.ownScores(facts, statistics);
  const transcripts = transcriptFactsOf(db, distinct(facts.map(({ no }) => transcriptOf(no))), tables);
  const sessions = board.sessionScores(transcripts, statistics);
  const scores = new Map(facts.map(({ no }) => [no, (own.get(no) ?? 0) + (sessions.get(transcriptOf(no)) ?? 0)]));
  if (sort === "relevance") {
    addNeighbours(db, scores, own, tables);
    addTitles(transcripts, query, gathered, statistics, scores);
  }
  const tiers = new Map(found.map((each) => [each.no, tierOf(each, gathered)]));
  // A question is ranked over all tiers at once; only the whole of it, word for word, comes before everything.
  const rankOf = (tier: Tier) => (plan.isQuestion ? Number(tier !== "phrase") : allTiers.indexOf(tier));
  let candidates = facts.map((each): Candidate => {
    const tier = tiers.get(each.no) ?? "some";
    const { sessionKey = "", kind = "" } = transcripts.get(transcriptOf(each.no)) ?? {};
    return {
      no: each.no,
      score: (scores.get(each.no) ?? 0) * boost(each) * (automaticKinds.includes(kind) ? signals.automatic.value : 1),
      tier,
      rank: rankOf(tier),
      timestamp: each.timestamp,
      sessionKey,
      automatic: automaticKinds.includes(kind),
      copy: each.copy,
    };
  });
  if (isAll) candidates = candidates.filter(({ tier }) => tier === "phrase" || tier === "words");
  // With all words in any form, or else with some: what the first or the last of "some" is, nobody asks.
  if (sort !== "relevance") candidates = strictest(candidates);
  const by = compareUnnamed(sort);
  return candidates.sort((a, b) => by(a, b) || a.no - b.no);
}

function strictest(candidates: Candidate[]): Candidate[] {
  const whole = candidates.filter(({ tier }) => tier !== "some");
  return whole.length > 0 ? whole : candidates;
}

function tierOf({ no, exact, forms }: Scored, { plan, phrases, beginnings }: Gathered): Tier {
  const clauses = plan.clauses.reduce((sum, { isIgnorable }) => sum + Number(!isIgnorable), 0);
  if (phrases.has(no)) return "phrase";
  if (exact >= clauses) return "words";
  if (beginnings.has(no)) return "prefix";
  return forms >= clauses ? "forms" : "some";
}

/** The best candidates get shares of the scores of the messages around them. */
function addNeighbours(
  db: AgentStore["db"],
  scores: Map<number, number>,
  own: ReadonlyMap<number, number>,
  tables: IndexTables,
): void {
  const shares = [signals.nextNeighbour, signals.secondNeighbour, signals.thirdNeighbour].map(({ value }) => value);
  const best = [...scores].sort((a, b) => b[1] - a[1]).slice(0, limits.neighbours.default);
  for (const [no, score] of best) {
    const { before, behind } = neighboursOf(db, no, shares.length, tables);
    let sum = 0;
    shares.forEach((share, at) => {
      for (const neighbour of [before[at], behind[at]])
        if (neighbour !== undefined) sum += share * (own.get(neighbour) ?? 0);
    });
    scores.set(no, score + sum);
  }
}

/** Messages of a session whose title has words of the query. What a mask hides of a title is not looked at (SPEC 5.3). */
function addTitles(
  transcripts: ReadonlyMap<number, TranscriptFacts>,
  { clauses }: Query,
  { plan }: Gathered,
  statistics: Statistics,
  scores: Map<number, number>,
): void {
  const worth = clauses.map((_, clause) =>
    plan.units.reduce((sum, unit, at) => {
      const having = statistics.units[at]?.forms ?? 0;
      return unit.clause === clause ? sum + rarity(statistics.messages, having) : sum;
    }, 0),
  );
  const titles = new Map<number, number>();
  for (const [no, { title }] of transcripts) {
    if (title === null) continue;
    const { text, masks } = redact(title);
    const { perClause } = findMatches(text, clauses, masks);
    const sum = perClause.reduce((total, count, at) => total + (count > 0 ? (worth[at] ?? 0) : 0), 0);
    if (sum > 0) titles.set(no, signals.title.value * sum);
  }
  if (titles.size === 0) return;
  for (const [no, score] of scores) scores.set(no, score + (titles.get(transcriptOf(no)) ?? 0));
}

function distinct(numbers: readonly number[]): number[] {
  return [...new Set(numbers)];
}
