import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compare, type Ranked, type Sort } from "../../../src/search/rank.ts";

// SPEC 4.1
describe("compare", () => {
  const base: Ranked = { rank: 0, score: 1, timestamp: 100, sessionKey: "agent:a:k", messageId: "m", automatic: false };
  const best = (sort: Sort, ...list: Partial<Ranked>[]) =>
    list
      .map((given) => ({ ...base, ...given }))
      .sort(compare(sort))
      .map((hit) =>
        list.findIndex((given) => Object.entries(given).every(([name, value]) => hit[name as keyof Ranked] === value)),
      );

  test("by relevance: score, a person's own first, newer, session key, message id", () => {
    expect(best("relevance", { score: 1 }, { score: 2 })).toEqual([1, 0]);
    // SPEC 3.6: what matches more strictly, whatever the score.
    expect(best("relevance", { rank: 1, score: 2 }, { rank: 0, score: 1 })).toEqual([1, 0]);
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
      rank: fc.nat(1),
      score: fc.oneof(fc.constantFrom(0, 1, 2), fc.double({ min: 0, max: 100, noNaN: true })),
      timestamp: fc.oneof(fc.nat(2), fc.integer()),
      sessionKey: fc.constantFrom("agent:a:x", "agent:a:é", "agent:a:Z", "agent:a:\u{1F350}", "agent:a:\uFFFD"),
      messageId: fc.constantFrom("1", "10", "2", "a"),
      automatic: fc.boolean(),
    });
    const sorts = fc.constantFrom<Sort>("relevance", "newest", "oldest");
    const distinguishing = (sort: Sort) =>
      sort === "relevance"
        ? (["rank", "score", "timestamp", "sessionKey", "messageId", "automatic"] as const)
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
      rank: fc.nat(1),
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
