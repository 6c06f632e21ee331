import { describe, expect, test } from "vitest";
import { isMask, maskOf } from "../../../src/redaction/mask.ts";

describe("mask of a secret", () => {
  // SPEC 5.5
  test("is *** below 18 characters", () => {
    for (let length = 1; length < 18; length += 1) expect(maskOf("x".repeat(length))).toBe("***");
  });

  // SPEC 5.5
  test("is the first 6, an ellipsis and the last 4 from 18 characters up", () => {
    expect(maskOf("abcdefghijklmnopqr")).toBe("abcdef…opqr");
    expect(maskOf(`abcdef${"-".repeat(100_000)}wxyz`)).toBe("abcdef…wxyz");
  });

  // SPEC 5.5: characters, not UTF-16 units; half a surrogate pair would make the answer ill-formed.
  test("counts characters and never splits one", () => {
    expect(maskOf("🏺".repeat(17))).toBe("***");
    expect(maskOf("🏺".repeat(18))).toBe(`${"🏺".repeat(6)}…${"🏺".repeat(4)}`);
    expect(maskOf(`abcde🏺${"x".repeat(20)}🏺xyz`)).toBe("abcde🏺…🏺xyz");
  });

  // SPEC 5.5: a mask that ends a string early, or opens an escape, would be read differently the second time.
  test("is *** where the ends hold quotes, backslashes or line breaks", () => {
    const middle = "x".repeat(20);
    for (const awkward of ['"', "'", "`", "\\", "\n", "\r"]) {
      expect(maskOf(`abc${awkward}ef${middle}wxyz`)).toBe("***");
      expect(maskOf(`abcdef${middle}wx${awkward}z`)).toBe("***");
      expect(maskOf(`abcdef${middle}${awkward}${middle}wxyz`)).toBe("abcdef…wxyz");
    }
  });

  // SPEC 5.5
  test("is known as a mask, and only as a whole", () => {
    for (const mask of ["***", "*****", "abcdef…wxyz", "🏺🏺🏺🏺🏺🏺…🏺🏺🏺🏺"]) expect(isMask(mask)).toBe(true);
    for (const text of ["abc…xyz", "***abc", "abcdef…wxyz7", "abcdef...wxyz", "…", ""])
      expect(isMask(text)).toBe(false);
  });
});
