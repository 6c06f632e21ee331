import { describe, expect, test } from "vitest";
import { cutBytes, cutEnd, cutStart, cutText, graphemeEnd, graphemeStart } from "../../../src/text/cut.ts";

// UAX #29 table 1a and GraphemeBreakTest: each is one extended grapheme cluster.
const clusters = [
  "e\u0301", // GB9 Extend
  "\r\n", // GB3
  "\u1112\u1161\u11AB", // GB6 to GB8 Hangul
  "\u0BA8\u0BBF", // GB9a SpacingMark
  "क्षि", // GB9c conjunct
  "\u{1F1F3}\u{1F1F1}", // GB12 regional indicators
  "👩‍👩‍👧", // GB11 ZWJ sequence
  "👍🏽",
  "1️⃣",
];

describe("graphemeStart and graphemeEnd", () => {
  test.each(clusters)("never lie inside %j", (cluster) => {
    const text = `ab${cluster}cd`;
    for (let inside = 1; inside < cluster.length; inside++) {
      expect(graphemeStart(text, 2 + inside)).toBe(2);
      expect(graphemeEnd(text, 2 + inside)).toBe(2 + cluster.length);
    }
    for (const border of [0, 1, 2, 2 + cluster.length, text.length]) {
      expect(graphemeStart(text, border)).toBe(border);
      expect(graphemeEnd(text, border)).toBe(border);
    }
  });

  test("find every border of a text as one pass over the whole text does", () => {
    const text = clusters.join("水x").repeat(5);
    const borders = [...new Intl.Segmenter("en").segment(text)].map((segment) => segment.index).concat(text.length);
    for (let at = 0; at <= text.length; at++) {
      expect(graphemeStart(text, at)).toBe(borders.findLast((border) => border <= at));
      expect(graphemeEnd(text, at)).toBe(borders.find((border) => border >= at));
    }
  });

  test("stay within the text", () => {
    expect([graphemeStart("ab", -3), graphemeEnd("ab", -3), graphemeStart("ab", 9), graphemeEnd("ab", 9)]).toEqual([
      0, 0, 2, 2,
    ]);
    expect(graphemeStart("", 1)).toBe(0);
  });

  test("cut an endless cluster between code points", () => {
    const text = `a${"\u{E0100}".repeat(2_000)}`;
    expect(graphemeStart(text, 1_000)).toBe(999);
    expect(graphemeEnd(text, 1_000)).toBe(1_001);
    expect(graphemeEnd(text, 999)).toBe(999);
  });
});

describe("cutText and cutBytes", () => {
  test("keep what fits", () => {
    expect(cutText("pear", 4)).toBe("pear");
    expect(cutText("pear", 2)).toBe("pe");
    expect(cutText("pear", 0)).toBe("");
    expect(cutBytes("né水🍐", 10)).toBe("né水🍐"); // 1 + 2 + 3 + 4
    expect(cutBytes("né水🍐", 9)).toBe("né水");
    expect(cutBytes("né水🍐", 5)).toBe("né");
    expect(cutBytes("né", 0)).toBe("");
    expect(cutBytes("né", -1)).toBe("");
  });

  test("leave out a character that doesn't fit whole", () => {
    expect(cutText("ab👩‍👩‍👧", 6)).toBe("ab");
    expect(cutText("👩‍👩‍👧", 6)).toBe("");
    expect(cutBytes("abe\u0301", 3)).toBe("ab");
  });

  test("a lone surrogate counts as the three bytes that it is written with", () => {
    expect(cutBytes("\uD800\uD800", 5)).toBe("\uD800");
  });

  test("cost what the cut costs, not what the text costs", () => {
    const text = "é👩‍👩‍👧水".repeat(1 << 18);
    const begin = performance.now();
    for (let i = 0; i < 1_000; i++) {
      cutText(text, text.length - 5 - i);
      cutBytes(text, 300);
    }
    expect(performance.now() - begin).toBeLessThan(1_000);
  });
});

describe("cutStart and cutEnd", () => {
  const text = "The blue_heron returned to https://quince.example/a/b at dawn";
  /** What a window shows that should begin or end at the mark. */
  function from(marked: string, reach: number): string {
    const at = marked.indexOf("|");
    const plain = marked.replace("|", "");
    return plain.slice(cutStart(plain, at, reach));
  }
  function upTo(marked: string, reach: number): string {
    const at = marked.indexOf("|");
    const plain = marked.replace("|", "");
    return plain.slice(0, cutEnd(plain, at, reach));
  }

  // SPEC 5.1
  test("move to the next word after white space", () => {
    expect(from("the bl|ue heron", 20)).toBe("heron");
    expect(from("the| blue heron", 20)).toBe("blue heron");
    expect(from("the |blue heron", 20)).toBe("blue heron");
    expect(upTo("the blue he|ron", 20)).toBe("the blue");
    expect(upTo("the blue |heron", 20)).toBe("the blue");
    expect(upTo("the blue| heron", 20)).toBe("the blue");
  });

  test("prefer white space to other borders, and those to none", () => {
    expect(text.slice(cutStart(text, 6, 20))).toMatch(/^returned/);
    expect(text.slice(cutStart(text, 6, 5))).toMatch(/^_heron/);
    expect(text.slice(cutStart(text, 28, 2))).toMatch(/^ttps/);
    expect(text.slice(0, cutEnd(text, 50, 30))).toMatch(/ to$/);
    expect(text.slice(0, cutEnd(text, 44, 6))).toMatch(/quince\.$/);
  });

  test("keep apostrophes and marks inside words", () => {
    expect(from("we do|n't see", 20)).toBe("see");
    expect(upTo("we don|'t", 20)).toBe("we");
    expect(upTo(`we né\u0301|e`, 20)).toBe("we");
  });

  test("take any character border in scripts without spaces", () => {
    expect(from("后天上|午在温室", 10)).toBe("午在温室");
    expect(upTo("后天上|午在温室", 10)).toBe("后天上");
    expect(upTo("รดน้|ำต้น", 10)).toBe("รด"); // inside the cluster น้ำ
    expect(from("รดน้|ำต้น", 10)).toBe("ต้น");
    expect(from("two 👩|‍🌾 left", 5)).toBe("left");
  });

  test("the ends of the text are borders", () => {
    expect(cutStart(text, 0, 5)).toBe(0);
    expect(cutStart(text, -4, 5)).toBe(0);
    expect(cutEnd(text, text.length, 5)).toBe(text.length);
    expect(cutEnd(text, text.length + 4, 5)).toBe(text.length);
    expect(cutStart("kettle", 2, 50)).toBe(6);
    expect(cutEnd("kettle", 2, 50)).toBe(0);
  });

  test("without a border in reach a character border is left", () => {
    expect(cutStart("k".repeat(90), 10, 5)).toBe(10);
    expect(cutEnd(`${"k".repeat(50)}e\u0301${"k".repeat(50)}`, 51, 5)).toBe(50);
  });
});
