/** Figures → a table for people, and one line of JSON for programs; kept results as files. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, totalmem } from "node:os";
import { join } from "node:path";
import type { Figure } from "./case.ts";

export interface CaseResult {
  readonly name: string;
  readonly figures: readonly Figure[];
  /** Why there are none: the case failed. */
  readonly error?: string;
}

export interface Result {
  /** Day of the run, ISO 8601. */
  readonly date: string;
  /** What figures depend on; nothing that names the machine or its owner. */
  readonly machine: { readonly cores: number; readonly memoryGiB: number; readonly node: string };
  readonly options: { readonly messages: number; readonly seed: number };
  readonly cases: readonly CaseResult[];
  readonly overBudget: number;
  readonly failed: number;
}

export function isOverBudget({ value, budget }: Figure): boolean {
  return budget !== undefined && !(value <= budget);
}

export function toResult(options: Result["options"], cases: readonly CaseResult[]): Result {
  return {
    date: new Date().toISOString().slice(0, 10),
    machine: {
      cores: availableParallelism(),
      memoryGiB: Math.round(totalmem() / 2 ** 30),
      node: process.versions.node,
    },
    options,
    cases,
    overBudget: cases.flatMap(({ figures }) => figures).filter(isOverBudget).length,
    failed: cases.filter(({ error }) => error !== undefined).length,
  };
}

/** One case as lines: the figure, its budget and whether it holds, the raw numbers beside it. */
export function formatCase(title: string, { figures, error }: CaseResult): string {
  const rows = figures.map((figure) => [
    figure.what,
    `${round(figure.value)} ${figure.unit}`,
    figure.budget === undefined ? "" : `≤ ${round(figure.budget)}`,
    figure.budget === undefined ? "" : isOverBudget(figure) ? "over budget" : "ok",
    Object.entries(figure.detail ?? {})
      .map(([name, value]) => `${name} ${round(value)}`)
      .join(", "),
  ]);
  const widths = [0, 1, 2, 3].map((column) => Math.max(0, ...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map(
    (row) =>
      `  ${row.map((cell, column) => (column === 0 || column > 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join("  ")}`,
  );
  return [title, ...lines.map((line) => line.trimEnd()), ...(error === undefined ? [] : [`  failed: ${error}`])].join(
    "\n",
  );
}

/**
 * Runs of one day and size share a file: a case replaces its earlier figures there, the other cases stay.
 * @returns The file's path.
 */
export function save(result: Result, folder: string): string {
  const path = join(folder, `${result.date}-${result.options.messages}.json`);
  const before = existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as Result) : null;
  const again = new Set(result.cases.map(({ name }) => name));
  const kept = before?.cases.filter(({ name }) => !again.has(name)) ?? [];
  const whole = toResult(result.options, [...kept, ...result.cases]);
  writeFileSync(path, `${JSON.stringify(whole, roundAll, 2)}\n`);
  return path;
}

export function toLine(result: Result): string {
  return JSON.stringify(result, roundAll);
}

function roundAll(_key: string, value: unknown): unknown {
  return typeof value === "number" ? Number(round(value)) : value;
}

/** To that many significant digits; whole numbers stay whole. */
export function round(value: number, digits = 4): string {
  return Number.isInteger(value) || !Number.isFinite(value) ? String(value) : String(Number(value.toPrecision(digits)));
}
