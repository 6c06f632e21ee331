/**
 * Reads the raw files once more, without the importers, and checks that what stands only in tool results or thinking is
 * not found (SPEC 1.4). What counts as spoken here is everything that any program files under a text of its messages:
 * more than what is searchable, so a phrase that is in none of it must not be found at all.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Backscroll } from "../../src/index.ts";
import { tokenize } from "../../src/text/tokens.ts";

/** Names under which the programs keep what nobody said. */
const unspokenTypes = new Set([
  "tool_result",
  "toolResult",
  "function_call_output",
  "custom_tool_call_output",
  "thinking",
]);

interface Raw {
  readonly spoken: string[];
  readonly unspoken: string[];
}

/** Phrases checked per file; the largest files have thousands. */
const perFile = 40;

export async function checkUnspoken(
  store: Backscroll,
  folder: string,
): Promise<{ failures: string[]; checked: number }> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && entry.name.includes(".jsonl"),
  );
  const raws = files.map((entry) => ({
    path: join(entry.parentPath, entry.name),
    raw: readRaw(join(entry.parentPath, entry.name)),
  }));
  const spoken = ` ${raws.flatMap(({ raw }) => raw.spoken.map(folded)).join(" | ")} `;
  const failures: string[] = [];
  let checked = 0;
  for (const { path, raw } of raws) {
    let here = 0;
    for (const text of raw.unspoken) {
      const phrase = here < perFile ? phraseOf(text) : null;
      if (phrase === null || spoken.includes(` ${folded(phrase)} `)) continue;
      here += 1;
      checked += 1;
      const { results } = await store.search({ query: `"${phrase}"` });
      if (results.length > 0)
        failures.push(`${path}: words of a tool result or of thinking are found in ${results[0]?.sessionKey}`);
    }
  }
  return { failures, checked };
}

function readRaw(path: string): Raw {
  const raw: Raw = { spoken: [], unspoken: [] };
  for (const line of readFileSync(path, "utf8").split("\n")) {
    let record: unknown;
    try {
      record = JSON.parse(line);
    } catch {
      // Half a line, or none: nothing to take.
      continue;
    }
    walk(record, false, raw);
  }
  return raw;
}

function walk(value: unknown, unspoken: boolean, raw: Raw): void {
  if (typeof value === "string") {
    (unspoken ? raw.unspoken : raw.spoken).push(value);
  } else if (Array.isArray(value)) {
    for (const item of value) walk(item, unspoken, raw);
  } else if (typeof value === "object" && value !== null) {
    const { type, role } = value as { type?: unknown; role?: unknown };
    const isUnspoken = unspoken || (typeof type === "string" && unspokenTypes.has(type)) || role === "toolResult";
    for (const item of Object.values(value)) walk(item, isUnspoken, raw);
  }
}

function folded(text: string): string {
  return tokenize(text)
    .map(({ term }) => term)
    .join(" ");
}

/** Eight words from the middle; null for short texts, which may be said by anyone. */
function phraseOf(text: string): string | null {
  const tokens = tokenize(text.slice(0, 20_000));
  if (tokens.length < 8) return null;
  const from = Math.floor((tokens.length - 8) / 2);
  const words = text.slice(tokens[from]?.start, tokens[from + 7]?.end).replace(/["“”]/g, " ");
  return words.length > 1000 ? null : words;
}
