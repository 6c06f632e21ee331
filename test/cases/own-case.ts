/** Cases of our own writing for the tests of the runner: the shortest way to one, and two sessions to ask about. */
import { type Result, runCase } from "./run-case.ts";

export type Json = Record<string, unknown>;

export interface OwnCase {
  readonly setup?: Json[];
  readonly action: Json;
  readonly expect: Json;
  readonly needs?: string[];
}

export function run(given: OwnCase): Promise<Result> {
  return runCase({ id: "own", kind: "own", level: "must", setup: [], ...given });
}

export const user = (session: string, text: string, more: Json = {}): Json => ({
  session,
  role: "user",
  text,
  ...more,
});
export const search = (query: string, more: Json = {}): Json => ({ tool: "search", args: { query, ...more } });
export const history = (sessionKey: string, more: Json = {}): Json => ({
  tool: "history",
  args: { sessionKey, ...more },
});

/** Two sessions of two agents; the second was started by the first, whose title is set. */
export const bakery: Json[] = [
  user("loaf", "The rye starter is fed at six.", { id: "m1", time: "2026-02-01T06:00:00Z", project: "shop/oven" }),
  { session: "loaf", role: "assistant", text: "Rye noted.", id: "m2", time: "2026-02-01T06:00:00Z" },
  user("crumb", "Rye crumbs go to the hens.", {
    id: "m3",
    time: "2026-02-01T06:00:00Z",
    parent: "loaf",
    agent: "yard",
  }),
  { op: "set_title", session: "loaf", title: "Ledger of loaves" },
];
