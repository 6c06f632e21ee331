/** Judged answers → figures, for all and per kind and part of the set. Shares are in percent, with one decimal. */
import type { JudgedAnswer } from "./judged-answer.ts";
import { type Measures, meanOf, measureNames, percentile } from "./measures.ts";

export interface Figures {
  readonly n: number;
  readonly message: Measures | null;
  readonly session: Measures | null;
  /** Answers without a hit, of the queries whose answer is there; null when there are none. */
  readonly empty: number | null;
  /** Queries about nothing that got a hit which claims all words; null when there are none. */
  readonly falseAnswers: number | null;
  /** Milliseconds. */
  readonly p50: number;
  readonly p95: number;
}

export interface SetFigures {
  readonly all: Figures;
  readonly kinds: Readonly<Record<string, Figures>>;
  readonly splits: Readonly<Record<string, Figures>>;
}

export function figuresOf(answers: readonly JudgedAnswer[]): Figures {
  const answerable = answers.filter((answer) => answer.answerable);
  const nothing = answers.filter((answer) => !answer.answerable);
  const times = answers.map(({ ms }) => ms);
  return {
    n: answers.length,
    message: percent(meanOf(answers.flatMap(({ message }) => (message ? [message] : [])))),
    session: percent(meanOf(answers.flatMap(({ session }) => (session ? [session] : [])))),
    empty: share(answerable, ({ empty }) => empty),
    falseAnswers: share(nothing, ({ falseAnswer }) => falseAnswer),
    p50: round(percentile(times, 0.5)),
    p95: round(percentile(times, 0.95)),
  };
}

export function setFigures(answers: readonly JudgedAnswer[]): SetFigures {
  return {
    all: figuresOf(answers),
    kinds: grouped(answers, ({ kind }) => kind),
    splits: grouped(answers, ({ split }) => split),
  };
}

function grouped(
  answers: readonly JudgedAnswer[],
  of: (answer: JudgedAnswer) => string | undefined,
): Record<string, Figures> {
  const groups = Map.groupBy(answers, of);
  return Object.fromEntries(
    [...groups].flatMap(([name, group]) => (name === undefined ? [] : [[name, figuresOf(group)] as const])),
  );
}

function share<T>(all: readonly T[], has: (one: T) => boolean): number | null {
  return all.length === 0 ? null : round((100 * all.filter(has).length) / all.length);
}

function percent(measures: Measures | null): Measures | null {
  if (measures === null) return null;
  const rounded: Partial<Record<keyof Measures, number>> = {};
  for (const name of measureNames) rounded[name] = round(100 * measures[name]);
  return { ...measures, ...rounded };
}

export function round(value: number): number {
  return Number(value.toFixed(1));
}
