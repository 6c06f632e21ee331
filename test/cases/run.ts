/**
 * `npm run cases -- FILE.jsonl [--level must|should|stretch] [--json]`: runs the cases of a file one after the other and
 * ends with one line of JSON that holds the figures (SPEC 12.2, 12.3). How to read the output: docs/cases.md.
 */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { type Level, levels, readRows } from "./case.ts";
import { knownFailures } from "./known-failures.ts";
import { runCase } from "./run-case.ts";
import { fallsShort, figuresOf, type Judged, judgeResult, perKind } from "./tally.ts";

const usage = "usage: npm run cases -- FILE.jsonl [--level must|should|stretch] [--json]";

async function main(argv: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: { level: { type: "string", default: "stretch" }, json: { type: "boolean", default: false } },
  });
  const [file, ...others] = positionals;
  const level = (levels as readonly string[]).indexOf(values.level);
  if (file === undefined || others.length > 0 || level < 0) throw new SyntaxError(usage);
  const wanted: readonly Level[] = levels.slice(0, level + 1);
  const rows = readRows(readFileSync(file, "utf8")).filter((row) => wanted.includes(row.level));

  const results: Judged[] = [];
  for (const row of rows) {
    const result = judgeResult(await runCase(row), knownFailures);
    results.push(result);
    if (values.json) print(JSON.stringify(result));
    else if (result.verdict !== "passed") print(describe(result));
  }
  if (!values.json) print(`\n${table(results)}\n`);
  const figures = figuresOf(results);
  print(JSON.stringify(figures));
  return fallsShort(figures) ? 1 : 0;
}

function describe({ id, kind, level, verdict, topic, reasons }: Judged): string {
  const indent = (text: string) => text.replaceAll("\n", "\n      ");
  const heading = { passed: "passed", failed: "FAILED", known: "known", mended: "MENDED", notRun: "not run" }[
    verdict
  ].padEnd(8);
  const more = verdict === "mended" ? ["passes now: remove it from known-failures.ts"] : reasons;
  if (verdict === "notRun") return `${heading} ${id}  ${kind}, ${level}: ${more.join("; ")}`;
  return [
    `${heading} ${id}  ${kind}, ${level}${topic === undefined ? "" : ` (${topic})`}`,
    ...more.map((reason) => `      ${indent(reason)}`),
  ].join("\n");
}

function table(results: readonly Judged[]): string {
  const all = [...perKind(results), { kind: "all", figures: figuresOf(results) }];
  const columns = ["cases", "passed", "failed", "known", "mended", "notRun"] as const;
  const width = Math.max(...all.map(({ kind }) => kind.length));
  const line = (name: string, cells: readonly (string | number)[]) =>
    `${name.padEnd(width)}  ${cells.map((cell) => String(cell).padStart(6)).join("  ")}`;
  return [
    line(
      "kind",
      columns.map((name) => (name === "notRun" ? "not run" : name)),
    ),
    ...all.map(({ kind, figures }) =>
      line(
        kind,
        columns.map((name) => figures[name]),
      ),
    ),
  ].join("\n");
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  // A file that can't be read, a bad flag: nothing was run, and the last line says so.
  process.stderr.write(`cases: ${error instanceof Error ? error.message : error}\n`);
  print(
    JSON.stringify({
      cases: 0,
      passed: 0,
      failed: 0,
      known: 0,
      mended: 0,
      notRun: 0,
      error: error instanceof Error ? error.message : String(error),
    }),
  );
  process.exitCode = 2;
}
