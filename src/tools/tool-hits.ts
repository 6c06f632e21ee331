/**
 * Search in tool calls and results (SPEC 3.7): the same steps as for messages, over their own index, with statistics of their
 * own, as a word that every result has may be rare in what was said.
 */
import type { Scope } from "../model/caller.ts";
import { addStatistics, noStatistics, type Statistics } from "../search/scoreboard.ts";
import type { AgentStore } from "../store/agent-store.ts";
import { toolTables } from "../store/index-tables.ts";
import { VisibleMessages } from "../store/postings.ts";
import { hasToolIndex } from "../store/tool-choice.ts";
import { type Gathered, type GatherOptions, gather } from "./gather.ts";
import type { SearchRequest } from "./search-input.ts";
import { Pool, type PoolMarks } from "./select-hits.ts";

/** What was found in one store; `traffic` is null where tools are not asked for, or not indexed. */
export interface Found {
  readonly store: AgentStore;
  readonly gathered: Gathered;
  readonly traffic: Gathered | null;
}

/** Candidates of one store; null where tools are not asked for, or not indexed there. */
export function gatherTools(
  store: AgentStore,
  request: SearchRequest,
  scope: Scope,
  options: GatherOptions,
): Gathered | null {
  if (!request.includeTools || !hasToolIndex(store.db)) return null;
  return gather(store, request.query, scope, request.filter, options, toolTables);
}

export function toolStatistics(found: readonly Found[]): Statistics {
  return found.flatMap(({ traffic }) => traffic?.statistics ?? []).reduce(addStatistics, noStatistics);
}

export function toolPools(
  found: readonly Found[],
  request: SearchRequest,
  marks: (store: AgentStore) => PoolMarks,
): Pool[] {
  const statistics = toolStatistics(found);
  return found.flatMap(({ store, traffic }) =>
    traffic ? [new Pool(store, request, traffic, statistics, marks(store))] : [],
  );
}

/** Visible tool calls and results that have each clause in any form. */
export function toolCounts(
  found: readonly Found[],
  { query, includeTools }: SearchRequest,
  scope: Scope,
): { toolsWithClause?: number[] } {
  if (!includeTools) return {};
  const counts = query.clauses.map(() => 0);
  for (const { store, traffic } of found) {
    if (traffic === null) continue;
    const messages = new VisibleMessages(store.db, scope, {}, toolTables);
    traffic.plan.clauses.forEach(({ forms }, at) => {
      counts[at] = (counts[at] ?? 0) + messages.count(forms);
    });
  }
  return { toolsWithClause: counts };
}

/** Agents named in a warning. */
const mostNamed = 5;

/** Says where tools are asked for and not indexed, and how to turn that on. */
export function withToolWarning(
  flags: { indexing?: true; warning?: string } | undefined,
  found: readonly Found[],
  { includeTools }: SearchRequest,
): { indexing?: true; warning?: string } | undefined {
  const without = includeTools ? found.filter(({ traffic }) => traffic === null) : [];
  if (without.length === 0) return flags;
  const names = without.slice(0, mostNamed).map(({ store }) => store.agentId);
  const whose = `${names.join(", ")}${without.length > mostNamed ? " and others" : ""}`;
  const warning = `Tool calls and results of ${whose} are not indexed here. The owner can turn that on with backscroll index --tools on.`;
  return { ...flags, warning: flags?.warning === undefined ? warning : `${flags.warning} ${warning}` };
}
