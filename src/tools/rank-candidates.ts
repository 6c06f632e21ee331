/**
 * Order of one agent's candidates (SPEC 4.1): own words by the best passage, the messages around, the session as a whole.
 * From narrow rows alone: no text is read before the order stands.
 */
import { limits } from "../limits.ts";
import type { Tier } from "../model/answer.ts";
import type { Boost } from "../search/boost.ts";
import { neighbourShares, type Scored, type Statistics } from "../search/scoreboard.ts";
import type { AgentStore } from "../store/agent-store.ts";
import { transcriptOf } from "../store/entry-no.ts";
import type { IndexTables } from "../store/index-tables.ts";
import { factsOf, neighboursOf, tokensOf } from "../store/postings.ts";
import type { Gathered } from "./gather.ts";

export interface Candidate {
  readonly no: number;
  readonly score: number;
  readonly tier: Tier;
  /** Place among the tiers as they are ranked; smaller comes first. */
  readonly rank: number;
  readonly timestamp: number;
  /** Hash of role and text. */
  readonly copy: number;
}

export interface RankOptions {
  readonly sort: "relevance" | "newest" | "oldest";
  /** Only what has all words, as typed or as parts. */
  readonly isAll: boolean;
  /** What a message's score is multiplied by, for when it was said and by whom. */
  readonly boost: Boost;
  /** Most candidates that are looked at closely; the others stay away. */
  readonly most: number;
}

const tierOrder: readonly Tier[] = ["phrase", "words", "prefix", "forms", "some"];

/** Best first. */
export function rankCandidates(
  { db }: AgentStore,
  gathered: Gathered,
  statistics: Statistics,
  { sort, isAll, boost, most }: RankOptions,
): Candidate[] {
  const { plan, board, tables } = gathered;
  const found = board.best(statistics, sort === "relevance" ? most : Number.POSITIVE_INFINITY);
  const facts = factsOf(
    db,
    found.map(({ no }) => no),
    tables,
  );
  const own = board.ownScores(facts, statistics);
  const sessions = board.sessionScores(
    tokensOf(db, distinct(facts.map(({ no }) => transcriptOf(no))), tables),
    statistics,
  );
  const scores = new Map(facts.map(({ no }) => [no, (own.get(no) ?? 0) + (sessions.get(transcriptOf(no)) ?? 0)]));
  if (sort === "relevance") addNeighbours(db, scores, own, tables);
  const tiers = new Map(found.map((each) => [each.no, tierOf(each, gathered)]));
  // A question is ranked over all tiers at once; only the whole of it, word for word, comes before everything.
  const rankOf = (tier: Tier) => (plan.isQuestion ? Number(tier !== "phrase") : tierOrder.indexOf(tier));
  let candidates = facts.map((each): Candidate => {
    const tier = tiers.get(each.no) ?? "some";
    return {
      no: each.no,
      score: (scores.get(each.no) ?? 0) * boost(each),
      tier,
      rank: rankOf(tier),
      timestamp: each.timestamp,
      copy: each.copy,
    };
  });
  if (isAll) candidates = candidates.filter(({ tier }) => tier === "phrase" || tier === "words");
  if (sort !== "relevance") return byTime(candidates, sort);
  return candidates.sort((a, b) => a.rank - b.rank || b.score - a.score || b.timestamp - a.timestamp || b.no - a.no);
}

/** Those of the strictest kind that there is: with all words in any form, or else with some. */
function byTime(candidates: readonly Candidate[], sort: "newest" | "oldest"): Candidate[] {
  const whole = candidates.filter(({ tier }) => tier !== "some");
  const sign = sort === "newest" ? -1 : 1;
  return [...(whole.length > 0 ? whole : candidates)].sort(
    (a, b) => sign * (a.timestamp - b.timestamp) || b.score - a.score || b.no - a.no,
  );
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
  const best = [...scores].sort((a, b) => b[1] - a[1]).slice(0, limits.neighbours.default);
  for (const [no, score] of best) {
    const { before, behind } = neighboursOf(db, no, neighbourShares.length, tables);
    let sum = 0;
    neighbourShares.forEach((share, at) => {
      for (const neighbour of [before[at], behind[at]])
        if (neighbour !== undefined) sum += share * (own.get(neighbour) ?? 0);
    });
    scores.set(no, score + sum);
  }
}

function distinct(numbers: readonly number[]): number[] {
  return [...new Set(numbers)];
}
