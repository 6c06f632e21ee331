/** A line of `queries.jsonl` (SPEC 12.1): what is asked, as whom and when, and which messages or sessions answer it. */
import * as z from "zod";
import {
  type Caller,
  owner,
  parseAgentId,
  parseSessionKey,
  sessionKeyOf,
  toAgentId,
  visibilityModes,
} from "../src/index.ts";

/** Something wrong with what was given: said to the person, without a stack. */
export class BadInput extends Error {}

const time = z.union([z.number(), z.string()]).transform((value, context) => {
  const ms = typeof value === "number" ? value : Date.parse(value);
  if (Number.isFinite(ms)) return ms;
  context.addIssue({ code: "custom", message: "is no time: use ISO 8601 or epoch milliseconds" });
  return z.NEVER;
});

const asked = z
  .strictObject({
    agentId: z.string().optional(),
    sessionKey: z.string().optional(),
    visibility: z.enum(visibilityModes).default("agent"),
  })
  .transform(({ agentId, sessionKey, visibility }, context): Caller => {
    const parsed = sessionKey === undefined ? null : parseSessionKey(sessionKey);
    if (parsed) return { kind: "session", sessionKey: parsed.key, visibility };
    if (sessionKey === undefined && agentId !== undefined && parseAgentId(agentId) !== null)
      return callerOf(agentId, visibility);
    context.addIssue({ code: "custom", message: "needs an agentId or a sessionKey that is one" });
    return z.NEVER;
  });

const line = z.object({
  id: z.string().min(1),
  kind: z.string().min(1),
  query: z.string().min(1),
  /** Fixes the clock, for `yesterday` and the like. */
  now: time.optional(),
  /** The caller; the owner without it. */
  as: asked.optional(),
  /** Empty: nothing must be found with confidence. */
  relevant: z.array(
    z.object({
      sessionKey: z.string().min(1),
      messageId: z.string().min(1).optional(),
      grade: z.number().nonnegative().default(1),
    }),
  ),
  /** Part of the set, for instance `tune` and `held-out`. */
  split: z.string().optional(),
});

export type JudgedQuery = z.infer<typeof line>;
export type Relevant = JudgedQuery["relevant"][number];

/** An agent in a session that is not in the store, so that nothing in the store is its own. */
export function callerOf(agentId: string, visibility: "self" | "tree" | "agent" | "all" = "agent"): Caller {
  return { kind: "session", sessionKey: sessionKeyOf(toAgentId(agentId), "eval"), visibility };
}

/** The caller of a query: the query's own, that of the run, or the owner. */
export function askerOf({ as }: JudgedQuery, asker?: Caller): Caller {
  return as ?? asker ?? owner;
}

/** @throws {BadInput} that names file and line. */
export function readQueries(text: string, file: string): JudgedQuery[] {
  const queries: JudgedQuery[] = [];
  const seen = new Map<string, number>();
  text.split("\n").forEach((raw, at) => {
    if (raw.trim() === "") return;
    const bad = (reason: string) => new BadInput(`${file}, line ${at + 1}: ${reason}`);
    let value: unknown;
    try {
      value = JSON.parse(raw);
    } catch (error) {
      throw bad(`not JSON: ${error instanceof Error ? error.message : error}`);
    }
    const parsed = line.safeParse(value);
    if (!parsed.success) {
      const reasons = parsed.error.issues.map(({ path, message }) => `${path.join(".") || "the line"}: ${message}`);
      throw bad(reasons.join("; "));
    }
    const before = seen.get(parsed.data.id);
    if (before !== undefined) throw bad(`id ${JSON.stringify(parsed.data.id)} is that of line ${before} too`);
    seen.set(parsed.data.id, at + 1);
    queries.push(parsed.data);
  });
  if (queries.length === 0) throw new BadInput(`${file}: holds no query`);
  return queries;
}
