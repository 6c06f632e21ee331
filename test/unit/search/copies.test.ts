import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Copyable, collapse } from "../../../src/search/copies.ts";

let made = 0;
/** A message unlike any other but for what is given. */
function message(given: Partial<Copyable> = {}): Copyable {
  made += 1;
  return { copy: 1, messageId: `m${made}`, timestamp: made, sessionKey: `s${made}`, family: `f${made}`, ...given };
}

const shown = (list: readonly Copyable[]) => collapse(list).map(({ hit, copies }) => [list.indexOf(hit), copies]);

// SPEC 4.3
describe("the same words by the same role", () => {
  test.each<[string, Partial<Copyable>]>([
    ["with the same message id", { messageId: "m" }],
    ["at the same moment", { timestamp: 7_000 }],
    ["in sessions forked from one another, or within one session", { family: "f" }],
  ])("%s are one hit", (_why, same) => {
    expect(shown([message(same), message(same), message(same)])).toEqual([[0, 3]]);
  });

  test("said anew in another session are a hit of their own", () => {
    expect(shown([message(), message(), message()])).toEqual([
      [0, 1],
      [1, 1],
      [2, 1],
    ]);
  });

  test("are one hit where a copy of a copy joins them, wherever that one stands", () => {
    const [one, two, joins] = [message(), message(), message()];
    const link = { ...joins, messageId: one.messageId, timestamp: two.timestamp };
    expect(shown([one, two, link])).toEqual([[0, 3]]);
    expect(shown([one, link, two])).toEqual([[0, 3]]);
    expect(shown([link, one, two])).toEqual([[0, 3]]);
  });
});

test("other words are no copies, whatever else they share", () => {
  const same = { messageId: "m", timestamp: 7_000, family: "f" };
  expect(shown([message({ ...same, copy: 1 }), message({ ...same, copy: 2 })])).toEqual([
    [0, 1],
    [1, 1],
  ]);
});

test("an id, a time and a family that look alike are not mixed up", () => {
  const [id, family, time] = [message({ messageId: "t5" }), message({ family: "5" }), message({ timestamp: 5 })];
  expect(shown([id, family, time, message({ messageId: "5" }), message({ messageId: "f5" })]).length).toBe(5);
});

test("the first of each group stands where it stood", () => {
  const copyOf = (of: Copyable) => message({ messageId: of.messageId });
  const [a, b] = [message(), message({ copy: 2 })];
  expect(shown([a, b, copyOf(a), { ...copyOf(b), copy: 2 }, copyOf(a)])).toEqual([
    [0, 3],
    [1, 2],
  ]);
});

// SPEC 4.1: deterministic; the groups themselves don't depend on the order.
test("groups are those that any chain of copies joins", () => {
  const few = fc.record({
    copy: fc.nat(2),
    messageId: fc.constantFrom("a", "b", "c", "d", "e"),
    timestamp: fc.nat(5),
    sessionKey: fc.constant("s"),
    family: fc.constantFrom("p", "q", "r", "s", "t"),
  });
  fc.assert(
    fc.property(fc.array(few, { maxLength: 12 }), (list) => {
      // By brute force: spread the least place through every pair of copies until nothing changes.
      const group = list.map((_, at) => at);
      for (let round = 0; round < list.length; round++) {
        for (const [i, a] of list.entries()) {
          for (const [j, b] of list.entries()) {
            const same = a.messageId === b.messageId || a.timestamp === b.timestamp || a.family === b.family;
            if (a.copy === b.copy && same) group[j] = Math.min(group[i] ?? i, group[j] ?? j);
          }
        }
      }
      const expected = [...new Set(group)]
        .sort((a, b) => a - b)
        .map((first) => [first, group.filter((of) => of === first).length]);
      expect(collapse(list).map(({ hit, copies }) => [list.indexOf(hit), copies])).toEqual(expected);
    }),
    { numRuns: 2_000 },
  );
});

test("100,000 messages that are joined one after another take linear time", () => {
  const single = Array.from({ length: 50_000 }, () => message());
  const last = single.at(-1);
  // Each of these joins the last message, at the far end of a growing chain, to one more before it.
  const joining = single.toReversed().map(({ timestamp }) => message({ messageId: last?.messageId ?? "", timestamp }));
  const begin = performance.now();
  expect(collapse([...single, ...joining])).toEqual([{ hit: single[0], copies: 100_000 }]);
  expect(performance.now() - begin).toBeLessThan(2_000);
});
