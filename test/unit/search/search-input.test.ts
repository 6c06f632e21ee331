import { describe, expect, test } from "vitest";
import { BackscrollError } from "../../../src/errors.ts";
import { limits } from "../../../src/limits.ts";
import { readSearchInput, type SearchInput, type SearchRequest, searchInput } from "../../../src/tools/search-input.ts";
import { parseInput } from "../../../src/tools/tool.ts";

const now = Date.parse("2026-03-10T22:30:00Z");
const context = { now: () => now, timeZone: () => "Europe/Berlin" };

const check = (raw: unknown): SearchInput => parseInput({ name: "sessions_search", input: searchInput }, raw);
const read = (raw: SearchInput): SearchRequest => readSearchInput(check(raw), context);

function failure(run: () => unknown): { code: string; message: string; hint: string } {
  try {
    run();
  } catch (error) {
    if (error instanceof BackscrollError) return { code: error.code, message: error.message, hint: error.hint };
    throw error;
  }
  throw new Error("nothing was refused");
}

// SPEC 7.1: an input out of range names the parameter, the value, and what it may be.
describe("what is refused", () => {
  const range = "use a whole number of hits from 1 to 25";

  // SPEC 4.2; agent-portal#799: no limit that reaches SQL is unbounded.
  test.each([-1, 0, 26, 1_000_000, 2.5, "7", "abc", null, Number.NaN, Number.POSITIVE_INFINITY, [5], true])(
    "limit and perSession %j",
    (value) => {
      for (const name of ["limit", "perSession"]) {
        const { code, message } = failure(() => check({ query: "kettle", [name]: value }));
        expect(code).toBe("bad_input");
        expect(message).toContain(`sessions_search: ${name}: ${range} (got `);
      }
    },
  );

  // SPEC 3.1: blank queries and queries over 4,096 characters.
  test.each(["", " ", "\n\t\u3000\u00A0", "x".repeat(4_097), undefined, 5, null, ["kettle"]])("query %j", (query) => {
    const { code, message } = failure(() => check({ query }));
    expect(code).toBe("bad_input");
    expect(message).toContain("query");
    expect(message.length).toBeLessThan(250);
  });

  test.each<[string, unknown]>([
    ["role", "system"],
    ["role", "User"],
    ["kind", "walnut"],
    ["sort", "best"],
    ["match", "any"],
    ["waitMs", -1],
    ["waitMs", 60_001],
    ["project", " "],
    ["project", "x".repeat(1_025)],
    ["sessionKey", ""],
    ["after", 5],
    ["after", "x".repeat(41)],
    ["source", {}],
  ])("%s: %j", (name, value) => {
    const { code, message, hint } = failure(() => check({ query: "kettle", [name]: value }));
    expect(code).toBe("bad_input");
    expect(message).toContain(`sessions_search: ${name}: `);
    expect(hint).toContain(name);
  });

  test("a parameter that there is none of", () => {
    expect(failure(() => check({ query: "kettle", offset: 3 })).message).toContain("offset");
  });

  // SPEC 3.9: a date that does not exist is an input error.
  test.each<[Partial<SearchInput>, string, string]>([
    [{ after: "2026-02-30" }, 'after: "2026-02-30"', "2026-03-01"],
    [{ before: "soon" }, 'before: "soon"', "2026-03-01"],
    [{ agent: "Not an id" }, 'agent: "Not an id"', "a-z"],
    [{ timeZone: "Mars/Olympus" }, 'timeZone: "Mars/Olympus"', "Europe/Berlin"],
  ])("%j", (given, named, advice) => {
    const { code, message, hint } = failure(() => read({ query: "kettle", ...given }));
    expect(code).toBe("bad_input");
    expect(message).toContain(named);
    expect(hint).toContain(advice);
  });
});

describe("what is taken", () => {
  test("a query alone has the limits' defaults", () => {
    expect(read({ query: "kettle" })).toEqual({
      query: expect.objectContaining({ filters: {}, ignored: [] }),
      filter: {},
      sort: "relevance",
      isAll: false,
      includeTools: false,
      text: "kettle",
      timeZone: expect.any(Function),
      limit: limits.searchLimit.default,
      perSession: limits.perSession.default,
      filters: {},
    });
  });

  test("a query as long as allowed", () => {
    expect(read({ query: "x".repeat(4_096) }).query.clauses.length).toBe(1);
  });

  // SPEC 4.2: three of one session unless told otherwise; one session asked for is told otherwise.
  test("within one session its hits are not capped", () => {
    expect(read({ query: "kettle", sessionKey: "agent:a:desk" })).toMatchObject({
      session: "agent:a:desk",
      perSession: limits.searchLimit.max,
    });
    expect(read({ query: "kettle session:agent:a:desk" })).toMatchObject({
      session: "agent:a:desk",
      perSession: limits.searchLimit.max,
    });
    expect(read({ query: "kettle", sessionKey: "agent:a:desk", perSession: 2 }).perSession).toBe(2);
    expect(read({ query: "kettle", perSession: 7, limit: 9 })).toMatchObject({ perSession: 7, limit: 9 });
  });

  // SPEC 3.2
  test("each filter stands in the query or is a parameter, with the same meaning", () => {
    const filters = {
      agent: "helper",
      project: "my folder",
      role: "user",
      source: "pi",
      kind: "cron",
      branch: "main",
      after: "2026-03-01",
      before: "today",
    } as const;
    const typed = Object.entries(filters).map(([name, value]) => `${name}:"${value}"`);
    const inQuery = read({ query: `kettle ${typed.join(" ")}` });
    const asParameters = read({ query: "kettle", ...filters });
    expect(inQuery.filters).toEqual(filters);
    expect(inQuery.timeZone()).toBe(asParameters.timeZone());
    const same = { query: null, timeZone: null };
    expect({ ...inQuery, ...same }).toEqual({ ...asParameters, ...same });
    expect(asParameters).toMatchObject({
      agent: "helper",
      filter: {
        project: "my folder",
        role: "user",
        source: "pi",
        kind: "cron",
        branch: "main",
        // Midnight in Berlin.
        after: Date.parse("2026-02-28T23:00Z"),
        before: Date.parse("2026-03-09T23:00Z"),
      },
    });
  });

  test("a parameter wins over the query", () => {
    const request = read({ query: "kettle role:user project:shop session:a", role: "assistant", sessionKey: "b" });
    expect(request.filters).toEqual({ role: "assistant", project: "shop", session: "b" });
    expect(request.filter).toEqual({ role: "assistant", project: "shop" });
    expect(request.session).toBe("b");
  });

  test.each(["role:walnut", "kind:walnut", "after:walnut", "before:2026-02-30", "agent:Not", "project:", 'source:" "'])(
    "what is no filter in a query is text: %s",
    (word) => {
      const { query, filters } = read({ query: word });
      expect(filters).toEqual({});
      expect(query.clauses.length).toBe(1);
    },
  );

  // SPEC 3.9: meant in the caller's time zone, and in one that is named.
  test("a zone of its own moves the dates in query and parameters", () => {
    const request = read({ query: "kettle after:2026-03-01", before: "2026-03-02", timeZone: "America/Los_Angeles" });
    expect(request.filter).toEqual({
      after: Date.parse("2026-03-01T08:00Z"),
      before: Date.parse("2026-03-02T08:00Z"),
    });
  });

  test("a span counts from now", () => {
    expect(read({ query: "kettle after:7d" }).filter).toEqual({ after: now - 7 * 86_400_000 });
  });
});
