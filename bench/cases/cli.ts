/**
 * The command in a cold process: from its start to its last byte (SPEC 13: within 300 ms). Measured for the package as it
 * is published and for a checkout, where Node strips the types of each source file at every start; beside an empty
 * process, which no command can be faster than.
 */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { BenchCase, Figure } from "../case.ts";
import { planted, rare } from "../corpus.ts";
import { percentile } from "../measure.ts";

const runs = 15;
const budget = 300;
/** The size that the budget is meant for. */
const most = 100_000;
const project = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

export const bench: BenchCase = {
  title: "search by command, cold process",
  stores: ({ messages, seed }) => [{ kind: "mixed", messages: Math.min(messages, most), seed }],
  async run({ stores, scratch }) {
    const home = stores[0]?.home ?? "";
    const built = buildPackage(join(scratch, "package"));
    const search = (root: string, query: string) => [
      join(root, "bin", "backscroll.js"),
      "search",
      "--home",
      home,
      "--json",
      "--no-sync",
      query,
    ];
    const rivals: { what: string; args: readonly string[]; budget?: number }[] = [
      { what: "empty process", args: ["-e", "0"] },
      { what: "published package, rare word", args: search(built, rare.word), budget },
      { what: "published package, word of 30 %", args: search(built, planted.thirty.word), budget },
      { what: "checkout, rare word", args: search(project, rare.word), budget },
    ];
    const times: number[][] = rivals.map(() => []);
    for (let run = 0; run < runs; run++) {
      rivals.forEach(({ args }, at) => {
        times[at]?.push(start(args));
      });
    }
    return rivals.map(({ what, budget: bound }, at): Figure => {
      const wall = times[at] ?? [];
      return {
        what,
        value: percentile(wall, 0.5),
        unit: "ms",
        ...(bound !== undefined && { budget: bound }),
        detail: { min: Math.min(...wall), p95: percentile(wall, 0.95), max: Math.max(...wall) },
      };
    });
  },
};

/** Runs Node once and returns its wall time. */
function start(args: readonly string[]): number {
  const begin = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, {
    encoding: "utf8",
    env: { ...process.env, NODE_OPTIONS: "" },
  });
  const wall = performance.now() - begin;
  if (status !== 0) throw new Error(`${args.join(" ")} ended with ${status}: ${stderr}`);
  return wall;
}

/** A folder as an installed package has it: `bin`, `dist`, and the dependencies beside it. */
function buildPackage(folder: string): string {
  mkdirSync(folder, { recursive: true });
  const compiler = createRequire(import.meta.url).resolve("typescript/bin/tsc");
  const { status, stdout } = spawnSync(
    process.execPath,
    [compiler, "-p", join(project, "tsconfig.build.json"), "--outDir", join(folder, "dist")],
    {
      encoding: "utf8",
      cwd: project,
    },
  );
  if (status !== 0) process.stderr.write(`the build reports errors; measured is what it wrote all the same\n${stdout}`);
  cpSync(join(project, "bin"), join(folder, "bin"), { recursive: true });
  cpSync(join(project, "package.json"), join(folder, "package.json"));
  symlinkSync(join(project, "node_modules"), join(folder, "node_modules"), "junction");
  return folder;
}
