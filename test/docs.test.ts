/**
 * Documentation is held to the code: tables are compared with what they describe, links are followed. What stands in the
 * code and not on its page fails here, and so does what stands on a page alone.
 */
import { existsSync, writeFileSync } from "node:fs";
import { dirname, join, posix, relative } from "node:path";
import { Writable } from "node:stream";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import {
  builtInSources,
  catalog,
  errorCodes,
  type FindingCode,
  findingCodes,
  findingKinds,
  type Limit,
  limits,
  type SearchAnswer,
} from "../src/index.ts";
import { buildProgram } from "../src/interfaces/cli/commands.ts";
import { problemCodes } from "../src/model/problem.ts";
import { sessionKinds } from "../src/model/transcript.ts";
import { marked, names, pages, read, root, rows, same, section, sections, withoutCode } from "./helpers/markdown.ts";
import { memoryStore, temporaryFolder, temporaryHome } from "./helpers/temporary.ts";

const sample = builtInSources
  .filter(({ id }) => id !== "jsonl")
  .map((source) => ({ source, folder: join(root, "demo/sample", source.id) }));

describe("docs/tools.md", () => {
  test.each(Object.values(catalog))("$name: every parameter, its range and its words (SPEC 7.1)", (tool) => {
    const text = section("docs/tools.md", tool.name);
    const schema = z.toJSONSchema(tool.input, { io: "input" }) as {
      properties: Record<string, { minimum?: number; maximum?: number; enum?: string[]; anyOf?: unknown }>;
      required?: string[];
    };
    const documented = rows(text, "parameter");
    same(names(text, "parameter"), Object.keys(schema.properties));
    same(
      documented.filter(([, required]) => required === "yes").flatMap(([name = ""]) => marked(name)),
      schema.required ?? [],
    );
    for (const [name, { minimum, maximum, enum: words = [] }] of Object.entries(schema.properties)) {
      const row = documented.find(([cell]) => cell === `\`${name}\``)?.join(" ") ?? "";
      if (minimum !== undefined && maximum !== undefined)
        expect(row, name).toContain(`${minimum.toLocaleString("en")} to ${maximum.toLocaleString("en")}`);
      const listed = marked(words.length > 3 ? read("docs/concepts.md") : row);
      expect(listed, name).toEqual(expect.arrayContaining(words));
    }
  });

  test("every field of real answers", async () => {
    const home = temporaryHome();
    await home.import(sample);
    const keys = (items: readonly object[]) => new Set(items.flatMap((item) => Object.keys(item)));
    const missing = (text: string, first: string, items: readonly object[]) => {
      const known = names(text, first);
      expect(known.length, first).toBeGreaterThan(1);
      expect([...keys(items)].filter((key) => !known.includes(key))).toEqual([]);
    };
    const queries = [
      "tide table cache",
      "潮汐表",
      "harbour bell",
      "??? role:user",
      "malinowy",
      "kind:subagent parsing",
    ];
    const found: SearchAnswer[] = [];
    for (const query of queries) found.push(await home.search({ query, perSession: 1 }));
    const search = section("docs/tools.md", "sessions_search");
    const hits = found.flatMap(({ results }) => results);
    expect(keys(hits)).toContain("copies");
    missing(search, "field of the answer", found);
    missing(search, "field of a hit", hits);
    missing(
      search,
      "field of `explain`",
      found.flatMap(({ explain }) => explain ?? []),
    );

    const list = await home.sessions({ limit: 20 });
    const listed = section("docs/tools.md", "sessions_list");
    missing(listed, "field of the answer", [list]);
    missing(listed, "field of a session", list.sessions);

    const read = { limit: 30, includeTools: true, includeThinking: true };
    const answers = await Promise.all(list.sessions.map(({ sessionKey }) => home.history({ ...read, sessionKey })));
    const history = section("docs/tools.md", "sessions_history");
    const messages = answers.flatMap((answer) => answer.messages);
    missing(history, "field of the answer", answers);
    missing(history, "field of a message", messages);
    const parts = messages.flatMap(({ content }) => content);
    const content = rows(history, "field of a message").find(([cell]) => cell === "`content`") ?? [];
    const known = [...marked(content.join(" ")), "textOffset", "textLength"];
    expect([...keys(parts), ...new Set(parts.map(({ type }) => type))].filter((name) => !known.includes(name))).toEqual(
      [],
    );
  });
});

test("docs/limits.md: every limit with its numbers, unit and reason", () => {
  const text = read("docs/limits.md");
  same(names(text, "limit"), Object.keys(limits));
  for (const [name, limit] of Object.entries(limits) as [string, Limit][]) {
    const row = rows(text, "limit").find(([cell]) => cell === `\`${name}\``) ?? [];
    const number = (value: number) => value.toLocaleString("en-US");
    const isFixed = limit.min === limit.max;
    const wanted = isFixed
      ? [number(limit.default), limit.unit]
      : [number(limit.default), number(limit.min), number(limit.max), limit.unit];
    expect(row.slice(1, 1 + wanted.length), name).toEqual(wanted);
    expect(row.at(-1), name).toBe(limit.reason);
  }
});

test("docs/errors.md: every code (SPEC 7.5)", () => {
  const headings = [...read("docs/errors.md").matchAll(/^## `(\w+)`$/gm)].map(([, code = ""]) => code);
  same(headings, errorCodes);
});

test("docs/doctor.md: every finding, with its severity (SPEC 2.8)", () => {
  const findings = section("docs/doctor.md", "findings");
  same(names(findings, "code"), findingCodes);
  for (const [code = "", severity] of rows(findings, "code"))
    expect(severity, code).toBe(findingKinds[code.slice(1, -1) as FindingCode].severity);
});

describe("docs/sources.md", () => {
  const formats = section("docs/sources.md", "formats");

  test("every problem code (SPEC 8.4)", () => {
    same(names(section("docs/sources.md", "problems"), "code"), problemCodes);
  });

  test.each(builtInSources)("$name: its row, its places, the variables that it asks for (SPEC 8.2, 8.12)", (source) => {
    same(
      names(formats, "id"),
      builtInSources.map(({ id }) => id),
    );
    expect(rows(formats, "id").find(([cell]) => cell === `\`${source.id}\``)?.[1]).toBe(source.name);
    const asked = new Set<string>();
    const env = new Proxy({}, { get: (_, name) => void asked.add(String(name)) });
    for (const platform of ["linux", "darwin"] as const) {
      for (const place of source.places({ home: "~", env, platform }))
        expect(formats.includes(place) || formats.includes(`\`${dirname(place)}\``), place).toBe(true);
    }
    for (const name of asked) expect(formats).toContain(`$${name}`);
  });

  test("the neutral JSONL: the example is read without a problem, every exported field is named (SPEC 8.11)", async () => {
    const text = section("docs/sources.md", "neutral-jsonl");
    const [, example = ""] = /^```json\n([\s\S]*?)^```/m.exec(text) ?? [];
    const folder = temporaryFolder();
    writeFileSync(join(folder, "talks.jsonl"), example);
    const home = temporaryHome();
    const report = await home.import(
      builtInSources.filter(({ id }) => id === "jsonl").map((source) => ({ source, folder })),
    );
    expect([report.problems, report.entries.added]).toEqual([[], 2]);
    await home.import(sample);
    const lines = [...home.export({ reveal: true })].map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.length).toBeGreaterThan(500);
    const named = marked(text).map((name) => name.replace(/\?$/, ""));
    expect([...new Set(lines.flatMap(Object.keys))].filter((key) => !named.includes(key))).toEqual([]);
  });
});

test("docs/concepts.md: every kind of session", () => {
  expect(marked(section("docs/concepts.md", "session-generation-transcript"))).toEqual(
    expect.arrayContaining([...sessionKinds]),
  );
});

test("docs/schema.md: every table and index of the migrations, column by column", () => {
  const { db } = memoryStore();
  const objects = (type: string) =>
    db
      .prepare("SELECT name FROM sqlite_schema WHERE type = :type AND sql IS NOT NULL ORDER BY name")
      .all({ type })
      .map(({ name }) => String(name))
      // FTS5 keeps its table in tables of its own.
      .filter((name) => !/^sqlite_|^(?:message|tool)_index_/.test(name));
  const documented = sections(read("docs/schema.md"));
  same(
    [...documented.keys()].filter((anchor) => anchor !== "schema"),
    objects("table"),
  );
  for (const table of objects("table")) {
    const columns = db.prepare("SELECT name FROM pragma_table_info(:table)").all({ table });
    same(
      names(documented.get(table) ?? "", "column"),
      columns.map(({ name }) => String(name)),
    );
  }
  for (const index of objects("index")) expect(read("docs/schema.md")).toContain(`\`${index}\``);
});

describe("docs/cli.md (SPEC 9.2)", () => {
  const nowhere = { write: () => undefined, colour: false };
  const program = buildProgram(
    { argv: [], out: nowhere, err: nowhere, stdout: new Writable(), stderr: process.stderr, exitCode: 0 },
    "0",
  );
  const page = sections(read("docs/cli.md"));

  test("every command, and no other", () => {
    same(
      [...page.keys()].filter((anchor) => anchor.startsWith("backscroll-")),
      program.commands.map((command) => `backscroll-${command.name()}`),
    );
    for (const { long } of program.options) expect(read("docs/cli.md")).toContain(`backscroll ${long}`);
  });

  test.each(program.commands.map((command) => [command.name(), command] as const))(
    "every flag of %s",
    (name, command) => {
      const own = page.get(`backscroll-${name}`) ?? "";
      // Shared flags stand in sections of their own, which the command's section links to.
      const linked = [...own.matchAll(/\]\(#([\w-]+)\)/g)].map(([, anchor = ""]) => page.get(anchor) ?? "");
      same(
        names([own, ...linked].join("\n"), "flag").filter((flag) => flag.startsWith("--")),
        command.options.map(({ flags }) => flags),
      );
    },
  );
});

describe("package.json", () => {
  const { scripts, dependencies, devDependencies } = JSON.parse(read("package.json")) as Record<
    "scripts" | "dependencies" | "devDependencies",
    Record<string, string>
  >;

  test("every script, and every dependency with its reason", () => {
    const text = read("CONTRIBUTING.md");
    for (const script of Object.keys(scripts))
      expect(text).toContain(script === "test" ? "`npm test`" : `\`npm run ${script}\``);
    same(names(section("CONTRIBUTING.md", "dependencies"), "package"), [
      ...Object.keys(dependencies),
      ...Object.keys(devDependencies),
    ]);
  });

  test("the README's two commands", () => {
    const blocks = [...read("README.md").matchAll(/^```\w*\n([\s\S]*?)^```/gm)].map(([, code = ""]) => code);
    const lines = blocks.flatMap((code) => code.split("\n")).filter((line) => line.startsWith("npm ci"));
    expect(lines.slice(0, 2)).toEqual(["npm ci && npm run demo", "npm ci && npm test"]);
  });
});

describe("pages", () => {
  test.each(pages)("%s: links lead somewhere, paths are those of the project", (path) => {
    const text = read(path);
    const dead = [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, target = ""]) => target)
      .filter((target) => !/^[a-z]+:/.test(target))
      .filter((target) => {
        const [file = "", anchor] = target.split("#");
        const there = file === "" ? path : posix.normalize(posix.join(posix.dirname(path), file));
        if (there.startsWith("..") || !existsSync(join(root, there))) return true;
        return anchor !== undefined && !sections(read(there)).has(anchor);
      });
    expect(dead).toEqual([]);
    expect(text.split("\n").filter((line) => /(?<![\w.~>-])\/(?:work|root)\b/.test(line))).toEqual([]);
  });

  test("decisions are numbered in order, and fit a page", () => {
    const decisions = pages.filter((path) => path.startsWith("docs/decisions/")).sort();
    decisions.forEach((path, at) => {
      expect(relative("docs/decisions", path)).toMatch(new RegExp(`^${String(at + 1).padStart(4, "0")}-`));
      expect(read(path)).toMatch(new RegExp(`^# ${at + 1}\\. `));
      expect(read(path).split("\n").length, path).toBeLessThanOrEqual(36);
      for (const heading of ["context", "choice", "consequences"]) expect(sections(read(path)).has(heading)).toBe(true);
    });
    expect(decisions.length).toBeGreaterThan(5);
  });
});
