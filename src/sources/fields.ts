/** Narrow readers for records that anyone may have written: each returns the wanted type or undefined, and never throws. */
import type { Json } from "../model/transcript.ts";

/** A JSON object whose values have not been looked at yet. */
export type Fields = { readonly [key: string]: unknown };

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** A string that holds more than white space. */
export function word(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

export function fields(value: unknown): Fields | undefined {
  return isFields(value) ? value : undefined;
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The value that a text is the JSON of; undefined when it is not JSON, which the caller has to report or decide on. */
export function parseJson(source: string): unknown {
  try {
    return JSON.parse(source);
  } catch {
    return undefined;
  }
}

/** Values come out of `JSON.parse`, so they are JSON; absent becomes null. */
export function json(value: unknown): Json {
  return (value ?? null) as Json;
}

const earliest = Date.UTC(1990, 0, 1);
const latest = Date.UTC(2200, 0, 1);

/**
 * Epoch milliseconds of a timestamp in any form that transcripts use: ISO 8601, or a number (or digits) of seconds,
 * milliseconds, microseconds or nanoseconds, told apart by size (SPEC 8.7). Null when there is none that makes sense.
 */
export function time(value: unknown): number | null {
  if (typeof value === "number") return fromNumber(value);
  if (typeof value !== "string") return null;
  if (/^\d{9,19}(\.\d+)?$/.test(value)) return fromNumber(Number(value));
  const date = /^(\d{4})-(\d\d)-(\d\d)(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?\s?(?:Z|[+-]\d\d:?\d\d)?)?$/i.exec(value);
  if (!date) return null;
  // 30 February must not become 2 March.
  const day = new Date(Date.UTC(Number(date[1]), Number(date[2]) - 1, Number(date[3])));
  if (day.getUTCMonth() !== Number(date[2]) - 1 || day.getUTCDate() !== Number(date[3])) return null;
  const ms = Date.parse(value.replace(",", "."));
  return ms >= earliest && ms < latest ? ms : null;
}

function fromNumber(value: number): number | null {
  for (const scale of [1000, 1, 1e-3, 1e-6]) {
    const ms = Math.round(value * scale);
    if (ms >= earliest && ms < latest) return ms;
  }
  return null;
}
