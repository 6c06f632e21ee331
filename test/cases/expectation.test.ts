/** Each expectation on trial: it holds for what it should, and really fails for what it should. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BackscrollError } from "../../src/index.ts";
import { expectationKeys, judge, parseExpectations } from "./expectation.ts";
import { observe } from "./observation.ts";
import { bakery, history, type Json, run, search, user } from "./own-case.ts";
import { World } from "./world.ts";

const pages = { tool: "history_all_pages", args: { sessionKey: "loaf", limit: 1 } };
const opened = { tool: "search_then_history", args: { query: "starter" } };
const refused = search("");

/**
 * Per key: an action, a value that holds for it and one that does not, and where that needs one, another action to fail
 * on. Undefined where no message can make it fail: `judge` below and inspect-store.test.ts do.
 */
const trials: Record<string, readonly [action: Json, holds: unknown, fails: unknown, failsOn?: Json][]> = {
  sessions: [
    [search("rye"), ["loaf", "crumb"], ["loaf"]],
    [search("hens"), ["crumb"], ["crumb", "loaf"]],
  ],
  includes: [[search("rye"), ["crumb"], ["crumb", "nobody"]]],
  excludes: [[search("hens"), ["loaf"], ["nobody", "crumb"]]],
  first: [[search("starter"), "loaf", "crumb"]],
  order: [
    [search("rye"), ["loaf", "crumb"], ["crumb", "loaf"]],
    [search("hens"), ["crumb"], ["crumb", "loaf"]],
  ],
  count: [
    [search("rye"), 3, 2],
    [history("loaf"), 2, 3],
    [{ tool: "list", args: {} }, 5, 2],
    [refused, 0, 1],
  ],
  minCount: [[search("rye"), 3, 4]],
  maxCount: [[search("rye"), 3, 2]],
  totalAtMost: [
    [history("loaf", { limit: 1 }), 2, 1],
    [search("rye"), 3, 2],
  ],
  hasMore: [
    [history("loaf", { limit: 1 }), true, false],
    [search("rye", { limit: 1 }), true, false],
    [search("hens"), false, true],
  ],
  texts: [
    [history("loaf"), ["The rye starter is fed at six.", "Rye noted."], ["Rye noted."]],
    [
      history("loaf"),
      ["The rye starter is fed at six.", "Rye noted."],
      ["Rye noted.", "The rye starter is fed at six."],
    ],
  ],
  firstText: [[pages, "The rye starter is fed at six.", "Rye noted."]],
  lastText: [[pages, "Rye noted.", "The rye starter is fed at six."]],
  ascending: [[history("loaf"), true, true, history("late")]],
  mustInclude: [[history("loaf"), ["Rye noted."], ["Rye noted.", "Wheat noted."]]],
  noDuplicates: [
    [search("rye"), true, true, search("echo", { sort: "oldest" })],
    [history("loaf"), true, true, history("echo")],
  ],
  snippetContains: [[search("rye"), ["hens", "noted"], ["hens", "geese"]]],
  snippetNotContains: [[search("rye"), ["geese"], ["geese", "hens"]]],
  firstSnippetContains: [
    [search("starter"), "fed at six", "hens"],
    [search("starter"), ["rye", "six"], ["rye", "noted"]],
  ],
  maxSnippet: [[search("starter"), 30, 29]],
  hitHas: [[search("starter"), ["snippet", "project", "title"], ["snippet", "weather"]]],
  allTimes: [
    [search("rye"), "2026-02-01T06:00:00.000Z", "2026-02-01T06:00:01.000Z"],
    [history("loaf"), "2026-02-01T06:00:00Z", "2026-02-01T06:00:01Z"],
  ],
  parentOfFirst: [[search("hens"), "loaf", "crumb"]],
  outputContains: [
    [{ tool: "list", args: { query: "loaves" } }, ["Ledger of loaves"], ["Ledger of loaves", "hens"]],
    [search("quoted"), ['a "quoted" word'], ["a 'quoted' word"]],
  ],
  outputNotContains: [
    [search("starter"), ["hens"], ["fed at six"]],
    [search("quoted"), ["a 'quoted' word"], ['a "quoted" word']],
    [opened, ["hens"], ["Rye noted."]],
  ],
  stdoutNotContains: [[{ tool: "cli_search", args: { query: "starter" } }, ["hens"], ["fed at six"]]],
  wellFormed: [[search("rye"), true, undefined]],
  maxBytes: [[history("loaf"), 2000, 100]],
  pageMaxBytes: [[pages, 1000, 100]],
  maxMs: [[search("rye"), 10_000, 0]],
  okOrInvalid: [
    [refused, true, true, search("rye", { sessionKey: "nobody" })],
    [search("rye"), true, true, history("nobody")],
  ],
  noError: [[search("absent"), true, true, refused]],
  denied: [
    [history("nobody"), true, true, history("loaf")],
    [history("loaf"), false, false, history("nobody")],
    [history("nobody"), true, true, refused],
  ],
  errorOrFlag: [
    [history("nobody"), "unknown_session", "bad_input"],
    [search("rye", { limit: 1 }), "truncated", "empty_store"],
  ],
  flag: [[search("rye", { limit: 1 }), "truncated", "empty_store"]],
  found: [
    [opened, true, false],
    [{ tool: "search_then_history", args: { query: "absent" } }, false, true],
  ],
  allOpen: [[opened, true, true, { tool: "search_then_history", args: { query: "absent" } }]],
  historyContains: [[opened, ["Rye noted."], ["Rye noted.", "hens"]]],
  integrity: [[search("rye"), true, undefined]],
  orphanIndexRows: [[search("rye"), 0, 1]],
};

/** What the actions to fail on speak of. */
const odd: Json[] = [
  user("late", "a later time first", { time: "2026-02-02T06:00:00Z" }),
  user("late", "an earlier time next", { time: "2026-02-01T06:00:00Z" }),
  user("echo", "again, an echo"),
  { session: "echo", role: "assistant", text: "again, an echo" },
  user("quote", 'a "quoted" word'),
];

describe("expectations", () => {
  test("every key is on trial", () => {
    expect(Object.keys(trials).sort()).toEqual([...expectationKeys].sort());
  });

  const rows = Object.entries(trials).flatMap(([key, all]) => all.map((trial, at) => ({ key, at, trial })));
  test.each(rows)(
    "$key holds and fails as it should ($at)",
    async ({ key, trial: [action, holds, fails, failsOn] }) => {
      const setup = [...bakery, ...odd];
      expect((await run({ setup, action, expect: { [key]: holds } })).reasons).toEqual([]);
      if (fails === undefined) return;
      const failed = await run({ setup, action: failsOn ?? action, expect: { [key]: fails } });
      expect(failed.outcome).toBe("failed");
      expect(failed.reasons.join("\n")).toContain(`${key}: wanted ${JSON.stringify(fails)}`);
    },
  );

  test("all given keys must hold, and each that does not is named", async () => {
    const { outcome, reasons } = await run({
      setup: bakery,
      action: search("rye"),
      expect: { count: 3, first: "x", maxCount: 1 },
    });
    expect(outcome).toBe("failed");
    expect(reasons.join()).toMatch(/first: wanted "x".*maxCount: wanted 1, came 3/s);
    expect(reasons.join()).not.toContain("count: wanted 3");
  });

  test("an answer that is refused does not pass for an empty one where nothing was counted", async () => {
    const quiet = { action: history("nobody"), expect: { outputNotContains: ["hens"], maxBytes: 9999 } };
    expect((await run(quiet)).reasons.join()).toContain("refused");
  });

  test("a search that is refused has no hits", async () => {
    expect(
      (
        await run({
          setup: bakery,
          action: search("rye", { sessionKey: "nobody" }),
          expect: { count: 0, sessions: [] },
        })
      ).outcome,
    ).toBe("passed");
  });
});

describe("judge", () => {
  let world: World;
  beforeAll(() => {
    world = new World();
  });
  afterAll(() => {
    world.end();
  });
  const lenient = () => parseExpectations({ count: 0, okOrInvalid: true }, "search", "expect");

  test("a crash fails, whatever is expected", async () => {
    const seen = await observe("search", "search", () => Promise.reject(new TypeError("undefined is not a function")));
    expect(judge(seen, lenient(), world).join()).toContain("undefined is not a function");
  });

  test("a fault of the store is no clear refusal and no empty answer", async () => {
    const seen = await observe("search", "search", () =>
      Promise.reject(new BackscrollError("io", "the disk is full", "Make room.")),
    );
    expect(judge(seen, parseExpectations({ count: 0 }, "search", "expect"), world).join()).toContain(
      "the disk is full",
    );
  });

  test("a refusal that shows the machinery is not clear", async () => {
    const seen = await observe("search", "search", () =>
      Promise.reject(new BackscrollError("bad_input", "fts5: syntax error near", "Try again.")),
    );
    expect(judge(seen, lenient(), world).join()).toContain("okOrInvalid");
  });

  test("something that is no answer of the tool fails", async () => {
    const seen = await observe("search", "search", () => Promise.resolve({ sessions: [] }));
    expect(judge(seen, lenient(), world).join()).toContain("not an answer of search");
  });

  test("a hit that does not open in history fails", async () => {
    const page = await observe("history", "history of m", () =>
      Promise.reject(new BackscrollError("unknown_message", "no message m", "Use another.")),
    );
    const seen = await observe("search_then_history", "search", () => Promise.resolve({ results: [] }));
    const expectations = parseExpectations({ found: false }, "search_then_history", "expect");
    expect(judge(seen, expectations, world)).toEqual([]);
    expect(judge({ ...seen, opened: [page] }, expectations, world).join()).toContain("history of m");
  });

  test("a lone surrogate in an answer is seen", async () => {
    const hit = {
      sessionKey: "agent:main:a",
      sessionId: "a",
      messageId: "m",
      timestamp: 1,
      role: "user",
      snippet: "half \ud83e",
    };
    const seen = await observe("search", "search", () => Promise.resolve({ results: [hit] }));
    expect(judge(seen, parseExpectations({ wellFormed: true }, "search", "expect"), world).join()).toContain(
      "lone surrogate",
    );
  });
});
