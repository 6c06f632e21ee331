/** The committed sets: no kind falls below its baseline, no query errors, the same run gives the same order (SPEC 12.4). */
import { readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { fallenBelow, readBaselines } from "../../eval/baselines.ts";
import { setFigures } from "../../eval/figures.ts";
import { judge } from "../../eval/judged-answer.ts";
import { openSet } from "../../eval/judged-set.ts";

const folder = resolve(import.meta.dirname, "../../eval");
const names = readdirSync(join(folder, "sets"));
const baselines = readBaselines(join(folder, "baselines.json"));

test("every set has a baseline, and the other way round (SPEC 12.4)", () => {
  expect(Object.keys(baselines).sort()).toEqual(names.sort());
  expect(names.length).toBeGreaterThan(1);
});

describe.each(names)("%s", (name) => {
  test("no kind falls by more than three points, and twice is the same (SPEC 4.1, 12.1, 12.4)", async () => {
    const set = await openSet(join(folder, "sets", name));
    try {
      expect(set.remarks).toEqual([]);
      const answers = [];
      // A query that is refused or fails throws here.
      for (const query of set.queries) answers.push(await judge(set, query));
      const again = [];
      for (const query of set.queries) again.push((await judge(set, query)).order);
      expect(again).toEqual(answers.map(({ order }) => order));
      expect(fallenBelow(setFigures(answers), baselines[name])).toEqual([]);
      expect(new Set(set.queries.map(({ split }) => split))).toEqual(new Set(["tune", "held-out"]));
    } finally {
      set.close();
    }
  });

  test("its files are small", () => {
    for (const file of readdirSync(join(folder, "sets", name)))
      expect(statSync(join(folder, "sets", name, file)).size).toBeLessThan(1024 * 1024);
  });
});
