/**
 * What of a tool call and its result is worth finding (SPEC 3.7): paths, commands and patterns that were given, the first
 * lines that came back, and those that say what went wrong. The rest of a result is a file or a list that lies elsewhere.
 * Pure; whoever indexes masks each piece whole before it is cut (SPEC 5.2).
 */
import type { Json } from "../model/transcript.ts";

/** Bump on any change of the rule: where tools are indexed, every transcript is then indexed anew (SPEC 2.7). */
export const toolTrafficVersion = 1;

/** UTF-16 units: of one result, of one call, of one value, and of the first lines of a result. */
const mostOfResult = 2000;
const mostOfCall = 2000;
const mostOfValue = 600;
const mostOfStart = 600;
/** An error line is cut here: minified code has lines of a megabyte. */
const mostOfLine = 300;
/** Values are looked for so deep. */
const deepest = 16;

/** What is read of a result and of a value at all: what is masked has to be read whole, and output can be endless. */
export const readOfResult = 131_072;
export const readOfValue = 16_384;

/** A string of a call's arguments under the name that it was given; the name decides whether it is a secret. */
export interface NamedValue {
  readonly name: string;
  readonly value: string;
}

/** The strings of a call's arguments, short ones first: a path counts more than the file that is written to it. */
export function valuesOf(json: Json): NamedValue[] {
  const found: NamedValue[] = [];
  collect(json, "", found, 0);
  const isShort = ({ value }: NamedValue) => value.length <= mostOfLine;
  return [...found.filter(isShort), ...found.filter((each) => !isShort(each))];
}

function collect(json: Json, name: string, found: NamedValue[], depth: number): void {
  if (depth > deepest) return;
  if (typeof json === "string") {
    if (json.trim() !== "") found.push({ name, value: json.slice(0, readOfValue) });
  } else if (Array.isArray(json)) {
    // A command by its words: a flag and its value belong together.
    if (json.length > 0 && json.every((each) => typeof each === "string")) collect(json.join(" "), name, found, depth);
    else for (const each of json as readonly Json[]) collect(each, name, found, depth + 1);
  } else if (typeof json === "object" && json !== null) {
    for (const [key, value] of Object.entries(json)) collect(value, key, found, depth + 1);
  }
}

/** How much of a value is kept, with so much kept of the call before: an offset. */
export function endOfValue(text: string, before: number): number {
  const room = Math.max(0, Math.min(mostOfValue, mostOfCall - before));
  return text.length <= room ? text.length : cutAt(text, room);
}

/** What of a result is kept: ranges of it, ascending, at line ends where lines are not too long. O(length). */
export function keptOfResult(text: string, isError: boolean): { start: number; end: number }[] {
  const whole = isError ? mostOfResult : mostOfStart;
  if (text.length <= whole) return [{ start: 0, end: text.length }];
  const kept = [{ start: 0, end: cutAt(text, whole) }];
  let room = mostOfResult - whole;
  for (let start = lineBehind(text, kept[0]?.end ?? 0); start < text.length && room > 0; ) {
    const next = lineBehind(text, start);
    const end = Math.min(next, start + mostOfLine);
    const line = text.slice(start, end).trimEnd();
    if (line.length <= room && isErrorLine(line)) {
      kept.push({ start, end: start + line.length });
      room -= line.length + 1;
    }
    start = next;
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
  for (const border of [/\n/, /\s/]) {
    for (let at = most; at > most / 2; at--) if (border.test(text.charAt(at))) return at;
  }
  const isInside = /[\uD800-\uDBFF]/.test(text.charAt(most - 1));
  return isInside ? most - 1 : most;
}

const words =
  "error|errors|exception|traceback|fail|failed|fails|failure|failing|fatal|panic|panicked|abort|aborted|denied|refused|" +
  "rejected|unreachable|timeout|timed out|not found|no such|cannot|can't|could not|couldn't|unable|undefined|unexpected|" +
  "unresolved|unhandled|uncaught|invalid|missing|segfault|segmentation|core dumped|killed|warning|conflict|assert|assertion";
/** Words of failure; names of errors (TypeError, ENOENT, E0308, TS2345); marks of test runners; an exit code that is not 0. */
const errorWords = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:${words})(?![\\p{L}\\p{N}])|[a-z](?:Error|Exception)(?![a-z])|(?<![A-Za-z0-9])E[A-Z]{3,12}(?![A-Za-z])|` +
    "(?<![A-Za-z])(?:E|TS|CS|C|W|F)\\d{3,5}(?!\\d)|[✗✘✕×❌]|exit(?:ed)?(?: with)?(?: code| status)?:? [1-9]",
  "iu",
);

/** Whether a line of output looks as if it says what went wrong. */
export function isErrorLine(line: string): boolean {
  return errorWords.test(line);
}
