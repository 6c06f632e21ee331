import { expect, test } from "vitest";
import { formatAblation, signalNames, without } from "../../eval/ablation.ts";
import { signals } from "../../src/search/signals.ts";

test("a signal is taken away for a run, and is back afterwards, also where the run fails (SPEC 4.1)", async () => {
  const before = signals.session.value;
  expect(await without("session", async () => signals.session.value)).toBe(signals.session.off);
  expect(signals.session.value).toBe(before);
  await expect(without("session", async () => Promise.reject(new Error("failed")))).rejects.toThrow("failed");
  expect(signals.session.value).toBe(before);
});

test("every signal has a reason, and a row with the points that it brings", () => {
  for (const name of signalNames) expect(signals[name].reason.length, name).toBeGreaterThan(15);
  const table = formatAblation([{ set: "some", figure: "MRR", all: 60, without: { session: 58.2, title: 60.4 } }]);
  expect(table).toContain("| session | +1.8 |");
  expect(table).toContain("| title | -0.4 |");
  expect(table).toContain("| (all) | 60.0 |");
});
