import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findMatches, type Matches } from "../../../src/search/matches.ts";
import { parseQuery } from "../../../src/search/query.ts";
import { compare, type Ranked, type Sort, type Statistics, score } from "../../../src/search/rank.ts";

function matches(perClause: readonly number[], length = 60, adjacent = false): Matches {
  return { all: [], perClause, length, adjacent };
}

/** A text's score for a query, where each clause stands in `having` of 1,000 messages. */
function scoreOf(text: string, query: string, having = 10): number {
  const { clauses } = parseQuery(query, () => false);
  return score(findMatches(text, clauses, []), { messages: 1_000, withClause: clauses.map(() => having) });
}

// SPEC 4.1: BM25
describe("score", () => {
  test("is the sum of Robertson and Zaragoza (2009), equation 3.15, with k1 1.2 and b 0.75", () => {
    // A message of average length has tf · 2.2 / (tf + 1.2); the inverse frequency is ln(1 + (N - n + 0.5) / (n + 0.5)).
    const statistics = { messages: 1_000, withClause: [10, 200] };
    const expected = Math.log(1 + 990.5 / 10.5) * ((3 * 2.2) / 4.2) + Math.log(1 + 800.5 / 200.5) * (2.2 / 2.2);
    expect(score(matches([3, 1]), statistics)).toBeCloseTo(expected, 12);
    // Twice the average length: the saturation point moves to 1.2 · (0.25 + 0.75 · 2).
    const long = Math.log(1 + 990.5 / 10.5) * ((3 * 2.2) / (3 + 1.2 * 1.75));
    expect(score(matches([3, 0], 120), statistics)).toBeCloseTo(long, 12);
  });

  // picoclaw#2360: higher is better.
  test("is higher for more of the word and less around it", () => {
    expect(scoreOf("kestrel nest, kestrel", "kestrel")).toBeGreaterThan(
      scoreOf(`${"meadow grass ".repeat(40)}kestrel`, "kestrel"),
    );
  });

  test("is a quarter more for words side by side in typed order", () => {
    const near = scoreOf("copper kettle and some more", "copper kettle");
    expect(near).toBeCloseTo(scoreOf("kettle copper and some more", "copper kettle") * 1.25, 12);
    // One word has nothing to stand beside.
    const statistics = { messages: 1_000, withClause: [10] };
    expect(score(matches([1], 60, true), statistics)).toBe(score(matches([1], 60, false), statistics));
  });

  const counts = fc.integer({ min: 1, max: 1e6 });
  const sizes = fc.record({
    messages: fc.integer({ min: 0, max: 1e12 }),
    having: fc.integer({ min: 0, max: 1e12 }),
    length: fc.integer({ min: 1, max: 1e7 }),
  });

  test("is a finite number, and 0 only without a match", () => {
    const clause = fc.tuple(fc.oneof(fc.constant(0), counts), fc.integer({ min: 0, max: 1e12 }));
    fc.assert(
      fc.property(
        fc.array(clause, { maxLength: 6 }),
        sizes,
        fc.boolean(),
        (clauses, { messages, length }, adjacent) => {
          const perClause = clauses.map(([count]) => count);
          const value = score(matches(perClause, length, adjacent), {
            messages,
            withClause: clauses.map(([, n]) => n),
          });
          expect(Number.isFinite(value)).toBe(true);
          if (perClause.some((count) => count > 0)) expect(value).toBeGreaterThan(0);
          else expect(value).toBe(0);
        },
      ),
    );
    expect(score(matches([1]), { messages: 0, withClause: [] })).toBeGreaterThan(0);
  });

  test("grows with the matches, and with the rarity of the word", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000 }), sizes, (count, { messages, having, length }) => {
        const statistics: Statistics = { messages, withClause: [having] };
        expect(score(matches([count + 1], length), statistics)).toBeGreaterThan(
          score(matches([count], length), statistics),
        );
        expect(score(matches([count], length + 1), statistics)).toBeLessThan(
          score(matches([count], length), statistics),
        );
      }),
    );
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 1e9 }), fc.nat(), counts, (messages, share, count) => {
        const having = share % messages;
        const at = (n: number) => score(matches([count]), { messages, withClause: [n] });
        expect(at(having)).toBeGreaterThan(at(having + 1));
      }),
    );
  });

  // SPEC 4.4: it is made of what is visible; statistics that contradict each other change nothing.
  test("never falls below that of a word in every message", () => {
    expect(score(matches([1]), { messages: 5, withClause: [9] })).toBe(
      score(matches([1]), { messages: 5, withClause: [5] }),
    );
  });
});

// SPEC 4.1
describe("compare", () => {
  const base: Ranked = { score: 1, timestamp: 100, sessionKey: "agent:a:k", messageId: "m", automatic: false };
  const best = (sort: Sort, ...list: Partial<Ranked>[]) =>
    list
      .map((given) => ({ ...base, ...given }))
      .sort(compare(sort))
      .map((hit) =>
        list.findIndex((given) => Object.entries(given).every(([name, value]) => hit[name as keyof Ranked] === value)),
      );

  test("by relevance: score, a person's own first, newer, session key, message id", () => {
    expect(best("relevance", { score: 1 }, { score: 2 })).toEqual([1, 0]);
    expect(
      best("relevance", { score: 1, automatic: false, timestamp: 1 }, { score: 2, automatic: true, timestamp: 2 }),
    ).toEqual([1, 0]);
    expect(best("relevance", { timestamp: 1 }, { timestamp: 2 })).toEqual([1, 0]);
    expect(best("relevance", { sessionKey: "b" }, { sessionKey: "a" })).toEqual([1, 0]);
    expect(best("relevance", { messageId: "b" }, { messageId: "a" })).toEqual([1, 0]);
    // By code unit, the same in every locale.
    expect(best("relevance", { messageId: "a" }, { messageId: "Z" })).toEqual([1, 0]);
    expect(best("relevance", { sessionKey: "a", messageId: "2" }, { sessionKey: "b", messageId: "1" })).toEqual([0, 1]);
  });

  // SPEC 4.7
  test("on equal score a run without a person comes after a person's own, even when it is newer", () => {
    expect(best("relevance", { automatic: true, timestamp: 200 }, { automatic: false, timestamp: 1 })).toEqual([1, 0]);
  });

  test("by time: newest or oldest, whatever the score", () => {
    const list = [
      { timestamp: 2, score: 1 },
      { timestamp: 3, score: 2 },
      { timestamp: 1, score: 3 },
    ];
    expect(best("newest", ...list)).toEqual([1, 0, 2]);
    expect(best("oldest", ...list)).toEqual([2, 0, 1]);
    expect(best("newest", { sessionKey: "b" }, { sessionKey: "a" })).toEqual([1, 0]);
    expect(best("oldest", { messageId: "b" }, { messageId: "a" })).toEqual([1, 0]);
  });

  test("is a total order", () => {
    const ranked = fc.record({
      score: fc.oneof(fc.constantFrom(0, 1, 2), fc.double({ min: 0, max: 100, noNaN: true })),
      timestamp: fc.oneof(fc.nat(2), fc.integer()),
      sessionKey: fc.constantFrom("agent:a:x", "agent:a:é", "agent:a:Z", "agent:a:\u{1F350}", "agent:a:\uFFFD"),
      messageId: fc.constantFrom("1", "10", "2", "a"),
      automatic: fc.boolean(),
    });
    const sorts = fc.constantFrom<Sort>("relevance", "newest", "oldest");
    const distinguishing = (sort: Sort) =>
      sort === "relevance"
        ? (["score", "timestamp", "sessionKey", "messageId", "automatic"] as const)
        : (["timestamp", "sessionKey", "messageId"] as const);
    fc.assert(
      fc.property(sorts, ranked, ranked, ranked, (sort, a, b, c) => {
        const by = compare(sort);
        expect(Math.sign(by(a, b))).toBe(0 - Math.sign(by(b, a)));
        expect(by(a, a)).toBe(0);
        if (by(a, b) <= 0 && by(b, c) <= 0) expect(by(a, c)).toBeLessThanOrEqual(0);
        const same = distinguishing(sort).every((name) => a[name] === b[name]);
        expect(by(a, b) === 0).toBe(same);
      }),
      { numRuns: 5_000 },
    );
  });

  test("gives one order, whatever the order before", () => {
    const few = fc.record({
      score: fc.nat(1),
      timestamp: fc.nat(1),
      sessionKey: fc.constantFrom("a", "b"),
      messageId: fc.uuid(),
      automatic: fc.boolean(),
    });
    fc.assert(
      fc.property(
        fc.array(few, { maxLength: 10 }),
        fc.constantFrom<Sort>("relevance", "newest", "oldest"),
        (list, sort) => {
          expect(list.toReversed().sort(compare(sort))).toEqual(list.toSorted(compare(sort)));
        },
      ),
    );
  });
});
