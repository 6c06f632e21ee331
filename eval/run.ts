/**
 * `npm run eval`: scores search on judged sets, or on known items of any transcripts, and ends with one line of JSON that
 * holds the figures (SPEC 12.1, 12.3). How to read them: docs/evaluation.md.
 */
import { readdirSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { type Ablated, formatAblation, signalNames, without } from "./ablation.ts";
import { type Baselines, fallenBelow, readBaselines, toBaseline, writeBaselines } from "./baselines.ts";
import { type SetFigures, setFigures } from "./figures.ts";
import { type JudgedAnswer, judge } from "./judged-answer.ts";
import { BadInput, callerOf } from "./judged-query.ts";
import { type JudgedSet, openSet } from "./judged-set.ts";
import { knownFigures } from "./known-figures.ts";
import { openKnownItems } from "./known-items.ts";
import { hasBound, mixIn, withoutBound } from "./mix.ts";
import { formatFigures } from "./table.ts";

const usage = `usage: npm run eval [-- options]

  (nothing)            the committed sets, against eval/baselines.json
  --save               the committed sets; keep their figures as baselines
  --dataset DIR        a judged set: DIR/sessions.jsonl and DIR/queries.jsonl
  --mix N              with --dataset: among N generated messages, with and without the bound of a query's cost
  --ablate             the committed sets, or that of --dataset, with each signal of relevance taken away in turn
  --known-items DIR    strings drawn from the transcripts below DIR
  --per-kind N         strings of each kind; 25 unless given
  --seed N             of what is drawn or generated; 1 unless given
  --agent ID           asks as this agent, who sees its own sessions, where a query names no caller
  --baseline FILE      fall short of these figures and the exit code is 1
  --json               a line of JSON for each query, and no tables
`;

const sets = join(import.meta.dirname, "sets");
const baselineFile = join(import.meta.dirname, "baselines.json");

const flags = {
  dataset: { type: "string" },
  "known-items": { type: "string" },
  mix: { type: "string" },
  "per-kind": { type: "string", default: "25" },
  seed: { type: "string", default: "1" },
  agent: { type: "string" },
  baseline: { type: "string" },
  save: { type: "boolean", default: false },
  ablate: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;
type Values = ReturnType<typeof parseArgs<{ options: typeof flags }>>["values"];

async function main(values: Values): Promise<number> {
  const known = values["known-items"];
  const isDataset = values.dataset !== undefined;
  const isWrong =
    (isDataset && known !== undefined) ||
    (values.mix !== undefined && !isDataset) ||
    (values.save && (isDataset || known !== undefined)) ||
    ![values.seed, values["per-kind"], values.mix ?? "1"].every((text) => /^\d{1,9}$/.test(text));
  if (values.help) return say(usage, 0);
  if (isWrong) throw new BadInput(usage);
  if (values.ablate) return runAblation(values);
  if (known !== undefined) return runKnownItems(known, values);
  if (values.dataset !== undefined && values.mix !== undefined)
    return runMixed(values.dataset, Number(values.mix), values);
  if (values.dataset !== undefined) {
    const figures = await withSet(values.dataset, (set) => score(set, values));
    const fallen = held(basename(resolve(values.dataset)), figures, values.baseline);
    return end({ set: basename(resolve(values.dataset)), ...figures }, fallen);
  }
  return runCommitted(values);
}

async function runCommitted(values: Values): Promise<number> {
  const all: Record<string, SetFigures> = {};
  for (const name of readdirSync(sets).sort()) all[name] = await withSet(join(sets, name), (set) => score(set, values));
  if (values.save) {
    writeBaselines(
      baselineFile,
      Object.fromEntries(Object.entries(all).map(([name, each]) => [name, toBaseline(each)])),
    );
    process.stderr.write(`saved in ${baselineFile}\n`);
  }
  const baselines = readBaselines(values.baseline ?? baselineFile);
  const fallen = Object.entries(all).flatMap(([name, figures]) => fallenIn(name, figures, baselines));
  return end({ sets: all }, fallen);
}

async function runAblation(values: Values): Promise<number> {
  const folders =
    values.dataset === undefined
      ? readdirSync(sets)
          .sort()
          .map((name) => join(sets, name))
      : [values.dataset];
  const rows: Ablated[] = [];
  for (const folder of folders) {
    await withSet(folder, async (set) => {
      const quiet = { ...values, json: false };
      const all = (await score(set, quiet, null)).all;
      const figures = {
        "R@10": [all.message?.r10 ?? 0, {} as Record<string, number>],
        MRR: [all.message?.mrr ?? 0, {} as Record<string, number>],
        "session R@1": [all.session?.r1 ?? 0, {} as Record<string, number>],
      } as const;
      for (const name of signalNames) {
        const less = (await without(name, () => score(set, quiet, null))).all;
        figures["R@10"][1][name] = less.message?.r10 ?? 0;
        figures.MRR[1][name] = less.message?.mrr ?? 0;
        figures["session R@1"][1][name] = less.session?.r1 ?? 0;
      }
      for (const [figure, [value, each]] of Object.entries(figures))
        rows.push({ set: set.name, figure, all: value, without: each });
    });
  }
  if (!values.json) print(formatAblation(rows));
  return end({ ablation: rows }, []);
}

async function runMixed(folder: string, count: number, values: Values): Promise<number> {
  const [bounded, unbounded] = await withSet(folder, async (set) => {
    mixIn(set, count, Number(values.seed));
    await set.home.store.settle();
    const first = await score(set, values, `${set.name} among ${count} messages`);
    if (!hasBound()) return [first, null];
    const what = `${set.name} among ${count} messages, without the bound`;
    return [first, await withoutBound(() => score(set, values, what))];
  });
  if (!values.json) {
    print(
      unbounded === null
        ? "The engine bounds no query yet, so there is one run."
        : `R@10 of messages: ${bounded.all.message?.r10} with the bound, ${unbounded.all.message?.r10} without.`,
    );
  }
  const fallen = held(basename(resolve(folder)), bounded, values.baseline);
  return end({ set: basename(resolve(folder)), mix: count, ...bounded, unbounded }, fallen);
}

async function runKnownItems(folder: string, values: Values): Promise<number> {
  const set = await openKnownItems(folder, { perKind: Number(values["per-kind"]), seed: Number(values.seed) });
  try {
    const answers: JudgedAnswer[] = [];
    for (const { query } of set.items) answers.push(await judged(set, query, values));
    const { figures, byForm, table } = knownFigures(set, answers);
    if (!values.json) print(table);
    const fallen = held(basename(resolve(folder)), figures, values.baseline);
    const { messages, masked } = set;
    return end({ knownItems: basename(resolve(folder)), messages, masked, ...figures, byForm }, fallen);
  } finally {
    set.close();
  }
}

async function withSet<T>(folder: string, run: (set: JudgedSet) => Promise<T>): Promise<T> {
  const set = await openSet(folder);
  for (const remark of set.remarks) process.stderr.write(`eval: ${set.name}: ${remark}\n`);
  try {
    return await run(set);
  } finally {
    set.close();
  }
}

async function score(set: JudgedSet, values: Values, title: string | null = set.name): Promise<SetFigures> {
  const answers: JudgedAnswer[] = [];
  for (const query of set.queries) answers.push(await judged(set, query, values));
  const figures = setFigures(answers);
  if (!values.json && title !== null) print(`${title}\n\n${formatFigures(figures)}\n`);
  return figures;
}

async function judged(
  set: Parameters<typeof judge>[0],
  query: Parameters<typeof judge>[1],
  { agent, json }: Values,
): Promise<JudgedAnswer> {
  const answer = await judge(set, query, agent === undefined ? undefined : callerOf(agent));
  if (json) print(JSON.stringify({ ...answer, query: query.query }));
  return answer;
}

function held(name: string, figures: SetFigures, baseline: string | undefined): string[] {
  return baseline === undefined ? [] : fallenIn(name, figures, readBaselines(baseline));
}

function fallenIn(name: string, figures: SetFigures, baselines: Baselines): string[] {
  return fallenBelow(figures, baselines[name]).map((fall) => `${name}: ${fall}`);
}

function end(result: object, fallen: readonly string[]): number {
  for (const fall of fallen) process.stderr.write(`FELL ${fall}\n`);
  print(JSON.stringify({ ...result, fallen }));
  return fallen.length > 0 ? 1 : 0;
}

function say(text: string, code: number): number {
  process.stdout.write(text);
  return code;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

try {
  process.exitCode = await main(parseArgs({ options: flags }).values);
} catch (error) {
  // A set that can't be read, a wrong flag: nothing was measured, and the last line says so.
  const reason = error instanceof Error ? error.message : String(error);
  const isMistake = error instanceof BadInput || (error instanceof Error && "code" in error);
  process.stderr.write(`eval: ${error instanceof Error && !isMistake ? error.stack : reason}\n`);
  print(JSON.stringify({ error: reason.split("\n")[0] }));
  process.exitCode = 2;
}
