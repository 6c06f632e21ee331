/**
 * Relevance (SPEC 4.1) from what the index says of each message: no text is read for it. Each signal is a function of its
 * own, with what it brings in docs/evaluation.md. All statistics are those of messages that the caller may see (SPEC 4.4).
 */
import { isLong, passageLength } from "../text/passage.ts";
import { rarity, sessionWeight, weight } from "./bm25.ts";

/** What is known of the messages that the caller may see, all agents together. */
export interface Statistics {
  readonly messages: number;
  readonly tokens: number;
  readonly transcripts: number;
  readonly units: readonly UnitStatistics[];
}

/** Visible messages that have a unit as it was typed, and in any form; transcripts that have it. */
export interface UnitStatistics {
  readonly exact: number;
  readonly forms: number;
  readonly transcripts: number;
}

export function addStatistics(one: Statistics, two: Statistics): Statistics {
  return {
    messages: one.messages + two.messages,
    tokens: one.tokens + two.tokens,
    transcripts: one.transcripts + two.transcripts,
    units: two.units.map(({ exact, forms, transcripts }, at) => ({
      exact: exact + (one.units[at]?.exact ?? 0),
      forms: forms + (one.units[at]?.forms ?? 0),
      transcripts: transcripts + (one.units[at]?.transcripts ?? 0),
    })),
  };
}

export const noStatistics: Statistics = { messages: 0, tokens: 0, transcripts: 0, units: [] };

/** Where it is known only that a message has a unit. */
export const anywhere = -1;

/** A unit in a passage: `[unit, passage, times as typed, times in any form]`, one after the other. */
type Quads = number[];

interface Entry {
  readonly quads: Quads;
  /** Clauses that match as typed, and in any form. */
  exact: number;
  forms: number;
  required: number;
}

export interface Scored {
  readonly no: number;
  score: number;
  readonly exact: number;
  readonly forms: number;
}

export interface Facts {
  readonly no: number;
  readonly length: number;
  readonly timestamp: number;
  readonly isUser: boolean;
}

/** Share of a word as typed beside its stem: an exact word says more, a form says nearly as much. */
const exactShare = 0.5;
/** Shares of the scores of the three messages before and behind: an answer often has none of its question's words. */
export const neighbourShares = [0.3, 0.15, 0.08] as const;
/** Share of the score of the session as one document. */
const sessionShare = 1;
/** Tokens that the average passage has at most. */
const fullPassage = 128;

export class Scoreboard {
  readonly #entries = new Map<number, Entry>();
  /** Per transcript: `[times as typed, times in any form]` of each unit. */
  readonly #sessions = new Map<number, Float64Array>();
  readonly #units: number;
  readonly #transcriptOf: (no: number) => number;

  constructor(units: number, transcriptOf: (no: number) => number) {
    this.#units = units;
    this.#transcriptOf = transcriptOf;
  }

  get size(): number {
    return this.#entries.size;
  }

  has(no: number): boolean {
    return this.#entries.has(no);
  }

  numbers(): number[] {
    return [...this.#entries.keys()];
  }

  /** A unit stands in a passage of a message so many times. */
  add(unit: number, no: number, passage: number, exact: number, forms: number): void {
    this.#entry(no).quads.push(unit, passage, exact, forms);
    const transcript = this.#transcriptOf(no);
    let sums = this.#sessions.get(transcript);
    if (!sums) {
      sums = new Float64Array(this.#units * 2);
      this.#sessions.set(transcript, sums);
    }
    sums[unit * 2] = (sums[unit * 2] ?? 0) + exact;
    sums[unit * 2 + 1] = (sums[unit * 2 + 1] ?? 0) + forms;
  }

  /** A clause matches a message. */
  mark(no: number, exact: boolean, required: boolean): void {
    const entry = this.#entry(no);
    entry.forms += 1;
    if (exact) entry.exact += 1;
    if (required) entry.required += 1;
  }

  /** Takes out what has not all required clauses. */
  demand(required: number): void {
    if (required === 0) return;
    for (const [no, entry] of this.#entries) if (entry.required < required) this.#entries.delete(no);
  }

  /** Messages that have so many clauses as typed. */
  countExact(clauses: number): number {
    let count = 0;
    for (const entry of this.#entries.values()) if (entry.exact >= clauses) count += 1;
    return count;
  }

  hasExact(no: number, clauses: number): boolean {
    return (this.#entries.get(no)?.exact ?? 0) >= clauses;
  }

  /** Transcripts that have a unit. */
  transcriptsWith(unit: number): number {
    let count = 0;
    for (const sums of this.#sessions.values()) if ((sums[unit * 2 + 1] ?? 0) > 0) count += 1;
    return count;
  }

  #entry(no: number): Entry {
    let entry = this.#entries.get(no);
    if (!entry) {
      entry = { quads: [], exact: 0, forms: 0, required: 0 };
      this.#entries.set(no, entry);
    }
    return entry;
  }

  /**
   * The best messages by their own words, as if all were of average length: what is worth a closer look. Of more than
   * `most`, a tenth of one transcript at most, so that no long session hides the others.
   */
  best(statistics: Statistics, most: number): Scored[] {
    const scorer = new Scorer(statistics);
    const all: Scored[] = [];
    for (const [no, { quads, exact, forms }] of this.#entries) {
      all.push({ no, score: scorer.own(quads, null), exact, forms });
    }
    if (all.length <= most) return all;
    all.sort((a, b) => b.score - a.score || b.no - a.no);
    const perTranscript = new Map<number, number>();
    const best: Scored[] = [];
    for (const each of all) {
      const transcript = this.#transcriptOf(each.no);
      const before = perTranscript.get(transcript) ?? 0;
      if (before >= most / 10) continue;
      perTranscript.set(transcript, before + 1);
      if (best.push(each) === most) break;
    }
    return best;
  }

  /** A closer look: own scores by real lengths. */
  ownScores(facts: readonly Facts[], statistics: Statistics): Map<number, number> {
    const scorer = new Scorer(statistics);
    const scores = new Map<number, number>();
    for (const { no, length } of facts) {
      const entry = this.#entries.get(no);
      if (entry) scores.set(no, scorer.own(entry.quads, length));
    }
    return scores;
  }

  /** The score of each transcript as one document. @param tokens That each has. */
  sessionScores(tokens: ReadonlyMap<number, number>, statistics: Statistics): Map<number, number> {
    const average = statistics.tokens / Math.max(1, statistics.transcripts);
    const scores = new Map<number, number>();
    for (const [transcript, length] of tokens) {
      const sums = this.#sessions.get(transcript);
      if (!sums) continue;
      let score = 0;
      statistics.units.forEach(({ transcripts }, unit) => {
        const rare = rarity(statistics.transcripts, transcripts);
        score += exactShare * rare * sessionWeight(sums[unit * 2] ?? 0, length, average);
        score += rare * sessionWeight(sums[unit * 2 + 1] ?? 0, length, average);
      });
      scores.set(transcript, sessionShare * score);
    }
    return scores;
  }
}

class Scorer {
  readonly averagePassage: number;
  readonly #exact: readonly number[];
  readonly #forms: readonly number[];

  constructor({ messages, tokens, units }: Statistics) {
    this.averagePassage = Math.min(fullPassage, tokens / Math.max(1, messages));
    this.#exact = units.map((unit) => exactShare * rarity(messages, unit.exact));
    this.#forms = units.map((unit) => rarity(messages, unit.forms));
  }

  /** @param length Null: not known, so each passage is taken for an average one. */
  own(quads: Quads, length: number | null): number {
    const long = length === null || isLong(length);
    let best = 0;
    let anyScore = 0;
    let passages: Map<number, number> | undefined;
    let single = 0;
    let singlePassage = anywhere;
    // Nearly every message has one passage: a map only where there is a second.
    for (let at = 0; at < quads.length; at += 4) {
      const unit = quads[at] ?? 0;
      const passage = quads[at + 1] ?? anywhere;
      const isAny = passage === anywhere;
      const size = length === null ? this.averagePassage : long ? passageLength(length, isAny ? 0 : passage) : length;
      const score =
        (this.#exact[unit] ?? 0) * weight(quads[at + 2] ?? 0, size, this.averagePassage) +
        (this.#forms[unit] ?? 0) * weight(quads[at + 3] ?? 0, size, this.averagePassage);
      if (isAny) anyScore += score;
      else if (!long || singlePassage === anywhere || singlePassage === passage) {
        single += score;
        singlePassage = passage;
      } else {
        passages ??= new Map();
        passages.set(passage, (passages.get(passage) ?? 0) + score);
      }
    }
    best = single;
    if (passages) for (const score of passages.values()) best = Math.max(best, score);
    return best + anyScore;
  }
}
