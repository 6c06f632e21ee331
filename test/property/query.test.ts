import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { limits } from "../../src/limits.ts";
import type { Range } from "../../src/model/answer.ts";
import { findMatches } from "../../src/search/matches.ts";
import { type FilterCheck, filterNames, parseQuery, type Query } from "../../src/search/query.ts";
import { terms } from "../../src/text/tokens.ts";
import { tinyIndex } from "../unit/search/tiny-index.ts";

/** Few words, so that queries and texts meet; in every script and style that is cut in a way of its own. */
const vocabulary = [
  ..."kettle lid Lid a b or not retry max v2 10 3".split(" "),
  ..."maxRetry max_retry maxRetryCount src/bedGrid.ts v2.10.3 don't C++ x=1 HTTPServer".split(" "),
  ..."浇水 水 浇 ガラス กุหลาบ น้ำ दी 한국 سلام 🍐 👩‍🌾 🇩🇪 ½ éa e\u0301a ß Ⅳ".split(" "),
];
const punctuation = [...`"“”„«»*-—:;,.!?'’()[]{}<>/\\|&^~#@%$_+=\`…、。·`];
const syntax = [..."OR AND NOT NEAR role:user after:7d text:lid -lid lid*".split(" "), 'project:"a b"', '-"a b"'];
const spaces = [" ", " ", " ", "\n", "\t", "\u3000", "\u00A0", "\u200B", ""];
const odd = ["\u0000", "\uD800", "\uDC00", "\u0301", "\u00AD", "\u202E", "\uFEFF", "\uE000"];

const pieces = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...vocabulary) },
  { weight: 4, arbitrary: fc.constantFrom(...spaces) },
  { weight: 3, arbitrary: fc.constantFrom(...punctuation) },
  { weight: 2, arbitrary: fc.constantFrom(...syntax) },
  { weight: 1, arbitrary: fc.constantFrom(...odd) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", minLength: 1, maxLength: 2 }) },
);
const anyQuery = fc.array(pieces, { maxLength: 14 }).map((list) => list.join(""));
/** Two or three words with what may stand between: likely enough to match. */
const shortQuery = fc
  .tuple(
    fc.constantFrom(...vocabulary),
    pieces,
    fc.constantFrom("", ...vocabulary),
    fc.constantFrom("", "*", ...syntax),
  )
  .map((list) => list.join(""));
const anyText = fc
  .array(fc.tuple(fc.constantFrom(...vocabulary), fc.constantFrom(...spaces, ...punctuation)), {
    minLength: 8,
    maxLength: 40,
    size: "max",
  })
  .map((list) => list.flat().join(""));

const noFilter: FilterCheck = () => false;
const someFilters: FilterCheck = (name, value) => name !== "role" || value === "user";
const runs = { numRuns: 3_000 };

const index = tinyIndex();
afterAll(() => index.close());

describe("any string", () => {
  // SPEC 3.1
  test("is a query that the index takes", () => {
    fc.assert(
      fc.property(anyQuery, (input) => {
        for (const check of [noFilter, someFilters]) expect(() => index.find(parseQuery(input, check))).not.toThrow();
      }),
      runs,
    );
  });

  test("in which something can be searched for has a clause, or filters only", () => {
    fc.assert(
      fc.property(anyQuery, (input) => {
        const hasTerms = terms(input).length > 0;
        expect(parseQuery(input, noFilter).clauses.length > 0).toBe(hasTerms);
        const { clauses, filters } = parseQuery(input, someFilters);
        if (hasTerms) expect(clauses.length + Object.keys(filters).length).toBeGreaterThan(0);
      }),
      runs,
    );
  });

  test("keeps its words: each is wanted, left out, a filter's, or named as ignored", () => {
    fc.assert(
      fc.property(anyQuery, (input) => {
        const { clauses, without, filters, ignored } = parseQuery(input, someFilters);
        const kept = [...clauses.flat(), ...without].flatMap((term) => terms(term.text));
        const rest = [...Object.entries(filters).flat(), ...ignored].flatMap((text) => terms(text));
        // An OR that joins two words is the one thing that shows in the query's shape only.
        const found = new Set([...kept, ...rest, "or"]);
        expect(terms(input).filter((term) => !found.has(term))).toEqual([]);
      }),
      runs,
    );
  });

  test("has forms that are terms of the index, and bounded in number", () => {
    fc.assert(
      fc.property(anyQuery, (input) => {
        const { clauses, without } = parseQuery(input, someFilters);
        const all = [...clauses.flat(), ...without];
        expect(all.length).toBeLessThanOrEqual(limits.queryTerms.default);
        for (const { forms } of all) {
          expect(forms.length).toBeGreaterThan(0);
          for (const form of forms) expect(terms(form.join(" "))).toEqual(form);
        }
      }),
      runs,
    );
  });
});

describe("the index and the text", () => {
  /** What a query finds in a text by the rules of `matches.ts` alone. */
  function matchesText(query: Query, text: string, hidden: readonly Range[]): boolean {
    const without = query.without.map((term) => [term]);
    return (
      query.clauses.length > 0 &&
      findMatches(text, query.clauses, hidden, { asTyped: true }).perClause.every((count) => count > 0) &&
      findMatches(text, without, hidden, { asTyped: true }).perClause.every((count) => count === 0)
    );
  }

  // SPEC 3.4, 3.5, 5.1: what is highlighted is what was found; tokens, parts, beginnings, phrases, OR and minus alike.
  test("agree on whether a query matches", () => {
    let found = 0;
    fc.assert(
      fc.property(anyText, fc.oneof(anyQuery, shortQuery), (text, input) => {
        const query = parseQuery(input, someFilters);
        index.set(1, text);
        const inIndex = index.find(query).length > 0;
        found += Number(inIndex);
        expect(matchesText(query, text, [])).toBe(inIndex);
      }),
      runs,
    );
    // About one in eighteen matches: enough of them to mean something, and far enough from the mean to hang on no seed.
    expect(found).toBeGreaterThan(runs.numRuns / 40);
  });

  // SPEC 5.3: the index never saw what stands in a mask, and saw a gap in its place.
  test("agree where masks hide a piece of a word", () => {
    let found = 0;
    const cuts = fc.array(fc.nat(120), { minLength: 2, maxLength: 6 });
    fc.assert(
      fc.property(anyText, cuts, fc.constantFrom(...vocabulary), (text, places, input) => {
        const ends = [...new Set(places.map((place) => place % (text.length + 1)))].sort((a, b) => a - b);
        const hidden: Range[] = [];
        for (let at = 0; at + 1 < ends.length; at += 2) hidden.push({ start: ends[at] ?? 0, end: ends[at + 1] ?? 0 });
        let seen = "";
        let from = 0;
        for (const { start, end } of hidden) {
          seen += `${text.slice(from, start)} `;
          from = end;
        }
        const query = parseQuery(input, noFilter);
        index.set(1, seen + text.slice(from));
        const inIndex = index.find(query).length > 0;
        found += Number(inIndex);
        expect(matchesText(query, text, hidden)).toBe(inIndex);
        for (const { start, end } of findMatches(text, query.clauses, hidden).all) {
          expect(hidden.some((mask) => mask.start <= start && end <= mask.end)).toBe(false);
        }
      }),
      runs,
    );
    expect(found).toBeGreaterThan(runs.numRuns / 20);
  });
});

describe("words of a text", () => {
  const word = fc.constantFrom(...vocabulary).filter((text) => !/^[-"]/.test(text));
  const before = fc.constantFrom("", ..."([{<#@$~/\\|&=_…'*", "--");
  const after = fc.constantFrom("", ...")]?!,;.…'*%\\/|-=:");
  const query = fc.array(fc.tuple(before, word, after), { minLength: 1, maxLength: 5 });

  // SPEC 3.1: nothing returns nothing because of its punctuation.
  test("are found in any order, whatever punctuation they wear", () => {
    fc.assert(
      fc.property(query, anyText, (list, rest) => {
        index.set(1, `${list.map(([, text]) => text).join(" ; ")} ${rest}`);
        const input = list
          .toReversed()
          .map((worn) => worn.join(""))
          .join(" ");
        expect(index.find(parseQuery(input, noFilter))).toEqual([1]);
      }),
      runs,
    );
  });

  // SPEC 3.2
  test("in quotes are found in that order, and missed in another", () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(["kettle", "lid", "浇", "retry", "🍐", "ß"], { minLength: 2 }), (list) => {
        const phrase = parseQuery(`"${list.join(" ")}"`, noFilter);
        index.set(1, `a ${list.join(", ")}. b`);
        expect(index.find(phrase)).toEqual([1]);
        index.set(1, `a ${list.toReversed().join(", ")}. b`);
        expect(index.find(phrase)).toEqual([]);
      }),
    );
  });

  test("are left out by a minus", () => {
    fc.assert(
      fc.property(anyText, fc.constantFrom("lid", "浇水", "水", "maxRetry", "🍐", "don't", "v2.10.3"), (text, word) => {
        index.set(1, `kettle ${text}`);
        const hasWord = index.find(parseQuery(word, noFilter)).length > 0;
        expect(index.find(parseQuery(`kettle -${word}`, noFilter)).length > 0).toBe(!hasWord);
        expect(index.find(parseQuery(`-"${word}" kettle`, noFilter)).length > 0).toBe(
          index.find(parseQuery(`"${word}"`, noFilter)).length === 0,
        );
      }),
    );
  });
});

// SPEC 3.2
test("a filter in quotes has the very value, whatever stands around it", () => {
  const value = fc
    .string({ unit: "grapheme", minLength: 1, maxLength: 20 })
    .filter((text) => text.trim() !== "" && !text.includes('"'));
  const plain = fc.constantFrom("kettle", "“blue heron”", "-lid", "a OR b", "???", "");
  fc.assert(
    fc.property(fc.constantFrom(...filterNames), value, plain, plain, (name, text, left, right) => {
      const { filters } = parseQuery(`${left} ${name}:"${text}" ${right}`, () => true);
      expect(filters).toEqual({ [name]: text });
    }),
    runs,
  );
});

describe("4,096 characters", () => {
  const longest = limits.queryLength.default;
  const repeated = [
    ...`"|"a|"a" |" |“|“ |“a”b |'|'a|"\\|-|-a |-aa |-"|(|!|*|a*|OR |a OR |x:|a:"|_-_`.split("|"),
    ...'project:"|project:“|project:a |after:2026-01-01 '.split("|"),
    ...["a".repeat(40), "aB", "a.", "0d9f3c3e-", "浇", "浇 ", "🍐", "👩‍🌾", "½"],
    ...["\u0301", "a\u0301", "\u200D", "\uD800", "\u0000", "\u00A0", "\uFEFF"],
  ];

  // SPEC 3.1: parsed and answered in time linear in the query, whatever it holds.
  test.each(repeated)("of %j are parsed, run and found at once", (unit) => {
    for (const end of ["", '"', "“", "x"]) {
      const input = unit.repeat(longest).slice(0, longest - end.length) + end;
      index.set(1, input);
      const begin = performance.now();
      const query = parseQuery(input, someFilters);
      index.find(query);
      findMatches(input, query.clauses, []);
      expect(performance.now() - begin).toBeLessThan(1_500);
    }
  });
});
