import { describe, expect, test } from "vitest";
import { type Plan, planQuery } from "../../../src/search/plan.ts";
import { parseQuery } from "../../../src/search/query.ts";
import type { Language } from "../../../src/text/languages.ts";

function plan(query: string, languages: readonly Language[] = ["en", "de"], isAll = false): Plan {
  return planQuery(
    parseQuery(query, () => false),
    languages,
    isAll,
  );
}

const ignorable = (query: string, isAll = false) =>
  plan(query, ["en", "de"], isAll).clauses.flatMap(({ isIgnorable, exact }) => (isIgnorable ? [exact] : []));

// SPEC 3.6
describe("function words", () => {
  test("of the query's language need not match, while others remain", () => {
    expect(ignorable("where is the kettle")).toEqual(['"where"', '"is"', '"the"']);
    expect(ignorable("wo ist der Kessel nicht")).toEqual(['"wo"', '"ist"', '"der"', '"nicht"']);
    // "die" is one in German, not here.
    expect(ignorable("where did the process die")).not.toContain('"die"');
  });

  test("are wanted where nothing else is there: to be or not to be", () => {
    expect(ignorable("to be or not to be")).toEqual([]);
    expect(plan("who is who").units).toHaveLength(3);
  });

  test("are wanted in quotes, as a beginning, and where every word has to match", () => {
    expect(ignorable('"the" kettle')).toEqual([]);
    expect(ignorable("the* kettle")).toEqual([]);
    expect(ignorable("where is the kettle", true)).toEqual([]);
  });

  test("weigh nothing: units are those of the other words", () => {
    expect(plan("where is the kettle lid").units.map(({ exact }) => exact)).toEqual(['"kettle"', '"lid"']);
  });

  test("what others said does not change them", () => {
    for (const languages of [[], ["de"], ["en", "fr"]] as Language[][])
      expect(plan("where is the kettle", languages).clauses.map(({ isIgnorable }) => isIgnorable)).toEqual([
        true,
        true,
        true,
        false,
      ]);
  });
});

describe("forms", () => {
  const forms = (query: string) => plan(query).clauses[0]?.forms;

  test("of a plain word are looked up beside it, in the languages that it may be in", () => {
    expect(forms("deployed")).toBe('("deployed" OR "·deploy" OR "deploy" OR "·de·deployed")');
  });

  test("there are none of quoted words, beginnings and names", () => {
    for (const query of ['"deployed"', "deploy*", "maxRetries", "src/users.ts", "v2.1"])
      expect(forms(query), query).toBe(plan(query).clauses[0]?.exact);
  });
});

test("quoted terms are required in every tier, others are not", () => {
  expect(plan('"blue heron" nest').clauses.map(({ isRequired }) => isRequired)).toEqual([true, false]);
});

// SPEC 3.4
describe("a run of characters without spaces", () => {
  test("of more than two is scored by its pairs, and matches whole", () => {
    const { units, clauses } = plan("重启服务");
    expect(units.map(({ exact }) => exact)).toEqual(['"重 启"', '"启 服"', '"服 务"']);
    expect(clauses.map(({ exact }) => exact)).toEqual(['"重 启 服 务"']);
  });

  test("of two is one unit, and so is a quoted one", () => {
    expect(plan("浇水").units.map(({ exact }) => exact)).toEqual(['"浇 水"']);
    expect(plan('"重启服务"').units).toHaveLength(1);
  });

  test("pairs with a character that only holds a sentence together are left out while others remain", () => {
    expect(plan("我的花园").units.map(({ exact }) => exact)).toEqual(['"花 园"']);
    expect(plan("我的你").units).toHaveLength(2);
  });
});

describe("the last word as a beginning", () => {
  const beginning = (query: string) => plan(query).clauses.at(-1)?.beginning;

  test("from three letters on", () => {
    expect(beginning("kettle ov")).toBeNull();
    expect(beginning("kettle ove")).toBe('"ove" *');
  });

  test("not of quoted words, and what is a beginning already is one", () => {
    expect(beginning('kettle "over"')).toBeNull();
    expect(beginning("kettle over*")).toBeNull();
  });

  test("of a name also in its parts", () => {
    expect(beginning("maxRetryCou")).toBe('("maxretrycou" * OR "max retry cou" *)');
  });
});

test("a question, or four and more content words, is ranked over all tiers at once", () => {
  for (const query of [
    "where is the kettle lid",
    "kettle lid?",
    "kettle lid copper oven",
    "How big was the kettle lid",
  ])
    expect(plan(query).isQuestion, query).toBe(true);
  for (const query of ["kettle lid", "the kettle lid copper", "kettle", "where is the kettle?"])
    expect(plan(query).isQuestion, query).toBe(false);
});

test("the phrase is the whole query side by side, function words too; there is none of one word, of OR and of beginnings", () => {
  expect(plan("the kettle lid").phrase).toBe('"the kettle lid"');
  for (const query of ["kettle", "kettle OR lid", "kettle lid*"]) expect(plan(query).phrase, query).toBeNull();
});

test("nothing that is typed becomes an operator of the index (SPEC 3.1)", () => {
  const { clauses, without } = plan('NEAR(a b) text:kettle ^x "AND" -"o\'ne"');
  for (const each of [...clauses.map(({ forms }) => forms), without ?? ""])
    expect(each.replace(/"[^"]*"( \*)?/g, "")).toMatch(/^[()]*(?: OR )*[()]*$/);
});
