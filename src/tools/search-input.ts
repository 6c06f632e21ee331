/** Input of `sessions_search`: parameters and the filters that stand in the query, brought together and given meaning. */
import * as z from "zod";
import { BackscrollError } from "../errors.ts";
import { limits } from "../limits.ts";
import { parseAgentId } from "../model/ids.ts";
import { type Role, sessionKinds } from "../model/transcript.ts";
import { type FilterName, type Filters, filterNames, parseQuery, type Query } from "../search/query.ts";
import { isTimeZone, parseWhen } from "../search/when.ts";
import type { MessageFilter } from "../store/postings.ts";
import { type ToolContext, within, words } from "./tool.ts";

const spokenRoles = ["user", "assistant"] as const;

export const searchInput = z.strictObject({
  query: z
    .string("use a text")
    .max(
      limits.queryLength.default,
      `use at most ${limits.queryLength.default} characters; a few words of what was said are best`,
    )
    .refine((text) => text.trim() !== "", "must hold at least one word")
    .describe(
      'Words that were said, or a question; "an exact phrase", word*, -word, OR; filters such as role:user project:shop after:7d.',
    ),
  sessionKey: words().optional().describe("Search in one session only: its key or session id."),
  limit: within("searchLimit")
    .optional()
    .describe(`Most hits in the answer; ${limits.searchLimit.default} unless given.`),
  perSession: within("perSession")
    .optional()
    .describe(`Most hits of one session; ${limits.perSession.default} unless given.`),
  agent: words(64).optional().describe("Agent id."),
  project: words().optional().describe("Folder that the work was in: its path, its last parts, or a folder above it."),
  role: z.enum(spokenRoles, "use user or assistant").optional().describe("Who said it."),
  source: words(32).optional().describe("Program that the transcript came from, for instance claude-code."),
  kind: z
    .enum(sessionKinds, `use one of ${sessionKinds.join(", ")}`)
    .optional()
    .describe("Kind of session."),
  branch: words().optional().describe("Git branch."),
  after: words(40)
    .optional()
    .describe("Said at or after this time: 2026-03-01, 2026-03-01T14:00, 7d, 12h, today, yesterday."),
  before: words(40).optional().describe("Said before this time; forms as for after."),
  timeZone: words(64).optional().describe("IANA time zone in which dates are meant."),
  sort: z.enum(["relevance", "newest", "oldest"], "use relevance, newest or oldest").optional(),
  match: z
    .enum(["all"], "use all")
    .optional()
    .describe("all: only messages that have every word, as it is or as part of a name. Else looser matches fill up."),
  includeTools: z
    .boolean("use true or false")
    .optional()
    .describe("Also tool calls and results (paths, commands, error lines), where this store indexes them."),
  waitMs: within("waitMs").optional().describe("How long to wait for indexing to catch up."),
});
export type SearchInput = z.infer<typeof searchInput>;

export interface SearchRequest {
  readonly query: Query;
  readonly filter: MessageFilter;
  readonly agent?: string;
  /** Session key or id, not yet resolved. */
  readonly session?: string;
  readonly sort: "relevance" | "newest" | "oldest";
  /** Only what has all words. */
  readonly isAll: boolean;
  /** The words as typed, without filters, and the zone in which dates in them are meant. */
  readonly text: string;
  readonly timeZone: () => string;
  readonly limit: number;
  readonly perSession: number;
  /** Also what tool calls and results say. */
  readonly includeTools: boolean;
  /** Filters in force, for the answer. */
  readonly filters: Filters;
}

/** @throws {BackscrollError} `bad_input` for a time or time zone that makes no sense. */
export function readSearchInput(input: SearchInput, context: Pick<ToolContext, "now" | "timeZone">): SearchRequest {
  const { timeZone } = input;
  if (timeZone !== undefined && !isTimeZone(timeZone)) {
    throw new BackscrollError(
      "bad_input",
      `sessions_search: timeZone: ${JSON.stringify(timeZone)} is not a time zone`,
      "Use an IANA name such as Europe/Berlin.",
    );
  }
  const when = (value: string) => parseWhen(value, context.now(), timeZone ?? context.timeZone());
  const query = parseQuery(input.query, (name, value) => isMeaningful(name, value, when));
  const { query: _, sessionKey, limit, perSession, sort, match, includeTools, ...rest } = input;
  const given: Record<string, unknown> = { ...rest, session: sessionKey };
  const filters: { [name in FilterName]?: string } = { ...query.filters };
  for (const name of filterNames) {
    const value = given[name];
    if (typeof value !== "string") continue;
    if (!isMeaningful(name, value, when)) {
      throw new BackscrollError(
        "bad_input",
        `sessions_search: ${name}: ${JSON.stringify(value)} makes no sense here`,
        mend[name] ?? "Leave it out.",
      );
    }
    filters[name] = value;
  }
  const after = filters.after === undefined ? null : when(filters.after);
  const before = filters.before === undefined ? null : when(filters.before);
  const { agent, session, project, source, kind, branch, role } = filters;
  return {
    query,
    filter: {
      ...(project !== undefined && { project }),
      ...(source !== undefined && { source }),
      ...(kind !== undefined && { kind }),
      ...(branch !== undefined && { branch }),
      ...(role !== undefined && { role: role as Role }),
      ...(after !== null && { after }),
      ...(before !== null && { before }),
    },
    ...(agent !== undefined && { agent }),
    ...(session !== undefined && { session }),
    sort: sort ?? "relevance",
    isAll: match === "all",
    text: query.clauses.flatMap((clause) => clause.map((term) => term.text)).join(" "),
    // Asked for only where a date is named: it takes as long as a search.
    timeZone: () => timeZone ?? context.timeZone(),
    // One session asked for: the cap per session would only hide what was asked for.
    perSession: perSession ?? (session === undefined ? limits.perSession.default : limits.searchLimit.max),
    limit: limit ?? limits.searchLimit.default,
    includeTools: includeTools ?? false,
    filters,
  };
}

const times = "Use 2026-03-01, 2026-03-01T14:00, 7d, 12h, today or yesterday.";
const mend: Partial<Record<FilterName, string>> = {
  after: times,
  before: times,
  agent: "Agent ids are 1 to 64 characters of a-z, 0-9, _ and -.",
};

function isMeaningful(name: FilterName, value: string, when: (value: string) => number | null): boolean {
  if (name === "after" || name === "before") return when(value) !== null;
  if (name === "role") return (spokenRoles as readonly string[]).includes(value);
  if (name === "kind") return (sessionKinds as readonly string[]).includes(value);
  if (name === "agent") return parseAgentId(value) !== null;
  return value.trim() !== "";
}
