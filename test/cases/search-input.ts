/** The words that cases search with → the input of `sessions_search`. */
import * as z from "zod";
import { NotRun } from "./not-run.ts";
import type { SessionNames } from "./session-names.ts";

/** Values go to the product as they stand: some cases ask what it does with wrong ones. */
export const anything = z.unknown().optional();

export const searchFilters = {
  sessionKey: z.string().optional(),
  /** First and last day or moment, both included. */
  since: z.string().optional(),
  until: z.string().optional(),
  tz: z.string().optional(),
  project: anything,
  role: anything,
  agent: anything,
  kind: anything,
  source: anything,
  branch: anything,
  sort: anything,
  match: anything,
  perSession: anything,
  limit: anything,
};
export const searchArgs = z.strictObject({ query: anything, ...searchFilters });
export type SearchArgs = z.infer<typeof searchArgs>;

/** @param match What a search without a `match` of its own is made with; absent: the product's default. */
export function searchInput(args: SearchArgs, names: SessionNames, match: "all" | undefined): Record<string, unknown> {
  const { sessionKey, since, until, tz, ...rest } = args;
  return {
    ...(match !== undefined && { match }),
    ...rest,
    // A name that no step wrote goes as it is: a session id of an import, or a session that is not there.
    ...(sessionKey !== undefined && { sessionKey: names.written(sessionKey) ?? sessionKey }),
    ...(since !== undefined && { after: since }),
    ...(until !== undefined && { before: endOf(until) }),
    ...(tz !== undefined && { timeZone: tz }),
  };
}

/** The moment after the last one meant: the product's `before` leaves its own moment out. */
function endOf(until: string): string {
  if (/^\d{4}-\d{2}-\d{2}$/.test(until)) {
    const day = new Date(`${until}T00:00:00Z`);
    day.setUTCDate(day.getUTCDate() + 1);
    return day.toISOString().slice(0, 10);
  }
  if (/^\d{4}-\d{2}-\d{2}T.*(?:Z|[+-]\d{2}:?\d{2})$/.test(until)) return String(Date.parse(until) + 1);
  throw new NotRun(`until: ${JSON.stringify(until)} is neither a day nor a moment with its zone`);
}
