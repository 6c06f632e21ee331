/**
 * What of a tool call and its result is worth finding (SPEC 3.7): paths, commands and patterns that were given, the first
 * lines that came back, and those that say what went wrong. The rest of a result is a file or a list that lies elsewhere.
 * Pure; whoever indexes masks each piece whole before it is cut (SPEC 5.2).
 */
import { limits } from "../limits.ts";
import type { Json } from "../model/transcript.ts";

/** Bump on any change of the rule: where tools are indexed, every transcript is then indexed anew (SPEC 2.7). */
export const toolTrafficVersion = 1;

/** Values are looked for so deep in a call's arguments. */
const deepest = 16;

/** A string of a call's arguments under the name that it was given; the name decides whether it is a secret. */
export interface NamedValue {
  readonly name: string;
  readonly value: string;
}

/** The strings of a call's arguments, short ones first: a path counts more than the file that is written to it. */
export function valuesOf(json: Json): NamedValue[] {
  const found: NamedValue[] = [];
  collect(json, "", found, 0);
  const isShort = ({ value }: NamedValue) => value.length <= limits.toolLine.default;
  return [...found.filter(isShort), ...found.filter((each) => !isShort(each))];
}

function collect(json: Json, name: string, found: NamedValue[], depth: number): void {
  if (depth > deepest) return;
  if (typeof json === "string") {
    if (json.trim() !== "") found.push({ name, value: readable(json, limits.toolValueRead.default) });
  } else if (Array.isArray(json)) {
    // A command by its words: a flag and its value belong together.
    if (json.length > 0 && json.every((each) => typeof each === "string")) collect(json.join(" "), name, found, depth);
    else for (const each of json as readonly Json[]) collect(each, name, found, depth + 1);
  } else if (typeof json === "object" && json !== null) {
    for (const [key, value] of Object.entries(json)) collect(value, key, found, depth + 1);
  }
}

/** What is read of a result. */
export function readOf(result: string): string {
  return readable(result, limits.toolRead.default);
}

/** The beginning, to a blank, so that no secret is cut in two; nothing of what has none for so long: that is data. */
function readable(text: string, most: number): string {
  if (text.length <= most) return text;
  for (let at = most; at > 0; at--) if (blank.test(text.charAt(at))) return text.slice(0, at);
  return "";
}

const blank = /\s/;

export interface Kept {
  readonly start: number;
  readonly end: number;
}

/** What of a value is kept, with so much kept of the call before. */
export function keptOfValue(text: string, before: number): Kept[] {
  const room = Math.max(0, limits.toolText.default - before);
  return keep(text, Math.min(limits.toolStart.default, room), 0);
}

/** What of a result is kept. */
export function keptOfResult(text: string, isError: boolean): Kept[] {
  const { toolText, toolStart } = limits;
  // What a failed call says is all worth finding.
  if (isError) return keep(text, toolText.default, 0);
  return keep(text, toolStart.default, toolText.default - toolStart.default);
}

/** The start, then lines of errors, then paths that stand elsewhere: not overlapping. O(length). */
function keep(text: string, whole: number, errors: number): Kept[] {
  if (text.length <= whole) return [{ start: 0, end: text.length }];
  if (whole === 0) return [];
  const begin = { start: 0, end: cutAt(text, whole) };
  const lines = errors === 0 ? [] : errorLines(text, begin.end, errors);
  return [begin, ...lines, ...paths(text, [begin, ...lines])];
}

function errorLines(text: string, from: number, most: number): Kept[] {
  const kept: Kept[] = [];
  let room = most;
  for (let start = lineBehind(text, from); start < text.length && room > 0; ) {
    const next = lineBehind(text, start);
    const end = Math.min(next, start + limits.toolLine.default);
    const line = text.slice(start, end).trimEnd();
    if (line.length <= room && isErrorLine(line)) {
      kept.push({ start, end: start + line.length });
      room -= line.length + 1;
    }
    start = next;
  }
  return kept;
}

/** Names between slashes, with a letter in them. */
const path = /(?<![\p{L}\p{N}_./\\~@+-])~?[\p{L}\p{N}_.@+-]*(?:[/\\][\p{L}\p{N}_.@+-]+)+/gu;
const letter = /\p{L}/u;
const longestPath = 200;

/** Each once, and none that is kept already. */
function paths(text: string, before: readonly Kept[]): Kept[] {
  const kept: Kept[] = [];
  const seen = new Set(before.flatMap(({ start, end }) => text.slice(start, end).match(path) ?? []));
  let room = limits.toolPaths.default;
  let at = 0;
  for (const match of text.matchAll(path)) {
    const [found] = match;
    const { index: start } = match;
    while ((before[at]?.end ?? Number.POSITIVE_INFINITY) <= start) at += 1;
    if (start >= (before[at]?.start ?? Number.POSITIVE_INFINITY) || seen.has(found)) continue;
    if (found.length > longestPath || found.length > room || !letter.test(found)) continue;
    seen.add(found);
    kept.push({ start, end: start + found.length });
    room -= found.length + 1;
    if (room <= 0) break;
  }
  return kept;
}

/** Start of the next line. */
function lineBehind(text: string, from: number): number {
  const at = text.indexOf("\n", from);
  return at < 0 ? text.length : at + 1;
}

/** The last end of a line before an offset, else of a word, else the offset itself; never inside a character. */
function cutAt(text: string, most: number): number {
  for (const border of [/\n/, blank]) {
    for (let at = most; at > most / 2; at--) if (border.test(text.charAt(at))) return at;
  }
  const isInside = /[\uD800-\uDBFF]/.test(text.charAt(most - 1));
  return isInside ? most - 1 : most;
}

const words =
  "error|errors|exception|traceback|fail|failed|fails|failure|failing|fatal|panic|panicked|abort|aborted|denied|refused|" +
  "rejected|unreachable|timeout|timed out|not found|no such|cannot|can't|could not|couldn't|unable|undefined|unexpected|" +
  "unresolved|unhandled|uncaught|invalid|missing|segfault|segmentation|core dumped|killed|warning|conflict|assert|assertion";
const failures = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:${words})(?![\\p{L}\\p{N}])|[✗✘✕×❌]|exit(?:ed)?(?: with)?(?: code| status)?:? [1-9]`,
  "iu",
);
/** TypeError, NullPointerException; ENOENT; E0308, TS2345. */
const names =
  /[a-z](?:Error|Exception)(?![a-z])|(?<![A-Za-z0-9_])E[A-Z]{4,12}(?![A-Za-z])|(?<![A-Za-z])(?:E|TS|CS|C|W|F)\d{3,5}(?!\d)/;

/** Whether a line of output looks as if it says what went wrong. */
export function isErrorLine(line: string): boolean {
  return failures.test(line) || names.test(line);
}
