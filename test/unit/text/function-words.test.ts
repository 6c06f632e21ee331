import { expect, test } from "vitest";
import { isFunctionWord } from "../../../src/text/function-words.ts";
import type { Language } from "../../../src/text/languages.ts";

// SPEC 3.6
test.each<[Language, string]>([
  ["en", "the a an and or of to in is are was were did do does who what when where why how that this it we you i"],
  ["de", "der die das und oder ist nicht ein eine zu mit von wir ich wer wann warum"],
  ["fr", "le la les et ou de du un une est dans je nous quand comment pourquoi"],
  ["es", "el la los y o de que en un una es"],
  ["ru", "и в не на я что он с"],
])("%s: what a question is built with", (language, words) => {
  expect(words.split(" ").filter((word) => !isFunctionWord(word, language))).toEqual([]);
});

test("what messages are about is none, whatever the language", () => {
  for (const word of "kettle retry error deploy cache migration token server null true test build git".split(" "))
    expect(isFunctionWord(word, "en"), word).toBe(false);
});

test("words are folded like the query's: apostrophes, accents", () => {
  expect(isFunctionWord("dont", "en")).toBe(true);
  expect(isFunctionWord("fur", "de")).toBe(true);
  expect(isFunctionWord("für", "de")).toBe(false);
});
