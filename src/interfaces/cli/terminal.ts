/** Text for people at a terminal: colour where the terminal wants it, and nothing a transcript says can steer it. */
import { stripVTControlCharacters, styleText } from "node:util";
import type { Range } from "../../index.ts";

export type Style = "bold" | "dim" | "cyan" | "green" | "yellow" | "red";

/** Where a command writes. Colour only on a terminal that has it; Node asks `NO_COLOR` for that. */
export interface Output {
  write(text: string): void;
  readonly colour: boolean;
}

export function paint(output: Output, style: Style | Style[], text: string): string {
  return output.colour ? styleText(style, text, { validateStream: false }) : text;
}

/**
 * Text on one line without control characters. Escape sequences in a transcript could rewrite the screen or the title of
 * the window: they are taken out, not passed on. Same length as the input, so that ranges still fit.
 */
export function plain(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, " ");
}

/** As `plain`, keeping line breaks. */
export function plainLines(text: string): string {
  return stripVTControlCharacters(text)
    .split(/\r\n|[\n\r\u2028\u2029]/u)
    .map(plain)
    .join("\n");
}

/**
 * JSON in ASCII-safe form where a terminal could take offence: the controls that JSON allows raw, and the characters that
 * turn the direction of text, are written as escapes. The same value for every reader.
 */
export function safeJson(json: string): string {
  return json.replace(
    /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Marks ranges of a plain text. */
export function highlight(output: Output, text: string, ranges: readonly Range[]): string {
  let out = "";
  let at = 0;
  for (const { start, end } of ranges) {
    out += text.slice(at, start) + paint(output, ["bold", "yellow"], text.slice(start, end));
    at = end;
  }
  return out + text.slice(at);
}

export function localTime(ms: number): string {
  const date = new Date(ms);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

export function bytes(value: number): string {
  const units = ["B", "KB", "MB", "GB", "TB"];
  const at = value < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(value) / 3));
  const scaled = value / 1000 ** at;
  return `${scaled.toFixed(at === 0 || scaled >= 100 ? 0 : 1)} ${units[at]}`;
}

export function number(value: number): string {
  return value.toLocaleString("en-US");
}
