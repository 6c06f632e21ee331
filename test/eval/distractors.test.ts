/** Distractors are a function of their recipe: labels of the committed sets name messages that are generated. */
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { generate } from "../../eval/distractors/generate.ts";
import { builtInSources } from "../../src/index.ts";
import { temporaryFolder, temporaryHome } from "../helpers/temporary.ts";

const recipe = { seed: 20, sessions: 24, messages: 1200, topics: ["coding", "everyday"] } as const;

test("the same seed gives the same bytes, another seed others (SPEC 12.4)", () => {
  const text = generate(recipe);
  expect(generate(recipe)).toBe(text);
  expect(generate({ ...recipe, seed: 21 })).not.toBe(text);
  expect(createHash("sha256").update(text).digest("hex")).toBe(
    "dfc6a539e2c3f764d58e52f3512a6ae94686107b6f6afd15377ead3335f11933",
  );
});

test("they are imported without a problem, with tool calls, forks and answers that were gone back over", async () => {
  const folder = temporaryFolder();
  const text = generate(recipe);
  writeFileSync(join(folder, "distractors.jsonl"), text);
  const home = temporaryHome();
  const report = await home.import(
    builtInSources.filter(({ id }) => id === "jsonl").map((source) => ({ source, folder })),
  );
  expect(report.problems).toEqual([]);
  expect(report.entries.added).toBeGreaterThan(1200);
  // What was gone back over, and tool traffic, is stored and not searchable.
  expect(report.messages).toBeLessThan(report.entries.added);
  expect(home.stats().map(({ agentId }) => agentId)).toEqual(["dev", "home"]);
  for (const piece of ['"type":"leaf"', '"forkedFrom"', '"isError":true', '"kind":"subagent"'])
    expect(text).toContain(piece);
});
