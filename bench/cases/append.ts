/** Append, one message a transaction, against bare statements at the same durability (SPEC 13: within 1.5 times). */
import { join } from "node:path";
import { backscroll, byHand, copyHome, type Durability, sameRows } from "../append-rivals.ts";
import type { BenchCase, CaseInput, Figure } from "../case.ts";
import { type Corpus, type CorpusMessage, corpusMessages } from "../corpus.ts";
import { fillStore } from "../fill.ts";
import { median, type Timing, timed } from "../measure.ts";

const before = 20_000;
const appended = 2400;
/** Rivals take turns of this many appends, so that what else the machine does falls on all of them. */
const turn = 100;
const budget = 1.5;

export const bench: BenchCase = {
  title: "append, one message a transaction",
  async run({ scratch, seed }: CaseInput) {
    const corpus: Corpus = { kind: "mixed", messages: before, seed };
    const { home, sessions } = fillStore({ corpus, folder: scratch });
    // To sessions that are there already, as in conversations that go on.
    const messages = [...corpusMessages({ ...corpus, messages: before + appended })]
      .slice(before)
      .map((message) => ({ ...message, session: message.session % sessions }));
    return (["full", "normal"] as const).flatMap((durability) =>
      compare({ durability, home, corpus, messages, scratch }),
    );
  },
};

interface Setting {
  readonly durability: Durability;
  readonly home: string;
  readonly corpus: Corpus;
  readonly messages: readonly CorpusMessage[];
  readonly scratch: string;
}

function compare({ durability, home, corpus, messages, scratch }: Setting): Figure[] {
  const copy = (name: string) => copyHome(home, join(scratch, `${name}-${durability}`));
  // What Backscroll will write is known by letting it write once.
  const rehearsal = copy("rehearsal");
  const rehearse = backscroll(rehearsal, "normal");
  for (const message of messages) rehearse.append(message);
  rehearse.close();

  const rivals = [
    backscroll(copy("backscroll"), durability),
    sameRows(copy("same-rows"), durability, rehearsal, messages),
    byHand(join(scratch, `by-hand-${durability}.sqlite`), durability, corpusMessages(corpus)),
  ];
  const times: Timing[][] = rivals.map(() => []);
  for (let from = 0; from < messages.length; from += turn) {
    const part = messages.slice(from, from + turn);
    rivals.forEach((rival, at) => {
      const append = () => {
        for (const message of part) rival.append(message);
      };
      times[at]?.push(timed(append));
    });
  }
  for (const rival of rivals) rival.close();
  return [
    figure(`against the same rows ready-made, ${durability} durability`, times[0], times[1]),
    figure(`against a table and FTS5 by hand, ${durability} durability`, times[0], times[2]),
  ];
}

function figure(what: string, own: readonly Timing[] = [], floor: readonly Timing[] = []): Figure {
  const ratio = (key: keyof Timing) => median(own.map((timing, at) => timing[key] / (floor[at]?.[key] ?? Number.NaN)));
  const micros = (timings: readonly Timing[], key: keyof Timing) =>
    (median(timings.map((timing) => timing[key])) * 1000) / turn;
  return {
    what,
    value: ratio("wall"),
    unit: "ratio",
    budget,
    detail: {
      cpuRatio: ratio("cpu"),
      wallMicros: micros(own, "wall"),
      cpuMicros: micros(own, "cpu"),
      floorWallMicros: micros(floor, "wall"),
      floorCpuMicros: micros(floor, "cpu"),
    },
  };
}
