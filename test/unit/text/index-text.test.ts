import { expect, test } from "vitest";
import { indexText } from "../../../src/text/index-text.ts";

test("holds the terms of both columns and counts the tokens said", () => {
  expect(indexText("Set maxRetry, don't touch src/bedGrid.ts!")).toEqual({
    text: "set maxretry dont touch src bedgrid ts",
    parts: "max retry · don t · src bed grid ts",
    length: 7,
  });
});

test("names each chunk's parts once, however often it stands", () => {
  expect(indexText("bedGrid bedGrid BedGrid lidSize bedGrid").parts).toBe("bed grid · lid size");
});

test("of a text without words is empty", () => {
  expect(indexText(" … 😶‍🌫️".slice(0, 3))).toEqual({ text: "", parts: "", length: 0 });
  expect(indexText("")).toEqual({ text: "", parts: "", length: 0 });
});
