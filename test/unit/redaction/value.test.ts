/** Where a value beside a secret name starts and ends. Whether it is a secret is in judge.test.ts. */
import { describe, expect, test } from "vitest";
import { redact } from "../../../src/redaction/redact.ts";

const body = "aB3d".repeat(9);

describe("value beside a name", () => {
  // SPEC 5.4: assignments, JSON fields, flags; E08 of the reported faults: JSON missed by patterns made for shells.
  test.each([
    ["an environment file", `export API_KEY=${body}`, "export API_KEY=aB3daB…aB3d"],
    ["a shell's quotes", `PASSWORD='plum 77x' run`, "PASSWORD='***' run"],
    ["properties", "spring.datasource.password = plum77", "spring.datasource.password = ***"],
    ["YAML", "database:\n  password: plum77 # for the kiln\n", "database:\n  password: *** # for the kiln\n"],
    ["YAML quoted", `password: "plum#77"`, `password: "***"`],
    [
      "JSON",
      `{"user":"mira","password":"plum-7777777777","note":"pond"}`,
      `{"user":"mira","password":"***","note":"pond"}`,
    ],
    ["JSON over lines", `{\n  "token":\n    "${body}"\n}`, `{\n  "token":\n    "aB3daB…aB3d"\n}`],
    ["JSON in a string", `"{\\"secret\\":\\"plum7777\\",\\"n\\":1}"`, `"{\\"secret\\":\\"***\\",\\"n\\":1}"`],
    [
      "JSON in a string in a string",
      `\\\\\\"secret\\\\\\":\\\\\\"plum7777\\\\\\"`,
      `\\\\\\"secret\\\\\\":\\\\\\"***\\\\\\"`,
    ],
    ["a quote inside quotes", `"password":"plum\\"77\\\\"`, `"password":"***"`],
    ["an object of JavaScript", "{ clientSecret: 'plum7777', retries: 3 }", "{ clientSecret: '***', retries: 3 }"],
    ["Ruby and PHP", `:password => "plum77"`, `:password => "***"`],
    ["a subscript", `config["api_key"] = "plum7777"`, `config["api_key"] = "***"`],
    ["a type between", `api_key: Optional[str] = "plum7777"`, `api_key: Optional[str] = "***"`],
    ["a comparison", `if (password === "plum77") open();`, `if (password === "***") open();`],
    ["a string prefix", `PASSWORD = b"plum77"`, `PASSWORD = b"***"`],
    ["a form", "user=mira&password=plum77&lang=en", "user=mira&password=***&lang=en"],
    ["a form in HTML", "?password=plum77&amp;lang=en", "?password=***&amp;lang=en"],
    ["a connection string", "Server=db;Password=plum77;Database=kiln", "Server=db;Password=***;Database=kiln"],
    ["percent-encoding", "password%3Dplum77%26lang%3Den", "password%3D***%26lang%3Den"],
    ["percent-encoded JSON", "%22password%22%3A%22plum77%22", "%22password%22%3A%22***%22"],
    ["a flag", "kiln --db-password plum77 --quiet", "kiln --db-password *** --quiet"],
    ["a flag with =", "kiln --password=plum77 --quiet", "kiln --password=*** --quiet"],
    [
      "a flag on the next line",
      `kiln --token \\\n  ${body} \\\n  --quiet`,
      "kiln --token \\\n  aB3daB…aB3d \\\n  --quiet",
    ],
    ["Markdown emphasis", "**Password:** plum77", "**Password:** ***"],
    ["an emphasised value", "Password: **plum77**", "Password: *******"],
    ["Markdown code", "- API key: `plum7777`", "- API key: `***`"],
    ["a code fence", "Password:\n\n```text\nplum77\n```\n", "Password:\n\n```text\n***\n```\n"],
    ["the next line", "Your access token:\nplum7777\nKeep it.", "Your access token:\n***\nKeep it."],
    ["a YAML block", `token: |\n  ${body}\n  ${body}\nnext: 1`, "token: |\n  aB3daB…aB3d\nnext: 1"],
    ["quotes over two lines", `PASSWORD="plum77\n${body}"\nNEXT=1`, `PASSWORD="plum77…aB3d"\nNEXT=1`],
    ["a quote never closed", `password="plum77\nand then: it's over`, `password="***\nand then: it's over`],
    ["a sentence", "Use password: plum77, user: mira.", "Use password: ***, user: mira."],
    ["brackets", "(the password: plum77)", "(the password: ***)"],
    ["typographic quotes", "password: “plum77” works", "password: “***” works"],
    ["Chinese", "数据库密码 password：plum77，请保密", "数据库密码 password：***，请保密"],
    ["Japanese, with no space after", "password=plum77です。", "password=***です。"],
    ["Arabic and marks of direction", "\u202bالرمز password=plum77\u202c شكرا", "\u202bالرمز password=***\u202c شكرا"],
  ])("in %s", (_place, text, masked) => {
    expect(redact(text).text).toBe(masked);
    expect(redact(masked).text).toBe(masked);
  });

  test("a template inside a value ends it", () => {
    expect(redact(`API_KEY=plum7777\${SUFFIX}`).text).toBe(`API_KEY=***\${SUFFIX}`);
  });

  test("a value that was read as one does not hide the next name inside it", () => {
    expect(redact(`password="abc1,password="plum77"`).text).not.toContain("plum77");
    expect(redact(`password: password = "plum77"`).text).not.toContain("plum77");
  });

  test("a value is not taken for the type of the next assignment", () => {
    expect(redact(`password: plum77 user="mira"`).text).toBe(`password: *** user="mira"`);
    expect(redact(`password: swordfish\nuser="mira"`).text).toBe(`password: ***\nuser="mira"`);
    expect(redact(`secret: &'static str = "plum7777"; token: string | null = 'plum7777'`).text).not.toContain("plum");
  });

  test("the quote that ends a label does not open a value", () => {
    for (const text of [`print("Password:", user)`, `label + "token: " + kind`, `["password:","text"]`]) {
      expect(redact(text).text).toBe(text);
    }
  });
});
