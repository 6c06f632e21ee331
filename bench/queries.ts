/** Queries drawn from a corpus: what the words are is known, so an answer without hits is an error of the search. */
import { type Corpus, messageText, planted, rare } from "./corpus.ts";
import { pick, type Random, seeded, whole } from "./random.ts";
import { isFunctionWord, vocabularySize, wordOf } from "./vocabulary.ts";

export interface QueryKind {
  readonly what: string;
  /** Search inputs without a limit of their own. */
  readonly inputs: readonly { readonly query: string; readonly [parameter: string]: string | number }[];
  /** Largest p95 in ms that is within budget (SPEC 13). */
  readonly budget?: number;
  /** Largest p95 as a multiple of that at a tenth of the messages. */
  readonly growth?: number;
}

const perKind = 40;
/** Words rarer than the first 20,000: a dozen messages of 100,000 have one. */
const rareFrom = 20_000;

/** @param project A folder that a fortieth of the sessions were in. */
export function drawQueries(corpus: Corpus, project: string): QueryKind[] {
  const random = seeded(corpus.seed, 5);
  const ranks = new Map(Array.from({ length: vocabularySize }, (_, rank) => [wordOf(rank), rank]));
  /** Draws from random messages until one gives a query. */
  const draw = (make: (text: string) => string | undefined) =>
    Array.from({ length: perKind }, () => {
      for (;;) {
        const query = make(messageText(corpus, whole(random, corpus.messages)).toLowerCase());
        if (query !== undefined) return { query };
      }
    });
  const rareWord = (text: string) =>
    oneOf(
      random,
      wordsOf(text).filter((word) => (ranks.get(word) ?? -1) >= rareFrom),
    );
  const contentWords = (text: string) => wordsOf(text).filter((word) => ranks.has(word) && !isFunctionWord(word));
  const { thirty, otherThirty, five, one, tenth, chinese } = planted;

  return [
    { what: "rare word", budget: 20, inputs: [...draw(rareWord), { query: rare.word }] },
    { what: "two words", budget: 20, inputs: draw((text) => some(random, contentWords(text), 2)?.join(" ")) },
    { what: "phrase", budget: 20, inputs: draw((text) => phrase(random, text)) },
    { what: "prefix", budget: 20, inputs: draw((text) => prefix(rareWord(text))) },
    { what: "Chinese word", budget: 20, inputs: [{ query: chinese.word }] },
    { what: "word of 0.1 % and 1 %", budget: 20, inputs: [tenth, one].map(({ word }) => ({ query: word })) },
    { what: "word of 5 %", budget: 40, growth: 2, inputs: [{ query: five.word }] },
    { what: "word of 30 %", budget: 40, growth: 2, inputs: [thirty, otherThirty].map(({ word }) => ({ query: word })) },
    { what: "two words of 30 %", budget: 40, growth: 2, inputs: [{ query: `${thirty.word} ${otherThirty.word}` }] },
    {
      what: "commonest words",
      budget: 40,
      growth: 2,
      inputs: [0, 1, 2].map((rank) => ({ query: wordOf(rank) })).concat({ query: `${wordOf(0)} ${wordOf(1)}` }),
    },
    {
      what: "six words of a message",
      budget: 80,
      growth: 3,
      inputs: draw((text) => some(random, wordsOf(text), 6)?.join(" ")),
    },
    { what: "word of 5 % in one project", inputs: [{ query: five.word, project }] },
    { what: "word of 30 %, newest first", inputs: [{ query: thirty.word, sort: "newest" }] },
  ];
}

/** A word that a person with many sessions and a caller with ten both find often. */
export const callerQuery = planted.thirty.word;

/** Plain words: not the pieces of identifiers, paths and addresses. */
function wordsOf(text: string): string[] {
  return text.match(/(?<=^|\s)[a-z]+(?=[.,:?]?(?:\s|$))/g) ?? [];
}

function oneOf(random: Random, words: readonly string[]): string | undefined {
  return words.length === 0 ? undefined : pick(random, words);
}

/** That many different words in random order; undefined when there are fewer. */
function some(random: Random, words: readonly string[], count: number): string[] | undefined {
  const left = [...new Set(words)];
  if (left.length < count) return undefined;
  return Array.from({ length: count }, () => left.splice(whole(random, left.length), 1)[0] ?? "");
}

/** Three words side by side that are not all function words. */
function phrase(random: Random, text: string): string | undefined {
  const threes = [...text.matchAll(/(?<=^|\s)(?=([a-z]+ [a-z]+ [a-z]+)(?:\s|$))/g)].map((match) => match[1] ?? "");
  const three = oneOf(
    random,
    threes.filter((words) => !words.split(" ").every(isFunctionWord)),
  );
  return three && `"${three}"`;
}

function prefix(word: string | undefined): string | undefined {
  return word === undefined ? undefined : `${word.slice(0, Math.max(4, word.length - 3))}*`;
}
