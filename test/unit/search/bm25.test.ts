import fc from "fast-check";
import { expect, test } from "vitest";
import { rarity, sessionWeight, weight } from "../../../src/search/bm25.ts";

// SPEC 4.1. By hand, from Robertson and Zaragoza 2009: idf = ln(1 + (N - n + 0.5) / (n + 0.5)), and
// tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / average)) with k1 = 0.9, b = 0.4.
test("rarity", () => {
  // ln(1 + 9.5 / 1.5) and ln(1 + 0.5 / 10.5)
  expect(rarity(10, 1)).toBeCloseTo(1.99243, 5);
  expect(rarity(10, 10)).toBeCloseTo(0.04652, 5);
  // ln(1 + 10.5 / 0.5)
  expect(rarity(10, 0)).toBeCloseTo(3.09104, 5);
});

test("weight of a term in a text of average length: tf * 1.9 / (tf + 0.9)", () => {
  expect(weight(0, 100, 100)).toBe(0);
  expect(weight(1, 100, 100)).toBeCloseTo(1, 10);
  expect(weight(2, 100, 100)).toBeCloseTo(3.8 / 2.9, 10);
});

test("in a text of twice the length: norm = 1.4; half the length: norm = 0.8", () => {
  expect(weight(1, 200, 100)).toBeCloseTo(1.9 / 2.26, 10);
  expect(weight(1, 50, 100)).toBeCloseTo(1.9 / 1.72, 10);
});

test("a session's length counts more: norm = 1.75 for twice the length with b = 0.75", () => {
  expect(sessionWeight(1, 200, 100)).toBeCloseTo(1.9 / (1 + 0.9 * 1.75), 10);
});

test("never negative, never infinite; more is better, longer is worse, rarer is better", () => {
  const natural = fc.integer({ min: 1, max: 1_000_000 });
  fc.assert(
    fc.property(natural, natural, natural, natural, (count, length, average, more) => {
      const one = weight(count, length, average);
      expect(one).toBeGreaterThan(0);
      expect(one).toBeLessThan(1.9);
      expect(weight(count + more, length, average)).toBeGreaterThan(one);
      expect(weight(count, length + more, average)).toBeLessThan(one);
      expect(rarity(count + more, count)).toBeGreaterThan(rarity(count + more, count + more));
      expect(rarity(count, count + more)).toBeGreaterThan(0);
    }),
  );
  expect(weight(1, 0, 0)).toBeGreaterThan(0);
  expect(rarity(0, 0)).toBeGreaterThanOrEqual(0);
});
