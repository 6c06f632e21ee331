import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anywhere, Scoreboard, type Statistics, type UnitStatistics } from "../../../src/search/scoreboard.ts";
import { passageTokens } from "../../../src/text/passage.ts";

const transcriptOf = (no: number) => Math.floor(no / 100);

function statistics(...units: Partial<UnitStatistics>[]): Statistics {
  return {
    messages: 1_000,
    tokens: 50_000,
    transcripts: 100,
    units: units.map((unit) => ({ exact: 10, forms: 10, transcripts: 10, ...unit })),
  };
}

const facts = (no: number, length: number) => ({ no, length, timestamp: 0, isUser: true });
const long = 4 * passageTokens;

// SPEC 4.1
describe("own score", () => {
  test("a long message is judged by its best passage: words far apart are worth less than the same side by side", () => {
    const board = new Scoreboard(2, transcriptOf);
    for (const unit of [0, 1]) board.add(unit, 101, 0, 1, 1);
    board.add(0, 201, 0, 1, 1);
    board.add(1, 201, 3, 1, 1);
    const scores = board.ownScores([facts(101, long), facts(201, long)], statistics({}, {}));
    expect(scores.get(101)).toBeCloseTo(2 * (scores.get(201) ?? 0), 10);
  });

  test("further passages take nothing away", () => {
    const board = new Scoreboard(1, transcriptOf);
    board.add(0, 101, 0, 2, 2);
    board.add(0, 201, 0, 2, 2);
    for (const passage of [1, 2, 3]) board.add(0, 201, passage, 1, 1);
    const scores = board.ownScores([facts(101, long), facts(201, long)], statistics({}));
    expect(scores.get(201)).toBe(scores.get(101));
  });

  test("a short message is one passage, wherever its words stand", () => {
    const board = new Scoreboard(2, transcriptOf);
    board.add(0, 101, 0, 1, 1);
    board.add(1, 101, 1, 1, 1);
    board.add(0, 201, 0, 1, 1);
    board.add(1, 201, 0, 1, 1);
    const scores = board.ownScores([facts(101, passageTokens + 8), facts(201, passageTokens + 8)], statistics({}, {}));
    expect(scores.get(101)).toBe(scores.get(201));
  });

  test("a word as typed is worth more than another form, and a form more than a part of a name (SPEC 3.5)", () => {
    const board = new Scoreboard(1, transcriptOf);
    board.add(0, 101, 0, 1, 1);
    board.add(0, 201, 0, 0, 1);
    board.add(0, 301, anywhere, 0, 0.5);
    const { length } = { length: 50 };
    const scores = board.ownScores(
      [101, 201, 301].map((no) => facts(no, length)),
      statistics({}),
    );
    const [typed = 0, form = 0, part = 0] = [101, 201, 301].map((no) => scores.get(no));
    expect(typed).toBeGreaterThan(form);
    expect(form).toBeGreaterThan(part);
    expect(part).toBeGreaterThan(0);
  });

  test("a rare word is worth more than a common one, and one that everything has is worth next to nothing", () => {
    const board = new Scoreboard(3, transcriptOf);
    for (const unit of [0, 1, 2]) board.add(unit, 101 + 100 * unit, 0, 1, 1);
    const counts = [1, 500, 1_000].map((n) => ({ exact: n, forms: n }));
    const scores = board.ownScores(
      [101, 201, 301].map((no) => facts(no, 50)),
      statistics(...counts),
    );
    const [rare = 0, common = 0, all = 0] = [101, 201, 301].map((no) => scores.get(no));
    expect(rare).toBeGreaterThan(5 * common);
    expect(all).toBeLessThan(rare / 1_000);
    expect(all).toBeGreaterThanOrEqual(0);
  });
});

describe("the session as one document", () => {
  test("counts what all its messages say, and a long session for no more than a short one that is about it", () => {
    const board = new Scoreboard(1, transcriptOf);
    for (const no of [101, 102, 103]) board.add(0, no, 0, 1, 1);
    board.add(0, 201, 0, 1, 1);
    board.add(0, 301, 0, 1, 1);
    const tokens = new Map([
      [1, { tokens: 500 }],
      [2, { tokens: 500 }],
      [3, { tokens: 50_000 }],
    ]);
    const scores = board.sessionScores(tokens, statistics({}));
    expect(scores.get(1)).toBeGreaterThan(scores.get(2) ?? 0);
    expect(scores.get(2)).toBeGreaterThan(scores.get(3) ?? 0);
    expect(scores.get(4)).toBeUndefined();
  });
});

describe("candidates", () => {
  test("are cut to the best ones, and no session takes more than a tenth of the places", () => {
    const board = new Scoreboard(1, transcriptOf);
    for (let at = 0; at < 60; at++) board.add(0, 100 + at, 0, 3, 3);
    for (let session = 2; session < 42; session++) board.add(0, session * 100, 0, 1, 1);
    const best = board.best(statistics({}), 20);
    expect(best).toHaveLength(20);
    expect(best.filter(({ no }) => transcriptOf(no) === 1)).toHaveLength(2);
  });

  test("are those that have all quoted words, where there are some", () => {
    const board = new Scoreboard(2, transcriptOf);
    for (const no of [101, 201]) board.add(0, no, 0, 1, 1);
    board.mark(101, true, true);
    board.mark(201, true, false);
    board.demand(1);
    expect(board.best(statistics({}, {}), 10).map(({ no }) => no)).toEqual([101]);
    expect(board.size).toBe(1);
  });
});

// SPEC 4.1: the same query on the same data gives the same order.
test("scores don't depend on the order in which messages are looked up", () => {
  const posting = fc.record({
    no: fc.integer({ min: 100, max: 130 }),
    passage: fc.nat(3),
    times: fc.integer({ min: 1, max: 5 }),
  });
  const postings = fc.array(posting, { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(
      fc.array(postings, { minLength: 1, maxLength: 3 }),
      fc.infiniteStream(fc.nat(1_000)),
      (units, order) => {
        const shuffled = (list: (typeof units)[number]) =>
          list
            .map((each) => ({ each, key: order.next().value ?? 0 }))
            .sort((a, b) => a.key - b.key)
            .map(({ each }) => each);
        const boards = [units, units.map(shuffled)].map((lists) => {
          const board = new Scoreboard(units.length, transcriptOf);
          lists.forEach((list, unit) => {
            for (const { no, passage, times } of list) board.add(unit, no, passage, times, times);
          });
          return board;
        });
        const known = statistics(...units.map(() => ({})));
        const [one, two] = boards.map((board) => {
          const numbers = [...board.numbers()].sort((a, b) => a - b);
          const scores = board.ownScores(
            numbers.map((no) => facts(no, long)),
            known,
          );
          const sessions = board.sessionScores(new Map([[1, { tokens: 900 }]]), known);
          return [...numbers.map((no) => [no, (scores.get(no) ?? 0).toFixed(9)]), (sessions.get(1) ?? 0).toFixed(9)];
        });
        expect(two).toEqual(one);
      },
    ),
  );
});
