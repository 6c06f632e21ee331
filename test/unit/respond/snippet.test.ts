import { describe, expect, test } from "vitest";
import { limits } from "../../../src/limits.ts";
import { cutSnippet, type Snippet, type SnippetMatch } from "../../../src/respond/snippet.ts";

/** Cuts around every place where one of the words stands, a clause a word. */
function cut(text: string, words: readonly string[], longest?: number): Snippet {
  const matches: SnippetMatch[] = words
    .flatMap((word, clause) =>
      [...text.matchAll(new RegExp(word, "gu"))].map((match) => ({
        start: match.index,
        end: match.index + match[0].length,
        clause,
      })),
    )
    .sort((a, b) => a.start - b.start);
  return cutSnippet(text, matches, longest);
}

const marked = ({ text, highlights }: Snippet) => highlights.map(({ start, end }) => text.slice(start, end));
const longest = limits.snippetLength.default;

/** So many different words, `a0 a1 a2 …`. */
const words = (count: number, letter = "a") => Array.from({ length: count }, (_, at) => `${letter}${at}`).join(" ");

// SPEC 5.1
describe("a short message", () => {
  test("is shown as it is, with every match", () => {
    const text = "The kettle lid.\r\n\tThe  kettle…  ";
    expect(cut(text, ["kettle", "lid"])).toEqual({
      text,
      highlights: [
        { start: 4, end: 10 },
        { start: 11, end: 14 },
        { start: 23, end: 29 },
      ],
    });
    expect(cut("", [])).toEqual({ text: "", highlights: [] });
  });

  test("of exactly the longest length is whole, of one more is cut", () => {
    const text = `kettle ${"x".repeat(longest - 7)}`;
    expect(cut(text, ["kettle"]).text).toBe(text);
    expect(cut(`${text}x`, ["kettle"]).text.length).toBeLessThanOrEqual(longest);
  });
});

describe("one window", () => {
  // hermes-agent#12075: a late match must not be invisible.
  test("lies around the match, wherever that is", () => {
    for (const at of [0, 1, 100, 199, 200]) {
      const text = `${words(at, "a")} heron ${words(200 - at, "b")}`;
      const snippet = cut(text, ["heron"]);
      expect(marked(snippet)).toEqual(["heron"]);
      expect(snippet.text.length).toBeGreaterThan(longest - 20);
      expect(text).toContain(snippet.text.replaceAll("…", ""));
    }
  });

  test("shows about as much before the match as behind it", () => {
    const { text, highlights } = cut(`${words(300, "a")} heron ${words(300, "b")}`, ["heron"]);
    const before = highlights[0]?.start ?? 0;
    const behind = text.length - (highlights[0]?.end ?? 0);
    expect(Math.abs(before - behind)).toBeLessThan(20);
  });

  test("gives to one side what the other has no use for", () => {
    expect(cut(`heron ${words(200)}`, ["heron"]).text).toMatch(/^heron a0 .*…$/);
    expect(cut(`${words(200)} heron`, ["heron"]).text).toMatch(/^….* heron$/);
    expect(cut(`heron ${words(200)}`, ["heron"]).text.length).toBeGreaterThan(longest - 10);
  });

  test("begins and ends with whole words, and says where something is left out", () => {
    const text = `${words(100)} heron ${words(100, "b")}`;
    const { text: snippet } = cut(text, ["heron"]);
    expect(snippet).toMatch(/^….*…$/);
    const all = text.split(" ");
    for (const word of snippet.slice(1, -1).split(" ")) expect(all).toContain(word);
  });

  test("shows most of the query's words rather than most matches of one", () => {
    const text = `${"heron heron heron heron ".repeat(3)}${words(200)} heron nest ${words(200, "b")}`;
    expect(marked(cut(text, ["heron", "nest"])).join(" ")).toBe("heron nest");
  });

  test("shows the place with most matches among equals, else the first", () => {
    const gap = ` ${words(200)} `;
    expect(marked(cut(`heron${gap}heron heron${gap}heron`, ["heron"]))).toEqual(["heron", "heron"]);
    expect(cut(`heron one${gap}heron two${gap}`, ["heron"]).text).toContain("one");
  });

  test("without a match is the beginning", () => {
    const { text, highlights } = cut(words(200), []);
    expect(text).toMatch(/^a0 a1 .*…$/);
    expect(highlights).toEqual([]);
  });

  test("of one long word is not emptied to spare it", () => {
    expect(cut("x".repeat(60), [], 24).text).toBe(`${"x".repeat(22)}…`);
    expect(cut("x".repeat(600), []).text.length).toBe(longest - 1);
  });

  test("changes nothing in the text", () => {
    const text = `${"\u202B\u0634\u0643\u0631\u0627\u202C \r\n\t <mark>x</mark> &amp; \u0000 ".repeat(20)}heron${" سلام عليكم\n\n".repeat(40)}`;
    expect(text).toContain(cut(text, ["heron"]).text.slice(1, -1));
  });
});

describe("two fragments", () => {
  const far = ` ${words(300)} `;

  test("show words that stand far apart, in text order", () => {
    const snippet = cut(`${words(99, "x")} heron one${far}the nest two ${words(99, "y")}`, ["nest", "heron"]);
    expect(marked(snippet)).toEqual(["heron", "nest"]);
    expect(snippet.text).toMatch(/^…[^…]*heron one[^…]* … [^…]*nest two[^…]*…$/);
    expect(snippet.text.length).toBeLessThanOrEqual(longest);
  });

  test("are not made for words that one window shows, nor for more of the same", () => {
    expect(cut(`${far}heron and nest${far}heron${far}nest${far}`, ["heron", "nest"]).text.slice(1, -1)).not.toContain(
      "…",
    );
    expect(cut(`heron${far}heron${far}`, ["heron"]).text.slice(0, -1)).not.toContain("…");
  });

  test("reach from the very beginning to the very end without dots there", () => {
    expect(cut(`heron${far}nest`, ["heron", "nest"]).text).toMatch(/^heron [^…]* … [^…]* nest$/);
  });

  test("show as many words as two can, where there are more", () => {
    const snippet = cut(["heron", "nest", "reed", "pond"].join(far), ["heron", "nest", "reed", "pond"]);
    expect(marked(snippet)).toEqual(["heron", "nest"]);
  });

  test("are the two that show all words together, though neither is the richest by itself", () => {
    const text = ["one two three four", "one two five", "three four six"].join(far);
    const snippet = cut(text, ["one", "two", "three", "four", "five", "six"]);
    expect(marked(snippet)).toEqual(["one", "two", "five", "three", "four", "six"]);
  });

  test("are the ones with most matches among equals", () => {
    const text = ["heron nest", "heron reed", "heron pond pond"].join(far);
    expect(marked(cut(text, ["heron", "nest", "reed", "pond"]))).toEqual(["heron", "nest", "heron", "pond", "pond"]);
  });

  test("a window that shows more is better than two halves that show less", () => {
    // 290 units from the first word to the last: too wide for a half.
    const spread = ["one", "two", "three"].join(` ${"x".repeat(137)} `);
    const snippet = cut(`${far}${spread}${far}`, ["one", "two", "three"]);
    expect(marked(snippet)).toEqual(["one", "two", "three"]);
  });
});

describe("characters stay whole", () => {
  // openclaw#101659: half an emoji made strict readers refuse the answer.
  test.each(["🧵", "👩‍🌾", "🇩🇪.", "e\u0301", "각", "각", "नि", "ก็", "\r\n", "👍\u{1F3FD}"])("%j", (unit) => {
    for (const shift of ["", "x", "xy"]) {
      const text = `${unit.repeat(401)}${shift} heron ${shift}${unit.repeat(402)}`;
      const { text: snippet, highlights } = cut(text, ["heron"]);
      expect(snippet.isWellFormed()).toBe(true);
      expect(marked({ text: snippet, highlights })).toEqual(["heron"]);
      const rest = snippet.replace(/…|heron|[xy. ]/g, "");
      expect(rest.length).toBeGreaterThan(200);
      expect(rest.replaceAll(unit.replace(".", ""), "")).toBe("");
    }
  });
});

describe("a match longer than the snippet", () => {
  test("fills it from its beginning", () => {
    const text = `${words(100)} ${"heron".repeat(200)} ${words(100, "b")}`;
    const snippet = cut(text, ["(?:heron){200}"]);
    expect(snippet.text).toMatch(/^…heronheron[heron]*…$/);
    expect(marked(snippet)).toEqual([snippet.text.slice(1, -1)]);
    expect(snippet.text.length).toBe(longest);
  });

  test("goes on into the next without a cut, and without being shown twice", () => {
    const text = "heron".repeat(200);
    for (const start of [140, 147, 150]) {
      const matches = [
        { start: 0, end: 200, clause: 0 },
        { start, end: 600, clause: 1 },
      ];
      const { text: snippet } = cutSnippet(text, matches);
      expect(snippet.length).toBeGreaterThan(longest - 20);
      expect(text.startsWith(snippet.slice(0, -1)), snippet).toBe(true);
    }
  });

  test("leaves room for another word", () => {
    const text = `${words(100)} ${"heron".repeat(200)} ${words(100, "b")} nest ${words(100, "c")}`;
    const shown = marked(cut(text, ["(?:heron){200}", "nest"]));
    expect(shown[0]).toMatch(/^heronheron/);
    expect(shown[1]).toBe("nest");
  });
});

test("overlapping matches are one highlight, touching ones two", () => {
  const matches = [
    { start: 0, end: 2, clause: 0 },
    { start: 1, end: 3, clause: 0 },
    { start: 1, end: 2, clause: 1 },
    { start: 3, end: 4, clause: 1 },
  ];
  expect(cutSnippet("哈哈哈笑", matches).highlights).toEqual([
    { start: 0, end: 3 },
    { start: 3, end: 4 },
  ]);
});

describe("time", () => {
  test.each([1, 3, 64])("is linear in the matches: 200,000 of %d clauses", (clauses) => {
    const text = "kettle ".repeat(200_000);
    const matches = Array.from({ length: 200_000 }, (_, at) => ({
      start: at * 7,
      end: at * 7 + 6,
      clause: Math.imul(at, 2_654_435_761) >>> 8 > 2 ** 23 ? at % clauses : (at >> 5) % clauses,
    }));
    const begin = performance.now();
    const snippet = cutSnippet(text, matches);
    expect(performance.now() - begin).toBeLessThan(3_000);
    expect(snippet.highlights.length).toBeGreaterThan(20);
  });

  test("does not depend on the text around", () => {
    const text = `${"x".repeat(5_000_000)} heron ${"\u0301".repeat(5_000_000)}`;
    const begin = performance.now();
    expect(marked(cut(text, ["heron"]))).toEqual(["heron"]);
    expect(performance.now() - begin).toBeLessThan(1_000);
  });
});
