/** What a caller gets is what a store of only its own sessions would answer, whatever others said there (SPEC 4.4, 4.6). */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Backscroll, Caller, SearchAnswer } from "../../src/index.ts";
import { tiers } from "../../src/model/answer.ts";
import { key, message } from "../helpers/entries.ts";
import { lowerLimits } from "../helpers/lower-limits.ts";
import { temporaryHome } from "../helpers/temporary.ts";

/** Words that meet in every tier: forms, beginnings, parts, function words of four languages, other scripts. */
const words = [
  ..."kettle kettles kettled deploy deployed deployments walk walking walks the is where".split(" "),
  ..."maxRetry max_retry retry src/users.ts der ist nicht und Häuser Haus la es muy casas casa".split(" "),
  ..."les maisons maison чайник чайники и не 浇水 花 花园".split(" "),
  // Often enough side by side to be a phrase.
  ...Array.from({ length: 4 }, () => "kettle walk"),
];
const text = fc
  .tuple(fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 12 }), fc.constantFrom(1, 1, 1, 30))
  .map(([list, times]) => Array.from({ length: times }, () => list.join(" ")).join(" "));
const said = fc.record({
  text,
  isUser: fc.boolean(),
  /** Weeks, months and years apart, so that the way back through time meets gaps. */
  daysAgo: fc.constantFrom(0, 1, 2, 8, 9, 40, 400, 401, 4_000),
});
const sessions = (maxLength: number) =>
  fc.array(fc.array(said, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength });
const query = fc
  .array(fc.constantFrom(...words, "dep", "kett", "?", '"the kettle"', "-walk", "deploy OR casa", "absentword"), {
    minLength: 1,
    maxLength: 5,
  })
  .map((list) => list.join(" "));
const input = fc.record(
  {
    query,
    limit: fc.constantFrom(2, 10, 25),
    sort: fc.constantFrom("newest", "oldest"),
    match: fc.constant("all"),
    role: fc.constantFrom("user", "assistant"),
    perSession: fc.constantFrom(1, 25),
  },
  { requiredKeys: ["query"] },
);

type Said = typeof said extends fc.Arbitrary<infer Value> ? Value : never;
const now = Date.UTC(2026, 4, 1);
const day = 86_400_000;

function fill(home: Backscroll, agent: string, name: string, list: readonly (readonly Said[])[]): void {
  list.forEach((messages, at) => {
    home.store(agent).append(
      key(`${name}${at}`, agent),
      messages.map(({ text, isUser, daysAgo }, no) =>
        message(`${name}${at}-${no}`, isUser ? "user" : "assistant", text, { timestamp: now - daysAgo * day + no }),
      ),
      name === "own" && at > 0 ? { spawnedBy: key("own0", agent) } : {},
    );
  });
}

async function check(runs: number): Promise<Set<string>> {
  const [alone, crowded] = [temporaryHome({ now: () => now }), temporaryHome({ now: () => now })];
  const seen = new Set<string>();
  let agents = 0;
  await fc.assert(
    fc.asyncProperty(
      sessions(5),
      sessions(12),
      fc.boolean(),
      fc.array(input, { minLength: 4, maxLength: 8 }),
      async (own, others, isBefore, inputs) => {
        agents += 1;
        const agent = `a${agents}`;
        const me: Caller = { kind: "session", sessionKey: key("own0", agent), visibility: "tree" };
        if (isBefore) fill(crowded, agent, "other", others);
        for (const home of [alone, crowded]) fill(home, agent, "own", own);
        if (!isBefore) fill(crowded, agent, "other", others);
        for (const each of inputs) {
          const answer: SearchAnswer = await crowded.search(each, me);
          expect(answer, JSON.stringify(each)).toEqual(await alone.search(each, me));
          for (const { tier } of answer.results) seen.add(tier);
        }
      },
    ),
    { numRuns: runs },
  );
  return seen;
}

describe("a caller who sees few sessions", () => {
  test("gets the same hits, scores, tiers and explanations as in a store of those alone (SPEC 3.8, 4.4)", async () => {
    const seen = await check(60);
    expect([...seen].sort()).toEqual([...tiers].sort());
  }, 60_000);

  test("also where bounds bite: they count visible matches only (SPEC 4.5)", async () => {
    const { restore } = lowerLimits({
      candidatePostings: 4,
      newestMessages: 6,
      ranked: 5,
      neighbours: 3,
      candidates: 2,
    });
    try {
      const seen = await check(60);
      expect([...seen].sort()).toEqual([...tiers].sort());
    } finally {
      restore();
    }
  }, 60_000);
});
