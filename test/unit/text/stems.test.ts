import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Language, languages } from "../../../src/text/languages.ts";
import { formsOf, stemOf, stemOfToken, stemTerm } from "../../../src/text/stems.ts";
import { terms, tokenize } from "../../../src/text/tokens.ts";

/** Stems of a text's tokens where they stand. */
function stems(text: string, language: Language = "en"): (string | null)[] {
  return tokenize(text).map((token) => stemOfToken(language, token, text));
}

// SPEC 3.11
describe("forms of one word have one stem", () => {
  test.each<[Language, readonly string[]]>([
    ["en", ["deploy", "deploys", "deployed", "deploying", "deployment", "deployments"]],
    ["en", ["connect", "connected", "connecting", "connection", "connections"]],
    ["en", ["retry", "retries", "retried"]],
    ["de", ["häuser", "häusern"]],
    ["fr", ["continuer", "continuait", "continuant"]],
    ["es", ["torear", "toreado", "toreara"]],
    ["ru", ["чайник", "чайника", "чайники", "чайников"]],
  ])("%s: %j", (language, words) => {
    expect(
      new Set(words.map((word) => stemOf(language, word.normalize("NFD").replace(/\p{Mn}/gu, ""), word))).size,
    ).toBe(1);
  });

  // The vocabularies that snowballstem.org publishes beside each algorithm, English (Porter2), German, French, Spanish, Russian.
  test.each<[Language, string, string]>([
    ["en", "consistency", "consist"],
    ["en", "consolation", "consol"],
    ["en", "knightly", "knight"],
    ["en", "knives", "knive"],
    ["en", "generate", "generat"],
    ["en", "general", "general"],
    ["en", "skies", "sky"],
    ["en", "dying", "die"],
    ["de", "aufeinander", "aufeinand"],
    ["de", "aufeinanderfolge", "aufeinanderfolg"],
    ["de", "kategorischen", "kategor"],
    ["fr", "continuellement", "continuel"],
    ["fr", "mainmorte", "mainmort"],
    ["es", "chicharrones", "chicharron"],
    ["es", "torear", "tor"],
    ["ru", "важнейшими", "важн"],
    ["ru", "падшую", "падш"],
  ])("%s: %s → %s", (language, word, stem) => {
    expect(stemOf(language, word)).toBe(stem);
  });

  test("deploy and deployments meet (SPEC 3.6)", () => {
    const forms = new Set(formsOf("en", "deployments"));
    for (const word of ["deployment", "deployments"])
      expect(
        formsOf("en", word).some((form) => forms.has(form)),
        word,
      ).toBe(true);
    // "deploy" is its own stem, so it stands in the index as itself alone.
    expect(formsOf("en", "deployed")).toContain("deploy");
  });

  test("other words stay apart", () => {
    for (const [one, two] of [
      ["universe", "general"],
      ["deploy", "employ"],
      ["news", "new"],
      ["kettle", "kettledrum"],
    ] as const)
      expect(stemOf("en", one), one).not.toBe(stemOf("en", two));
  });
});

describe("no other form", () => {
  test("of what is not a plain word: identifiers, ALLCAPS, snake_case, paths, namespaces, anything with a digit", () => {
    const all = (text: string) => stems(text).filter((stem) => stem !== null);
    for (const text of [
      "fooBars",
      "ENOENTS",
      "max_retries",
      "users/settings",
      "C:\\Users\\settings",
      "std::moves",
      "v2",
      "utf8",
      "2026",
    ])
      expect(all(text), text).toEqual([]);
    expect(all("settings.ts users.json")).toEqual([]);
  });

  test("of function words and of scripts without spaces", () => {
    expect(stems("having been there")).toEqual([null, null, null]);
    expect(stems("浇水")).toEqual([null, null]);
  });

  test("but a capital that begins a word, and punctuation around it, change nothing", () => {
    expect(stems('"Kettles" (kettles), Kettles.')).toEqual(["kettl", "kettl", "kettl"]);
    expect(stems("It works. Kettles boil: slowly")).toContain("slowli");
  });
});

test("a stem never looks like a word of a query, and is one word to the index", () => {
  for (const language of ["en", "de", "ru"] as const) {
    const stem = stemTerm(language, "kettl");
    expect(terms(stem)).not.toContain(stem);
    expect(stem).toMatch(/^[·a-z]+$/);
  }
});

// The index splits rows at what is not a letter or a digit of ASCII: a stem that kept the apostrophe or the accent of how a
// word was written would stand there as other words than were counted (SPEC 3.11).
test.each(languages)("%s: however a word is written, its stem is one folded word", (language) => {
  for (const text of ["don't won’t ship's ship’s l'été l’été", "cafés résumés naïveté Ströme çalışmak piñatas"])
    for (const stem of stems(text, language))
      expect(stem === null || terms(stem).join(" ") === stem, `${stem}`).toBe(true);
  const letters = fc.string({ unit: fc.constantFrom(..."aeiostnr'’éüßıışñçиеоќћάές\u0301\u00ad"), maxLength: 12 });
  fc.assert(
    fc.property(letters, (text) => {
      for (const stem of stems(text, language))
        expect(stem === null || terms(stem).join(" ") === stem, `${stem}`).toBe(true);
    }),
  );
});
