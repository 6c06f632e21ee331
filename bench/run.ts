/**
 * `npm run bench [-- options]`: measures Backscroll against the budgets of SPEC 13. Each case runs in a process of its
 * own, one after another; what it measured is printed as a table, and all of it as one line of JSON at the end.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { apart } from "./apart.ts";
import type { BenchCase, CaseInput, Figure } from "./case.ts";
import { document } from "./document.ts";
import type { FilledStore } from "./fill.ts";
import { type CaseResult, formatCase, save, toLine, toResult } from "./report.ts";

const names = ["import", "append", "search", "history", "cli", "size", "memory", "reconcile"] as const;

const usage = `npm run bench [-- options]

  --only NAME      one case (repeatable): ${names.join(", ")}
  --messages N     messages of the corpus that is searched in; 100000 unless given
  --files DIR      also import the largest transcripts found below this folder (repeatable)
  --keep DIR       keep the filled stores there, and use those that are there already
  --seed N         of the made-up texts; 1 unless given
  --json           only the line of JSON
  --save           keep the result in bench/results, and write its figures into docs/performance.md
  --strict         exit with 1 when a figure is over its budget, not only when a case fails
`;

const folder = dirname(fileURLToPath(import.meta.url));

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      only: { type: "string", multiple: true, default: [] },
      messages: { type: "string", default: "100000" },
      files: { type: "string", multiple: true, default: [] },
      keep: { type: "string" },
      seed: { type: "string", default: "1" },
      json: { type: "boolean", default: false },
      save: { type: "boolean", default: false },
      strict: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const options = { messages: Number(values.messages), seed: Number(values.seed) };
  const unknown = values.only.filter((name) => !(names as readonly string[]).includes(name));
  const isSize =
    Number.isSafeInteger(options.messages) && options.messages >= 1000 && Number.isSafeInteger(options.seed);
  if (values.help || unknown.length > 0 || !isSize) {
    if (unknown.length > 0) process.stderr.write(`no case ${unknown.join(", ")}\n`);
    if (!isSize) process.stderr.write("--messages takes a whole number from 1000 up, --seed a whole number\n");
    process.stderr.write(usage);
    return values.help ? 0 : 2;
  }

  const work = mkdtempSync(join(tmpdir(), "backscroll-bench-"));
  try {
    const stores = values.keep === undefined ? join(work, "stores") : resolve(values.keep);
    mkdirSync(stores, { recursive: true });
    const results: CaseResult[] = [];
    for (const name of names) {
      if (values.only.length > 0 && !values.only.includes(name)) continue;
      const { title, result } = await runCase(
        name,
        { ...options, files: values.files.map((file) => resolve(file)) },
        stores,
        join(work, name),
      );
      results.push(result);
      if (!values.json) process.stdout.write(`${formatCase(title, result)}\n\n`);
    }
    const result = toResult(options, results);
    if (values.save) {
      const path = save(result, join(folder, "results"));
      const written = document(result, join(folder, "..", "docs", "performance.md"));
      process.stderr.write(`saved in ${path}; docs/performance.md has the new figures of: ${written.join(", ")}\n`);
    }
    process.stdout.write(`${toLine(result)}\n`);
    return result.failed > 0 || (values.strict && result.overBudget > 0) ? 1 : 0;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

type Options = Pick<CaseInput, "messages" | "seed" | "files">;

async function runCase(
  name: string,
  options: Options,
  folderOfStores: string,
  scratch: string,
): Promise<{ title: string; result: CaseResult }> {
  const module = new URL(`./cases/${name}.ts`, import.meta.url).href;
  const { bench } = (await import(module)) as { bench: BenchCase };
  try {
    const stores: FilledStore[] = [];
    for (const corpus of bench.stores?.(options) ?? []) {
      process.stderr.write(`${name}: filling a store with ${corpus.messages} ${corpus.kind} messages\n`);
      stores.push(
        await apart(new URL("./fill.ts", import.meta.url).href, "fillStore", { corpus, folder: folderOfStores }),
      );
    }
    process.stderr.write(`${name}: measuring\n`);
    mkdirSync(scratch, { recursive: true });
    const input: CaseInput = { ...options, scratch, stores };
    const figures = await apart<Figure[]>(new URL("./run-case.ts", import.meta.url).href, "runCase", { module, input });
    return { title: bench.title, result: { name, figures } };
  } catch (error) {
    // A case that fails is reported like a figure, and the others still run.
    return {
      title: bench.title,
      result: { name, figures: [], error: error instanceof Error ? error.message : String(error) },
    };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

process.exitCode = await main();
