/** Calls: the tool of an action, or of a step in a sequence, with its arguments and its caller. */
import * as z from "zod";
import { owner } from "../../src/index.ts";
import { type Asking, history, historyAllPages, search, searchThenHistory } from "./ask.ts";
import { cliSearch, cliSearchArgs } from "./cli-search.ts";
import { visibilities } from "./features.ts";
import { expandMacros } from "./macros.ts";
import { NotRun, parsePiece } from "./not-run.ts";
import { type Observation, observe } from "./observation.ts";
import { anything, searchArgs, searchFilters } from "./search-input.ts";

const session = { sessionKey: z.string(), limit: anything };
const whole = z.int().min(0).optional();
const as = z
  .strictObject({
    session: z.string(),
    visibility: z.enum(visibilities),
    sandboxed: z.literal(false, "sandboxed callers are not supported").optional(),
  })
  .optional();

const eachArgs = z.strictObject({
  queries: z.array(z.unknown()).min(1),
  limits: z.array(z.unknown()).min(1).optional(),
  ...searchFilters,
});
const historyArgs = z
  .strictObject({
    ...session,
    around: z.string().optional(),
    before: whole,
    after: whole,
    includeTools: anything,
    includeThinking: anything,
  })
  .refine(({ before, after }) => before === after, "before and after have to be equal")
  .refine(({ around, before }) => before === undefined || around !== undefined, "before and after need around");
const pagesArgs = z.strictObject({ ...session, appendBetweenPages: z.array(z.string()).optional() });
const listArgs = z.strictObject({
  /** Part of the title. */
  query: anything,
  limit: anything,
  project: anything,
  kind: anything,
  source: anything,
  agent: anything,
});

const call = z.discriminatedUnion("tool", [
  z.strictObject({ tool: z.literal("search"), args: searchArgs, as }),
  z.strictObject({ tool: z.literal("search_each"), args: eachArgs, as }),
  z.strictObject({ tool: z.literal("search_then_history"), args: searchArgs, as }),
  z.strictObject({ tool: z.literal("history"), args: historyArgs, as }),
  z.strictObject({ tool: z.literal("history_all_pages"), args: pagesArgs, as }),
  z.strictObject({ tool: z.literal("list"), args: listArgs, as }),
  // The command speaks for the owner alone.
  z.strictObject({ tool: z.literal("cli_search"), args: cliSearchArgs }),
]);
export type Call = z.infer<typeof call>;

const known: ReadonlySet<unknown> = new Set(call.options.flatMap((option) => [...option.shape.tool.values]));

/** @throws {NotRun} */
export function parseCall(raw: unknown, where: string): Call {
  const tool = typeof raw === "object" && raw !== null && "tool" in raw ? raw.tool : undefined;
  if (!known.has(tool)) throw new NotRun(`${where}: the tool ${tool}`);
  return parsePiece(call, expandMacros(raw), where);
}

/** One observation per question; each has to meet what is expected. */
export async function runCall(call: Call, manner: Omit<Asking, "caller">): Promise<Observation[]> {
  const { world } = manner;
  if (call.tool === "cli_search") return [await cliSearch(call.args, world)];
  const { as } = call;
  const caller = as
    ? { kind: "session" as const, sessionKey: world.names.of(as.session), visibility: as.visibility }
    : owner;
  const asking = { ...manner, caller };
  switch (call.tool) {
    case "search":
      return [await search(call.args, asking)];
    case "search_each": {
      const { queries, limits, ...rest } = call.args;
      const seen: Observation[] = [];
      for (const query of queries) {
        for (const limit of limits ?? [rest.limit]) {
          seen.push(await search({ ...rest, query, ...(limit !== undefined && { limit }) }, asking));
        }
      }
      return seen;
    }
    case "search_then_history":
      return [await searchThenHistory(call.args, asking)];
    case "history":
      return [await history(call.args, asking)];
    case "history_all_pages":
      return [await historyAllPages(call.args, asking)];
    case "list": {
      const { query, ...rest } = call.args;
      const input = { ...rest, ...(query !== undefined && { title: query }) };
      return [await observe("list", `list ${JSON.stringify(call.args)}`, () => world.store.sessions(input, caller))];
    }
  }
}
