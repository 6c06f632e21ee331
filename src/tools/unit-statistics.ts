/** How many visible messages have each unit of a query, and how many there are (SPEC 4.4). */
import type { Scope } from "../model/caller.ts";
import type { Scoreboard, Statistics, UnitStatistics } from "../search/scoreboard.ts";
import type { AgentStore } from "../store/agent-store.ts";
import type { IndexTables } from "../store/index-tables.ts";
import { totalsOf, VisibleMessages } from "../store/postings.ts";
import { countedUpTo, type LookedUp } from "./looked-up.ts";

/** Filters don't count here: what a word is worth is the same with and without. */
export function statisticsOf(
  { db }: AgentStore,
  scope: Scope,
  units: readonly LookedUp[],
  board: Scoreboard,
  isFiltered: boolean,
  tables: IndexTables,
): Statistics {
  const all = new VisibleMessages(db, scope, {}, tables);
  const totals = totalsOf(db, scope, tables);
  const count = ({ unit, at, count: counted, exact, docs }: LookedUp): UnitStatistics => {
    const forms = isFiltered || counted === null ? all.count(unit.forms, countedUpTo) : counted;
    const isListed = !isFiltered && counted === docs.length;
    // Of a common word it makes no difference.
    const isSame = unit.exact === unit.forms || counted === null;
    const asTyped = isSame ? forms : isListed ? exact.size : all.count(unit.exact, countedUpTo);
    const transcripts = counted === docs.length ? board.transcriptsWith(at) : Math.min(totals.transcripts, forms);
    return { exact: asTyped, forms, transcripts };
  };
  return { ...totals, units: units.map(count) };
}
