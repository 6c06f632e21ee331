import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fitAround, fitFirst, jsonBytes } from "../../../src/respond/bound.ts";

/** Texts that take 1, 2, 3, 4, 6 and 12 bytes a character in JSON. */
const text = fc.string({
  unit: fc.constantFrom("a", '"', "\\", "\n", "é", "漢", "🍐", "\u0001", "\uD800", "\u2028"),
  maxLength: 20,
});
const item = fc.oneof(text, fc.integer(), fc.constant(null), fc.record({ text, n: fc.nat() }), fc.array(text));
const items = fc.array(item, { maxLength: 12 });
const bytes = fc.nat(400);

/** Measured from outside: what a reader of the answer counts. */
const size = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length;

test("jsonBytes counts UTF-8, escapes included", () => {
  expect(jsonBytes("a")).toBe(3);
  expect(jsonBytes("é漢🍐")).toBe(2 + 2 + 3 + 4);
  expect(jsonBytes("\n\u0001\uD800")).toBe(2 + 2 + 6 + 6);
  fc.assert(
    fc.property(item, (value) => {
      expect(jsonBytes(value)).toBe(size(value));
    }),
  );
});

// SPEC 7.1: at most so many bytes of JSON.
describe("fitFirst", () => {
  test("keeps the longest beginning that fits, to the byte", () => {
    fc.assert(
      fc.property(items, bytes, (list, most) => {
        const kept = fitFirst(list, most);
        expect(kept).toEqual(list.slice(0, kept.length));
        if (kept.length > 0) expect(size(kept)).toBeLessThanOrEqual(most);
        if (kept.length < list.length) expect(size(list.slice(0, kept.length + 1))).toBeGreaterThan(most);
      }),
      { numRuns: 2_000 },
    );
  });

  test("takes exactly as much as allowed and not a byte more", () => {
    const list = ["é", "漢", "🍐"];
    expect(fitFirst(list, size(list))).toEqual(list);
    expect(fitFirst(list, size(list) - 1)).toEqual(["é", "漢"]);
    expect(fitFirst(list, 0)).toEqual([]);
    expect(fitFirst(list, -50)).toEqual([]);
    expect(fitFirst([], 0)).toEqual([]);
  });
});

// SPEC 7.2
describe("fitAround", () => {
  test("always has the anchor, stays within the bytes beside it, and can't be wider on either side", () => {
    fc.assert(
      fc.property(fc.array(item, { minLength: 1, maxLength: 12 }), fc.nat(), bytes, (list, place, most) => {
        const anchor = place % list.length;
        const { from, to } = fitAround(list, anchor, most);
        expect(from).toBeGreaterThanOrEqual(0);
        expect(from).toBeLessThanOrEqual(anchor);
        expect(to).toBeGreaterThan(anchor);
        expect(to).toBeLessThanOrEqual(list.length);
        if (to - from > 1) expect(size(list.slice(from, to))).toBeLessThanOrEqual(most);
        if (from > 0) expect(size(list.slice(from - 1, to))).toBeGreaterThan(most);
        if (to < list.length) expect(size(list.slice(from, to + 1))).toBeGreaterThan(most);
      }),
      { numRuns: 2_000 },
    );
  });

  test("grows to both sides in turn, the older first", () => {
    const list = ["a", "b", "c", "d", "e"];
    const width = (count: number) => size(list.slice(0, count));
    expect(fitAround(list, 2, width(1))).toEqual({ from: 2, to: 3 });
    expect(fitAround(list, 2, width(2))).toEqual({ from: 1, to: 3 });
    expect(fitAround(list, 2, width(3))).toEqual({ from: 1, to: 4 });
    expect(fitAround(list, 2, width(4))).toEqual({ from: 0, to: 4 });
    expect(fitAround(list, 2, width(5))).toEqual({ from: 0, to: 5 });
    expect(fitAround(list, 0, width(3))).toEqual({ from: 0, to: 3 });
    expect(fitAround(list, 4, width(3))).toEqual({ from: 2, to: 5 });
  });

  test("a side stops at what doesn't fit, the other goes on", () => {
    const list = ["a", "x".repeat(500), "b", "c", "d", "e"];
    expect(fitAround(list, 2, 30)).toEqual({ from: 2, to: 6 });
  });

  test("of nothing is nothing", () => {
    expect(fitAround([], 0, 100)).toEqual({ from: 0, to: 0 });
  });
});
