/**
 * Relevance (SPEC 4.1) from what the index says of each message: no text is read for it. Each signal is a function of its
 * own, with what it brings in docs/evaluation.md. All statistics are those of messages that the caller may see (SPEC 4.4).
 */
import { isLong, passageLength, passageTokens } from "../text/passage.ts";
import { rarity, sessionWeight, weight } from "./bm25.ts";
import { GrowingFloats, GrowingInts } from "./growing.ts";
import { signals } from "./signals.ts";

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

/** End of a message's postings. */
const none = -1;

/** Lists as long as the index makes them: by column, as an object a message took half of a search's time. */
export class Scoreboard {
  /** Message → its place in the lists of messages. */
  readonly #places = new Map<number, number>();
  readonly #numbers = new GrowingFloats();
  /** Clauses that match as typed, in any form, and have to match. */
  readonly #exact = new GrowingInts();
  readonly #forms = new GrowingInts();
  readonly #required = new GrowingInts();
  /** First posting of each message; each posting names the next. */
  readonly #heads = new GrowingInts();
  readonly #next = new GrowingInts();
  readonly #unit = new GrowingInts();
  readonly #passage = new GrowingInts();
  readonly #asTyped = new GrowingFloats();
  readonly #anyForm = new GrowingFloats();
  /** Transcript → where its sums begin: of each unit the times as typed, and in any form. */
  readonly #sessions = new Map<number, number>();
  readonly #sums = new GrowingFloats();
  readonly #units: number;
  readonly #transcriptOf: (no: number) => number;
  #demanded = 0;

  constructor(units: number, transcriptOf: (no: number) => number) {
    this.#units = units;
    this.#transcriptOf = transcriptOf;
  }

  /** Messages that are candidates. */
  get size(): number {
    if (this.#demanded === 0) return this.#numbers.length;
    return this.#required.count((required) => required >= this.#demanded);
  }

  numbers(): number[] {
    return Array.from({ length: this.#numbers.length }, (_, place) => this.#numbers.at(place));
  }

  has(no: number): boolean {
    return this.#places.has(no);
  }

  /** A unit stands in a passage of a message so many times. */
  add(unit: number, no: number, passage: number, exact: number, forms: number): void {
    const place = this.#place(no);
    const posting = this.#unit.push(unit);
    this.#passage.push(passage);
    this.#asTyped.push(exact);
    this.#anyForm.push(forms);
    this.#next.push(this.#heads.at(place));
    this.#heads.set(place, posting);
    const sums = this.#sumsOf(this.#transcriptOf(no)) + unit * 2;
    this.#sums.add(sums, exact);
    this.#sums.add(sums + 1, forms);
  }

  #sumsOf(transcript: number): number {
    let sums = this.#sessions.get(transcript);
    if (sums === undefined) {
      sums = this.#sums.length;
      for (let at = 0; at < this.#units * 2; at++) this.#sums.push(0);
      this.#sessions.set(transcript, sums);
    }
    return sums;
  }

  /** A clause matches a message. */
  mark(no: number, exact: boolean, required: boolean): void {
    const place = this.#place(no);
    this.#forms.set(place, this.#forms.at(place) + 1);
    if (exact) this.#exact.set(place, this.#exact.at(place) + 1);
    if (required) this.#required.set(place, this.#required.at(place) + 1);
  }

  /** From now on only what has so many required clauses is a candidate. */
  demand(required: number): void {
    this.#demanded = required;
  }

  /** Messages that have so many clauses as typed. */
  countExact(clauses: number): number {
    return this.#exact.count((exact) => exact >= clauses);
  }

  hasExact(no: number, clauses: number): boolean {
    const place = this.#places.get(no);
    return place !== undefined && this.#exact.at(place) >= clauses;
  }

  /** Transcripts that have candidates. */
  get transcripts(): number {
    return this.#sessions.size;
  }

  /** Transcripts that have a unit. */
  transcriptsWith(unit: number): number {
    let count = 0;
    for (const sums of this.#sessions.values()) if (this.#sums.at(sums + unit * 2 + 1) > 0) count += 1;
    return count;
  }

  #place(no: number): number {
    let place = this.#places.get(no);
    if (place === undefined) {
      place = this.#numbers.push(no);
      this.#places.set(no, place);
      this.#exact.push(0);
      this.#forms.push(0);
      this.#required.push(0);
      this.#heads.push(none);
    }
    return place;
  }

  /**
   * The best messages by their own words, as if all were of average length: what is worth a closer look. Of more than
   * `most`, a tenth of one transcript at most, so that no long session hides the others.
   */
  best(statistics: Statistics, most: number): Scored[] {
    const scorer = new Scorer(statistics);
    const scores = new Float64Array(this.#numbers.length);
    for (let place = 0; place < scores.length; place++) {
      const isCandidate = this.#required.at(place) >= this.#demanded;
      scores[place] = isCandidate ? this.#own(scorer, place, null) : Number.NEGATIVE_INFINITY;
    }
    if (scores.length <= most) return this.#from(scores, Number.NEGATIVE_INFINITY);
    // Only what can be among the best is put in order: twice as many, for what one transcript has too much of.
    const ordered = scores.slice().sort();
    const least = ordered[Math.max(0, ordered.length - 2 * most)] ?? 0;
    const good = this.#from(scores, least);
    const best = this.#spread(good, most);
    if (best.length >= most || good.length === scores.length) return best;
    return this.#spread(this.#from(scores, Number.NEGATIVE_INFINITY), most);
  }

  /** Candidates that have at least a score. */
  #from(scores: Float64Array, least: number): Scored[] {
    const found: Scored[] = [];
    scores.forEach((score, place) => {
      if (score === Number.NEGATIVE_INFINITY || score < least) return;
      found.push({
        no: this.#numbers.at(place),
        score,
        exact: this.#exact.at(place),
        forms: this.#forms.at(place),
      });
    });
    return found;
  }

  /** The best, of which no transcript has more than its share. */
  #spread(good: Scored[], most: number): Scored[] {
    // Thousands that are worth the same: the newest of them.
    good.sort((a, b) => b.score - a.score || b.no - a.no);
    const perTranscript = new Map<number, number>();
    const best: Scored[] = [];
    for (const each of good) {
      const transcript = this.#transcriptOf(each.no);
      const before = perTranscript.get(transcript) ?? 0;
      if (before >= most / 10) continue;
      perTranscript.set(transcript, before + 1);
      if (best.push(each) >= most) break;
    }
    return best;
  }

  /** A closer look: own scores by real lengths. */
  ownScores(facts: readonly Facts[], statistics: Statistics): Map<number, number> {
    const scorer = new Scorer(statistics);
    const scores = new Map<number, number>();
    for (const { no, length } of facts) {
      const place = this.#places.get(no);
      if (place !== undefined) scores.set(no, this.#own(scorer, place, length));
    }
    return scores;
  }

  /**
   * A message's score by its own words: that of its best passage.
   * @param length Null: not known, so each passage is taken for an average one.
   */
  #own(scorer: Scorer, place: number, length: number | null): number {
    const long = signals.passages.value > 0 && (length === null || isLong(length));
    let anyScore = 0;
    let first = 0;
    let firstPassage = anywhere;
    // Nearly every message has one passage: a map only where there is a second.
    let others: Map<number, number> | undefined;
    for (let at = this.#heads.at(place); at !== none; at = this.#next.at(at)) {
      const passage = this.#passage.at(at);
      const score = scorer.worth(this.#unit.at(at), this.#asTyped.at(at), this.#anyForm.at(at), passage, length);
      if (passage === anywhere) anyScore += score;
      else if (!long || firstPassage === anywhere || firstPassage === passage) {
        first += score;
        firstPassage = passage;
      } else {
        others ??= new Map();
        others.set(passage, (others.get(passage) ?? 0) + score);
      }
    }
    let best = first;
    if (others) for (const score of others.values()) best = Math.max(best, score);
    return best + anyScore;
  }

  /** The score of each transcript as one document, which is as long as its tokens are many. */
  sessionScores(facts: ReadonlyMap<number, { readonly tokens: number }>, statistics: Statistics): Map<number, number> {
    const average = statistics.tokens / Math.max(1, statistics.transcripts);
    const scores = new Map<number, number>();
    for (const [transcript, { tokens: length }] of facts) {
      const sums = this.#sessions.get(transcript);
      if (sums === undefined) continue;
      let score = 0;
      statistics.units.forEach(({ transcripts }, unit) => {
        const rare = rarity(statistics.transcripts, transcripts);
        score += signals.exactShare.value * rare * sessionWeight(this.#sums.at(sums + unit * 2), length, average);
        score += signals.formShare.value * rare * sessionWeight(this.#sums.at(sums + unit * 2 + 1), length, average);
      });
      scores.set(transcript, signals.session.value * score);
    }
    return scores;
  }
}

/** What one unit in one passage is worth. */
class Scorer {
  readonly #averagePassage: number;
  readonly #exact: readonly number[];
  readonly #forms: readonly number[];

  constructor({ messages, tokens, units }: Statistics) {
    this.#averagePassage = Math.min(passageTokens, tokens / Math.max(1, messages));
    this.#exact = units.map((unit) => signals.exactShare.value * rarity(messages, unit.exact));
    this.#forms = units.map((unit) => rarity(messages, unit.forms));
  }

  worth(unit: number, exact: number, forms: number, passage: number, length: number | null): number {
    const size =
      length === null
        ? this.#averagePassage
        : signals.passages.value > 0
          ? passageLength(length, Math.max(0, passage))
          : length;
    return (
      (this.#exact[unit] ?? 0) * weight(exact, size, this.#averagePassage) +
      signals.formShare.value * (this.#forms[unit] ?? 0) * weight(forms, size, this.#averagePassage)
    );
  }
}
