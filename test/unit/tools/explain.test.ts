/** Never a silent zero (SPEC 3.8): through the public search, each reason with what a model can do about it. */
import { describe, expect, test } from "vitest";
import type { Backscroll, Caller } from "../../../src/index.ts";
import { assistant, key, user } from "../../helpers/entries.ts";
import { lowerLimits } from "../../helpers/lower-limits.ts";
import { temporaryHome } from "../../helpers/temporary.ts";

function sample(): Backscroll {
  const home = temporaryHome({ now: () => 1_760_000_000_000 + 86_400_000 });
  home
    .store("main")
    .append(key("a"), [user("m1", "the kettle boils"), assistant("m2", "kettles are hot")], { project: "/srv/tea" });
  home.store("main").append(key("b"), [user("m3", "migration of the kettle shop")], { project: "/srv/shop" });
  home.store("other").append(key("c", "other"), [user("m4", "a lid"), user("m5", "a copper lid")]);
  return home;
}

describe("nothing found", () => {
  test.each<[string, string, object]>([
    ["quoted words of which nobody said one", '"kettle absentword"', { query: "kettle absentword", messages: 3 }],
    ["a quoted word that nobody said beside another", '"absentword" boils', { query: "boils", messages: 1 }],
    ["a misspelt end: the longest beginning that was said", "migratoin", { query: "migrat*", messages: 1 }],
    ["quoted words that stand apart", '"boils kettle"', { query: "boils kettle", messages: 1 }],
    ["all that matches is left out", "boils -kettle", { query: "boils", messages: 1 }],
  ])("%s", async (_name, query, nearest) => {
    const { results, explain } = await sample().search({ query });
    expect(results).toEqual([]);
    expect(explain?.nearest).toEqual(nearest);
    const next = await sample().search({ query: explain?.nearest?.query ?? "" });
    expect(next.results.length).toBeGreaterThan(0);
    expect(explain?.hint).toContain(explain?.nearest?.query);
  });

  test("SPEC 3.8: the count of a nearest query is that of its messages, also where there are many", async () => {
    const home = temporaryHome();
    const many = Array.from({ length: 10_400 }, (_, at) => user(`m${at}`, "heron kettle"));
    home.store("main").append(key("a"), many);
    const { explain } = await home.search({ query: "heron -kettle" });
    expect(explain?.nearest).toEqual({ query: "heron", messages: 10_400 });
    const kept = (await home.search({ query: "heron role:assistant" })).explain;
    expect(kept?.removed).toEqual({ role: 10_400 });
  });

  test("SPEC 3.8: of words that nobody said, fewer are no next step", async () => {
    const { explain } = await sample().search({ query: "xylophone quux" });
    expect(explain?.hint).toContain("use other words");
    expect(explain?.hint).not.toContain("fewer words");
  });

  test("which filter kept out how many", async () => {
    const explain = async (query: string, more: object = {}) => (await sample().search({ query, ...more })).explain;
    expect((await explain("kettle role:assistant project:shop"))?.removed).toEqual({ role: 1, project: 1 });
    expect((await explain("migration", { sessionKey: key("a") }))?.removed).toEqual({ session: 1 });
    expect((await explain("lid agent:main"))?.removed).toEqual({ agent: 2 });
    expect((await explain("kettle after:1h"))?.removed).toEqual({ after: 3 });
    expect((await explain("kettle after:1h"))?.hint).toMatch(/The filter after keeps out 3 messages/);
  });

  test("nothing like it: no nearest query, and a next step", async () => {
    const { explain } = await sample().search({ query: "zzyzx" });
    expect(explain).toEqual({
      terms: [{ term: "zzyzx", messages: 0 }],
      hint: "No message that you can see has zzyzx. To find more, use other words that may have been said.",
    });
  });
});

describe("only some of the words", () => {
  test("says which words no hit has, and which were not looked for", async () => {
    const { results, explain } = await sample().search({ query: "where is the kettle of zzyzx" });
    expect(new Set(results.map(({ tier }) => tier))).toEqual(new Set(["some"]));
    expect(explain?.ignored).toEqual(["where", "is", "the", "of"]);
    expect(explain?.terms).toEqual([
      { term: "kettle", messages: 3 },
      { term: "zzyzx", messages: 0 },
    ]);
    expect(explain?.hint).toMatch(/none of these has zzyzx/);
  });

  test("also with a full answer, and not where one hit has them all", async () => {
    const home = temporaryHome();
    for (let at = 0; at < 20; at++) home.store("main").append(key(`s${at}`), [user(`m${at}`, `kettle ${at}`)]);
    expect((await home.search({ query: "kettle zzyzx" })).explain?.hint).toMatch(/none of these has zzyzx/);
    home.store("main").append(key("both"), [user("both", "kettle zzyzx")]);
    expect((await home.search({ query: "kettle zzyzx" })).explain).toBeUndefined();
  });
});

// SPEC 4.5
test("an answer for which not everything was looked through says so", async () => {
  const home = temporaryHome();
  const week = 7 * 86_400_000;
  for (let at = 0; at < 30; at++)
    home
      .store("main")
      .append(key(`s${at}`), [user(`m${at}`, `kettle ${at}`, { timestamp: 1_700_000_000_000 + at * week })]);
  expect(await home.search({ query: "kettle" })).not.toHaveProperty("bounded");
  const { restore } = lowerLimits({ candidatePostings: 5, newestMessages: 8 });
  try {
    const { bounded, warning } = await home.search({ query: "kettle" });
    expect([bounded, warning]).toEqual([true, expect.stringMatching(/only the newest messages/)]);
    expect((await home.search({ query: "kettle", sort: "oldest" })).warning).toMatch(/only the oldest messages/);
    // A rare word beside it is found, however old.
    expect((await home.search({ query: "kettle 7" })).results[0]?.messageId).toBe("m7");
  } finally {
    restore();
  }
});

// SPEC 4.4: a spelling, a count or a filter never tells of what can't be seen.
test("no hint comes from a message that the caller can't see", async () => {
  const home = sample();
  const me: Caller = { kind: "session", sessionKey: key("a"), visibility: "self" };
  for (const query of ["migratoin", "migration", "lid", "shop role:user", '"copper lid"', "migration project:shop"]) {
    const { results, explain } = await home.search({ query }, me);
    expect(results, query).toEqual([]);
    expect(explain?.nearest, query).toBeUndefined();
    expect(explain?.removed, query).toBeUndefined();
    expect(
      explain?.terms.every(({ messages }) => messages === 0),
      query,
    ).toBe(true);
  }
});
