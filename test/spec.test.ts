/** Promise and proof, both ways: every rule of SPEC.md is cited by a test, every citation names a rule that exists. */
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "..");
const rules = new Set(
  [...readFileSync(join(root, "SPEC.md"), "utf8").matchAll(/^(\d+\.\d+) /gm)].map((match) => match[1] ?? ""),
);

function citations(folder: string): { file: string; rule: string }[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .flatMap((entry) => {
      const file = join(entry.parentPath, entry.name);
      const text = readFileSync(file, "utf8");
      return [...text.matchAll(/SPEC ((?:\d+\.\d+(?:, | and |–)?)+)/g)].flatMap((match) =>
        [...(match[1] ?? "").matchAll(/\d+\.\d+/g)].map(([rule]) => ({ file: file.slice(root.length + 1), rule })),
      );
    });
}

test("every rule is cited by a test", () => {
  expect(rules.size).toBeGreaterThan(40);
  const cited = new Set(citations("test").map(({ rule }) => rule));
  expect([...rules].filter((rule) => !cited.has(rule))).toEqual([]);
});

test("every citation names a rule", () => {
  const dead = ["test", "src", "bench", "eval"].flatMap(citations).filter(({ rule }) => !rules.has(rule));
  expect(dead).toEqual([]);
});
