import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isTimeZone, parseWhen } from "../../../src/search/when.ts";

/** A Tuesday, 23:30 in Berlin and already Wednesday in Kolkata. */
const now = Date.parse("2026-03-10T22:30:00Z");

function read(text: string, timeZone = "UTC"): string | null {
  const instant = parseWhen(text, now, timeZone);
  return instant === null ? null : new Date(instant).toISOString().replace(":00.000Z", "Z");
}

// SPEC 3.9
describe("forms", () => {
  test.each([
    ["2026-03-01", "2026-03-01T00:00Z"],
    ["2026-3-1", "2026-03-01T00:00Z"],
    ["2026-03", "2026-03-01T00:00Z"],
    ["2026-03-01T14:00", "2026-03-01T14:00Z"],
    ["2026-03-01 14:00", "2026-03-01T14:00Z"],
    ["2026-03-01t9:05", "2026-03-01T09:05Z"],
    ["2026-03-01T14:00:30", "2026-03-01T14:00:30.000Z"],
    ["2026-03-01T14:00:30.25", "2026-03-01T14:00:30.250Z"],
    ["2026-03-01T14:00:30.123456789", "2026-03-01T14:00:30.123Z"],
    ["2026-03-01T24:00", "2026-03-02T00:00Z"],
    ["2024-02-29", "2024-02-29T00:00Z"],
    ["  2026-03-01  ", "2026-03-01T00:00Z"],
    ["today", "2026-03-10T00:00Z"],
    ["Yesterday", "2026-03-09T00:00Z"],
    ["0d", "2026-03-10T22:30Z"],
    ["30m", "2026-03-10T22:00Z"],
    ["12h", "2026-03-10T10:30Z"],
    ["7d", "2026-03-03T22:30Z"],
    ["7D", "2026-03-03T22:30Z"],
    ["2w", "2026-02-24T22:30Z"],
    ["1772323200000", "2026-03-01T00:00Z"],
    ["0001-01-01", "0001-01-01T00:00Z"],
    ["0050-06-07", "0050-06-07T00:00Z"],
    ["9999-12-31", "9999-12-31T00:00Z"],
  ])("%j is %s", (text, expected) => {
    expect(read(text)).toBe(expected);
  });

  test.each([
    ["2026-03-01T14:00Z", "2026-03-01T14:00Z"],
    ["2026-03-01T14:00z", "2026-03-01T14:00Z"],
    ["2026-03-01T14:00+02:00", "2026-03-01T12:00Z"],
    ["2026-03-01T14:00-0330", "2026-03-01T17:30Z"],
    ["2026-03-01T14:00+05", "2026-03-01T09:00Z"],
    ["2026-3-1 14:00:05.5+05:30", "2026-03-01T08:30:05.500Z"],
    ["2026-03-01T24:00-01:00", "2026-03-02T01:00Z"],
  ])("%j has a zone of its own", (text, expected) => {
    expect(read(text, "Asia/Tokyo")).toBe(expected);
  });

  test.each([
    ...["", "   ", "soon", "tomorrow", "7", "7x", "7 days", "-7d", "1.5d", "12345d", "d", "now"],
    ...["2026", "26-03-01", "2026/03/01", "2026-03-01T14", "2026-03-01T", "2026-03T14:00", "2026-03-01T14:00+2"],
    ...[
      "2026-03-01T14:00 Europe/Berlin",
      "2026-03-01T14:00:",
      "x2026-03-01",
      "2026-03-01x",
      "12026-03-01",
      "-2026-03-01",
    ],
    ...["٢٠٢٦-٠٣-٠١", "2026-03-01\u0000", "17723232000001", "NaN", "Infinity", "1e3", "0x10d"],
  ])("%j is no time", (text) => {
    expect(read(text)).toBeNull();
  });

  // SPEC 3.9: a date that does not exist is not another date.
  test.each([
    ...["2026-02-30", "2026-02-29", "2100-02-29", "2026-04-31", "2026-13-01", "2026-00-10", "2026-01-00", "2026-13"],
    ...["2026-03-01T25:00", "2026-03-01T24:01", "2026-03-01T24:00:01", "2026-03-01T10:60", "2026-03-01T10:10:60"],
    ...["2026-02-30T10:00Z", "2026-03-01T10:60Z", "2026-03-01T10:00+24:00", "2026-03-01T10:00+02:60", "0000-01-01"],
  ])("%j does not exist", (text) => {
    expect(read(text)).toBeNull();
  });
});

// SPEC 3.9: in the caller's time zone
describe("time zones", () => {
  test.each([
    ["2026-02-11", "America/Los_Angeles", "2026-02-11T08:00Z"],
    ["today", "Europe/Berlin", "2026-03-09T23:00Z"],
    ["today", "Asia/Kolkata", "2026-03-10T18:30Z"],
    ["yesterday", "Asia/Kolkata", "2026-03-09T18:30Z"],
    ["2026-03-01", "Asia/Kathmandu", "2026-02-28T18:15Z"],
    ["2026-03-01", "America/St_Johns", "2026-03-01T03:30Z"],
    ["2026-01-01", "Australia/Lord_Howe", "2025-12-31T13:00Z"],
    ["2026-07-01", "Australia/Lord_Howe", "2026-06-30T13:30Z"],
    ["2026-03-01", "Pacific/Kiritimati", "2026-02-28T10:00Z"],
    ["2026-03-01", "+05:30", "2026-02-28T18:30Z"],
    ["7d", "Asia/Kolkata", "2026-03-03T22:30Z"],
  ])("%s in %s begins at %s", (text, zone, expected) => {
    expect(read(text, zone)).toBe(expected);
  });

  test.each([
    // The hour from 02:00 to 03:00 is left out.
    ["2026-03-08T01:59", "America/New_York", "2026-03-08T06:59Z"],
    ["2026-03-08T02:00", "America/New_York", "2026-03-08T07:00Z"],
    ["2026-03-08T02:30", "America/New_York", "2026-03-08T07:00Z"],
    ["2026-03-08T03:00", "America/New_York", "2026-03-08T07:00Z"],
    // The hour from 01:00 to 02:00 comes twice.
    ["2026-11-01T01:30", "America/New_York", "2026-11-01T05:30Z"],
    ["2026-11-01T02:00", "America/New_York", "2026-11-01T07:00Z"],
    // Midnight itself is left out; the day before is an hour longer.
    ["2018-11-04", "America/Sao_Paulo", "2018-11-04T03:00Z"],
    ["2018-11-03", "America/Sao_Paulo", "2018-11-03T03:00Z"],
    ["2018-02-18", "America/Sao_Paulo", "2018-02-18T03:00Z"],
    ["2018-02-17T23:30", "America/Sao_Paulo", "2018-02-18T01:30Z"],
    // From 23:30 to 00:30.
    ["1919-03-31", "America/Toronto", "1919-03-31T04:30Z"],
    // By half an hour.
    ["2026-10-04T02:15", "Australia/Lord_Howe", "2026-10-03T15:30Z"],
    // A day that was left out begins with the next.
    ["2011-12-30", "Pacific/Apia", "2011-12-30T10:00Z"],
    ["2011-12-31", "Pacific/Apia", "2011-12-30T10:00Z"],
    ["2011-12-29", "Pacific/Apia", "2011-12-29T10:00Z"],
  ])("%s in %s, where the clock is changed, is %s", (text, zone, expected) => {
    expect(read(text, zone)).toBe(expected);
  });

  const formats = new Map<string, Intl.DateTimeFormat>();
  /** `2026-03-01T14:00:00` as the zone's clock shows it. */
  function shown(instant: number, timeZone: string): string {
    let format = formats.get(timeZone);
    if (!format) {
      const [year, two] = ["numeric", "2-digit"] as const;
      const fields = { year, month: two, day: two, hour: two, minute: two, second: two } as const;
      format = new Intl.DateTimeFormat("sv-SE", { timeZone, hourCycle: "h23", ...fields });
      formats.set(timeZone, format);
    }
    return format.format(instant).replace(" ", "T");
  }

  const zone = fc.constantFrom(...Intl.supportedValuesOf("timeZone"));
  const instant = fc.integer({ min: Date.UTC(1900, 0), max: Date.UTC(2100, 0) });
  /** They moved across the date line and left a day out. */
  const moved = /Apia|Kwajalein|Enderbury|Kanton|Kiritimati|Fakaofo|Manila/;

  test("a date begins where the zone's clock first shows it", () => {
    fc.assert(
      fc.property(zone, instant, (timeZone, at) => {
        const date = new Date(at).toISOString().slice(0, 10);
        const start = parseWhen(date, now, timeZone) ?? Number.NaN;
        expect(shown(start - 1, timeZone) < date).toBe(true);
        if (moved.test(timeZone)) expect(shown(start, timeZone) >= date).toBe(true);
        else expect(shown(start, timeZone).slice(0, 10)).toBe(date);
      }),
      { numRuns: 3_000 },
    );
  });

  test("what a clock shows is read back as an instant at which it shows the same, the first", () => {
    fc.assert(
      fc.property(zone, instant, (timeZone, at) => {
        const wall = shown(at, timeZone);
        const found = parseWhen(wall, now, timeZone) ?? Number.NaN;
        expect(shown(found, timeZone)).toBe(wall);
        expect(found).toBeLessThanOrEqual(at);
      }),
      { numRuns: 3_000 },
    );
  });

  test("later texts are no earlier instants", () => {
    fc.assert(
      fc.property(zone, instant, fc.integer({ min: 0, max: 200_000_000 }), (timeZone, at, later) => {
        const text = (ms: number) => new Date(ms).toISOString().slice(0, 19);
        const [one, two] = [at, at + later].map((ms) => parseWhen(text(ms), now, timeZone) ?? Number.NaN);
        expect(one).toBeLessThanOrEqual(two ?? Number.NaN);
      }),
    );
  });

  test("any text in any zone is a whole number or null", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 40 }), zone, (text, timeZone) => {
        const found = parseWhen(text, now, timeZone);
        if (found !== null) expect(Number.isSafeInteger(found)).toBe(true);
      }),
    );
  });
});

test("isTimeZone knows IANA names and offsets, and nothing else", () => {
  for (const zone of ["UTC", "Europe/Berlin", "europe/berlin", "Asia/Kolkata", "Etc/GMT+5", "+05:30"]) {
    expect(isTimeZone(zone), zone).toBe(true);
  }
  for (const zone of ["", "Berlin", "Europe/Nowhere", "GMT+5:30x", "../UTC", "UTC\u0000", "local"]) {
    expect(isTimeZone(zone), zone).toBe(false);
  }
});
