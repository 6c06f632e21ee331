/** Holds the layout of ARCHITECTURE.md: which folder may import which, no cycles, SQL in one folder, effects at the ends. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, test } from "vitest";

const src = resolve(import.meta.dirname, "../src");

const common = ["model", "limits.ts", "errors.ts"];
/** Folder (or file at the top) → what it may import. The table of ARCHITECTURE.md, "Arrows". */
const allowed: Record<string, readonly string[]> = {
  model: ["model"],
  "limits.ts": ["model"],
  "errors.ts": ["model"],
  text: ["text", "model", "limits.ts"],
  search: ["search", "text", ...common],
  visibility: ["visibility", "text", ...common],
  redaction: ["redaction", "text", ...common],
  respond: ["respond", "text", ...common],
  config: ["config", "redaction", "text", ...common],
  sources: ["sources", ...common],
  store: ["store", "text", "redaction", ...common],
  import: ["import", "sources", "store", "text", "redaction", ...common],
  tools: ["tools", "store", "search", "visibility", "redaction", "respond", "text", ...common],
  upkeep: [
    "upkeep",
    "tools",
    "import",
    "sources",
    "store",
    "search",
    "visibility",
    "redaction",
    "respond",
    "text",
    ...common,
  ],
  "open.ts": [
    "upkeep",
    "import",
    "sources",
    "store",
    "tools",
    "config",
    "search",
    "visibility",
    "redaction",
    "respond",
    "text",
    ...common,
  ],
  "index.ts": [
    "open.ts",
    "upkeep",
    "import",
    "sources",
    "store",
    "tools",
    "config",
    "search",
    "visibility",
    "redaction",
    "respond",
    "text",
    ...common,
  ],
  interfaces: ["interfaces", "index.ts"],
};

/** Modules of the platform that touch the outside, and who may. */
const effects: Record<string, readonly string[]> = {
  "node:sqlite": ["store"],
  "node:fs": ["config", "store", "import", "sources", "upkeep", "interfaces"],
  "node:fs/promises": ["store", "import", "sources", "upkeep", "interfaces"],
  "node:child_process": ["upkeep"],
  "node:os": ["interfaces"],
  "node:process": ["interfaces"],
  "node:http": ["interfaces"],
};

interface SourceModule {
  /** Path below src, with `/`. */
  readonly path: string;
  readonly text: string;
  readonly relative: readonly string[];
  readonly packages: readonly string[];
}

const modules = read();

function read(): SourceModule[] {
  return readdirSync(src, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => {
      const file = join(entry.parentPath, entry.name);
      const text = readFileSync(file, "utf8");
      const named = [
        ...text.matchAll(
          /^\s*(?:import|export)\b[^;"']*?from\s+["']([^"']+)["']|^\s*import\s+["']([^"']+)["']|import\(\s*["']([^"']+)["']/gm,
        ),
      ].map((match) => match[1] ?? match[2] ?? match[3] ?? "");
      return {
        path: relative(src, file).replaceAll("\\", "/"),
        text,
        relative: named
          .filter((name) => name.startsWith("."))
          .map((name) => relative(src, resolve(dirname(file), name)).replaceAll("\\", "/")),
        packages: named.filter((name) => !name.startsWith(".")),
      };
    });
}

function room(path: string): string {
  return path.split("/")[0] ?? path;
}

describe("architecture", () => {
  test("there is something to check", () => {
    expect(modules.length).toBeGreaterThan(40);
    expect(modules.flatMap((each) => each.relative).length).toBeGreaterThan(100);
  });

  test("arrows point one way", () => {
    const wrong = modules.flatMap(({ path, relative: names }) =>
      names
        .filter((name) => !(allowed[room(path)] ?? []).includes(room(name)))
        .map((name) => `${path} imports ${name}`),
    );
    expect(wrong).toEqual([]);
  });

  test("no format knows another, the engine none by name", () => {
    const folders = [
      ...new Set(
        modules
          .filter(({ path }) => path.split("/").length > 2 && room(path) === "sources")
          .map(({ path }) => path.split("/")[1]),
      ),
    ];
    expect(folders.length).toBeGreaterThanOrEqual(6);
    // A format's files may know the reader that OpenClaw and pi share, and what lies in sources/ itself.
    const wrong = modules
      .filter(({ path }) => room(path) === "sources" && path !== "sources/registry.ts")
      .flatMap(({ path, relative: names }) =>
        names
          .filter((name) => room(name) === "sources" && name.split("/").length > 2)
          .filter((name) => ![path.split("/")[1], "pi-records"].includes(name.split("/")[1] ?? ""))
          .map((name) => `${path} imports ${name}`),
      );
    expect(wrong).toEqual([]);
    const outside = modules
      .filter(({ path }) => room(path) !== "sources")
      .flatMap(({ path, relative: names }) =>
        names
          .filter((name) => room(name) === "sources" && name.split("/").length > 2)
          .map((name) => `${path} imports ${name}`),
      );
    expect(outside).toEqual([]);
    const names = /["'](?:claude-code|codex|openclaw|pi)["']/;
    const engine = modules.filter(
      ({ path }) => !["sources", "interfaces"].includes(room(path)) && names.test(withoutComments(path)),
    );
    expect(engine.map(({ path }) => path)).toEqual([]);
  });

  test("no import cycles, types included", () => {
    const state = new Map<string, "open" | "done">();
    const cycles: string[] = [];
    const visit = (path: string, trail: readonly string[]) => {
      if (state.get(path) === "done") return;
      if (state.get(path) === "open") {
        cycles.push([...trail.slice(trail.indexOf(path)), path].join(" → "));
        return;
      }
      state.set(path, "open");
      for (const next of modules.find((each) => each.path === path)?.relative ?? []) visit(next, [...trail, path]);
      state.set(path, "done");
    };
    for (const { path } of modules) visit(path, []);
    expect(cycles).toEqual([]);
  });

  test("SQL stands in store/ only", () => {
    const sql =
      /\b(?:SELECT\s.+\sFROM|INSERT\s+INTO|UPDATE\s+\w+\s+SET|DELETE\s+FROM|PRAGMA\s|CREATE\s+(?:TABLE|VIRTUAL))/s;
    const wrong = modules.filter(({ path }) => room(path) !== "store" && sql.test(withoutComments(path)));
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });

  test("effects stay at the ends", () => {
    const wrong = modules.flatMap(({ path, packages }) =>
      packages
        .filter((name) => name in effects && !effects[name]?.includes(room(path)))
        .map((name) => `${path} imports ${name}`),
    );
    expect(wrong).toEqual([]);
    const environment = modules.filter(
      ({ path }) => path !== "interfaces/settings.ts" && /process\.env/.test(withoutStrings(withoutComments(path))),
    );
    expect(environment.map(({ path }) => path)).toEqual([]);
  });

  test("the public surface reaches no command line", () => {
    const reached = new Set<string>();
    const visit = (path: string) => {
      if (reached.has(path)) return;
      reached.add(path);
      for (const next of modules.find((each) => each.path === path)?.relative ?? []) visit(next);
    };
    visit("index.ts");
    const packages = new Set(modules.filter(({ path }) => reached.has(path)).flatMap((each) => each.packages));
    // Stemmers and lists of function words are loaded by language, and named by the one module that does.
    const loaded = modules.flatMap(({ text }) =>
      [...text.matchAll(/load\(`((?:@[\w-]+\/)?[\w-]+)/g)].map(([, name]) => name),
    );
    expect(new Set([...packages, ...loaded].filter((name) => name !== undefined && !name.startsWith("node:")))).toEqual(
      new Set(["zod", "porter2", "@orama/stemmers", "@orama/stopwords", "chrono-node"]),
    );
    expect([...reached].filter((path) => path.startsWith("interfaces"))).toEqual([]);
  });

  test("files are small", () => {
    // Tables (migrations, patterns) are as long as what they list.
    const tables = /^(?:store\/migrations\/.*|redaction\/patterns)\.ts$/;
    const long = modules.filter(({ path, text }) => !tables.test(path) && text.split("\n").length > 400);
    expect(long.map(({ path }) => path)).toEqual([]);
  });
});

function withoutComments(path: string): string {
  const text = modules.find((each) => each.path === path)?.text ?? "";
  return text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|[^:])\/\/.*$/gm, "$1");
}

function withoutStrings(code: string): string {
  return code.replace(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g, '""');
}
