import { describe, expect, test } from "vitest";
import { isWordy, shapeOf } from "../../../src/redaction/shape.ts";

describe("shape of a value", () => {
  // SPEC 5.6: words in any script are prose or names, not secrets.
  test.each([
    "swordfish",
    "app-settings",
    "config.apiKey",
    "_private",
    "пароль",
    "контрасеня",
    "kennwort-für-öfen",
    "令牌是一种用于表示身份的字符串",
  ])("%s is plain", (text) => {
    expect(shapeOf(text)).toMatchObject({ plain: true, wordy: true, digits: 0 });
  });

  test.each(["sha256", "v2", "app-settings-v2", "2024-01-02", "page/12", "utf8", "60s", "user_1"])(
    "%s is wordy, not plain",
    (text) => {
      expect(shapeOf(text)).toMatchObject({ plain: false, wordy: true });
    },
  );

  test.each(["aB3daB3d", "3f9a1c0d", "plum-7777777", "k".repeat(40), "T".repeat(40), "aBcDeFgHiJkL", "x12345"])(
    "%s is neither",
    (text) => {
      expect(shapeOf(text)).toMatchObject({ plain: false, wordy: false });
      expect(isWordy(`a ${text} b`)).toBe(false);
    },
  );

  test("counts digits, sees spaces and letters", () => {
    expect(shapeOf("12 34")).toMatchObject({ digits: 4, hasSpace: true, hasLetter: false });
    expect(shapeOf("")).toEqual({ digits: 0, hasSpace: false, hasLetter: false, plain: false, wordy: true });
  });
});
