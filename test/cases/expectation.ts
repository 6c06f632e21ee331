/**
 * What a case expects of an answer. One table: each key with the form of its value, the tools it makes sense for and its
 * check, so that no key can be read and then not looked at, and none holds because the answer has nothing of the kind.
 */
import * as z from "zod";
import { errorCodes } from "../../src/index.ts";
import { integrityProblems, orphanIndexRows } from "./inspect-store.ts";
import { expandMacros } from "./macros.ts";
import { NotRun, parsePiece } from "./not-run.ts";
import { countOf, type Observation, type SeenAnswer, summary, type ToolName, textOf, tools } from "./observation.ts";
import type { NamedSession } from "./session-names.ts";
import type { World } from "./world.ts";

/** What came instead, in a few words; null when the expectation holds. */
type Check<T> = (wanted: T, seen: Observation, world: World) => string | null;

export interface Expectation {
  readonly key: string;
  readonly wanted: unknown;
  readonly check: (seen: Observation, world: World) => string | null;
}

interface Rule {
  bind(wanted: unknown, tool: ToolName, where: string): (seen: Observation, world: World) => string | null;
}

function rule<T>(form: z.ZodType<T>, on: readonly ToolName[], check: Check<T>): Rule {
  return {
    bind(raw, tool, where) {
      const wanted = parsePiece(form, raw, where);
      if (!on.includes(tool)) throw new NotRun(`${where}: says nothing about ${tool}`);
      return (seen, world) => check(wanted, seen, world);
    },
  };
}

const finding: readonly ToolName[] = ["search", "search_then_history", "cli_search"];
const listing: readonly ToolName[] = [...finding, "list"];
const reading: readonly ToolName[] = ["history", "history_all_pages"];

const words = z.array(z.string());
const word = z.string();
const number = z.number();
const yes = z.literal(true);

/** Markers of an answer by the meaning that cases name. */
const flags = {
  empty_store: (answer: SeenAnswer) => answer.explain?.emptyStore === true,
  truncated: (answer: SeenAnswer) => answer.truncated === true,
  bounded: (answer: SeenAnswer) => answer.bounded === true,
  indexing: (answer: SeenAnswer) => answer.indexing === true,
} as const;
const meanings = ["empty_store", "truncated", "bounded", "indexing"] as const satisfies readonly (keyof typeof flags)[];

const rules: Readonly<Record<string, Rule>> = {
  sessions: rule(words, listing, (wanted, seen, { names }) => {
    const places = placesOf(seen);
    const missing = wanted.some((name) => !places.some((place) => names.is(place, name)));
    return missing || places.some((place) => !wanted.some((name) => names.is(place, name))) ? keysOf(seen) : null;
  }),
  includes: rule(words, listing, (wanted, seen, { names }) =>
    wanted.every((name) => placesOf(seen).some((place) => names.is(place, name))) ? null : keysOf(seen),
  ),
  excludes: rule(words, listing, (wanted, seen, { names }) =>
    wanted.some((name) => placesOf(seen).some((place) => names.is(place, name))) ? keysOf(seen) : null,
  ),
  first: rule(word, listing, (wanted, seen, { names }) => {
    const [first] = placesOf(seen);
    return first !== undefined && names.is(first, wanted) ? null : keysOf(seen);
  }),
  /** By first appearance; other sessions may stand between. */
  order: rule(words, listing, (wanted, seen, { names }) => {
    const at = wanted.map((name) => placesOf(seen).findIndex((place) => names.is(place, name)));
    return at.every((place, i) => place >= 0 && place > (at[i - 1] ?? -1)) ? null : keysOf(seen);
  }),
  count: rule(number, tools, (wanted, seen) => came(countOf(seen) === wanted, countOf(seen))),
  minCount: rule(number, tools, (wanted, seen) => came(countOf(seen) >= wanted, countOf(seen))),
  maxCount: rule(number, tools, (wanted, seen) => came(countOf(seen) <= wanted, countOf(seen))),
  /** What is shown, and every total that the answer names. */
  totalAtMost: rule(number, tools, (wanted, seen) => {
    const totals = seen.answers.flatMap((answer) => Object.entries(answer).filter(([key]) => key.startsWith("total")));
    const highest = Math.max(countOf(seen), ...totals.map(([, value]) => Number(value)));
    return came(highest <= wanted, highest);
  }),
  hasMore: rule(z.boolean(), [...listing, "history"], (wanted, { answers }) => {
    const more = answers.some((answer) => answer.truncated ?? answer.hasOlder ?? answer.hasNewer ?? false);
    return came(more === wanted, more);
  }),

  texts: rule(words, reading, (wanted, seen) => {
    const texts = seen.messages.map(textOf);
    return came(texts.length === wanted.length && texts.every((text, i) => text === wanted[i]), texts);
  }),
  firstText: rule(word, reading, (wanted, { messages: [first] }) => {
    const text = first === undefined ? null : textOf(first);
    return came(text === wanted, text);
  }),
  lastText: rule(word, reading, (wanted, { messages }) => {
    const last = messages.at(-1);
    const text = last === undefined ? null : textOf(last);
    return came(text === wanted, text);
  }),
  ascending: rule(yes, reading, (_, { messages }) => {
    const times = messages.map(({ timestamp }) => timestamp);
    return came(times.length > 0 && times.every((time, i) => time >= (times[i - 1] ?? time)), times);
  }),
  mustInclude: rule(words, reading, (wanted, seen) => {
    const texts = new Set(seen.messages.map(textOf));
    const missing = wanted.filter((text) => !texts.has(text));
    return missing.length === 0 ? null : `without ${JSON.stringify(missing)}`;
  }),
  /** Neither the same message nor the same words of one session twice. */
  noDuplicates: rule(yes, [...finding, ...reading], (_, { hits, messages }) => {
    const names = [
      ...hits.flatMap((hit) => [
        `${hit.sessionKey} ${hit.sessionId} ${hit.messageId}`,
        `${hit.sessionKey} ${hit.snippet}`,
      ]),
      ...messages.flatMap((message) => [`message ${message.messageId}`, `text ${textOf(message)}`]),
    ];
    const again = names.find((name, i) => names.indexOf(name) < i);
    return again === undefined ? null : `twice: ${again}`;
  }),

  /** Each in some snippet. */
  snippetContains: rule(words, finding, (wanted, { hits }) =>
    came(
      wanted.every((text) => hits.some(({ snippet }) => snippet.includes(text))),
      hits.map(({ snippet }) => snippet),
    ),
  ),
  snippetNotContains: rule(words, finding, (wanted, { hits }) =>
    came(
      !wanted.some((text) => hits.some(({ snippet }) => snippet.includes(text))),
      hits.map(({ snippet }) => snippet),
    ),
  ),
  firstSnippetContains: rule(z.union([words, word.transform((text) => [text])]), finding, (wanted, { hits: [first] }) =>
    came(first !== undefined && wanted.every((text) => first.snippet.includes(text)), first?.snippet ?? null),
  ),
  maxSnippet: rule(number, finding, (wanted, { hits }) => {
    const longest = Math.max(0, ...hits.map(({ snippet }) => [...snippet].length));
    return came(longest <= wanted, longest);
  }),
  hitHas: rule(words, finding, (wanted, { hits }) => {
    const lacking = wanted.filter(
      (field) => hits.length === 0 || hits.some((hit) => hit[field] === undefined || hit[field] === null),
    );
    return lacking.length === 0 ? null : `hits without ${lacking.join(", ")}`;
  }),
  allTimes: rule(z.iso.datetime(), [...finding, ...reading], (wanted, { hits, messages }) => {
    const times = [...hits, ...messages].map(({ timestamp }) => timestamp);
    return came(times.length > 0 && times.every((time) => time === Date.parse(wanted)), times.map(toIso));
  }),
  parentOfFirst: rule(word, finding, (wanted, { hits: [first] }, { names }) =>
    came(first?.spawnedBy !== undefined && names.is({ sessionKey: first.spawnedBy }, wanted), first?.spawnedBy ?? null),
  ),

  outputContains: rule(words, tools, (wanted, seen) => {
    const missing = wanted.filter((text) => !outputHas(seen, text));
    return missing.length === 0 ? null : `without ${JSON.stringify(missing)}`;
  }),
  outputNotContains: rule(words, tools, (wanted, seen) => {
    const found = wanted.filter((text) => outputHas(seen, text));
    return found.length === 0 ? null : `with ${JSON.stringify(found)}`;
  }),
  stdoutNotContains: rule(words, ["cli_search"], (wanted, { terminal }) => {
    const found = wanted.filter((text) => terminal.some((output) => output.includes(text)));
    return found.length === 0 ? null : `with ${JSON.stringify(found)}`;
  }),
  wellFormed: rule(yes, tools, (_, seen) => {
    const torn = seen.json.flatMap((json) => stringsOf(JSON.parse(json))).find((text) => !text.isWellFormed());
    return torn === undefined ? null : `a lone surrogate in ${JSON.stringify(torn.slice(0, 80))}`;
  }),
  maxBytes: rule(number, tools, (wanted, { json }) => {
    const bytes = json.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    return came(bytes <= wanted, bytes);
  }),
  pageMaxBytes: rule(number, reading, (wanted, { json }) => {
    const largest = Math.max(...json.map((text) => Buffer.byteLength(text)));
    return came(largest <= wanted, largest);
  }),
  maxMs: rule(number, tools, (wanted, { ms }) => came(ms <= wanted, Math.round(ms))),

  /** A refusal is clear when it is about the input, says something, and shows nothing of the machinery. */
  okOrInvalid: rule(yes, tools, (_, { failure }) => {
    const clear =
      failure === null || (failure.code === "bad_input" && failure.error.trim() !== "" && failure.hint.trim() !== "");
    return came(clear && !/sqlite|fts5|syntax error|\bSELECT\b|\bMATCH\b/.test(failure?.error ?? ""), failure);
  }),
  noError: rule(yes, tools, (_, { failure }) => came(failure === null, failure)),
  denied: rule(z.boolean(), tools, (wanted, { failure }) => {
    const denied = failure !== null && (failure.status === "forbidden" || failure.code === "unknown_session");
    return came(denied === wanted, failure ?? "an answer");
  }),
  errorOrFlag: rule(z.enum([...errorCodes, ...meanings]), tools, (wanted, { failure, answers }) => {
    const has = (name: keyof typeof flags) => answers.some((answer) => flags[name](answer));
    return came(
      failure?.code === wanted || meanings.some((name) => name === wanted && has(name)),
      failure ?? "an answer without it",
    );
  }),
  flag: rule(z.enum(meanings), tools, (wanted, { answers }) =>
    came(
      answers.some((answer) => flags[wanted](answer)),
      "an answer without it",
    ),
  ),

  found: rule(z.boolean(), ["search_then_history"], (wanted, { hits }) =>
    came(hits.length > 0 === wanted, hits.length),
  ),
  /** Every page opens and holds its message: that is looked at with or without this key; here there has to be one. */
  allOpen: rule(yes, ["search_then_history"], (_, { opened }) => came(opened.length > 0, opened.length)),
  historyContains: rule(words, ["search_then_history"], (wanted, { opened }) => {
    const texts = opened.flatMap(({ messages }) => messages.map(textOf));
    return came(
      wanted.every((text) => texts.some((said) => said.includes(text))),
      texts,
    );
  }),

  integrity: rule(yes, tools, (_, __, { home }) => {
    const problems = integrityProblems(home);
    return came(problems.length === 0, problems);
  }),
  orphanIndexRows: rule(number, tools, (wanted, _, { home }) =>
    came(orphanIndexRows(home) === wanted, orphanIndexRows(home)),
  ),
};

/** Every key that a case may expect something with. */
export const expectationKeys: readonly string[] = Object.keys(rules);

/** Keys that say what a refusal would mean, or that a refusal answers like an empty list. */
const bearsRefusal: ReadonlySet<string> = new Set([
  ...["okOrInvalid", "denied", "errorOrFlag", "noError"],
  ...[
    "sessions",
    "includes",
    "excludes",
    "first",
    "order",
    "count",
    "minCount",
    "maxCount",
    "totalAtMost",
    "found",
    "texts",
  ],
]);
/** Refusals that have to do with what was asked; any other is a fault, whatever a case expects. */
const refusals: ReadonlySet<string> = new Set(["bad_input", "unknown_session", "unknown_message", "forbidden"]);

/** @throws {NotRun} for a key that is not known, or that says nothing about the tool. */
export function parseExpectations(raw: unknown, tool: ToolName, where: string): Expectation[] {
  const given = parsePiece(z.record(z.string(), z.unknown()), expandMacros(raw), where);
  return Object.entries(given).map(([key, wanted]) => {
    const found = Object.hasOwn(rules, key) ? rules[key] : undefined;
    if (!found) throw new NotRun(`${where}: unknown ${key}`);
    return { key, wanted, check: found.bind(wanted, tool, `${where}.${key}`) };
  });
}

/** What is wrong with an answer, one line each; empty when everything expected holds. */
export function judge(seen: Observation, expectations: readonly Expectation[], world: World): string[] {
  const { failure } = seen;
  if (seen.crash !== null) return [summary(seen)];
  if (failure !== null) {
    if (!refusals.has(failure.code)) return [`failed: ${summary(seen)}`];
    if (!expectations.some(({ key }) => bearsRefusal.has(key))) return [`refused: ${summary(seen)}`];
  }
  const wrong = seen.opened
    .filter((page) => page.crash !== null || page.failure !== null)
    .map((page) => `${page.label}: ${summary(page)}`);
  for (const { key, wanted, check } of expectations) {
    const got = check(seen, world);
    if (got !== null) wrong.push(`${key}: wanted ${show(wanted)}, came ${got}`);
  }
  return wrong;
}

function came(holds: boolean, got: unknown): string | null {
  return holds ? null : show(got);
}

function placesOf({ hits, sessions }: Observation): readonly NamedSession[] {
  return [...hits, ...sessions];
}

function keysOf(seen: Observation): string {
  const keys = placesOf(seen).map(({ sessionKey }) => sessionKey);
  return keys.length === 0 ? `nothing${seen.failure === null ? "" : `, refused: ${seen.failure.error}`}` : show(keys);
}

/** In the text of the answer, or in one of its strings: a line break or a quote looks different in JSON. */
function outputHas(seen: Observation, text: string): boolean {
  const texts = [...seen.json, ...seen.terminal];
  return (
    texts.some((output) => output.includes(text)) ||
    seen.json.some((json) => stringsOf(JSON.parse(json)).some((value) => value.includes(text))) ||
    seen.opened.some((page) => outputHas(page, text))
  );
}

function stringsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(stringsOf);
}

function toIso(time: number): string {
  return new Date(time).toISOString();
}

function show(value: unknown): string {
  const json = JSON.stringify(value) ?? String(value);
  return json.length > 300 ? `${json.slice(0, 300).toWellFormed()}…` : json;
}
