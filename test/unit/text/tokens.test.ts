import { describe, expect, test } from "vitest";
import { limits } from "../../../src/limits.ts";
import { terms, tokenize } from "../../../src/text/tokens.ts";

/** Tokens as `term=slice of the text`. */
function shown(text: string): string[] {
  return tokenize(text).map(({ term, start, end }) => `${term}=${text.slice(start, end)}`);
}

function nfd(text: string): string {
  return text.normalize("NFD");
}

describe("words", () => {
  // SPEC 3.5: identifiers are found by their parts side by side.
  test.each([
    ["rotate_seed_trays", "rotate seed trays"],
    ["spare-part", "spare part"],
    ["src/index_foo.ts:12", "src index foo ts 12"],
    ["ops@kettle.test", "ops kettle test"],
    ["https://www.quince.example/a/b?x=1#top", "https www quince example a b x 1 top"],
    ["version 31.07", "version 31 07"],
    ["--dry-run", "dry run"],
    ["E_NOENT: $8, 35% [z] & ~tilde | pipe", "e noent 8 35 z tilde pipe"],
    ["C:\\shed\\Plan", "c shed plan"],
    ["maxRetryCount", "maxretrycount"],
    ["sha256", "sha256"],
    ["“descale”, «descale» (descale)!", "descale descale descale"],
  ])("%s", (text, expected) => {
    expect(terms(text)).toEqual(expected.split(" "));
  });

  test.each([
    ":)",
    "{}",
    '""',
    "---",
    "^",
    "'",
    "’’",
    "\\",
    "",
    " \t ",
    "→ ═ │ ∑ €",
    "\u0000\u0007",
    "\uD83C",
    "\uDF50",
  ])("%j holds none", (text) => {
    expect(tokenize(text)).toEqual([]);
  });

  test("lone surrogates, NUL and controls separate", () => {
    expect(shown("a\uD800b\uDC00c\u0000d\u0085e")).toEqual(["a=a", "b=b", "c=c", "d=d", "e=e"]);
  });

  // SPEC 3.3
  test("soft hyphens, zero-width characters and bidi marks are dropped and don't separate", () => {
    for (const char of "\u00AD\u200B\u200C\u200D\u2060\uFEFF\u200E\u200F\u202A\u202E\u2066\u2069\uFE0F\u034F\u061C") {
      expect(tokenize(`ket${char}tle`), char.charCodeAt(0).toString(16)).toEqual([
        { term: "kettle", start: 0, end: 7 },
      ]);
      expect(terms(`a ${char} b`)).toEqual(["a", "b"]);
    }
  });

  test("a byte order mark before a word is no part of it", () => {
    expect(tokenize("\uFEFFrail")).toEqual([{ term: "rail", start: 1, end: 5 }]);
  });
});

describe("apostrophes", () => {
  // SPEC 3.3: don't = dont = don’t
  test.each(["don't", "dont", "don’t", "donʼt", "don＇t", "don‘t", "DON’T", "don‛t", "don'\u200Bt"])(
    "%s is dont",
    (text) => {
      expect(terms(text)).toEqual(["dont"]);
    },
  );

  test("only between two letters", () => {
    expect(terms("'quoted' words' 'tis rock'n'roll x''y")).toEqual(["quoted", "words", "tis", "rocknroll", "x", "y"]);
    expect(terms("5'10 80's b'64")).toEqual(["5", "10", "80", "s", "b", "64"]);
  });

  test("the range covers it, and stops before one that closes a quote", () => {
    expect(shown("say 'don’t' now")).toEqual(["say=say", "dont=don’t", "now=now"]);
  });

  test("modifier letters that look like one are silent anywhere", () => {
    expect(terms("ʻokina Hawaiʻi al-ʿAyn Rusʹ")).toEqual(["okina", "hawaii", "al", "ayn", "rus"]);
  });
});

// SPEC 3.3. Each row is one word in spellings that have to find each other.
const same: Record<string, readonly string[]> = {
  "German sharp s (CaseFolding F)": ["Straße", "STRASSE", "strasse", "STRAẞE"],
  "Greek final sigma (CaseFolding C)": ["Σίσυφος", "ΣΊΣΥΦΟΣ", "σισυφος", "σισυφοσ"],
  "Turkish i (CaseFolding T)": ["ısırgan", "Isırgan", "ISIRGAN", "isirgan", "İSİRGAN"],
  "Turkish capital dotted i": ["İstanbul", "istanbul", "Istanbul", "ıstanbul"],
  "French accents": ["pâté", nfd("pâté"), "pate", "PÂTÉ"],
  "Spanish tilde": ["Begoña", "begona"],
  "Danish stroke (CLDR Latin-ASCII)": ["Smørby", "smorby", "SMØRBY"],
  "Polish stroke": ["Łódź", "lodz", nfd("Łódź")],
  "Vietnamese horn, hook and tone": ["Điện Biên Phủ tướng", nfd("Điện Biên Phủ tướng"), "dien bien phu tuong"],
  "Cyrillic yo and case": ["Ёлка", "елка", nfd("ёлка")],
  "Hebrew points": ["שָׁלוֹם", "שלום", "\uFB2Aָלוֹם"],
  "Arabic harakat": ["مُحَمَّد", "محمد"],
  "Arabic alef with hamza, madda, wasla": ["أحمد", "احمد", "إحمد", "آحمد", "ٱحمد", nfd("أحمد")],
  "Arabic tatweel": ["كتـــاب", "كتاب"],
  "Arabic teh marbuta and heh": ["مدرسة", "مدرسه"],
  "Arabic alef maksura and yeh": ["على", "علي", "علی"],
  "Arabic presentation forms (NFKC)": ["ﻛﺘﺎﺏ", "كتاب"],
  "Persian kaf and yeh by keyboard": ["کتابی", "كتابي", "كتابى"],
  "Persian ZWNJ": ["می\u200Cخواهم", "میخواهم", "ميخواهم"],
  "digits of any script": ["۱۲۳", "١٢٣", "१२३", "๑๒๓", "１２３", "123", "𝟏𝟐𝟑"],
  "full width (NFKC)": ["Ｋｅｔｔｌｅ", "kettle"],
  "ligature (NFKC)": ["ﬁne", "fine"],
  "Devanagari nukta, composed or not (NFC)": ["क़लम", "क\u093Cलम"],
  "Devanagari nukta behind a joiner": ["\u0929", "\u0928\u200D\u093C"],
  "Devanagari with joiner": ["क्\u200Dष", "क्ष"],
  "katakana, hiragana, half width": ["テスト", "てすと", "ﾃｽﾄ"],
  "voiced kana, composed, decomposed, half width": ["ガラス", "がらす", nfd("ガラス"), "ｶﾞﾗｽ"],
  "kana with no voiced counterpart": ["ヷ", "わ\u3099", "ﾜﾞ"],
  "Hangul syllables and jamo": ["한국어", nfd("한국어")],
  "compatibility ideograph": ["\uF900", "豈"],
};

describe("spellings of one word", () => {
  test.each(Object.entries(same))("%s", (_name, [first = "", ...others]) => {
    const expected = terms(first);
    expect(expected.length).toBeGreaterThan(0);
    for (const other of others) expect(terms(other), other).toEqual(expected);
  });
});

describe("different words", () => {
  // SPEC 3.3 folds diacritics; vowel signs, viramas and dakuten are letters in all but name.
  test.each([
    ["Devanagari vowel signs", "कि", "कु"],
    ["Devanagari virama", "क्ष", "कष"],
    ["Devanagari nukta", "क़", "क"],
    ["Tamil vowel signs", "கா", "கி"],
    ["Bengali vowel signs", "কি", "কী"],
    ["Thai vowels", "กิ", "กุ"],
    ["Thai tone marks", "ก่า", "ก้า"],
    ["Lao vowels", "ກິ", "ກຸ"],
    ["Khmer vowels", "កិ", "កុ"],
    ["Myanmar vowels", "ကိ", "ကု"],
    ["Thaana vowel signs", "ބަ", "ބި"],
    ["dakuten", "が", "か"],
    ["handakuten", "ぱ", "ば"],
    ["prolonged sound mark", "ビール", "ビル"],
    ["Hangul final", "한", "하"],
    ["Latin letters", "kettle", "kettles"],
    ["Arabic letters", "كتاب", "كتب"],
    ["Hebrew final letters", "מן", "מנ"],
    ["emoji", "🍐", "🍎"],
  ])("%s", (_name, one, other) => {
    expect(terms(one)).not.toEqual(terms(other));
  });
});

describe("scripts without spaces", () => {
  // SPEC 3.4
  test("a token per code point, apart from Latin text that touches it", () => {
    expect(shown("请重启kettled服务端v2吧")).toEqual(
      ["请", "重", "启", "kettled", "服", "务", "端", "v2", "吧"].map((part) => `${part}=${part}`),
    );
    expect(terms("水_温")).toEqual(["水", "温"]);
  });

  test.each([
    ["々〆〇", ["々", "〆", "〇"]],
    ["ラーメン", ["ら", "ー", "め", "ん"]],
    ["한국어", ["한", "국", "어"]],
    ["ㄅㄆ", ["ㄅ", "ㄆ"]],
    ["ꀀꀁ", ["ꀀ", "ꀁ"]],
    ["ສະບາຍ", ["ສ", "ະ", "ບ", "າ", "ຍ"]],
    ["ភាសា", ["ភ", "ា", "ស", "ា"]],
    ["မြန်", ["မ", "ြ", "န", "်"]],
    ["ꦧꦱ", ["ꦧ", "ꦱ"]],
    ["ᬩᬲ", ["ᬩ", "ᬲ"]],
    ["ᥘᥣ", ["ᥘ", "ᥣ"]],
    ["ᦎᦷ", ["ᦎ", "ᦷ"]],
    ["ᨲᩫ", ["ᨲ", "ᩫ"]],
    ["ꪼꪕ", ["ꪼ", "ꪕ"]],
    ["𑜒𑜨", ["𑜒", "𑜨"]],
    ["𗼇𗟲", ["𗼇", "𗟲"]],
    ["㍿", ["株", "式", "会", "社"]],
  ])("%s", (text, expected) => {
    expect(terms(text)).toEqual(expected);
  });

  test("Thai keeps exact ranges, also where NFKC takes a vowel apart", () => {
    expect(tokenize("น้ำ")).toEqual([
      { term: "น", start: 0, end: 1 },
      { term: "\u0E49", start: 1, end: 2 },
      { term: "\u0E4D", start: 2, end: 3 },
      { term: "า", start: 2, end: 3 },
    ]);
  });

  test("decomposed kana and Hangul keep the ranges of their pieces", () => {
    expect(tokenize(nfd("がく"))).toEqual([
      { term: "が", start: 0, end: 2 },
      { term: "く", start: 2, end: 3 },
    ]);
    expect(tokenize(nfd("한국"))).toEqual([
      { term: "한", start: 0, end: 3 },
      { term: "국", start: 3, end: 6 },
    ]);
  });

  test("characters beyond the BMP are one token of two units", () => {
    expect(tokenize("𠮷野")).toEqual([
      { term: "𠮷", start: 0, end: 2 },
      { term: "野", start: 2, end: 3 },
    ]);
  });

  test("private use is found, and doesn't stick to words", () => {
    expect(terms("\uE0A0main \u{F0001}x")).toEqual(["\uE0A0", "main", "\u{F0001}", "x"]);
  });
});

describe("pictographs", () => {
  test("one token each; skin tone, variation selector and joiner are dropped", () => {
    expect(shown("two🍐left 👍🏽 ❤️ 👩‍🌾")).toEqual([
      "two=two",
      "🍐=🍐",
      "left=left",
      "👍=👍🏽",
      "❤=❤️",
      "👩=👩",
      "🌾=🌾",
    ]);
  });

  test("flags are two regional indicators, keycaps are their digit", () => {
    expect(terms("🇳🇱 1️⃣ #️⃣")).toEqual(["🇳", "🇱", "1"]);
  });

  test("trade marks and copyright leave the word alone", () => {
    expect(shown("Kettle™ Kettle® ©Kettle Kettle℠")).toEqual(Array(4).fill("kettle=Kettle"));
  });
});

describe("ranges", () => {
  test("combining marks belong to the word", () => {
    const text = nfd("né, crêpe");
    expect(shown(text)).toEqual([`ne=${nfd("né")}`, `crepe=${nfd("crêpe")}`]);
  });

  test("the words that one character becomes share its range (NFKC)", () => {
    expect(tokenize("½ ㎏ ﷺ").map(({ term, start, end }) => `${term} ${start}-${end}`)).toEqual([
      "1 0-1",
      "2 0-1",
      "kg 2-3",
      "صلي 4-5",
      "الله 4-5",
      "عليه 4-5",
      "وسلم 4-5",
    ]);
  });
});

describe("long input", () => {
  const { default: longest } = limits.termLength;

  test("a term is cut to its limit, the range isn't", () => {
    expect(tokenize(`${"Q".repeat(70_000)} marigold`)).toEqual([
      { term: "q".repeat(longest), start: 0, end: 70_000 },
      { term: "marigold", start: 70_001, end: 70_009 },
    ]);
    expect(terms("é".repeat(500))).toEqual(["e".repeat(longest)]);
    expect(terms("abc'".repeat(500))[0]).toHaveLength(longest);
  });

  test("a surrogate pair is never cut", () => {
    const [term = ""] = terms(`a${"𐐨".repeat(100)}`);
    expect(term).toBe(`a${"𐐨".repeat((longest - 2) / 2)}`);
  });

  // Canonical ordering of one endless cluster is quadratic: 20,000 pairs of marks took 0.27 s, this would take minutes.
  test.each([
    ["letters", "Q".repeat(1 << 20)],
    ["marks out of order", `a${"\u0300\u0316".repeat(1 << 19)}`],
    ["kept marks out of order", `क${"\u0951\u093C\u094D".repeat(350_000)}`],
    ["jamo", "\u1112\u1161\u11AB".repeat(350_000)],
    ["apostrophes", "a'".repeat(1 << 19)],
    ["joiners", "👩\u200D".repeat(350_000)],
    ["lone surrogates", "\uD800".repeat(1 << 20)],
    ["the longest expansion there is", "\uFDFA".repeat(1 << 18)],
  ])("a million units of %s take linear time", (_name, text) => {
    const begin = performance.now();
    terms(text);
    expect(performance.now() - begin).toBeLessThan(5_000);
  });
});
