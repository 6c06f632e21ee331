import { describe, expect, test } from "vitest";
import { createRedactor, findSecrets, redact } from "../../../src/redaction/redact.ts";
import type { Rule } from "../../../src/redaction/rule.ts";

const body = "aB3d".repeat(9);

describe("redact", () => {
  test("gives back the same text and no masks when nothing is found", () => {
    const text = "We let the kiln cool overnight; the password is in the vault.";
    expect(redact(text)).toEqual({ text, masks: [] });
    expect(redact("")).toEqual({ text: "", masks: [] });
  });

  // SPEC 5.2, 5.5
  test("says where the masks stand in the masked text", () => {
    const { text, masks } = redact(`first password: plum77, then ghp_${body} and DB_PASSWORD='plum 77x tree4x9'.`);
    expect(text).toBe("first password: ***, then ghp_aB…aB3d and DB_PASSWORD='***'.");
    expect(masks.map(({ start, end }) => text.slice(start, end))).toEqual(["***", "ghp_aB…aB3d", "***"]);
  });

  // SPEC 5.5
  test("masks nothing twice", () => {
    const once = redact(`{"password":"plum77","key":"sk-${body}","t":"x"} Authorization: Bearer ${body}`);
    expect(redact(once.text)).toEqual({ text: once.text, masks: [] });
  });

  // SPEC 5.3: what two rules find in one place is one secret with one mask, so no piece between two masks stays.
  test("overlapping and touching findings become one mask", () => {
    const rules = ["ab", "bc", "cd"].map((word) => ownRule(word, new RegExp(word, "g")));
    expect(findSecrets("abcd", rules.slice(0, 2))).toEqual([{ start: 0, end: 3 }]);
    expect(
      findSecrets(
        "abcd",
        [rules[0], rules[2]].filter((rule) => rule !== undefined),
      ),
    ).toEqual([{ start: 0, end: 4 }]);
    expect(findSecrets("ab cd", rules)).toHaveLength(2);
    const { text, masks } = redact(`Authorization: Bearer eyJ${body}.eyJ${body}.${body}`);
    expect(text).toBe("Authorization: Bearer eyJaB3…aB3d");
    expect(masks).toEqual([{ start: 22, end: text.length }]);
  });

  // SPEC 5.2: E03 of the reported faults: a header of 900 characters, shown to its half.
  test("masks secrets longer than any snippet", () => {
    const { text } = redact(`${"pad word ".repeat(10)}marigold Authorization: Bearer ${"k".repeat(900)} end of header`);
    expect(text).not.toContain("k".repeat(7));
    expect(text).toContain("marigold Authorization: Bearer kkkkkk…kkkk end of header");
  });

  // SPEC 5.6: E05 of the reported faults.
  test("hashes and ids stay readable", () => {
    const text = `The heron fix is in commit ${"3f9a1c0d5e".repeat(4)}, run 7f3c2b1a-0d4e-4c6f-9a8b-1e2d3c4b5a69.`;
    expect(redact(text).text).toBe(text);
  });

  test("takes any string: lone surrogates, controls, what looks like a key of Object.prototype", () => {
    for (const text of [
      "\ud83d",
      "password=\ud83d\ud83d\ud83dxyz9",
      "\u0000token=\u0000",
      "__proto__=constructor",
      "token=__proto__",
    ]) {
      expect(typeof redact(text).text).toBe("string");
    }
    expect(redact(`password="${"🏺".repeat(30)}1"`).text.isWellFormed()).toBe(true);
  });
});

describe("added rules", () => {
  // SPEC 5.4: users can add rules; none takes a built-in one away.
  test("work beside the built-in ones, without changing the default redactor", () => {
    const redactMore = createRedactor([ownRule("shard", /shard-(\d{4,})/g)]);
    expect(redactMore("shard-123456 password=plum77").text).toBe("shard-*** password=***");
    expect(redact("shard-123456").text).toBe("shard-123456");
  });

  test("a pattern that matches nothing at all ends", () => {
    expect(createRedactor([ownRule("empty", /x*/g)])("axa")).toEqual({ text: "a***a", masks: [{ start: 1, end: 4 }] });
  });

  // SPEC 5.5: whatever the rules, a second reading may not find what the first mask made.
  test("a rule that matches its own mask's surroundings settles", () => {
    const redactMore = createRedactor([ownRule("stars", /a[^ ]+/g)]);
    const once = redactMore("abc abcdefghijklmnopqrstuvw");
    expect(redactMore(once.text)).toEqual({ text: once.text, masks: [] });
  });
});

function ownRule(name: string, pattern: RegExp): Rule {
  return { name, hints: [], pattern, secret: "match", examples: { masks: [], keeps: [] } };
}
