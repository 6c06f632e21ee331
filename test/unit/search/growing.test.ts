import fc from "fast-check";
import { expect, test } from "vitest";
import { GrowingFloats, GrowingInts } from "../../../src/search/growing.ts";

test("a list of numbers holds what an array would, however long it grows", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }), { maxLength: 5000, size: "max" }),
      (values) => {
        const ints = new GrowingInts();
        const floats = new GrowingFloats();
        for (const value of values)
          expect([ints.push(value), floats.push(value / 3)]).toEqual([ints.length - 1, floats.length - 1]);
        expect(values.map((_, at) => ints.at(at))).toEqual(values);
        expect(values.map((_, at) => floats.at(at))).toEqual(values.map((value) => value / 3));
        expect(ints.count((value) => value < 0)).toBe(values.filter((value) => value < 0).length);
        expect([ints.at(values.length), floats.at(values.length + 10_000)]).toEqual([0, 0]);
      },
    ),
    { numRuns: 50 },
  );
});

test("what stands in a place can be changed, and holds whole numbers beyond 32 bits where it has fractions", () => {
  const ints = new GrowingInts();
  const floats = new GrowingFloats();
  ints.set(ints.push(1), 7);
  floats.add(floats.push(2 ** 53 - 2), 1);
  expect([ints.at(0), floats.at(0)]).toEqual([7, 2 ** 53 - 1]);
});
