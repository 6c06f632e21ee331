/** The project's Markdown pages, and what the tests ask of them: sections by anchor, tables, what stands in backticks. */
import { readdirSync, readFileSync } from "node:fs";
import { join, posix, resolve } from "node:path";
import { expect } from "vitest";

export const root = resolve(import.meta.dirname, "../..");
/** The text of a file, by its path from the project's root. */
export const read = (path: string): string => readFileSync(join(root, path), "utf8");
/** All Markdown files of the root and of `docs`. */
export const pages = [
  ...readdirSync(root).filter((name) => name.endsWith(".md")),
  ...readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => posix.join("docs", name.replaceAll("\\", "/"))),
];

interface Table {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const fence = /^ {0,3}```[\s\S]*?^ {0,3}```/gm;

/** GitHub's anchor of a heading. */
function slug(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(" ", "-");
}

/** Anchor → what stands between a heading and the next of its level or above. */
export function sections(text: string): Map<string, string> {
  const found = new Map<string, string>();
  const headings = [...text.replace(fence, (code) => " ".repeat(code.length)).matchAll(/^(#+) (.*)$/gm)];
  headings.forEach((heading, at) => {
    const level = heading[1]?.length ?? 0;
    const next = headings.slice(at + 1).find((later) => (later[1]?.length ?? 0) <= level);
    found.set(slug(heading[2] ?? ""), text.slice(heading.index + heading[0].length, next?.index));
  });
  return found;
}

/** The section of a page with that anchor; the test fails where there is none. */
export function section(path: string, anchor: string): string {
  const found = sections(read(path)).get(anchor);
  expect(found, `${path} has no heading #${anchor}`).toBeDefined();
  return found ?? "";
}

function tables(text: string): Table[] {
  return [...text.matchAll(/(?:^ *\|.*\|$\n?)+/gm)].map(([block]) => {
    const [header = [], , ...rows] = block
      .trim()
      .split("\n")
      .map((line) =>
        line
          .trim()
          .slice(1, -1)
          .split("|")
          .map((cell) => cell.trim()),
      );
    return { header, rows };
  });
}

/** Rows of all tables whose first column has that title. */
export function rows(text: string, first: string): (readonly string[])[] {
  return tables(text).flatMap(({ header, rows }) => (header[0] === first ? rows : []));
}

/** The text without what stands in fences and backticks. */
export function withoutCode(text: string): string {
  return text.replace(fence, "").replace(/`[^`\n]*`/g, "");
}

/** What stands in backticks. */
export function marked(text: string): string[] {
  return [...text.replace(fence, "").matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);
}

/** The names in the first column of such tables. */
export function names(text: string, first: string): string[] {
  return rows(text, first).flatMap(([cell = ""]) => marked(cell));
}

/** The same names, whatever their order. */
export function same(documented: Iterable<string>, real: Iterable<string>): void {
  expect([...documented].sort()).toEqual([...real].sort());
}
