/** Secrets known by their own shape, wherever they stand. */
import { isPlaceholder } from "./placeholder.ts";
import type { Rule } from "./rule.ts";

const s36 = "aB3d".repeat(9);
const hex = "3f9a".repeat(10);

export const shapeRules: readonly Rule[] = [
  {
    name: "private-key",
    hints: ["private key"],
    pattern: /-----BEGIN [A-Z0-9 ]{0,24}PRIVATE KEY(?: BLOCK)?-----/g,
    secret: "pem",
    examples: {
      masks: [
        [
          `-----BEGIN RSA PRIVATE KEY-----\n${s36}\n${s36}\n-----END RSA PRIVATE KEY-----`,
          "-----BEGIN RSA PRIVATE KEY-----\n…\n-----END RSA PRIVATE KEY-----",
        ],
        [`-----BEGIN PRIVATE KEY-----\n${s36}\n${s36}`, "-----BEGIN PRIVATE KEY-----\n…"],
        [
          String.raw`"-----BEGIN PRIVATE KEY-----\n${s36}\n-----END PRIVATE KEY-----\n"`,
          String.raw`"-----BEGIN PRIVATE KEY-----\n…\n-----END PRIVATE KEY-----\n"`,
        ],
      ],
      keeps: [
        "-----BEGIN PRIVATE KEY----- is the first line of such a file",
        "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
        `-----BEGIN CERTIFICATE-----\n${s36}\n-----END CERTIFICATE-----`,
      ],
    },
  },
  {
    // Header and payload are both base64url of `{"`. Two parts are enough: the third may have been cut off.
    name: "jwt",
    hints: ["eyj"],
    pattern: /(?<![A-Za-z0-9_-])eyJ[\w-]{10,}\.(?:eyJ[\w-]{10,}|[\w-]{10,}\.[\w-]{10,})(?:[\w.-]*[\w-])?/g,
    secret: "match",
    examples: {
      masks: [[`eyJ${s36}.eyJ${s36}.${s36}`, "eyJaB3…aB3d"]],
      keeps: [`eyJ${s36}`, `eyJ${s36}.length`],
    },
  },
  {
    name: "aws-key-id",
    hints: ["akia", "asia"],
    pattern: /(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])/g,
    secret: "match",
    accept: (text) => !isPlaceholder(text),
    examples: {
      masks: [[`id AKIA${"Q7ZX".repeat(4)} `, "id AKIAQ7…Q7ZX "]],
      keeps: [`AKIA${"X".repeat(16)}`, `AKIA${"Q7ZX".repeat(5)}`],
    },
  },
  {
    name: "aws-secret-beside-id",
    hints: ["akia", "asia"],
    pattern: /(?:AKIA|ASIA)[A-Z0-9]{16}[\s,;:|"'/]{1,8}([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])/g,
    secret: "match",
    examples: {
      masks: [[`AKIA${"Q7ZX".repeat(4)},${"wJ4+".repeat(10)}`, "AKIAQ7…Q7ZX,wJ4+wJ…wJ4+"]],
      keeps: [],
    },
  },
  {
    // Token of the bot alone: its id, before the colon, is public.
    name: "telegram-bot-token",
    hints: [":"],
    pattern: /(?<=(?<![A-Za-z0-9])(?:bot)?\d{6,12}):([\w-]{20,})/g,
    secret: "match",
    // Neither a hash nor a UUID nor a name of words joined by hyphens.
    accept: (text) => /[a-z]/.test(text) && /[A-Z]/.test(text) && (/\d/.test(text) || !/[-_]/.test(text)),
    examples: {
      masks: [
        [
          `https://api.telegram.org/bot123456789:AA${s36}/getMe`,
          "https://api.telegram.org/bot123456789:AAaB3d…aB3d/getMe",
        ],
      ],
      keeps: [`123456789:${hex}`, "123456:Some-Long-Name-of-a-Thing-in-a-List"],
    },
  },
];
