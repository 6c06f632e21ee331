import { describe, expect, test } from "vitest";
import { redact } from "../../../src/redaction/redact.ts";

const line = "aB3d".repeat(16);
const begin = "-----BEGIN PRIVATE KEY-----";
const end = "-----END PRIVATE KEY-----";

describe("PEM private keys", () => {
  // SPEC 5.5: keeps its first and last line.
  test.each([
    ["PRIVATE KEY"],
    ["RSA PRIVATE KEY"],
    ["EC PRIVATE KEY"],
    ["ENCRYPTED PRIVATE KEY"],
    ["OPENSSH PRIVATE KEY"],
    ["PGP PRIVATE KEY BLOCK"],
  ])("%s keeps its first and last line", (label) => {
    const text = `see:\n-----BEGIN ${label}-----\r\n${line}\r\n${line}\r\n-----END ${label}-----\nthen go on`;
    const redaction = redact(text);
    expect(redaction.text).toBe(`see:\n-----BEGIN ${label}-----\r\n…\r\n-----END ${label}-----\nthen go on`);
    const at = redaction.text.indexOf("…");
    expect(redaction.masks).toEqual([{ start: at, end: at + 1 }]);
    expect(redact(redaction.text).text).toBe(redaction.text);
  });

  test("the headers of old encrypted keys go with the body", () => {
    const text = `${begin}\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,${"3F9A".repeat(8)}\n\n${line}\n${end}`;
    expect(redact(text).text).toBe(`${begin}\n…\n${end}`);
  });

  // SPEC 5.2: the tail of a key is a leak, too.
  test.each([
    ["after the first lines", `${begin}\n${line}\n${line}\n${line.slice(0, 20)}`, `${begin}\n…`],
    ["with lines left out", `${begin}\n${line}\n[20 lines]\n${line}\nWhat now?`, `${begin}\n…`],
    ["in its first line", `${begin}\n${line.slice(0, 16)}`, `${begin}\n…`],
    ["inside its headers", `${begin}\nProc-Type: 4,ENC`, `${begin}\n…`],
    ["quoted", `> ${begin}\n> ${line}\n> ${line}`, `> ${begin}\n…`],
    ["numbered", `1: ${begin}\n2: ${line}`, `1: ${begin}\n…`],
  ])("a block cut off %s is masked to the end", (_where, text, masked) => {
    expect(redact(text).text).toBe(masked);
  });

  test("a block without END does not swallow the next one", () => {
    const text = `${begin}\n${line}\n${begin}\n${line}\n${end}\nthen go on`;
    expect(redact(text).text).toBe(`${begin}\n…\n${begin}\n…\n${end}\nthen go on`);
  });

  test("line breaks may be written out, at any depth of quoting", () => {
    for (const lineBreak of ["\\n", "\\r\\n", "\\\\n"]) {
      const text = `{"private_key": "${begin}${lineBreak}${line}${lineBreak}${end}${lineBreak}"}`;
      const { text: masked } = redact(text);
      expect(masked).not.toContain(line.slice(0, 8));
      expect(masked.startsWith(`{"private_key": "${begin}`)).toBe(true);
      expect(masked.endsWith(`${end}${lineBreak}"}`)).toBe(true);
    }
    expect(redact(`{"key": "${begin}\\n${line}\\n${end}\\n"}`).text).toBe(`{"key": "${begin}\\n…\\n${end}\\n"}`);
  });

  test("a key on one line", () => {
    expect(redact(`KEY="${begin} ${line} ${end}"`).text).toBe(`KEY="${begin} … ${end}"`);
  });

  // SPEC 5.6
  test.each([
    [`Files that start with ${begin} are keys; do not commit them. See /home/mira/pottery/kiln/notes.`],
    [`${begin} Version two of the format is older.`],
    [`It stands between ${begin} and ${end}.`],
    [`grep -l -e '${begin}' -e '${end}' *.txt`],
    [`${begin}\n...\n${end}`],
    [`${begin}\n…\n${end}`],
    [`${begin}\n<your key>\n${end}`],
    [`-----BEGIN CERTIFICATE-----\n${line}\n-----END CERTIFICATE-----`],
    [`-----BEGIN PUBLIC KEY-----\n${line}\n-----END PUBLIC KEY-----`],
    ["-----BEGIN [A-Z ]*PRIVATE KEY-----"],
  ])("is kept: %j", (text) => {
    expect(redact(text).text).toBe(text);
  });
});
