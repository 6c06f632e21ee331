import fc from "fast-check";
import { describe, expect, test } from "vitest";
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

// SPEC 4.1: passages are told by places, so a stem has to stand in the passage of its word.
describe("stems of a long message", () => {
  const words = ["kettles", "boil", "maxRetries", "the", "deployed", "src/users.ts", "42", "浇", "Walking"];

  test("stand where their words stand, and only those of plain words", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...words), { minLength: 200, maxLength: 400, size: "max" }), (list) => {
        const said = `${list.join(" ")} this is what we have said to them`;
        const { text, stems, length, language } = indexText(said);
        expect(language).toBe("en");
        const [own, forms] = [text.split(" "), stems.split(" ")];
        expect([own.length, forms.length]).toEqual([length, length]);
        const wanted: Readonly<Record<string, string>> = { kettles: "·kettl", deployed: "·deploy", walking: "·walk" };
        own.forEach((term, at) => {
          if (term in wanted) expect(forms[at]).toBe(wanted[term]);
          else if (["boil", "maxretries", "the", "users", "42", "浇"].includes(term)) expect(forms[at]).toBe("·");
        });
      }),
      { numRuns: 30 },
    );
  });

  test("in a short message take no room for the others", () => {
    expect(indexText("the kettles boil, and the kettles are hot").stems).toBe("·kettl ·kettl");
  });

  test("in another language than English are those of every word, with the language's name", () => {
    const { stems, language } = indexText("Die Häuser sind nicht da, aber das Haus ist noch hier.");
    expect(language).toBe("de");
    expect(stems.split(" ")).toEqual(["·de·haus", "·de·haus"]);
  });
});
