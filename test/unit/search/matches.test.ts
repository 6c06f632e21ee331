import { describe, expect, test } from "vitest";
import type { Range } from "../../../src/model/answer.ts";
import { findMatches, type Matches } from "../../../src/search/matches.ts";
import { parseQuery } from "../../../src/search/query.ts";

function find(text: string, query: string, hidden: readonly Range[] = []): Matches {
  return findMatches(text, parseQuery(query, () => false).clauses, hidden);
}

/** Matched pieces of the text, by clause. */
function found(text: string, query: string, hidden: readonly Range[] = []): string[] {
  return find(text, query, hidden).all.map(({ start, end, clause }) => `${clause} ${text.slice(start, end)}`);
}

describe("where a word stands", () => {
  test("in any case, with or without accents", () => {
    expect(found("Kettle, KETTLE; Crème!", "kettle creme")).toEqual(["0 Kettle", "0 KETTLE", "1 Crème"]);
    expect(found("a cre\u0300me", "crème")).toEqual(["0 cre\u0300me"]);
  });

  // SPEC 3.4
  test("inside scripts without spaces, overlapping itself", () => {
    expect(found("后天浇水计划", "浇水")).toEqual(["0 浇水"]);
    expect(find("哈哈哈哈", "哈哈").all.map(({ start, end }) => [start, end])).toEqual([
      [0, 2],
      [1, 3],
      [2, 4],
    ]);
    expect(found("请重启kettled服务", "kettled")).toEqual(["0 kettled"]);
  });

  // SPEC 3.5
  test("as a part of a name, and as a name of parts", () => {
    expect(found("call maxRetryCount now", "retry")).toEqual(["0 Retry"]);
    expect(found("call maxRetryCount now", '"retry count"')).toEqual(["0 RetryCount"]);
    expect(found("call maxRetryCount now", "max_retry_count")).toEqual(["0 maxRetryCount"]);
    expect(found("call max_retry_count now", "maxRetryCount")).toEqual(["0 max_retry_count"]);
    expect(found("the max retry count", "maxRetryCount")).toEqual(["0 max retry count"]);
    expect(found("src/bedGrid/index.ts", "bed_grid/index.ts")).toEqual(["0 bedGrid/index.ts"]);
  });

  test("once, though it is both a word and a part", () => {
    expect(find("src/bedGrid/index.ts", "index").perClause).toEqual([1]);
    expect(find("maxRetry", "maxRetry").perClause).toEqual([1]);
    expect(find("kettle", "kettle OR Kettle OR kettle*").perClause).toEqual([1]);
  });

  // SPEC 3.2
  test("by its beginning, in words and in parts", () => {
    expect(found("deploy deployed redeploy", "deploy*")).toEqual(["0 deploy", "0 deployed"]);
    expect(found("see maxRetryCount", "retr*")).toEqual(["0 Retry"]);
    expect(found("see maxRetryCount", "maxRe*")).toEqual(["0 maxRetry", "0 maxRetryCount"]);
    expect(found("a max_retries b", "maxRe*")).toEqual(["0 max_retries"]);
    expect(found("maximum retry, max retry", "max_re*")).toEqual(["0 max retry"]);
    expect(found("浇水 水", "浇*")).toEqual(["0 浇"]);
  });

  test("for either side of an OR, in text order", () => {
    expect(found("urn, kettle, urn", "kettle OR urn lid OR urn")).toEqual([
      "0 urn",
      "1 urn",
      "0 kettle",
      "0 urn",
      "1 urn",
    ]);
  });

  // SPEC 3.2: words of a phrase stand side by side, whatever punctuation is between.
  test("as a phrase across punctuation and lines, not across words", () => {
    expect(found("A blue,\n\n“heron”", '"blue heron"')).toEqual(["0 blue,\n\n“heron"]);
    expect(found("blue grey heron", '"blue heron"')).toEqual([]);
    expect(found("heron blue", '"blue heron"')).toEqual([]);
    expect(found("version 31.07", "31.07")).toEqual(["0 31.07"]);
    expect(found("day 07, 31 more", "31.07")).toEqual([]);
  });

  test("not across the parts of two names", () => {
    expect(found("bedGrid lidSize", '"grid lid"')).toEqual([]);
  });

  test("nowhere in an empty text, and nothing for no clauses", () => {
    expect(find("", "kettle")).toEqual({ all: [], perClause: [0], length: 0, adjacent: false });
    expect(find("kettle lid", "???")).toEqual({ all: [], perClause: [], length: 2, adjacent: false });
  });
});

// SPEC 5.3: what a mask hides is not found.
describe("hidden ranges", () => {
  const text = "key=abcdef…wxyz kettle";
  const mask = { start: 4, end: 15 };

  test("hold no match, whatever touches them", () => {
    expect(found(text, "abcdef", [mask])).toEqual([]);
    expect(found(text, "wxyz", [mask])).toEqual([]);
    expect(found(text, "key", [mask])).toEqual(["0 key"]);
    expect(found(text, "kettle", [mask])).toEqual(["0 kettle"]);
    expect(found(text, '"wxyz kettle"', [mask])).toEqual([]);
  });

  test("end the word before them", () => {
    expect(found("tokenabcdef…wxyzlid", "token lid", [{ start: 5, end: 16 }])).toEqual(["0 token", "1 lid"]);
    expect(found("tokenabcdef…wxyzlid", "tok*", [{ start: 5, end: 16 }])).toEqual(["0 token"]);
  });

  test("are a gap that a phrase steps over, as in the index", () => {
    expect(found(text, '"key kettle"', [mask])).toEqual(["0 key=abcdef…wxyz kettle"]);
  });

  test("are not counted in the length", () => {
    expect(find(text, "kettle", [mask]).length).toBe(2);
  });
});

// SPEC 4.1: words side by side in typed order.
describe("adjacent", () => {
  test.each([
    ["the copper kettle lid", "copper kettle lid", true],
    ["copper, kettle\nlid", "copper kettle lid", true],
    ["kettle copper lid", "copper kettle lid", false],
    ["copper old kettle", "copper kettle", false],
    ["copper kettle and lid", "copper kettle lid", false],
    ["copper, copper kettle", "copper kettle", true],
    ["kettle", "kettle", true],
    ["kettle", "copper kettle", false],
    ["copper maxRetry urn", "copper max_retry", false],
    ["copper max_retry urn", "copper maxRetry urn", true],
    ["copper kettled urn", "copper kettle* urn", true],
    ["copper kettle urn", 'copper "kettle urn"', true],
    ["浇水计划", "浇水 计划", true],
    ["copper kettle", "tin OR copper kettle", true],
    // Either side of the OR may carry on: the longer one must not hide the shorter.
    ["copper kettle lid", 'copper OR "copper kettle" kettle', true],
    ["copper kettle lid", 'copper OR "copper kettle" lid', true],
  ])("%j, asked for %j: %s", (text, query, adjacent) => {
    expect(find(text, query).adjacent).toBe(adjacent);
  });
});

describe("a million units", () => {
  const stars = "kettle *** ".repeat(100_000);
  const masks = [...stars.matchAll(/\*+/g)].map(({ index }) => ({ start: index, end: index + 3 }));

  test.each<[string, string, string, number, readonly Range[]]>([
    ["matches", "kettle ".repeat(150_000), "kettle", 150_000, []],
    ["matches of 64 words", "kettle lid ".repeat(10_000), "kettle lid ".repeat(32), 640_000, []],
    ["masks", stars, "kettle", 100_000, masks],
    ["parts", "maxRetry ".repeat(100_000), "retry", 100_000, []],
    ["beginnings of phrases", "浇水".repeat(200_000), '"浇水计划"', 0, []],
  ])("of %s take linear time", (_name, text, query, count, hidden) => {
    const begin = performance.now();
    expect(find(text, query, hidden).all.length).toBe(count);
    expect(performance.now() - begin).toBeLessThan(5_000);
  });
});

// SPEC 3.6, 3.11
describe("other forms of a word", () => {
  test("by the language of the message", () => {
    expect(found("We deployed it, and the deployments are up", "deploy")).toEqual(["0 deployed", "0 deployments"]);
    expect(found("Die Häuser sind nicht da, aber wir haben noch Zeit", "Hauses")).toEqual(["0 Häuser"]);
    expect(found("Мы не знаем, где чайники, но я думаю", "чайник")).toEqual(["0 чайники"]);
  });

  test("not of quoted words, of beginnings, or of names", () => {
    expect(found("we deployed it", '"deploy"')).toEqual([]);
    expect(found("the maxRetries are read", "maxRetry")).toEqual([]);
    expect(found("call src/users.ts", "user")).toEqual([]);
  });

  test("an English stem in a message of another language, as the index has it", () => {
    expect(found("Nous ne savons pas si le walk est dans la rue", "walking")).toEqual(["0 walk"]);
  });

  test("none where only words as typed count", () => {
    const { clauses } = parseQuery("deploy", () => false);
    expect(findMatches("we deployed it", clauses, [], { asTyped: true }).all).toEqual([]);
  });
});

test("the last word goes on where it is taken for a beginning", () => {
  const { clauses } = parseQuery("kettle lid", () => false);
  const { all } = findMatches("kettles and kettle lidded", clauses, [], { asTyped: true, beginning: 1 });
  expect(all.map(({ start, end }) => [start, end])).toEqual([
    [12, 18],
    [19, 25],
  ]);
});
