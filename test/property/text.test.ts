import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { limits } from "../../src/limits.ts";
import { cutBytes, cutEnd, cutStart, cutText, graphemeEnd, graphemeStart } from "../../src/text/cut.ts";
import { characterOf } from "../../src/text/fold.ts";
import { indexText } from "../../src/text/index-text.ts";
import { partChunks, partsOf, partTokens } from "../../src/text/parts.ts";
import { terms, tokenize } from "../../src/text/tokens.ts";

/** Characters that meet in real text and take each other's meaning away: marks, joiners, jamo, variants, separators. */
const meeting = [
  ..."abzABZ09_-./'’ʼ \n\t\u0000\u00A0",
  ..."éßẞſİıσςΣøÆﬁ½²㎏™℠ÅŉǅⅣ",
  ..."йЁґאשׁאָكکﻛىيیةهأآٱـ\u064E\u0654\u0670ﷺ۳٣",
  ..."कक़िु़्\u0951ন\u09CDாക\u0D4D\u0F42",
  ..."一水々〇〆かがカガワヷヽーｶﾞﾟ\u3099\u309A゛・、",
  ..."한ᄒ\u1161\u11ABㄱㅏㅋﾡￂ\u115F\u3164",
  ..."กิำ่้น้ເກຸកិ្ខကိုဦ",
  ..."👩🌾👍\u{1F3FD}\u{1F1F3}\u{1F1F1}©❤️#1\u20E3‼〰\u{E0067}",
  ..."\u00AD\u200B\u200C\u200D\u2060\uFEFF\u202E\u034F",
  ..."\u0300\u0301\u0316\u0323\u0338\u0345\u20DD\u{16D63}\u{16D67}\u{1D15E}\u{1D165}\uE000\u{F0000}𐐀𠮷",
];
const units = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...meeting) },
  { weight: 2, arbitrary: fc.string({ unit: "binary", minLength: 1, maxLength: 1 }) },
  { weight: 1, arbitrary: fc.constantFrom("\uD800", "\uDC00", "kettle", "maxRetry", "HTTPServer2", "don't") },
);
const anyText = fc.array(units, { maxLength: 40 }).map((list) => list.join(""));
/** Borders between characters by one pass over the whole text (UAX #29 through Intl.Segmenter), its ends included. */
function borders(text: string): number[] {
  return [...new Intl.Segmenter("en").segment(text)].map((segment) => segment.index).concat(text.length);
}

const runs = { numRuns: 2_000 };

describe("tokens", () => {
  test("terms are the terms of the tokens", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(terms(text)).toEqual(tokenize(text).map((token) => token.term));
      }),
      runs,
    );
  });

  test("a term holds letters, digits and pictographs, folded and within its limit", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        for (const term of terms(text)) {
          expect(term).toMatch(/^[a-z0-9\u{80}-\u{10FFFF}]+$/u);
          expect(term).not.toMatch(/[\p{White_Space}\p{P}\p{Cc}\p{Cs}\p{Lt}]/u);
          expect(term.length).toBeLessThanOrEqual(limits.termLength.default);
          expect(term.normalize("NFKC")).toBe(term);
        }
      }),
      runs,
    );
  });

  test("ranges are in order, within the text, and well formed", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        let last = { start: 0, end: 0 };
        for (const { start, end } of tokenize(text)) {
          expect(start).toBeGreaterThanOrEqual(last.start);
          expect(end).toBeGreaterThanOrEqual(last.end);
          // Tokens overlap only in a character, with what normalisation may join to it, that belongs to both (½ in a½x).
          const [, ...rest] = text.slice(start, last.end);
          expect(rest.every((char) => characterOf(char.codePointAt(0) ?? 0).extends)).toBe(true);
          expect(end).toBeGreaterThan(start);
          expect(end).toBeLessThanOrEqual(text.length);
          if (text.isWellFormed()) expect(text.slice(start, end).isWellFormed()).toBe(true);
          last = { start, end };
        }
      }),
      runs,
    );
  });

  test("the text of a token's range holds its term", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        for (const { term, start, end } of tokenize(text)) expect(terms(text.slice(start, end))).toContain(term);
      }),
      runs,
    );
  });

  // SPEC 3.3: NFKC. ™ and ℠ are left out: NFKC makes them letters of the word before (see fold.ts).
  test("every Unicode normal form of a text has the same terms", () => {
    fc.assert(
      fc.property(anyText, (raw) => {
        const text = raw.replace(/[™℠]/g, " ");
        const expected = terms(text);
        for (const form of ["NFC", "NFD", "NFKC", "NFKD"]) expect(terms(text.normalize(form)), form).toEqual(expected);
      }),
      runs,
    );
  });

  test("a term has itself for its only term, and so has their sequence", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const found = terms(text);
        for (const term of found) expect(terms(term)).toEqual([term]);
        expect(terms(found.join(" "))).toEqual(found);
      }),
      runs,
    );
  });

  test("a text of two parts with a space between has the terms of both", () => {
    fc.assert(
      fc.property(anyText, anyText, (one, other) => {
        expect(terms(`${one} x ${other}`)).toEqual([...terms(one), "x", ...terms(other)]);
      }),
      runs,
    );
  });
});

/** Letters and signs of one script, by block; unassigned places and digits left out. */
function script(name: string, ...blocks: readonly [number, number][]): string[] {
  const member = new RegExp(`^(?=[\\p{L}\\p{M}])(?!\\p{DI})\\p{scx=${name}}$`, "u");
  return blocks.flatMap(([from, to]) =>
    Array.from({ length: to - from + 1 }, (_, at) => String.fromCodePoint(from + at)).filter((char) =>
      member.test(char),
    ),
  );
}

describe("scripts without spaces", () => {
  const scripts: Record<string, string[]> = {
    Han: script("Hani", [0x4e00, 0x4eff], [0x20000, 0x20040], [0x3005, 0x3007]),
    Kana: [...script("Hira", [0x3041, 0x309f]), ...script("Kana", [0x30a1, 0x30ff])].filter(
      (char) => char !== "ゟ" && char !== "ヿ",
    ),
    Hangul: script("Hang", [0xac00, 0xae00]),
    Thai: script("Thai", [0x0e00, 0x0e7f]),
    Lao: script("Laoo", [0x0e80, 0x0eff]),
    Khmer: script("Khmr", [0x1780, 0x17ff]),
    Myanmar: script("Mymr", [0x1000, 0x109f]),
  };

  // SPEC 3.4. Substrings are taken of the composed text: what a person selects there, and what FTS5 sees as a phrase.
  test.each(Object.entries(scripts))("in %s every substring is a phrase of the whole", (_name, chars) => {
    expect(chars.length).toBeGreaterThan(50);
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...chars), { minLength: 2, maxLength: 12 }),
        fc.nat(),
        fc.nat(),
        (list, a, b) => {
          const run = [...list.join("").normalize("NFC")];
          const from = a % run.length;
          const part = run.slice(from, from + 2 + (b % run.length));
          const whole = ` ${terms(run.join("")).join(" ")} `;
          const found = terms(part.join(""));
          expect(found.length).toBeGreaterThanOrEqual(part.length);
          expect(whole).toContain(` ${found.join(" ")} `);
        },
      ),
      runs,
    );
  });

  test.each(Object.entries(scripts))("in %s each code point has its own range", (_name, chars) => {
    const [bases, marks] = [false, true].map((wanted) =>
      chars.filter((char) => characterOf(char.codePointAt(0) ?? 0).extends === wanted),
    );
    const syllable = fc
      .tuple(fc.constantFrom(...(bases ?? [])), fc.array(fc.constantFrom("", ...(marks ?? [])), { maxLength: 3 }))
      .map(([base, signs]) => base + signs.join(""));
    fc.assert(
      fc.property(fc.array(syllable, { minLength: 1, maxLength: 12 }), (list) => {
        const text = list.join("").normalize("NFC");
        expect(new Set(tokenize(text).map((token) => token.start)).size).toBe([...text].length);
      }),
      runs,
    );
  });
});

describe("parts", () => {
  test("are the letters of the terms, cut in more places, and lie within the text", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        for (const chunk of partChunks(text)) {
          const start = chunk[0]?.start ?? 0;
          const end = chunk.at(-1)?.end ?? 0;
          const own = terms(text.slice(start, end));
          expect(
            chunk
              .map((token) => token.term)
              .join("")
              .normalize("NFC"),
          ).toBe(own.join("").normalize("NFC"));
          expect(chunk.length).toBeGreaterThan(own.length);
          expect(text.slice(start, end)).not.toMatch(/\p{White_Space}/u);
        }
      }),
      runs,
    );
  });

  test("of a word in a query are those of the same word in a text", () => {
    const word = fc
      .array(fc.constantFrom(..."abcXYZ019_-./'’é\u0301\u00ADßЖж", "Server", "HTTP", "retry"), {
        minLength: 1,
        maxLength: 20,
      })
      .map((list) => list.join(""));
    fc.assert(
      fc.property(word, (text) => {
        expect(partTokens(`so ${text} then`).map((token) => token.term)).toEqual(partsOf(text));
      }),
      runs,
    );
  });

  test("are the same in NFC and NFD", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const inForm = (form: string): string[] => partTokens(text.normalize(form)).map((token) => token.term);
        expect(inForm("NFD")).toEqual(inForm("NFC"));
      }),
      runs,
    );
  });
});

// The contract that search rests on: FTS5 sees the very terms, in the very places.
test("FTS5's ascii tokenizer takes both columns term by term", () => {
  const db = new DatabaseSync(":memory:");
  db.exec(`
    CREATE VIRTUAL TABLE message_index USING fts5 (text, parts, content='', contentless_delete=1, tokenize='ascii');
    CREATE VIRTUAL TABLE term USING fts5vocab (message_index, instance);
  `);
  const add = db.prepare("INSERT INTO message_index (rowid, text, parts) VALUES (1, ?, ?)");
  const read = db.prepare('SELECT term FROM term WHERE col = ? ORDER BY "offset"');
  fc.assert(
    fc.property(anyText, (text) => {
      const row = indexText(text);
      add.run(row.text, row.parts);
      const column = (name: string): string =>
        read
          .all(name)
          .map(({ term }) => String(term))
          .join(" ");
      expect(column("text")).toBe(row.text);
      expect(column("parts")).toBe(row.parts);
      expect(row.text === "" ? 0 : row.text.split(" ").length).toBe(row.length);
      db.exec("DELETE FROM message_index WHERE rowid = 1");
    }),
    { numRuns: 500 },
  );
  db.close();
});

describe("cuts", () => {
  const offset = fc.integer({ min: -5, max: 200 });

  test("graphemeStart and graphemeEnd are the nearest borders on either side", () => {
    fc.assert(
      fc.property(anyText, offset, (text, at) => {
        const all = borders(text);
        const inside = Math.min(Math.max(at, 0), text.length);
        expect(graphemeStart(text, at)).toBe(all.findLast((border) => border <= inside));
        expect(graphemeEnd(text, at)).toBe(all.find((border) => border >= inside));
      }),
      runs,
    );
  });

  test("cutText and cutBytes keep the longest beginning that fits", () => {
    const bytes = (text: string): number => Buffer.byteLength(text, "utf8");
    fc.assert(
      fc.property(anyText, offset, (text, most) => {
        const all = borders(text).map((border) => text.slice(0, border));
        expect(cutText(text, most)).toBe(all.findLast((cut) => cut.length <= most) ?? "");
        expect(cutBytes(text, most)).toBe(all.findLast((cut) => bytes(cut) <= most) ?? "");
      }),
      runs,
    );
  });

  test("cutStart and cutEnd move inwards, not further than needed, to a border between characters", () => {
    fc.assert(
      fc.property(anyText, offset, fc.integer({ min: 0, max: 30 }), (text, at, reach) => {
        const all = borders(text);
        const start = cutStart(text, at, reach);
        const end = cutEnd(text, at, reach);
        expect(all).toContain(start);
        expect(all).toContain(end);
        const inside = Math.min(Math.max(at, 0), text.length);
        expect(start).toBeGreaterThanOrEqual(inside);
        expect(end).toBeLessThanOrEqual(inside);
        expect(start).toBeLessThanOrEqual(Math.max(inside + reach, graphemeEnd(text, at)));
        expect(end).toBeGreaterThanOrEqual(Math.min(inside - reach, graphemeStart(text, at)));
      }),
      runs,
    );
  });
});
