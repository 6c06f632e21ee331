/** Known items: which strings are drawn, in which forms they are asked, and what their truth is (SPEC 12.4). */
import { describe, expect, test } from "vitest";
import { formsOf, piecesOf } from "../../eval/known-form.ts";
import { drawKnownItems } from "../../eval/known-items.ts";
import { holds, stringsIn } from "../../eval/known-string.ts";
import type { SpokenMessage } from "../../eval/spoken.ts";

describe("strings of each kind", () => {
  const text = [
    "We call maxRetryCount and max_retry_count in src/db/pool.ts (see pool.ts),",
    "since v1.2.3 and 9f3ab21; read https://docs.example/a/b?x=1. Use --no-verify, closes #1234, via gauge.rollup.rebuild.",
    "TypeError: Cannot read properties of undefined reading the pool",
  ].join("\n");
  test.each([
    ["camelCase", ["maxRetryCount"]],
    ["snake_case", ["max_retry_count"]],
    ["path", ["src/db/pool.ts"]],
    ["file name", ["pool.ts"]],
    ["version", ["v1.2.3"]],
    ["hash", ["9f3ab21"]],
    ["URL", ["https://docs.example/a/b?x=1"]],
    ["flag", ["--no-verify"]],
    ["error line", ["TypeError: Cannot read properties of undefined reading the pool"]],
    ["#123", ["#1234"]],
    ["dotted name", ["gauge.rollup.rebuild"]],
  ] as const)("%s", (kind, expected) => {
    expect(stringsIn(text, kind).filter((string) => kind !== "camelCase" || string !== "TypeError")).toEqual(expected);
  });

  test("a string is held as a whole; at its end a longer word may go on where it is asked for cut", () => {
    expect(holds("see parsetickets", "parseticket")).toBe(false);
    expect(holds("see parsetickets", "parseticket", true)).toBe(true);
    expect(holds("see src/pool.ts.", "pool.ts")).toBe(true);
    expect(holds("#1234", "#123")).toBe(false);
  });
});

describe("forms", () => {
  const asked = (string: string, kind: Parameters<typeof formsOf>[1]) =>
    Object.fromEntries(formsOf(string, kind).map(({ form, query }) => [form, query]));
  test("names", () => {
    expect(piecesOf("parseHTTPHeader2 x-y")).toEqual(["parse", "HTTP", "Header2", "x", "y"]);
    expect(asked("maxRetryCount", "camelCase")).toEqual({
      "as typed": "maxRetryCount",
      "lower case": "maxretrycount",
      "other style": "max_retry_count",
      "as words": "max retry count",
      "cut to 60 %": "maxRetry",
    });
    expect(asked("max_retry_count", "snake_case")).toMatchObject({ "other style": "maxRetryCount" });
  });
  test("paths, hashes, errors", () => {
    expect(asked("src/db/pool.ts", "path")).toMatchObject({ "path tail": "db/pool.ts", "file name": "pool.ts" });
    expect(asked("9f3ab2100ff", "hash")).toEqual({ "as typed": "9f3ab2100ff", "cut to 60 %": "9f3ab21" });
    expect(asked("Error: one two three four five six seven eight", "error line")).toEqual({
      "5 words, start": "Error: one two three four",
      "5 words, middle": "two three four five six",
    });
  });
});

describe("drawing", () => {
  const said = (messageId: string, text: string, masked = text): SpokenMessage => ({
    sessionKey: "agent:main:s",
    messageId,
    role: "user",
    text,
    masked,
  });
  const messages = [
    said("m1", "rename holdSeats to reserveSeats"),
    said("m2", "done: HOLDSEATS is gone"),
    ...["m3", "m4", "m5", "m6"].map((id) => said(id, "commonName again")),
    said("m7", "it was secretToken here", "it was *** here"),
  ];
  const draw = (seed: number) => drawKnownItems(messages, { perKind: 25, seed });

  test("strings of at most three messages; all that hold them, in whatever case, are the truth", () => {
    const { items, masked } = draw(1);
    expect(new Set(items.map(({ string }) => string))).toEqual(new Set(["holdSeats", "reserveSeats"]));
    const typed = items.find(({ string, form }) => string === "holdSeats" && form === "as typed");
    expect(typed?.query.relevant.map(({ messageId }) => messageId)).toEqual(["m1", "m2"]);
    // What redaction masks can't be found, and is no fault of the search (SPEC 5.3).
    expect(masked).toBe(1);
  });

  test("the same seed draws the same", () => {
    expect(draw(1)).toEqual(draw(1));
    expect(draw(1).items.length).toBe(draw(2).items.length);
  });
});
