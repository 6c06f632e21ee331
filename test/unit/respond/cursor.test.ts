import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BackscrollError } from "../../../src/errors.ts";
import { decodeCursor, encodeCursor } from "../../../src/respond/cursor.ts";

type Types = readonly ("string" | "number")[];

/** The values, or the code it was refused with. */
function read(kind: string, types: Types, cursor: string): unknown {
  try {
    return decodeCursor(kind, types, cursor);
  } catch (error) {
    if (error instanceof BackscrollError) return error.code;
    throw error;
  }
}

/** A cursor of any content, as someone who knows the form could make it. */
const forged = (content: unknown) => Buffer.from(JSON.stringify(content)).toString("base64url");

const value = fc.oneof(fc.string({ unit: "binary" }), fc.maxSafeInteger());

test("gives back what was put in", () => {
  fc.assert(
    fc.property(fc.string(), fc.array(value, { maxLength: 4 }), (kind, values) => {
      const types = values.map((each) => (typeof each === "string" ? ("string" as const) : ("number" as const)));
      expect(read(kind, types, encodeCursor(kind, values))).toEqual(values.map((each) => (each === 0 ? 0 : each)));
    }),
  );
});

test("is plain ASCII that can stand in a URL", () => {
  expect(encodeCursor("list", [1_772_323_200_000, 'agent:a:漢字 "x"'])).toMatch(/^[A-Za-z0-9_-]+$/);
});

// SPEC 7.1, 7.5: what was not made here is an input error that says what to do.
describe("refuses", () => {
  const good = encodeCursor("list", [5, "agent:a:desk"]);
  const types: Types = ["number", "string"];

  test.each<[string, string]>([
    ["nothing", ""],
    ["garbage", "kettle"],
    ["a cursor in part", good.slice(0, -2)],
    ["a cursor with more behind it", `${good}A`],
    ["a cursor in white space", ` ${good} `],
    ["a cursor with signs between", `${good.slice(0, 4)}!!${good.slice(4)}`],
    ["a cursor with padding", `${good}==`],
    ["another kind", encodeCursor("history", [5, "agent:a:desk"])],
    ["fewer values", forged(["list", 5])],
    ["more values", forged(["list", 5, "a", 1])],
    ["values in another order", forged(["list", "agent:a:desk", 5])],
    ["a number as text", forged(["list", "5", "agent:a:desk"])],
    ["a fraction", forged(["list", 5.5, "agent:a:desk"])],
    ["a number past exactness", forged(["list", 2 ** 53, "agent:a:desk"])],
    ["a number past everything", Buffer.from('["list",1e999,"a"]').toString("base64url")],
    ["a number written oddly", Buffer.from('["list",5.0,"a"]').toString("base64url")],
    ["white space in the JSON", Buffer.from('["list", 5,"a"]').toString("base64url")],
    ["null", forged(["list", null, "a"])],
    ["a list", forged(["list", [5], "a"])],
    ["an object", forged({ 0: "list", 1: 5, 2: "a", length: 3 })],
    ["a text", forged("list")],
    ["a number", forged(5)],
    ["JSON's null", forged(null)],
    ["deep nesting", Buffer.from("[".repeat(500_000)).toString("base64url")],
    ["invalid UTF-8", Buffer.from([0x5b, 0x22, 0xff, 0xfe, 0x22, 0x5d]).toString("base64url")],
  ])("%s", (_what, cursor) => {
    expect(read("list", types, cursor)).toBe("bad_input");
  });

  test("with a next step", () => {
    expect(() => decodeCursor("list", types, "kettle")).toThrow(
      expect.objectContaining({ hint: expect.stringContaining("leave it out") }),
    );
  });

  test("anything but the very text that was made", () => {
    fc.assert(
      fc.property(fc.nat(good.length), fc.nat(2), fc.string({ maxLength: 3 }), (at, cut, put) => {
        const changed = good.slice(0, at) + put + good.slice(at + cut);
        const values = read("list", types, changed);
        if (values !== "bad_input") expect(encodeCursor("list", values as (string | number)[])).toBe(changed);
      }),
      { numRuns: 2_000 },
    );
  });
});
