/**
 * What one call gave: the answer as it leaves the program (through JSON and back), or the refusal, or the crash. The
 * expectations look at nothing else, so the same ones hold for every interface.
 */
import * as z from "zod";
import { BackscrollError, type Failure, toFailure } from "../../src/index.ts";

const hit = z.looseObject({
  sessionKey: z.string(),
  sessionId: z.string(),
  messageId: z.string(),
  /** Epoch ms. */
  timestamp: z.number(),
  role: z.string(),
  snippet: z.string(),
  spawnedBy: z.string().optional(),
});
export type SeenHit = z.infer<typeof hit>;

const message = z.looseObject({
  messageId: z.string(),
  timestamp: z.number(),
  content: z.array(z.looseObject({ type: z.string(), text: z.string().optional() })),
});
export type SeenMessage = z.infer<typeof message>;

const marker = z.literal(true).optional();
const answer = z.looseObject({
  results: z.array(hit).default([]),
  messages: z.array(message).default([]),
  sessions: z.array(z.looseObject({ sessionKey: z.string() })).default([]),
  truncated: marker,
  bounded: marker,
  indexing: marker,
  hasOlder: marker,
  hasNewer: marker,
  older: z.string().optional(),
  explain: z.looseObject({ emptyStore: marker }).optional(),
});
export type SeenAnswer = z.infer<typeof answer>;

export const tools = ["search", "search_then_history", "history", "history_all_pages", "list", "cli_search"] as const;
export type ToolName = (typeof tools)[number];

export interface Observation {
  readonly tool: ToolName;
  /** The call, for a reader. */
  readonly label: string;
  /** Milliseconds of the judged call. */
  readonly ms: number;
  /** Each answer as JSON text, in order of the calls; one, but for paging. */
  readonly json: readonly string[];
  readonly failure: Failure | null;
  /** Something that is neither an answer nor a clear refusal. */
  readonly crash: string | null;
  readonly answers: readonly SeenAnswer[];
  readonly hits: readonly SeenHit[];
  /** In reading order, pages put together. */
  readonly messages: readonly SeenMessage[];
  readonly sessions: SeenAnswer["sessions"];
  /** History pages opened at each hit. */
  readonly opened: readonly Observation[];
  /** What a terminal showed. */
  readonly terminal: readonly string[];
}

/** What the one list of an answer is called, by tool: an answer without it is none. */
const lists = {
  search: "results",
  search_then_history: "results",
  cli_search: "results",
  history: "messages",
  history_all_pages: "messages",
  list: "sessions",
} as const satisfies Record<ToolName, keyof SeenAnswer>;

/** Runs a call and takes down what came. Never throws for what the product does. */
export async function observe(tool: ToolName, label: string, call: () => Promise<unknown>): Promise<Observation> {
  const start = performance.now();
  const none = {
    tool,
    label,
    failure: null,
    crash: null,
    answers: [],
    hits: [],
    messages: [],
    sessions: [],
    opened: [],
    terminal: [],
  };
  try {
    const came = await call();
    const ms = performance.now() - start;
    return { ...none, ms, ...read(tool, JSON.stringify(came)) };
  } catch (error) {
    const ms = performance.now() - start;
    if (!(error instanceof BackscrollError))
      return { ...none, ms, json: [], crash: error instanceof Error ? (error.stack ?? error.message) : String(error) };
    const failure = toFailure(error);
    return { ...none, ms, json: [JSON.stringify(failure)], failure };
  }
}

const failure = z.strictObject({
  status: z.enum(["error", "forbidden"]),
  error: z.string(),
  code: z.string(),
  hint: z.string(),
});

/** The fields of an observation that an answer's JSON text gives; also for answers that came through another process. */
export function read(
  tool: ToolName,
  json: string,
): Pick<Observation, "json" | "crash" | "failure" | "answers" | "hits" | "messages" | "sessions"> {
  const none = { json: [json], crash: null, failure: null, answers: [], hits: [], messages: [], sessions: [] };
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    return { ...none, crash: `not JSON (${error instanceof Error ? error.message : error}): ${json.slice(0, 200)}` };
  }
  const refused = failure.safeParse(value);
  if (refused.success) return { ...none, failure: refused.data as Failure };
  const seen = answer.safeParse(value);
  if (!seen.success || typeof value !== "object" || value === null || !(lists[tool] in value)) {
    return {
      ...none,
      crash: `not an answer of ${tool}: ${seen.error?.issues[0]?.message ?? `no ${lists[tool]}`} in ${json.slice(0, 200)}`,
    };
  }
  const { results, messages, sessions } = seen.data;
  return { ...none, answers: [seen.data], hits: results, messages, sessions };
}

/** What a message says: its text parts, one a line. */
export function textOf(message: SeenMessage): string {
  return message.content
    .filter(({ type }) => type === "text")
    .map(({ text }) => text ?? "")
    .join("\n");
}

/** Items of the answer: hits, messages or sessions. */
export function countOf({ hits, messages, sessions }: Observation): number {
  return hits.length + messages.length + sessions.length;
}

/** The start of what came, for a reader of a failure. */
export function summary(seen: Observation): string {
  if (seen.crash !== null) return `crash: ${seen.crash.split("\n").slice(0, 4).join("\n")}`;
  const json = seen.json.join(" ");
  return json.length > 400 ? `${json.slice(0, 400).toWellFormed()}… (${json.length} characters)` : json;
}
