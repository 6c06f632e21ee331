import { describe, expect, test } from "vitest";
import { characterOf, foldVersion } from "../../../src/text/fold.ts";
import { terms } from "../../../src/text/tokens.ts";

/** Every assigned code point but private use, lone surrogates included. */
const assigned = Array.from({ length: 0x110000 }, (_, code) => String.fromCodePoint(code)).filter((char) =>
  /^(?!\p{Co})\p{Assigned}$/u.test(char),
);

describe("every code point of Unicode", () => {
  test("gives terms that FTS5's ascii tokenizer leaves whole: [a-z0-9] and non-ASCII, no space, control or surrogate", () => {
    const wrong = assigned.filter((char) =>
      terms(char).some((term) => !/^[a-z0-9\u{80}-\u{10FFFF}]+$/u.test(term) || /[\p{White_Space}\p{C}]/u.test(term)),
    );
    expect(wrong).toEqual([]);
  });

  test("is folded to a term that folds to itself", () => {
    const wrong = assigned.filter((char) => terms(char).some((term) => terms(term).join(" ") !== term));
    expect(wrong).toEqual([]);
  });

  // SPEC 3.3 case folding. The Greek iota subscript is a diacritic in small letters and a letter in capitals
  // (SpecialCasing.txt: 1FB3 → 0391 0399), so the two can't both hold there.
  test("is found in upper and lower case alike", () => {
    const wrong = assigned
      .filter((char) => !char.normalize("NFD").includes("\u0345"))
      .filter((char) => {
        const own = terms(char).join(" ");
        return [char.toUpperCase(), char.toLowerCase()].some((other) => terms(other).join(" ") !== own);
      });
    expect(wrong).toEqual([]);
  });

  // SPEC 3.3 digit variants. Every Nd has the value it shows (UnicodeData, Numeric_Type=Decimal); ten to a script.
  test("is an ASCII digit if it is a decimal digit, and each script has all ten", () => {
    const digits = assigned.filter((char) => /\p{Nd}/u.test(char)).map((char) => terms(char).join(" "));
    const perValue = Map.groupBy(digits, (digit) => digit);
    expect([...perValue.keys()].sort()).toEqual([..."0123456789"]);
    expect(new Set([...perValue.values()].map((same) => same.length)).size).toBe(1);
  });
});

// One line of CaseFolding.txt each: code; status; mapping; name.
test.each([
  ["\u00DF", "ss", "00DF; F; 0073 0073; LATIN SMALL LETTER SHARP S"],
  ["\u1E9E", "ss", "1E9E; F; 0073 0073; LATIN CAPITAL LETTER SHARP S"],
  ["\u03C2", "σ", "03C2; C; 03C3; GREEK SMALL LETTER FINAL SIGMA"],
  ["\u0130", "i", "0130; T; 0069; LATIN CAPITAL LETTER I WITH DOT ABOVE"],
  ["\u0049", "i", "0049; C; 0069; LATIN CAPITAL LETTER I"],
  ["\u017F", "s", "017F; C; 0073; LATIN SMALL LETTER LONG S"],
  ["\u1C80", "в", "1C80; C; 0432; CYRILLIC SMALL LETTER ROUNDED VE"],
  ["\u0587", "եւ", "0587; F; 0565 0582; ARMENIAN SMALL LIGATURE ECH YIWN"],
  ["\uFB03", "ffi", "FB03; F; 0066 0066 0069; LATIN SMALL LIGATURE FFI"],
  ["\u{10400}", "\u{10428}", "10400; C; 10428; DESERET CAPITAL LETTER LONG I"],
])("%s is %s by CaseFolding: %s", (char, folded) => {
  expect(terms(char)).toEqual([folded]);
});

describe("characterOf", () => {
  test("takes any code point, lone surrogates too", () => {
    expect(characterOf(0xd800).folded).toEqual([{ class: "separator", text: "", shape: "none" }]);
    expect(characterOf(0).folded[0].class).toBe("separator");
    expect(characterOf(0x10ffff).folded[0].class).toBe("separator");
  });

  test("gives one item for each code point of the NFKC form", () => {
    expect(characterOf(0xbd).folded.map((folded) => folded.class)).toEqual(["word", "separator", "word"]); // ½
    expect(characterOf(0x338f).folded.map((folded) => folded.text)).toEqual(["k", "g"]); // ㎏
  });

  // UAX #15: only code points with a combining class, or NFC_Quick_Check=Maybe, can join what stands before them.
  test("knows what normalisation can join to the character before", () => {
    const joining = assigned.filter((char) => {
      const [base = "", ...marks] = char.normalize("NFD");
      return marks.length > 0 && marks.some((part) => !characterOf(part.codePointAt(0) ?? 0).extends) && base !== "";
    });
    expect(joining).toEqual([]);
  });
});

test("the version is a positive integer that index state can store", () => {
  expect(Number.isSafeInteger(foldVersion) && foldVersion > 0).toBe(true);
});
