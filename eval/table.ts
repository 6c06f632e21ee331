/** Figures as a table for people. */
import type { Figures, SetFigures } from "./figures.ts";
import type { Measures } from "./measures.ts";

type Cell = string | number | null;

export function formatTable(header: readonly Cell[], rows: readonly (readonly Cell[])[]): string {
  const all = [header, ...rows].map((row) => row.map((cell) => (cell === null ? "-" : String(cell))));
  const widths = header.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all
    .map((row) =>
      row
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

const columns: readonly (readonly [name: string, key: keyof Measures])[] = [
  ["R@1", "r1"],
  ["R@5", "r5"],
  ["R@10", "r10"],
  ["hit@5", "hit5"],
  ["all@5", "all5"],
  ["MRR", "mrr"],
  ["nDCG", "ndcg10"],
];

/** Messages, then sessions, then what is neither; kinds first, parts of the set and the whole below. */
export function formatFigures({ all, kinds, splits }: SetFigures): string {
  const rows = [
    ...Object.entries(kinds),
    ...Object.entries(splits).map(([name, figures]) => [`(${name})`, figures] as const),
    ["all", all] as const,
  ];
  const names = columns.map(([name]) => name);
  const cells = (measures: Measures | null) => columns.map(([, key]) => measures?.[key] ?? null);
  const one = (of: (figures: Figures) => readonly Cell[]) => rows.map(([name, figures]) => [name, ...of(figures)]);
  return [
    formatTable(
      ["messages, %", "n", ...names, "empty", "false", "p50 ms", "p95 ms"],
      one(({ n, message, empty, falseAnswers, p50, p95 }) => [n, ...cells(message), empty, falseAnswers, p50, p95]),
    ),
    formatTable(
      ["sessions, %", ...names],
      one(({ session }) => cells(session)),
    ),
  ].join("\n\n");
}
