/**
 * Steady writes (SPEC 2.4): a session of 100,000 messages is put right in the background of a process that searches without
 * a pause, while another process appends 500 messages a second, to that session and to others. Neither may be blocked for
 * more than 50 ms by that. The same load without anything to put right, in turns, tells the disk's share from ours.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setImmediate } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { open } from "../../src/index.ts";
import { toEntryId } from "../../src/model/ids.ts";
import { dirtyTranscripts, markAllDirty } from "../../src/store/dirty.ts";
import { apart } from "../apart.ts";
import { copyHome } from "../append-rivals.ts";
import type { BenchCase, Figure } from "../case.ts";
import { agent, type FilledStore, keyOf, messageId, projectOf } from "../fill.ts";
import { percentile, type Timing, timedAsync } from "../measure.ts";
import { drawQueries } from "../queries.ts";

const longest = 100_000;
const rate = 500;
const budget = 50;
/** Reconciliation that is not done by then has lost to the writer. */
const patienceMs = 120_000;
/** Quick queries: what is slow by itself says nothing of what it waited for. */
const queries = ["rare word", "two words", "phrase", "Chinese word"];

type Work = "anew" | "rewind" | "nothing";

interface Job {
  readonly home: string;
  readonly store: FilledStore;
  readonly work: Work;
  /** How long the load without reconciliation goes on. */
  readonly ms: number;
}

interface Measured {
  readonly appends: readonly number[];
  readonly appendsASecond: number;
  readonly searches: readonly number[];
  /** From the end of one search to the begin of the next: what reconciliation does on this thread. */
  readonly gaps: readonly Timing[];
  readonly loop: { readonly p50: number; readonly p99: number; readonly max: number };
  readonly ms: number;
  /** Entries that were not put right in the time there was. */
  readonly left: number;
}

export const bench: BenchCase = {
  title: "steady writes while a long session is reconciled",
  stores: ({ messages, seed }) => [{ kind: "long", messages: Math.min(messages, longest), seed }],
  async run({ stores, scratch }) {
    const [store] = stores;
    if (!store) throw new RangeError("no store to reconcile");
    const measure = (work: Work, ms: number): Promise<Measured> =>
      apart(import.meta.url, "measureLoad", {
        home: copyHome(store.home, join(scratch, `${work}-${ms}`)),
        store,
        work,
        ms,
      });
    const anew = await measure("anew", patienceMs);
    const rewind = await measure("rewind", patienceMs);
    const nothing = await measure("nothing", Math.min(30_000, Math.max(10_000, anew.ms)));
    return [
      ...figures(`indexed anew (${store.corpus.messages} messages)`, anew, nothing),
      ...figures("rewound to the middle", rewind, nothing),
      latency("append, nothing to reconcile", nothing.appends, { aSecond: nothing.appendsASecond }),
      latency("search, nothing to reconcile", nothing.searches),
      loopFigure("event loop, nothing to reconcile", nothing),
    ];
  },
};

function figures(what: string, measured: Measured, floor: Measured): Figure[] {
  return [
    // Over its budget when it did not finish.
    {
      what: `time until it is done, ${what}`,
      value: measured.ms,
      unit: "ms",
      budget: patienceMs,
      detail: { left: measured.left },
    },
    latency(`append, ${what}`, measured.appends, { aSecond: measured.appendsASecond }),
    beyond(`longest append beyond the longest without, ${what}`, measured.appends, floor.appends),
    latency(`search, ${what}`, measured.searches),
    beyond(`longest search beyond the longest without, ${what}`, measured.searches, floor.searches),
    sliceFigure(`longest slice between two searches, ${what}`, measured.gaps),
    loopFigure(`longest pause of the event loop, ${what}`, measured),
  ];
}

/** The 99th percentile, and what else there is to say of the times. */
function latency(what: string, times: readonly number[], more: Readonly<Record<string, number>> = {}): Figure {
  const at = (share: number) => percentile(times, share);
  return {
    what,
    value: at(0.99),
    unit: "ms",
    detail: {
      p50: at(0.5),
      p999: at(0.999),
      max: Math.max(...times),
      over50ms: times.filter((time) => time > budget).length,
      count: times.length,
      ...more,
    },
  };
}

function beyond(what: string, times: readonly number[], floor: readonly number[]): Figure {
  const [longest, without] = [Math.max(...times), Math.max(...floor)];
  return { what, value: Math.max(0, longest - without), unit: "ms", budget, detail: { longest, without } };
}

/** Judged by CPU time, as searches are: what else the machine does stretches the wall clock. */
function sliceFigure(what: string, gaps: readonly Timing[]): Figure {
  const [cpu, wall] = [gaps.map((gap) => gap.cpu), gaps.map((gap) => gap.wall)];
  return {
    what,
    value: Math.max(...cpu),
    unit: "ms",
    budget,
    detail: {
      p99: percentile(cpu, 0.99),
      wallP99: percentile(wall, 0.99),
      wallMax: Math.max(...wall),
      count: gaps.length,
    },
  };
}

function loopFigure(what: string, { loop }: Measured): Figure {
  return { what, value: loop.max, unit: "ms", detail: { p50: loop.p50, p99: loop.p99 } };
}

/** Runs in a process of its own. */
export async function measureLoad({ home, store, work, ms }: Job): Promise<Measured> {
  // So that also a small corpus has a rewind that is too large for its own transaction.
  const backscroll = open({ home, inlineEntries: 100 });
  const { db } = backscroll.store(agent);
  const inputs = drawQueries(store.corpus, projectOf(0))
    .filter(({ what }) => queries.includes(what))
    .flatMap((kind) => kind.inputs);
  for (const input of inputs) await backscroll.search({ ...input, waitMs: 0 });

  const writer = await startWriter(home, store.corpus.messages);
  const kept = work === "rewind" ? Math.floor(store.corpus.messages / 2) : store.corpus.messages;
  const searches: number[] = [];
  const gaps: Timing[] = [];
  const loop = monitorEventLoopDelay({ resolution: 1 });
  const start = performance.now();
  const isPending = () => work === "nothing" || dirtyTranscripts(db).length > 0;
  if (work === "anew") markAllDirty(db, "version");
  if (work === "rewind") backscroll.store(agent).setLeaf(keyOf(0), toEntryId(messageId(kept - 1)));
  if (!isPending()) throw new Error("nothing was made dirty");
  loop.enable();
  for (let at = 0; performance.now() - start < ms && isPending(); at++) {
    gaps.push(await timedAsync(() => setImmediate()));
    const begin = performance.now();
    await backscroll.search({ ...inputs[at % inputs.length], waitMs: 0 });
    searches.push(performance.now() - begin);
  }
  loop.disable();
  const took = performance.now() - start;
  const left = Number(db.prepare('SELECT coalesce(sum("to" - "from" + 1), 0) AS n FROM dirty').get()?.n);
  const { times, seconds } = await writer.stop();
  if (left === 0) check(db, work, kept, times.length);
  backscroll.close();
  const of = (nanoseconds: number) => nanoseconds / 1e6;
  return {
    appends: times,
    appendsASecond: times.length / seconds,
    searches,
    gaps,
    loop: { p50: of(loop.percentile(50)), p99: of(loop.percentile(99)), max: of(loop.max) },
    ms: took,
    left,
  };
}

/** Nothing acknowledged is lost, and exactly what is on the branch is indexed. */
function check(
  db: ReturnType<ReturnType<typeof open>["store"]>["db"],
  work: Work,
  kept: number,
  appended: number,
): void {
  const count = (sql: string) => Number(db.prepare(sql).get()?.n);
  const indexed = count("SELECT count(*) AS n FROM messages");
  const active = count("SELECT count(*) AS n FROM entries WHERE active = 1");
  const extra = count("SELECT count(*) AS n FROM messages m JOIN entries e ON e.no = m.no WHERE e.active = 0");
  // After a rewind, what the writer appended before it is off the branch, too.
  const wanted = kept + appended;
  if (extra > 0 || indexed !== active || indexed > wanted || (work !== "rewind" && indexed !== wanted)) {
    throw new Error(
      `${indexed} messages are indexed, ${extra} of them off the branch; ${active} entries are active of ${wanted}`,
    );
  }
}

interface Writes {
  readonly times: readonly number[];
  readonly seconds: number;
}

async function startWriter(home: string, first: number) {
  const program = fileURLToPath(new URL("../steady-writer.ts", import.meta.url));
  // What it prints must not get into this process's answer.
  const child = fork(program, [home, String(rate), String(first)], { stdio: ["ignore", 2, 2, "ipc"] });
  const died = new Promise<never>((_, fail) => {
    child.once("exit", (code) => fail(new Error(`the writer ended with ${code ?? "a signal"}`)));
  });
  died.catch(() => undefined);
  await Promise.race([once(child, "message"), died]);
  return {
    stop: async (): Promise<Writes> => {
      if (child.connected) child.send("stop");
      const [said] = (await Promise.race([once(child, "message"), died])) as [Writes];
      return said;
    },
  };
}
