import { expect, test } from "vitest";
import { indexText } from "../../../src/text/index-text.ts";

test("holds the terms of all columns, counts the tokens said and tells the language", () => {
  expect(indexText("Setting maxRetry, don't touch src/bedGrids.ts!")).toEqual({
    text: "setting maxretry dont touch src bedgrids ts",
    parts: "max retry · don t · src bed grids ts",
    // SPEC 3.11: names have no other forms.
    stems: "·set",
    length: 7,
    language: "en",
  });
});

test("names each chunk's parts once, however often it stands", () => {
  expect(indexText("bedGrid bedGrid BedGrid lidSize bedGrid").parts).toBe("bed grid · lid size");
});

test("of a text without words is empty", () => {
  expect(indexText(" … 😶‍🌫️".slice(0, 3))).toEqual({ text: "", parts: "", stems: "", length: 0, language: null });
  expect(indexText("")).toEqual({ text: "", parts: "", stems: "", length: 0, language: null });
});
