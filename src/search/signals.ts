/**
 * What relevance is made of (SPEC 4.1): every weight in one table, with its reason. `npm run eval -- --ablate` takes one away
 * at a time and prints what each brings on every judged set; docs/evaluation.md has the figures.
 */

export interface Signal {
  value: number;
  /** What takes the signal away. */
  readonly off: number;
  readonly reason: string;
}

function signal(value: number, off: number, reason: string): Signal {
  return { value, off, reason };
}

export const signals = {
  saturation: signal(
    0.9,
    1.2,
    "BM25's k1: a word said twice is worth less than two words. 0.9 and 0.4 are the values found for passages of news and the web",
  ),
  lengthWeight: signal(0.4, 0.75, "BM25's b: how much a long passage counts for less"),
  exactShare: signal(0.5, 0, "a word as typed, beside its stem: an exact hit comes before another form"),
  formShare: signal(1, 0, "the stem: a question seldom has the form that was said"),
  passages: signal(1, 0, "a long message is judged by its best passage, not by its length"),
  nextNeighbour: signal(
    0.3,
    0,
    "share of the scores of the messages right before and behind: an answer has few of its question's words",
  ),
  secondNeighbour: signal(0.15, 0, "of those one further"),
  thirdNeighbour: signal(0.08, 0, "of those two further"),
  session: signal(1, 0, "the session as one document: what the talk is about"),
  title: signal(0.3, 0, "words of the query in the session's title, as a share of their rarity"),
  date: signal(1.5, 1, "said on a day or in a month that the query names"),
  speaker: signal(1.25, 1, "said by whom the question is about: what did I say, what did you recommend"),
  automatic: signal(0.5, 1, "said in a run without a person (SPEC 4.7)"),
} satisfies Record<string, Signal>;

export type SignalName = keyof typeof signals;
