import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isLong, passageLength, passageOf, passageTokens } from "../../../src/text/passage.ts";

// SPEC 4.1
describe("passages", () => {
  test("a message of one passage is as long as it is", () => {
    expect(passageLength(1, 0)).toBe(1);
    expect(passageLength(passageTokens, 0)).toBe(passageTokens);
    expect(isLong(passageTokens)).toBe(false);
  });

  test("hardly more than a passage is one; twice as much is two", () => {
    const hardly = passageTokens + 10;
    expect([isLong(hardly), passageLength(hardly, 0), passageLength(hardly, 1)]).toEqual([false, hardly, hardly]);
    expect([isLong(2 * passageTokens), passageOf(passageTokens - 1), passageOf(passageTokens)]).toEqual([true, 0, 1]);
  });

  test("the passages of a long message are together as long as it is, each but the last full", () => {
    fc.assert(
      fc.property(fc.integer({ min: 2 * passageTokens, max: 100_000 }), (tokens) => {
        const last = passageOf(tokens - 1);
        const lengths = Array.from({ length: last + 1 }, (_, at) => passageLength(tokens, at));
        expect(lengths.reduce((sum, each) => sum + each, 0)).toBe(tokens);
        expect(lengths.slice(0, -1).every((each) => each === passageTokens)).toBe(true);
      }),
    );
  });
});
