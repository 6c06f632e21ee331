import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { limits } from "../../src/limits.ts";
import type { Range } from "../../src/model/answer.ts";
import { cutSnippet, type Snippet, type SnippetMatch } from "../../src/respond/snippet.ts";
import { findMatches } from "../../src/search/matches.ts";
import { parseQuery } from "../../src/search/query.ts";

const runs = { numRuns: 1_000 };

/** Characters that a cut could tear, words that it should not, right-to-left text; never the sign of a cut. */
const units = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.constantFrom("kettle", "lid", "maxRetryCount", "a", " ", " ", "\n", ", ", "/", "x".repeat(60)),
  },
  { weight: 3, arbitrary: fc.constantFrom("浇", "水", "กุหลาบ", "น้ำ", "각", "नि", "سلام", "\u200F", "\u202B", "שָׁלוֹם") },
  {
    weight: 3,
    arbitrary: fc.constantFrom("🍐", "👩‍🌾", "🇩🇪", "🇩", "e\u0301", "\u0301", "\u200D", "\r\n", "\u0000", "½"),
  },
  {
    weight: 1,
    arbitrary: fc.string({ unit: "binary", minLength: 1, maxLength: 2 }).filter((text) => !text.includes("…")),
  },
);
const anyText = fc.array(units, { maxLength: 300, size: "max" }).map((list) => list.join(""));
const longest = fc.oneof(fc.constant(limits.snippetLength.default), fc.integer({ min: 24, max: 300 }));

/** Ranges anywhere, of any length, in the middle of characters too. */
const anyMatches = fc.array(fc.tuple(fc.nat(), fc.oneof(fc.nat(12), fc.nat(600)), fc.nat(4)), { maxLength: 30 });

function place(text: string, list: readonly (readonly [number, number, number])[]): SnippetMatch[] {
  if (text === "") return [];
  return list
    .map(([at, length, clause]) => {
      const start = at % text.length;
      return { start, end: Math.min(text.length, start + 1 + length), clause };
    })
    .sort((a, b) => a.start - b.start || a.end - b.end);
}

/** Where in the text a snippet can have been cut out, one list of fragments for each way to read it. */
function readings(text: string, snippet: string): Range[][] {
  if (snippet === text) return [[{ start: 0, end: text.length }]];
  const inner = snippet.slice(snippet.startsWith("…") ? 1 : 0, snippet.endsWith("…") ? -1 : undefined);
  const [one = "", two] = inner.split(" … ");
  const ends = (list: readonly Range[]) =>
    snippet.startsWith("…") === (list[0]?.start ?? 0) > 0 &&
    snippet.endsWith("…") === (list.at(-1)?.end ?? 0) < text.length;
  const firsts = occurrences(text, one);
  const lists =
    two === undefined
      ? firsts.map((first) => [first])
      : firsts.flatMap((first) => occurrences(text, two).map((second) => [first, second]));
  return lists.filter(ends).filter(([first, second]) => second === undefined || (first?.end ?? 0) < second.start);
}

function occurrences(text: string, piece: string): Range[] {
  const found: Range[] = [];
  if (piece === "") return found;
  for (let at = text.indexOf(piece); at !== -1; at = text.indexOf(piece, at + 1))
    found.push({ start: at, end: at + piece.length });
  return found;
}

/** Offsets in the snippet that are highlighted if it was cut at these fragments. */
function highlighted(fragments: readonly Range[], matches: readonly Range[]): Set<number> {
  const offsets = new Set<number>();
  let shift = (fragments[0]?.start ?? 0) > 0 ? 1 : 0;
  for (const { start, end } of fragments) {
    for (const match of matches) {
      for (let at = Math.max(start, match.start); at < Math.min(end, match.end); at++) offsets.add(at - start + shift);
    }
    shift += end - start + " … ".length;
  }
  return offsets;
}

const offsetsOf = ({ highlights }: Snippet) =>
  new Set(highlights.flatMap(({ start, end }) => Array.from({ length: end - start }, (_, at) => start + at)));

/** Borders between characters, by one pass over the whole text. */
function borders(text: string): Set<number> {
  return new Set([...new Intl.Segmenter("en").segment(text)].map(({ index }) => index)).add(text.length);
}

// SPEC 5.1
describe("a snippet of any text with any matches", () => {
  test("is no longer than allowed, and its highlights are in order, within it, and not empty", () => {
    fc.assert(
      fc.property(anyText, anyMatches, longest, (text, list, most) => {
        const { text: snippet, highlights } = cutSnippet(text, place(text, list), most);
        expect(snippet.length).toBeLessThanOrEqual(most);
        let last = 0;
        for (const { start, end } of highlights) {
          expect(start).toBeGreaterThanOrEqual(last);
          expect(end).toBeGreaterThan(start);
          last = end;
        }
        expect(last).toBeLessThanOrEqual(snippet.length);
      }),
      runs,
    );
  });

  test("is made of unchanged pieces of the text, cut between characters, with the very matches highlighted", () => {
    fc.assert(
      fc.property(anyText, anyMatches, longest, (text, list, most) => {
        const matches = place(text, list);
        const snippet = cutSnippet(text, matches, most);
        const edges = borders(text);
        const offsets = offsetsOf(snippet);
        const right = readings(text, snippet.text).filter(
          (fragments) =>
            fragments.every(({ start, end }) => edges.has(start) && edges.has(end)) &&
            highlighted(fragments, matches).symmetricDifference(offsets).size === 0,
        );
        expect(right.length).toBeGreaterThan(0);
        if (text.isWellFormed()) expect(snippet.text.isWellFormed()).toBe(true);
      }),
      runs,
    );
  });

  test("shows a match if there is one", () => {
    fc.assert(
      fc.property(anyText, anyMatches, longest, (text, list, most) => {
        const matches = place(text, list);
        expect(cutSnippet(text, matches, most).highlights.length > 0).toBe(matches.length > 0);
      }),
      runs,
    );
  });

  test("highlights what the query found", () => {
    const query = fc.constantFrom(
      "kettle",
      "retry lid",
      "浇 OR 水",
      "น้ำ",
      "e*",
      "🇩",
      "maxRetryCount kettle",
      '"lid kettle"',
    );
    fc.assert(
      fc.property(anyText, query, (text, input) => {
        const { all } = findMatches(text, parseQuery(input, () => false).clauses, []);
        const snippet = cutSnippet(text, all);
        const found = new Set(all.map(({ start, end }) => text.slice(start, end)));
        const single = snippet.highlights.map(({ start, end }) => snippet.text.slice(start, end));
        // Overlapping matches are highlighted as one, and the edge of a fragment may cut the first: so it begins with a
        // match or the rest of one, or is a part of one.
        const rests = [...found].flatMap((whole) => Array.from(whole, (_, at) => whole.slice(at)));
        for (const piece of single) {
          expect(rests.some((rest) => rest !== "" && (piece.startsWith(rest) || rest.startsWith(piece)))).toBe(true);
        }
      }),
      runs,
    );
  });
});

describe("a snippet of words", () => {
  /** Different words of 2 to 14 letters, some of which a clause matches. */
  const words = fc
    .array(fc.tuple(fc.nat(12), fc.oneof({ weight: 6, arbitrary: fc.constant(null) }, fc.nat(5))), {
      minLength: 60,
      maxLength: 160,
      size: "max",
    })
    .map((list) => {
      const parts = list.map(([length, clause], at) => ({ word: `w${at}${"x".repeat(length)}`, clause }));
      let start = 0;
      const matches: SnippetMatch[] = [];
      for (const { word, clause } of parts) {
        if (clause !== null) matches.push({ start, end: start + word.length, clause });
        start += word.length + 1;
      }
      return { text: parts.map(({ word }) => word).join(" "), matches };
    });

  test("has whole words only", () => {
    fc.assert(
      fc.property(words, fc.integer({ min: 120, max: 300 }), ({ text, matches }, most) => {
        fc.pre(text.length > most);
        const all = new Set(text.split(" "));
        const { text: snippet } = cutSnippet(text, matches, most);
        for (const word of snippet.split(/[… ]+/).filter(Boolean)) expect(all).toContain(word);
      }),
      runs,
    );
  });

  test("shows every clause where one window or two can", () => {
    let possible = 0;
    fc.assert(
      fc.property(words, fc.integer({ min: 80, max: 300 }), ({ text, matches }, most) => {
        fc.pre(text.length > most);
        const wanted = new Set(matches.map(({ clause }) => clause));
        // A cut costs the sign of it on both sides, a gap three units.
        const room = most - 2;
        const half = Math.floor((room - 3) / 2);
        const windows = (size: number) =>
          matches.map(
            ({ start }) =>
              new Set(
                matches
                  .filter((match) => match.start >= start && match.end <= start + size)
                  .map(({ clause }) => clause),
              ),
          );
        const all = (clauses: ReadonlySet<number>) => clauses.size === wanted.size;
        const halves = windows(half);
        const fits = windows(room).some(all) || halves.some((one) => halves.some((two) => all(one.union(two))));
        possible += Number(fits);

        const { text: snippet, highlights } = cutSnippet(text, matches, most);
        const shown = new Set(highlights.map(({ start, end }) => snippet.slice(start, end)));
        const clauses = matches
          .filter(({ start, end }) => shown.has(text.slice(start, end)))
          .map(({ clause }) => clause);
        if (fits) expect(new Set(clauses)).toEqual(wanted);
      }),
      runs,
    );
    expect(possible).toBeGreaterThan(runs.numRuns / 10);
  });
});
