import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { limits } from "../../../src/limits.ts";
import type { Explain } from "../../../src/model/answer.ts";
import { jsonBytes } from "../../../src/respond/bound.ts";
import type { ExplainCounts } from "../../../src/tools/explain-counts.ts";
import { explainSearch } from "../../../src/tools/explain-search.ts";
import { readSearchInput, type SearchInput } from "../../../src/tools/search-input.ts";

const context = { now: () => 0, timeZone: () => "UTC" };

const nothing = { messages: 50, removed: new Map(), nearest: null };

/** @param withClause Messages that have each part of the query; null for a function word that need not match. */
function explain(
  query: string,
  withClause: readonly (number | null)[],
  hits = 0,
  given: Partial<SearchInput> = {},
  more: Partial<ExplainCounts> & { missing?: readonly number[] } = {},
): Explain {
  const request = readSearchInput({ query, ...given }, context);
  const { missing = null, ...counts } = more;
  return explainSearch(request, { ...nothing, withClause, ...counts }, { count: hits, missing });
}

// SPEC 3.8
describe("no hit", () => {
  test("names per term how many visible messages have it", () => {
    expect(explain('kettle "copper lid" urn OR lamp', [4, 0, 9]).terms).toEqual([
      { term: "kettle", messages: 4 },
      { term: '"copper lid"', messages: 0 },
      { term: "urn OR lamp", messages: 9 },
    ]);
  });

  test("names what was ignored and which filters are in force", () => {
    const { ignored, filters } = explain("kettle ??? role:user role:assistant", [4], 0, { project: "shop" });
    expect(ignored).toEqual(["???", "role:user"]);
    expect(filters).toEqual({ role: "assistant", project: "shop" });
    expect(explain("kettle", [4])).not.toHaveProperty("ignored");
    expect(explain("where is kettle", [null, null, 4])).toMatchObject({
      terms: [{ term: "kettle", messages: 4 }],
      ignored: ["where", "is"],
    });
    expect(explain("kettle", [4])).not.toHaveProperty("filters");
  });

  test.each<[string, readonly number[], RegExp]>([
    ["kettle lid", [4, 0], /^No message that you can see has lid\. To find more, use fewer words\.$/],
    ["kettle lid", [0, 0], /^No message that you can see has kettle, lid\. To find more/],
    ["kettle", [0], /^No message that you can see has kettle\. To find more, use other words/],
    ["kettle lid", [4, 4], /has this together\. .*use fewer words/],
    ["kettle lid role:user after:7d", [4, 4], /leave out a filter \(role, after\)/],
    ["rm -rf build", [4, 4], /in quotes \(-rf\)/],
    ["kettle after:walnut", [4, 0], /after:walnut makes no sense as a filter/],
    ["???", [], /no letter or digit/],
    ["role:user after:7d", [], /nothing but filters \(role, after\)/],
  ])("%s, found in %j: the next step", (query, withClause, hint) => {
    expect(explain(query, withClause).hint).toMatch(hint);
  });

  test("names a query that finds something, and what each filter keeps out", () => {
    const counts = { removed: new Map([["role", 3]] as const), nearest: { query: "kettle", messages: 4 } };
    const { hint, nearest, removed } = explain("kettle lid role:user", [4, 0], 0, {}, counts);
    expect(hint).toBe("No message that you can see has lid. Nearest: search again for kettle (4 messages).");
    expect([nearest, removed]).toEqual([{ query: "kettle", messages: 4 }, { role: 3 }]);
    const without = { nearest: { query: "kettle", without: "role", messages: 1 } } as const;
    expect(explain("kettle role:user", [4], 0, {}, without).hint).toMatch(
      /The filter role keeps out 1 message: search again without it\.$/,
    );
    expect(explain("kettle role:user", [4], 1, {}, { removed: new Map([["role", 3]] as const) }).hint).toMatch(
      /leave out a filter \(role: 3 more without it\)/,
    );
  });

  test("where every word had to match, says so", () => {
    expect(explain("kettle lid", [4, 4], 0, { match: "all" }).hint).toMatch(
      /has all of these words\. .*leave out match/,
    );
  });

  test("a long query's hint names the first few", () => {
    const words = Array.from({ length: 20 }, (_, at) => `word${at}`);
    const { hint } = explain(
      words.join(" "),
      words.map(() => 0),
    );
    expect(hint).toContain("word0, word1, word2, word3, word4, …");
  });
});

// SPEC 3.8: an empty store says so.
test("an empty store", () => {
  const request = readSearchInput({ query: "kettle role:user" }, context);
  const empty = explainSearch(request, { ...nothing, messages: 0, withClause: [0] }, { count: 0, missing: null });
  expect(empty).toMatchObject({ emptyStore: true, hint: expect.stringContaining("nothing to search yet") });
  expect(explain("kettle", [0])).not.toHaveProperty("emptyStore");
});

describe("one or two hits", () => {
  test.each<[string, RegExp]>([
    ["kettle", /^To find more, use other words/],
    ["kettle lid", /^To find more, use fewer words\.$/],
    ["kettle lid role:user", /^To find more, leave out a filter \(role\), or use fewer words\.$/],
  ])("%s: the next step", (query, hint) => {
    expect(explain(query, [4, 4], 2).hint).toMatch(hint);
  });

  test("that have only some of the words say which words none has", () => {
    expect(explain("kettle lid", [4, 0], 2, {}, { missing: [1] }).hint).toMatch(
      /^No message found has all the words: none of these has lid\. To find more/,
    );
    expect(explain("kettle lid", [4, 4], 2, {}, { missing: [] }).hint).toMatch(
      /^No message found has all the words; each of these has some/,
    );
    expect(explain("kettle lid", [4, 0], 10, {}, { missing: [1] }).hint).toBe(
      "No message found has all the words: none of these has lid.",
    );
  });

  test("that were all that was asked for need none", () => {
    expect(explain("kettle", [4], 1, { limit: 1 })).not.toHaveProperty("hint");
  });
});

// SPEC 7.1: the explanation is a part of an answer of 32 KiB.
test("no query and no filter makes it larger than an answer", () => {
  const units = fc.constantFrom(
    "漢",
    "\u0001",
    "\uD800",
    '"',
    "\\",
    "a",
    " ",
    " 漢",
    " ?",
    " 、",
    " -bb",
    " OR ",
    "after:x",
    "🍐",
  );
  const query = fc
    .array(units, { minLength: 1, maxLength: 12, size: "max" })
    .map((list) => list.join("").repeat(4_096).slice(0, limits.queryLength.default))
    .filter((text) => text.trim() !== "");
  const value = fc.constantFrom("漢".repeat(1_024), "\u0001".repeat(1_024), "\\".repeat(1_024));
  fc.assert(
    fc.property(query, value, fc.constantFrom(0, 1), fc.constantFrom(0, 2), (text, long, count, hits) => {
      const given = { project: long, branch: long, sessionKey: long, source: long.slice(0, 32) };
      const request = readSearchInput({ query: text, ...given }, context);
      const withClause = request.query.clauses.map((_, at) => (at % 2) * count);
      const nearest = { query: text, messages: count };
      const bytes = jsonBytes(
        explainSearch(
          request,
          { ...nothing, withClause, nearest },
          { count: hits, missing: withClause.map((_, at) => at) },
        ),
      );
      expect(bytes).toBeLessThan(limits.searchBytes.default - 4_096);
    }),
    { numRuns: 500 },
  );
});

test("what is shown is well formed, on one line, and cut between characters", () => {
  const { terms } = explain(`a\u0007${"👩‍🌾".repeat(60)}\uD800`, [0]);
  const [{ term = "" } = {}] = terms;
  expect(term.isWellFormed()).toBe(true);
  expect(term).toMatch(/^a 👩‍🌾.*👩‍🌾…$/u);
  expect(term.length).toBeLessThanOrEqual(120);
});
