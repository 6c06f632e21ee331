import { afterAll, describe, expect, test } from "vitest";
import { clauseExpression } from "../../../src/search/match-expression.ts";
import { parseQuery } from "../../../src/search/query.ts";
import { matchExpression, tinyIndex } from "./tiny-index.ts";

const expression = (input: string) => matchExpression(parseQuery(input, () => false));

describe("matchExpression", () => {
  // SPEC 3.2
  test.each([
    ["kettle", '"kettle"'],
    ["kettle lid", '"kettle" AND "lid"'],
    ['"copper kettle"', '"copper kettle"'],
    ["kettle*", '"kettle" *'],
    ["kettle OR urn lid", '("kettle" OR "urn") AND "lid"'],
    ["kettle -lid -urn", '("kettle") NOT ("lid" OR "urn")'],
    ["maxRetry", '("maxretry" OR "max retry")'],
    ["maxRe*", '("maxre" * OR "max re" *)'],
  ])("of %j is %j", (input, expected) => {
    expect(expression(input)).toBe(expected);
  });

  test("of nothing is null", () => {
    expect(expression("???")).toBeNull();
  });

  test("of a clause finds what the clause alone would", () => {
    const { clauses } = parseQuery("kettle OR maxRetry lid", () => false);
    expect(clauses.map(clauseExpression)).toEqual(['("kettle" OR ("maxretry" OR "max retry"))', '"lid"']);
  });

  // SPEC 3.1: nothing that is typed is an operator of the index (claude-mem#10).
  test.each(["text:kettle", "kettle NEAR(lid)", "^kettle", '{"text" parts}: kettle', "kettle + lid", "a\u0000b"])(
    "of %j holds quoted terms and our own operators only",
    (input) => {
      expect(expression(input)?.replace(/"[a-z0-9 ]+"/g, "")).toMatch(/^(?:[( )]|AND)*$/);
    },
  );
});

describe("in the index", () => {
  const texts = [
    "The copper kettle has no lid.",
    "Set maxRetryCount in src/bedGrid.ts to v2.10.3",
    "max_retry is not the same; a kettle's lid is",
    "后天上午在温室里讨论浇水计划",
    "field text:walnut was renamed — 🍐 two left",
    "Invoice #417 for ops@kettle.test says 35% off, cost $8",
  ];
  const index = tinyIndex(...texts);
  afterAll(() => index.close());

  test.each<[string, number[]]>([
    ["kettle", [1, 3, 6]],
    ["kettle lid", [1, 3]],
    ["kettles lid", [3]],
    ["kettle's lid", [3]],
    ['"kettle has"', [1]],
    ['"has kettle"', []],
    ["kettle -lid", [6]],
    ['kettle -"no lid"', [3, 6]],
    ["kettle -lid -invoice", []],
    ["invoice OR walnut", [5, 6]],
    ["ket*", [1, 3, 6]],
    // SPEC 3.5
    ["maxRetryCount", [2]],
    ["max_retry_count", [2]],
    ["retry", [2, 3]],
    ["max retry", [2, 3]],
    ["bed grid", [2]],
    ["bedgrid.ts", [2]],
    ["v2.10", [2]],
    ["2.10.3", [2]],
    ["10.2", []],
    // SPEC 3.4
    ["浇水", [4]],
    ["水", [4]],
    ["水浇", []],
    ["🍐", [5]],
    // SPEC 3.1
    ["text:walnut", [5]],
    ["#417 35% $8", [6]],
    ["ops@kettle.test", [6]],
    ["text:kettle", []],
    ['"', []],
  ])("%j finds %j", (input, expected) => {
    expect(index.find(parseQuery(input, () => false))).toEqual(expected);
  });
});
