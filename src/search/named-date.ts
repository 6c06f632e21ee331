/**
 * Dates that a query names in words ("in May", "last Tuesday", 5月2日): what was said then counts more (SPEC 4.1). A boost and no
 * filter, as people misremember. The parser is loaded for queries that may hold a date only: it takes longer than a search.
 */
import type { Chrono, ParsedResult } from "chrono-node";
import { languagesTold } from "../text/language.ts";
import { terms } from "../text/tokens.ts";
import { parseWhen } from "./when.ts";

/** Epoch ms, the end exclusive. */
export interface Period {
  readonly from: number;
  readonly to: number;
}

/** Words and forms without which there is no date; of months and weekdays the beginnings that languages share. */
const mayHoldDate = new RegExp(
  [
    String.raw`\d{1,4}[-/.]\d{1,2}|\d{4}\s*年|\d{1,2}\s*月|[昨前今]天|昨日|上[周週个個]`,
    String.raw`\b(?:jan|feb|f[eé]v|m[aä]r|mai|may|apr|avr|abr|jun|jui|jul|aug|ao[uû]|ago|sep|o[ck]t|nov|de[czk]|d[eé]c|ene|gen|mag|giu|lug|set|ott|dic|mei|maj)\p{L}*`,
    String.raw`\b(?:mon|tues|wednes|thurs|fri|satur|sun)day|\b(?:mont|diens|mittwoch|donnerst|freit|samst|sonnt)\p{L}*|\b(?:lun|mar|mer|mier|jeu|juev|gio|ven|vier|vend|sam|s[aá]b|dim|dom)\p{L}{2,}`,
    String.raw`\b(?:yesterday|today|tonight|ago|last|past|this)\b|\b(?:gestern|heute|vor|letzte\p{L}*|hier|ayer|hace|ieri|fa|ontem|gisteren)\b`,
    "[а-яё]{3,}",
  ].join("|"),
  "iu",
);

/** Years back for which a date without its year is meant: each costs a tenth of a millisecond. */
const yearsBack = 12;
const dayMs = 86_400_000;
const locales = ["de", "fr", "es", "it", "pt", "nl", "sv"] as const;

/** Whether a look at the query's dates is worth the parser, and the zone they are meant in. */
export function mayNameDate(query: string): boolean {
  return mayHoldDate.test(query);
}

export async function namedPeriods(query: string, now: number, timeZone: string): Promise<readonly Period[]> {
  if (!mayHoldDate.test(query)) return [];
  const chrono = await import("chrono-node");
  const told = languagesTold(terms(query));
  const parsers: { readonly parser: Chrono; readonly isTold: boolean }[] = [];
  const add = (parser: Chrono, isTold = true) => parsers.push({ parser, isTold });
  add(chrono.casual);
  if (/\p{sc=Hira}|\p{sc=Kana}/u.test(query)) add(chrono.ja.casual);
  else if (/\p{sc=Han}/u.test(query)) for (const { casual } of [chrono.zh.hans, chrono.zh.hant]) add(casual);
  else if (/\p{sc=Cyrl}/u.test(query)) add(told.includes("uk") ? chrono.uk.casual : chrono.ru.casual);
  // A few words hardly tell a language, so each is asked; where it is not told, for whole dates only: "set" is September in Italian.
  for (const locale of locales) add(chrono[locale].casual, told.includes(locale));
  const reference = { instant: new Date(now), timezone: offsetAt(now, timeZone) };
  const results = parsers.flatMap(({ parser, isTold }) =>
    parser.parse(query, reference).filter((result) => isDate(result, query, isTold)),
  );
  return distinct(results).flatMap((result) => periodsOf(result, now, timeZone));
}

/** Most dates are read alike by several parsers; thirty years of periods take some milliseconds. */
function distinct(results: readonly ParsedResult[]): ParsedResult[] {
  const known = new Map<string, ParsedResult>();
  for (const result of results) {
    const { start, end, text } = result;
    const of = [start, end].map((each) => ["year", "month", "day"].map((part) => each?.get(part as "year") ?? ""));
    const certain = ["year", "month", "day"].map((part) => start.isCertain(part as "year"));
    const key = [...of, ...certain, week.test(text)].join(" ");
    if (!known.has(key)) known.set(key, result);
  }
  return [...known.values()];
}

const week = /week|woche|semaine|semana|settimana/i;

/** Words that are a date in one language or one use, and something else in others. */
function isDate({ text, index, start }: ParsedResult, query: string, isTold: boolean): boolean {
  const hasMonth = start.isCertain("month");
  if (!hasMonth && !start.isCertain("weekday")) return false;
  // "sat" and "sun" are words, and so is what means yesterday in French and here in German.
  if ((!hasMonth || !isTold) && text.trim().length < 5) return false;
  const isBareMonth = hasMonth && !start.isCertain("day") && !start.isCertain("year");
  if (!isBareMonth) return true;
  // "march of the penguins"
  return isTold && !/\sof\b/i.test(text + query.slice(index + text.length, index + text.length + 4));
}

function offsetAt(now: number, timeZone: string): number {
  const midnight = parseWhen("today", now, timeZone) ?? now;
  const day = new Intl.DateTimeFormat("en-CA", { timeZone, dateStyle: "short" }).format(now);
  return Math.round((Date.parse(`${day}T00:00:00Z`) - midnight) / 60_000);
}

function periodsOf({ text, start, end }: ParsedResult, now: number, timeZone: string): Period[] {
  const of = (part: "year" | "month" | "day") => start.get(part) ?? 0;
  const certain = (part: "year" | "month" | "day") => start.isCertain(part);
  const isDay = certain("day") || !certain("month");
  const hasYear = certain("year") || !certain("month");
  const thisYear = new Date(now).getUTCFullYear();
  const years = hasYear ? [of("year")] : Array.from({ length: yearsBack + 1 }, (_, back) => thisYear - back);
  const periods = years.flatMap((year) => {
    const period = isDay ? dayPeriod(year, of("month"), of("day"), timeZone) : monthPeriod(year, of("month"), timeZone);
    return period ? [period] : [];
  });
  if (end && isDay && hasYear) {
    const last = dayPeriod(end.get("year") ?? 0, end.get("month") ?? 0, end.get("day") ?? 0, timeZone);
    const [first] = periods;
    return first && last && last.to > first.from ? [{ from: first.from, to: last.to }] : periods;
  }
  // The parser makes one day of a week.
  return week.test(text) ? periods.map(({ from, to }) => ({ from: from - 3 * dayMs, to: to + 3 * dayMs })) : periods;
}

function dayPeriod(year: number, month: number, day: number, timeZone: string): Period | null {
  const from = parseWhen(`${pad(year, 4)}-${pad(month)}-${pad(day)}`, 0, timeZone);
  return from === null ? null : { from, to: from + dayMs };
}

function monthPeriod(year: number, month: number, timeZone: string): Period | null {
  const next = month === 12 ? `${pad(year + 1, 4)}-01` : `${pad(year, 4)}-${pad(month + 1)}`;
  const from = parseWhen(`${pad(year, 4)}-${pad(month)}`, 0, timeZone);
  const to = parseWhen(next, 0, timeZone);
  return from === null || to === null ? null : { from, to };
}

function pad(value: number, digits = 2): string {
  return String(value).padStart(digits, "0");
}
