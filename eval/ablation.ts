/** What each signal of relevance brings: a judged set is scored with all of them, and with each one taken away. */
import { type SignalName, signals } from "../src/search/signals.ts";

export const signalNames = Object.keys(signals) as readonly SignalName[];

/** Runs without a signal, in this process; it is back afterwards. */
export async function without<T>(name: SignalName, run: () => Promise<T>): Promise<T> {
  const signal = signals[name];
  const before = signal.value;
  signal.value = signal.off;
  try {
    return await run();
  } finally {
    signal.value = before;
  }
}

/** What a figure is with all signals, and what it loses without each. */
export interface Ablated {
  readonly set: string;
  readonly figure: string;
  readonly all: number;
  readonly without: Readonly<Record<string, number>>;
}

/** A row a signal, a column a set and figure: points that it brings. */
export function formatAblation(rows: readonly Ablated[]): string {
  const head = ["signal", ...rows.map(({ set, figure }) => `${set} ${figure}`)];
  const lines = signalNames.map((name) => [
    name,
    ...rows.map(({ all, without: each }) => signed(all - (each[name] ?? all))),
  ]);
  const all = ["(all)", ...rows.map((row) => row.all.toFixed(1))];
  return [head, head.map((_, at) => (at === 0 ? "---" : "---:")), ...lines, all]
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n");
}

function signed(points: number): string {
  const rounded = points.toFixed(1);
  return points > 0.05 ? `+${rounded}` : rounded === "-0.0" ? "0.0" : rounded;
}
