/** Redaction under any surroundings: SPEC 5.2, 5.3 and 5.5 as properties. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { redact } from "../../src/redaction/redact.ts";

const numRuns = 2000;

/** Names, separators, quotes, masks, secrets and scripts: what changes the meaning of what stands beside it. */
const fragment = fc.constantFrom(
  ..."\"'`\\ \n\t=:;,.&|<>()[]{}$!?#%@/-_*…é密，😀\u200f",
  ...["password", "secret", "api_key", "access_token", "token", "A_KEY", "DB_PASSWORD", "yaml", "your", "swordfish"],
  ...["Authorization: ", "Bearer ", "Basic ", "Digest ", "Cookie: ", "Set-Cookie: a=", "--token ", "--password "],
  ...["?token=", "&key=", "://u:", "@host", "user=", "%3D", "%22", "%26", ": |\n  ", "=>", ":=", "```\n", "\\n", '\\"'],
  ...[
    "-----BEGIN PRIVATE KEY-----",
    "-----END PRIVATE KEY-----",
    "${",
    "{{",
    "**",
    "***",
    "aB3daB…aB3d",
    "xxxx",
    "plum77",
  ],
  ...[`ghp_${"aB3d".repeat(9)}`, `sk-${"aB3d".repeat(5)}`, `eyJ${"aB3d".repeat(4)}.eyJ${"aB3d".repeat(4)}.x`],
  ...[`AKIA${"Q7ZX".repeat(4)}`, `123456789:AA${"aB3d".repeat(9)}`, "1", "0x1F", "“", "”", "\ud83d"],
);
const fragments = fc.array(fragment, { maxLength: 16 }).map((parts) => parts.join(""));
const anyText = fc.oneof(
  fragments,
  fc.string({ unit: "binary", maxLength: 60 }),
  fc.tuple(fragments, fc.string({ unit: "grapheme" })).map(([a, b]) => a + b),
);

const characters = [..."abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"];
const secretBody = fc
  .array(fc.constantFrom(...characters), { minLength: 30, maxLength: 60 })
  .map((parts) => parts.join(""))
  // A vendor's token without a digit, or of x alone, is as good as impossible and looks like a name or a placeholder.
  .filter((body) => /\d/.test(body.slice(1, 30)) && /[a-z]/.test(body) && /[A-Z]/.test(body));

/** How a secret stands in a text: the whole text around it, and the secret. */
const planted = secretBody.chain((body) =>
  fc.constantFrom(
    { text: `password=${body}`, secret: body },
    { text: `PASSWORD='${body}'`, secret: body },
    { text: `"password": "${body}"`, secret: body },
    { text: `\\"clientSecret\\":\\"${body}\\"`, secret: body },
    { text: `API_KEY=${body}`, secret: body },
    { text: `x-api-key: ${body}`, secret: body },
    { text: `access_token: ${body}`, secret: body },
    { text: `token: "${body}"`, secret: body },
    { text: `run --token ${body}`, secret: body },
    { text: `Authorization: Bearer ${body}`, secret: body },
    { text: `Cookie: sid=${body}`, secret: body },
    { text: `postgres://mira:${body}@db.example/kiln`, secret: body },
    { text: `https://example.com/?token=${body}`, secret: body },
    { text: `password%3D${body}`, secret: body },
    { text: `sk-ant-${body}`, secret: body },
    { text: `ghp_${body}`, secret: body },
    { text: `glpat-${body}`, secret: body },
    { text: `xoxb-${body}`, secret: body },
    { text: `AIza${body}`, secret: body },
    { text: `eyJ${body}.eyJ${body}.${body}`, secret: body },
    { text: `-----BEGIN PRIVATE KEY-----\n${body}\n-----END PRIVATE KEY-----`, secret: body },
    { text: `-----BEGIN RSA PRIVATE KEY-----\n${body}`, secret: body },
  ),
);
const border = fc.constantFrom(" ", "\n", "\n\n", "\t", "，", "。", "　");

describe("redaction", () => {
  // SPEC 5.2, 5.3: a piece of six characters would let a secret be confirmed, and told from others.
  test("no piece of a planted secret's middle shows, whatever stands around it", () => {
    fc.assert(
      fc.property(anyText, border, planted, border, anyText, (before, left, { text, secret }, right, after) => {
        fc.pre(!before.includes(secret.slice(6, 12)) && !after.includes(secret.slice(6, 12)));
        const masked = redact(before + left + text + right + after).text;
        for (let at = 6; at + 6 <= secret.length - 4; at += 1) expect(masked).not.toContain(secret.slice(at, at + 6));
      }),
      { numRuns },
    );
  });

  // SPEC 5.5
  test("masking is idempotent", () => {
    fc.assert(
      fc.property(anyText, fc.option(planted), anyText, (before, secret, after) => {
        const once = redact(before + (secret?.text ?? "") + after).text;
        expect(redact(once)).toEqual({ text: once, masks: [] });
      }),
      { numRuns },
    );
  });

  // SPEC 5.3: the index leaves out exactly the ranges, so they must be where the masks stand, and nothing else may change.
  test("ranges are exactly where the masks stand", () => {
    fc.assert(
      fc.property(anyText, fc.option(planted), anyText, (before, secret, after) => {
        const original = before + (secret?.text ?? "") + after;
        const { text, masks } = redact(original);
        let inText = 0;
        let inOriginal = 0;
        for (const { start, end } of masks) {
          expect(start).toBeGreaterThanOrEqual(inText);
          expect(text.slice(start, end)).toMatch(/^(?:\*\*\*|…|.{6}….{4})$/su);
          const kept = text.slice(inText, start);
          const found = original.indexOf(kept, inOriginal);
          expect(found).toBeGreaterThanOrEqual(inOriginal);
          if (inText === 0) expect(found).toBe(0);
          inOriginal = found + kept.length;
          inText = end;
        }
        expect(original.endsWith(text.slice(inText))).toBe(true);
        if (masks.length === 0) expect(text).toBe(original);
      }),
      { numRuns },
    );
  });

  // SPEC 7: every answer is well-formed text.
  test("well-formed text stays well-formed", () => {
    fc.assert(
      fc.property(anyText, fc.option(planted), anyText, (before, secret, after) => {
        const original = (before + (secret?.text ?? "") + after).toWellFormed();
        expect(redact(original).text.isWellFormed()).toBe(true);
      }),
      { numRuns },
    );
  });
});
