import { expect, test } from "vitest";
import { plainLetters, silentLetters } from "../../../src/text/letters.ts";
import { terms } from "../../../src/text/tokens.ts";

// A row that case folding or decomposition gets to first would be dead, and a value that is a key would fold twice.
test("every row of the table is reached, in both cases, and its result is final", () => {
  for (const [letter, plain] of plainLetters) {
    expect(terms(letter), letter).toEqual([plain]);
    expect(terms(letter.toUpperCase()), letter).toEqual([plain]);
    expect([...plain].some((char) => plainLetters.has(char))).toBe(false);
  }
});

test("silent letters give nothing, within a word or alone", () => {
  for (const letter of silentLetters) expect(terms(`a${letter}b ${letter}`), letter).toEqual(["ab"]);
});

// CLDR, transforms/Latin-ASCII.xml.
test.each([
  ["ÆØÅ", "aeoa"],
  ["Œuvre", "oeuvre"],
  ["Þór", "thor"],
  ["Đorđe", "dorde"],
  ["Łódź", "lodz"],
  ["Ħaż", "haz"],
  ["ŧ", "t"],
  ["ĸ", "q"],
  ["Ŋ", "n"],
  ["Ɓɗƙ", "bdk"],
])("Latin %s is %s", (word, plain) => {
  expect(terms(word)).toEqual([plain]);
});
