/**
 * Search in process, warm: every query once to warm up, then in turns. A process of its own for each store, whose peak
 * memory is a figure too. Times are judged by CPU: the work is synchronous and reads no cold disk, so that is what the
 * wall clock shows on a machine with nothing else to do; the wall clock stands beside it.
 */
import { type Caller, open } from "../../src/index.ts";
import { apart } from "../apart.ts";
import type { BenchCase, Figure } from "../case.ts";
import { rare } from "../corpus.ts";
import { type FilledStore, projectOf } from "../fill.ts";
import { median, peakMemory, percentile, type Timing, timedAsync } from "../measure.ts";
import { callerQuery, drawQueries, type QueryKind } from "../queries.ts";

/** Times that a kind of query is measured, at least. */
const samples = 30;
/** A kind that is slow is measured less often: no round is begun after this many ms. */
const patience = 20_000;
const callerRounds = 15;
const callerBudget = 2;
const memoryBudget = 200;
/** With this many messages, a store of a tenth is measured too, for the growth. */
const growthFrom = 1_000_000;
/** One session may hold all matches; what is found there must not cost more. */
const longest = 100_000;

interface Job {
  readonly store: FilledStore;
  readonly kinds: readonly QueryKind[];
}

interface Measured {
  readonly kinds: readonly { readonly what: string; readonly times: readonly Timing[]; readonly hits: number }[];
  readonly peakMemory: number;
}

export const bench: BenchCase = {
  title: "search in process, warm",
  stores: ({ messages, seed }) => [
    { kind: "mixed", messages, seed },
    { kind: "long", messages: Math.min(messages, longest), seed },
    ...(messages >= growthFrom ? [{ kind: "mixed", messages: messages / 10, seed } as const] : []),
  ],
  async run({ stores }) {
    const [store, long, tenth] = stores;
    if (!store || !long) throw new RangeError("no store to search");
    const kinds = drawQueries(store.corpus, projectOf(0));
    const common = drawQueries(long.corpus, projectOf(0)).filter(({ growth }) => growth === 2);
    const measured = await measure(store, kinds);
    const inOne = await measure(long, common);
    const smaller = tenth && (await measure(tenth, drawQueries(tenth.corpus, projectOf(0))));
    return [
      ...kinds.map((kind) => toFigure(kind, measured, smaller)),
      ...common.map((kind) => ({
        ...toFigure(kind, inOne),
        what: `${kind.what}, one session of ${long.corpus.messages}`,
      })),
      await callerFigure(store),
      memoryFigure("sessions of 20 messages", measured),
      memoryFigure(`one session of ${long.corpus.messages}`, inOne),
    ];
  },
};

function measure(store: FilledStore, kinds: readonly QueryKind[]): Promise<Measured> {
  return apart(import.meta.url, "searchAll", { store, kinds } satisfies Job);
}

/** Runs in a process of its own. */
export async function searchAll({ store, kinds }: Job): Promise<Measured> {
  const backscroll = open({ home: store.home });
  const measured = [];
  for (const { what, inputs } of kinds) {
    const search = async (input: (typeof inputs)[number]): Promise<number> => {
      const { results } = await backscroll.search(input);
      if (results.length === 0) throw new Error(`${JSON.stringify(input)} has no hit, though a message has its words`);
      if (input.query === rare.word && results.length !== rare.messages) {
        throw new Error(`${rare.word} has ${results.length} hits, though ${rare.messages} messages have it`);
      }
      return results.length;
    };
    let hits = 0;
    for (const input of inputs) hits += await search(input);
    const times: Timing[] = [];
    const start = performance.now();
    while (times.length < Math.max(samples, 2 * inputs.length) && performance.now() - start < patience) {
      for (const input of inputs) {
        const time = await timedAsync(async () => {
          await search(input);
        });
        times.push(time);
      }
    }
    measured.push({ what, times, hits: hits / inputs.length });
  }
  backscroll.close();
  return { kinds: measured, peakMemory: peakMemory() };
}

function toFigure({ what, budget, growth }: QueryKind, measured: Measured, smaller?: Measured): Figure {
  const found = measured.kinds.find((kind) => kind.what === what);
  const wall = found?.times.map((timing) => timing.wall) ?? [];
  const cpu = found?.times.map((timing) => timing.cpu) ?? [];
  const before = smaller?.kinds.find((kind) => kind.what === what)?.times.map((timing) => timing.cpu);
  const p95OfTenth = before && percentile(before, 0.95);
  // A bound in ms and one of growth: the smaller is the budget.
  const bounds = [budget, growth !== undefined && p95OfTenth !== undefined ? growth * p95OfTenth : undefined];
  const least = Math.min(...bounds.filter((bound) => bound !== undefined));
  return {
    what,
    value: percentile(cpu, 0.95),
    unit: "ms",
    ...(Number.isFinite(least) && { budget: least }),
    detail: {
      p50: median(cpu),
      max: Math.max(...cpu),
      wallP50: median(wall),
      wallP95: percentile(wall, 0.95),
      hits: found?.hits ?? 0,
      ...(p95OfTenth !== undefined && { p95OfTenth }),
    },
  };
}

function memoryFigure(what: string, measured: Measured): Figure {
  return { what: `peak memory, ${what}`, value: measured.peakMemory, unit: "MiB", budget: memoryBudget };
}

interface Callers {
  readonly owner: readonly Timing[];
  readonly caller: readonly Timing[];
  readonly sessions: number;
}

/** The same search by one who sees ten of all sessions, and by the owner, in turns. */
async function callerFigure(store: FilledStore): Promise<Figure> {
  const { owner, caller, sessions } = await apart<Callers>(import.meta.url, "searchAsCaller", store);
  return {
    what: `word of 30 %, caller of ${sessions} sessions against owner of ${store.sessions}`,
    value: median(caller.map((timing, at) => timing.cpu / (owner[at]?.cpu ?? Number.NaN))),
    unit: "ratio",
    budget: callerBudget,
    detail: {
      callerMs: median(caller.map((timing) => timing.cpu)),
      ownerMs: median(owner.map((timing) => timing.cpu)),
    },
  };
}

/** Runs in a process of its own. */
export async function searchAsCaller(store: FilledStore): Promise<Callers> {
  const backscroll = open({ home: store.home });
  const tree: Caller = { kind: "session", sessionKey: store.caller, visibility: "tree" };
  const search = async (caller?: Caller) => {
    const { results } = await backscroll.search({ query: callerQuery }, caller);
    if (results.length === 0) throw new Error(`${callerQuery} has no hit`);
  };
  const owners: Timing[] = [];
  const callers: Timing[] = [];
  for (let round = -1; round < callerRounds; round++) {
    const owner = await timedAsync(() => search());
    const caller = await timedAsync(() => search(tree));
    if (round < 0) continue;
    owners.push(owner);
    callers.push(caller);
  }
  const { totalSessions } = await backscroll.sessions({}, tree);
  backscroll.close();
  return { owner: owners, caller: callers, sessions: totalSessions };
}
