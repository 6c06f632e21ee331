import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import {
  entryOf,
  entrySql,
  rowOf,
  rowRanges,
  rowSql,
  transcriptSql,
  transcriptTerm,
  weekOf,
  weekTerm,
} from "../../../src/store/index-row.ts";
import { terms } from "../../../src/text/tokens.ts";

// docs/schema.md: 2^24 entries a transcript, 2^29 transcripts an agent.
const transcript = fc.oneof(fc.constantFrom(1, 2, 2 ** 29 - 1), fc.integer({ min: 0, max: 2 ** 29 - 1 }));
const position = fc.oneof(fc.constantFrom(0, 63, 64, 2 ** 24 - 1), fc.integer({ min: 0, max: 2 ** 24 - 1 }));
const number = fc.tuple(transcript, position).map(([high, low]) => high * 2 ** 24 + low);
const db = new DatabaseSync(":memory:");
afterAll(() => db.close());

function sql(expression: string, no: number): number {
  return Number(db.prepare(`SELECT ${expression} AS value FROM (SELECT :no AS no)`).get({ no })?.value);
}

describe("rows of the full-text table", () => {
  test("an entry has one row and a row one entry, over the whole range, in JavaScript and in SQL", () => {
    fc.assert(
      fc.property(number, (no) => {
        const row = rowOf(no);
        expect(Number.isSafeInteger(row)).toBe(true);
        expect(row).toBeGreaterThanOrEqual(0);
        expect(entryOf(row)).toBe(no);
        expect(sql(rowSql("no"), no)).toBe(row);
        expect(sql(entrySql("no"), row)).toBe(no);
        expect(sql(transcriptSql("no"), row)).toBe(Math.floor(no / 2 ** 24));
      }),
      { numRuns: 2_000 },
    );
  });

  test("within a transcript rows are in the order of entries", () => {
    fc.assert(
      fc.property(transcript, position, position, (high, one, two) => {
        const [a, b] = [high * 2 ** 24 + one, high * 2 ** 24 + two];
        expect(Math.sign(rowOf(a) - rowOf(b))).toBe(Math.sign(a - b));
      }),
    );
  });

  test("ranges hold the rows of their entries and no others", () => {
    fc.assert(
      fc.property(transcript, fc.nat(2 ** 24 - 500), fc.nat(400), (high, from, length) => {
        const first = high * 2 ** 24 + from;
        const rows = [...rowRanges(first, first + length)].flatMap((range) =>
          Array.from({ length: range.to - range.from + 1 }, (_, at) => range.from + at),
        );
        expect(rows.map(entryOf)).toEqual(Array.from({ length: length + 1 }, (_, at) => first + at));
      }),
      { numRuns: 200 },
    );
  });
});

describe("marks of an index row", () => {
  const day = 86_400_000;

  test("a week has seven days, and the next begins behind them", () => {
    const start = weekOf(Date.UTC(2026, 4, 1)) * 7 * day;
    expect([weekOf(start), weekOf(start + 7 * day - 1), weekOf(start + 7 * day)]).toEqual(
      [0, 0, 1].map((at) => weekOf(start) + at),
    );
  });

  test("are one word to the index and none to a query, whatever the time", () => {
    for (const time of [0, -1, -Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, Date.UTC(2026, 4, 1)]) {
      expect(weekTerm(weekOf(time))).toMatch(/^·w\d+$/);
      expect(terms(weekTerm(weekOf(time)))).not.toContain(weekTerm(weekOf(time)));
    }
    expect(transcriptTerm(7)).toMatch(/^·t\d+$/);
  });
});
