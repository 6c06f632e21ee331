import { describe, expect, test } from "vitest";
import { namedPeriods } from "../../../src/search/named-date.ts";

/** A Wednesday. */
const now = Date.parse("2026-06-10T12:00:00Z");
const periods = (query: string, timeZone = "UTC") => namedPeriods(query, now, timeZone);
/** Whether something said at a time is boosted. */
async function isNamed(query: string, time: string, timeZone = "UTC"): Promise<boolean> {
  return (await periods(query, timeZone)).some(({ from, to }) => Date.parse(time) >= from && Date.parse(time) < to);
}

// SPEC 4.1
describe("a date in the query names a time", () => {
  test.each<[string, string, string]>([
    ["what did we decide in May", "2026-05-20T00:00:00Z", "2026-04-30T23:59:59Z"],
    ["what did we decide in May", "2024-05-01T00:00:00Z", "2024-06-01T00:00:00Z"],
    ["the kettle in May 2023", "2023-05-31T23:59:59Z", "2024-05-20T00:00:00Z"],
    ["what did I say last Tuesday", "2026-06-09T10:00:00Z", "2026-06-08T23:59:59Z"],
    ["5月2日我们说了什么", "2026-05-02T10:00:00Z", "2026-05-03T00:00:00Z"],
    ["5月2日に何を決めましたか", "2025-05-02T10:00:00Z", "2025-05-01T10:00:00Z"],
    ["was haben wir am 5. Mai gesagt", "2026-05-05T10:00:00Z", "2026-05-06T00:00:00Z"],
    ["am 5. Mai", "2026-05-05T10:00:00Z", "2026-05-04T23:00:00Z"],
    ["two weeks ago", "2026-05-27T10:00:00Z", "2026-06-09T00:00:00Z"],
    ["what was it yesterday", "2026-06-09T00:00:00Z", "2026-06-10T00:00:00Z"],
    ["kettle 2023-05-02", "2023-05-02T12:00:00Z", "2023-05-03T00:00:00Z"],
    ["le 3 mars", "2026-03-03T12:00:00Z", "2026-03-04T00:00:00Z"],
    ["letzten Dienstag", "2026-06-09T12:00:00Z", "2026-06-10T00:00:00Z"],
    ["что было вчера", "2026-06-09T12:00:00Z", "2026-06-10T00:00:00Z"],
    ["昨天说的", "2026-06-09T12:00:00Z", "2026-06-10T00:00:00Z"],
  ])("%s: %s, and not %s", async (query, inside, outside) => {
    expect(await isNamed(query, inside)).toBe(true);
    expect(await isNamed(query, outside)).toBe(false);
  });

  test("meant in the caller's time zone", async () => {
    expect(await isNamed("yesterday", "2026-06-10T06:59:59Z", "America/Los_Angeles")).toBe(true);
    expect(await isNamed("yesterday", "2026-06-09T06:59:59Z", "America/Los_Angeles")).toBe(false);
    expect(await isNamed("in May 2023", "2023-06-01T06:59:59Z", "America/Los_Angeles")).toBe(true);
    expect(await isNamed("in May 2023", "2023-04-30T15:00:00Z", "Asia/Tokyo")).toBe(true);
  });
});

test.each([
  "may I ask about the kettle",
  "this may break the build",
  "the sun and the moon",
  "sat on the sofa",
  "march of the penguins",
  "set timeout",
  "mars rover",
  "dom element",
  "version 1.2.3",
  "src/may/test.ts",
  "wer ist hier",
  "retry in 5s",
  "kettle",
  "",
])("no date: %s", async (query) => {
  expect(await periods(query)).toEqual([]);
});

test("every period has an end behind its start, whatever is asked", async () => {
  for (const query of ["31 February", "from May 3 to May 7", "12/31/2025", "next Friday", "dec 2024", "last month"])
    for (const { from, to } of await periods(query)) expect(to, query).toBeGreaterThan(from);
});
