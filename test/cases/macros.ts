/**
 * Text macros of the cases: `{{X*N}}` stands for X written N times, anywhere in a string; under `repeat` a step's strings
 * may count (`{i}` and its relatives).
 */

/** X holds no braces in pairs, so two macros in one string never run into one. */
const macro = /\{\{((?:(?!\{\{|\}\})[\s\S])+?)\*(\d+)\}\}/gu;

/** Writes out every `{{X*N}}` in every string of a JSON value. */
export function expandMacros(value: unknown): unknown {
  return mapStrings(value, (text) =>
    text.replace(macro, (_, piece: string, times: string) => piece.repeat(Number(times))),
  );
}

/** Puts numbers for `{i}` (from 0), `{i1}` (from 1), `{i2}` (two digits) and `{r2}` (two digits, from 99 down). */
export function expandIndex(value: unknown, i: number): unknown {
  const numbers: Readonly<Record<string, string>> = {
    "{i}": String(i),
    "{i1}": String(i + 1),
    "{i2}": String(i).padStart(2, "0"),
    "{r2}": String(99 - i).padStart(2, "0"),
  };
  return mapStrings(value, (text) => text.replace(/\{(?:i[12]?|r2)\}/g, (name) => numbers[name] ?? name));
}

/** A setup step as often as its `repeat` says, counted, without the `repeat`. */
export function expandStep(step: unknown): unknown[] {
  return expandRepeat(step, (rest) => rest);
}

/** Lines of a transcript file: `{"repeat": n, "line": …}` stands for n lines. */
export function expandLines(lines: readonly unknown[]): unknown[] {
  return lines.flatMap((line) => (isObject(line) && "line" in line ? expandRepeat(line, (rest) => rest.line) : [line]));
}

function expandRepeat(value: unknown, pick: (rest: Record<string, unknown>) => unknown): unknown[] {
  if (!isObject(value) || !Number.isSafeInteger(value.repeat)) return [value];
  const { repeat, ...rest } = value;
  return Array.from({ length: Number(repeat) }, (_, i) => expandIndex(pick(rest), i));
}

function mapStrings(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === "string") return map(value);
  if (Array.isArray(value)) return value.map((item: unknown) => mapStrings(item, map));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapStrings(item, map)]));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
