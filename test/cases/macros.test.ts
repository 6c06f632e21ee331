import { describe, expect, test } from "vitest";
import { expandIndex, expandLines, expandMacros, expandStep } from "./macros.ts";

describe("macros", () => {
  test("{{X*N}} is X written N times, in every string of a value", () => {
    expect(expandMacros({ a: ["{{ab *3}}.", "{{🧵*2}}{{\u0000*2}}"], b: 1 })).toEqual({
      a: ["ab ab ab .", "🧵🧵\0\0"],
      b: 1,
    });
    expect(expandMacros("{{***3}} {{7*2}}-{{x*0}}|")).toBe("****** 77-|");
  });

  test("braces that are no macro stay", () => {
    for (const text of ["{}", "{{x}}", "{{*3}}", "{{x*}}", '{"a":{"b":"c*2"}}', "{{a}} {{b*c}}"])
      expect(expandMacros(text)).toBe(text);
  });

  test("numbers stand in only under repeat", () => {
    expect(expandStep({ text: "note {i}", repeat: 2 })).toEqual([{ text: "note 0" }, { text: "note 1" }]);
    expect(expandStep({ text: "note {i}" })).toEqual([{ text: "note {i}" }]);
    expect(expandIndex("{i} {i1} {i2} {r2} {i3} {x}", 8)).toBe("8 9 08 91 {i3} {x}");
  });

  test("a line of a file may repeat", () => {
    expect(expandLines([{ a: 1 }, { repeat: 2, line: { n: "{i}" } }])).toEqual([{ a: 1 }, { n: "0" }, { n: "1" }]);
    expect(expandLines([{ repeat: 2 }])).toEqual([{ repeat: 2 }]);
  });
});
