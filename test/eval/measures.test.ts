/** The measures by hand-made rankings, whose values are worked out on paper (SPEC 12.1). */
import { describe, expect, test } from "vitest";
import { fallenBelow, toBaseline } from "../../eval/baselines.ts";
import { figuresOf, setFigures } from "../../eval/figures.ts";
import type { JudgedAnswer } from "../../eval/judged-answer.ts";
import { measure, percentile } from "../../eval/measures.ts";
import { Truth } from "../../eval/truth.ts";

const gains = (...grades: readonly (readonly [string, number])[]) => new Map(grades);

describe("one ranking (SPEC 12.1)", () => {
  test("two pieces of evidence, at the first and the seventh place", () => {
    const found = measure(["a", "x", "y", "z", "v", "w", "b"], gains(["a", 1], ["b", 1]));
    expect(found).toMatchObject({ r1: 1, r5: 0.5, r10: 1, hit5: 1, all5: 0, mrr: 1 });
    expect(found.ndcg10).toBeCloseTo((1 + 1 / 3) / (1 + 1 / Math.log2(3)), 10);
  });

  test("nothing found", () => {
    expect(measure(["x"], gains(["a", 1]))).toEqual({ r1: 0, r5: 0, r10: 0, hit5: 0, all5: 0, mrr: 0, ndcg10: 0 });
  });

  test("more evidence than places: full marks for filling them", () => {
    const many = Array.from({ length: 6 }, (_, at) => `e${at}`);
    const found = measure(many, new Map(many.map((name) => [name, 1])));
    expect(found).toMatchObject({ r1: 1, r5: 1, r10: 1, all5: 0, ndcg10: 1 });
  });

  test("a better grade in front is worth more; evidence shown twice counts once and keeps the places below", () => {
    const graded = gains(["a", 2], ["b", 1]);
    expect(measure(["a", "b"], graded).ndcg10).toBe(1);
    expect(measure(["b", "a"], graded).ndcg10).toBeLessThan(1);
    expect(measure(["a", "a", "b"], graded)).toMatchObject({ r5: 1, mrr: 1 });
    expect(measure(["a", "a", "b"], graded).ndcg10).toBeLessThan(1);
  });

  test("percentiles are of the numbers themselves", () => {
    expect(percentile([5, 1, 3], 0.5)).toBe(3);
    expect(percentile([1, 2], 0.95)).toBe(2);
  });
});

describe("copies are one piece of evidence (SPEC 4.3, 12.1)", () => {
  const said = (sessionKey: string, messageId: string, text: string) =>
    ({ sessionKey, messageId, role: "user", text }) as const;
  const truth = new Truth([
    said("s1", "m1", "the vent  sticks"),
    said("s2", "m9", "the vent sticks"),
    said("s3", "m1", "no"),
  ]);
  const relevant = [
    { sessionKey: "s1", messageId: "m1", grade: 1 },
    { sessionKey: "s2", messageId: "m9", grade: 2 },
    { sessionKey: "s3", messageId: "m1", grade: 0 },
  ];

  test("messages", () => {
    expect([...truth.messages(relevant).values()]).toEqual([2]);
    expect(truth.messageOf("s2", "m9")).toBe(truth.messageOf("s1", "m1"));
  });

  test("sessions that share a relevant copy are one", () => {
    const { gains: sessions, sameAs } = truth.sessions(relevant);
    expect([...sessions.values()]).toEqual([2]);
    expect(sameAs.get("s1")).toBe(sameAs.get("s2"));
    expect(sameAs.has("s3")).toBe(false);
  });
});

describe("figures of a set", () => {
  const perfect = measure(["a"], gains(["a", 1]));
  const missed = measure(["x"], gains(["a", 1]));
  const answer = (more: Partial<JudgedAnswer>): JudgedAnswer => ({
    id: "1",
    kind: "k",
    answerable: true,
    message: perfect,
    session: perfect,
    empty: false,
    falseAnswer: false,
    ms: 1,
    order: [],
    ...more,
  });
  const nothing = { kind: "nothing", answerable: false, message: null, session: null, empty: true };

  test("empty answers count where there is something to find, false ones where there is nothing (SPEC 12.1)", () => {
    const figures = figuresOf([
      answer({}),
      answer({ message: missed, session: missed, empty: true }),
      answer(nothing),
      answer({ ...nothing, empty: false, falseAnswer: true }),
    ]);
    expect(figures).toMatchObject({ n: 4, empty: 50, falseAnswers: 50, message: { r5: 50 }, session: { r1: 50 } });
  });

  test("a baseline is missed by a kind that fell by more than three points, is gone, or answers falsely (SPEC 12.4)", () => {
    const before = toBaseline(setFigures([answer({}), answer(nothing)]));
    const now = (...answers: JudgedAnswer[]) => fallenBelow(setFigures(answers), before);
    expect(now(answer({}), answer(nothing))).toEqual([]);
    expect(now(answer({}))).toEqual([expect.stringContaining("nothing: 0 queries"), expect.stringContaining("all: 1")]);
    expect(now(answer({ message: missed }), answer(nothing)).join()).toContain("k: message R@5 was 100, is 0");
    expect(now(answer({ session: missed }), answer(nothing)).join()).toContain("k: session R@1 was 100, is 0");
    expect(now(answer({}), answer({ ...nothing, falseAnswer: true })).join()).toContain("false answer");
    expect(fallenBelow(setFigures([answer({})]), undefined)).toHaveLength(1);
  });
});
