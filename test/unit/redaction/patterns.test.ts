import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { builtInRules } from "../../../src/redaction/patterns.ts";
import { findSecrets, redact, redactionVersion } from "../../../src/redaction/redact.ts";

describe("table of redaction rules", () => {
  test("names are unique and kebab-case", () => {
    const names = builtInRules.map((rule) => rule.name);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[a-z]+(-[a-z]+)*$/);
  });

  // SPEC 5.4: each with examples that must and must not match.
  test.each(builtInRules.map((rule) => [rule.name, rule] as const))("%s holds to its examples", (_name, rule) => {
    expect(rule.examples.masks.length).toBeGreaterThan(0);
    for (const [text, masked] of rule.examples.masks) {
      expect(findSecrets(text, [rule]), text).not.toEqual([]);
      expect(redact(text).text).toBe(masked);
    }
    for (const text of rule.examples.keeps) {
      expect(findSecrets(text, [rule]), text).toEqual([]);
      expect(redact(text)).toEqual({ text, masks: [] });
    }
  });

  test("hints are lower-case literals and leave out no example", () => {
    for (const rule of builtInRules) {
      for (const hint of rule.hints) expect(hint).toBe(hint.toLowerCase());
      for (const [text] of rule.examples.masks) {
        expect(findSecrets(text, [rule])).toEqual(findSecrets(text, [{ ...rule, hints: [] }]));
        expect(rule.hints.some((hint) => text.toLowerCase().includes(hint))).toBe(true);
      }
    }
  });

  // SPEC 5.4: linear time. A group that repeats without bound may hold nothing that does.
  test("no pattern has an unbounded quantifier inside another", () => {
    expect(nestedRepeats("(a+)+")).toEqual(["(a+)+"]);
    expect(nestedRepeats("(?:a|b{2,}[)*])*c")).toEqual(["(?:a|b{2,}[)*])*"]);
    expect(nestedRepeats("(?:a+b){0,3}[*+]+(a)*\\(+x\\)+")).toEqual([]);
    for (const rule of builtInRules) expect(nestedRepeats(rule.pattern.source), rule.name).toEqual([]);
  });

  test("patterns are global, so that every secret of a text is found", () => {
    for (const rule of builtInRules) {
      expect(rule.pattern.global, rule.name).toBe(true);
      for (const [text] of rule.examples.masks.slice(0, 1)) {
        const once = findSecrets(text, [rule]).length;
        const separate = `${text}\n-----END \n\n${text}`;
        expect(findSecrets(separate, [rule]).length, rule.name).toBeGreaterThanOrEqual(2 * once);
      }
    }
  });

  /**
   * SPEC 2.7: a store indexed under other rules is indexed again, and only the version tells. When this fails, raise
   * `redactionVersion` if a released version had the old rules, then write the new fingerprint beside it.
   */
  test("a change of the rules needs a new version", () => {
    const table = builtInRules.map(({ name, hints, pattern, secret, ...rest }) => [
      name,
      hints,
      pattern.source,
      pattern.flags,
      secret,
      "strength" in rest ? rest.strength : "",
    ]);
    const fingerprint = createHash("sha256").update(JSON.stringify(table)).digest("hex").slice(0, 16);
    expect([redactionVersion, fingerprint]).toEqual([1, "c378266a9cb24a4f"]);
  });
});

/** The groups of a pattern that repeat without bound and hold something that does. */
function nestedRepeats(source: string): string[] {
  const unbounded = /^(?:[*+]|\{\d+,\})/;
  const found: string[] = [];
  const open: { start: number; repeats: boolean }[] = [];
  for (let at = 0; at < source.length; at += 1) {
    const character = source[at];
    let atom = true;
    if (character === "\\") at += 1;
    else if (character === "[") {
      for (at += 1; source[at] !== "]"; at += 1) if (source[at] === "\\") at += 1;
    } else if (character === "(") {
      open.push({ start: at, repeats: false });
      atom = false;
    } else if (character === ")") {
      const group = open.pop();
      const outer = unbounded.test(source.slice(at + 1));
      if (group?.repeats && outer) found.push(source.slice(group.start, at + 2));
      const parent = open.at(-1);
      if (parent && (group?.repeats || outer)) parent.repeats = true;
      atom = false;
    }
    const group = open.at(-1);
    if (atom && group && unbounded.test(source.slice(at + 1))) group.repeats = true;
  }
  return found;
}
