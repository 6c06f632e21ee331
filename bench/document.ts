/**
 * Writes the figures of a run into `docs/performance.md`, so that the page never says what was not measured. The page has
 * a place for each case and size: `<!-- bench search 100000 -->` … `<!-- end -->`; what stands between is replaced.
 */
import { readFileSync, writeFileSync } from "node:fs";
import type { Figure } from "./case.ts";
import { isOverBudget, type Result, round } from "./report.ts";

/** @returns Names of cases that the page has a place for and that were written. */
export function document(result: Result, page: string): string[] {
  const written: string[] = [];
  let text = readFileSync(page, "utf8");
  for (const { name, figures } of result.cases) {
    const start = `<!-- bench ${name} ${result.options.messages} -->`;
    const from = text.indexOf(start);
    const to = text.indexOf("<!-- end -->", from);
    if (from < 0 || to < 0 || figures.length === 0) continue;
    const { cores, memoryGiB, node } = result.machine;
    const where = `${result.date}, ${cores} cores, ${memoryGiB} GiB, Node ${node}:`;
    text = `${text.slice(0, from + start.length)}\n${where}\n\n${table(figures)}\n${text.slice(to)}`;
    written.push(name);
  }
  writeFileSync(page, text);
  return written;
}

function table(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => {
    const budget = figure.budget === undefined ? "" : `${round(figure.budget, 3)}`;
    const value = `${round(figure.value, 3)} ${unitOf(figure)}`;
    return `| ${figure.what} | ${isOverBudget(figure) ? `**${value}**` : value} | ${budget} | ${detailOf(figure)} |`;
  });
  return ["| | measured | budget | beside it |", "| --- | --- | --- | --- |", ...rows].join("\n");
}

function unitOf({ unit }: Figure): string {
  return unit === "ratio" ? "×" : unit;
}

function detailOf({ detail = {} }: Figure): string {
  return Object.entries(detail)
    .map(([name, value]) => `${name.replace(/[A-Z]/g, (capital) => ` ${capital.toLowerCase()}`)} ${round(value, 3)}`)
    .join(", ");
}
