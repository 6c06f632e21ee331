/** Examples are real: those on the pages are run and compared with what is shown, whole programs are run, scripts end with figures. */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
// Its types are checked together with the tests.
import type {} from "../examples/library.ts";
import { builtInSources, open } from "../src/index.ts";
import { names, pages, read, root } from "./helpers/markdown.ts";
import { temporaryFolder, temporaryHome } from "./helpers/temporary.ts";

const sample = builtInSources
  .filter(({ id }) => id !== "jsonl")
  .map((source) => ({ source, folder: join(root, "demo/sample", source.id) }));

describe("examples on the pages", () => {
  const home = "/tmp/backscroll-sample";
  const [importSample = ""] = /^\$ .* sync --root .*$/m.exec(read("docs/getting-started.md")) ?? [];

  function run(command: string, folder: string): string {
    const line = command
      .replace("npm run -s backscroll --", `"${process.execPath}" bin/backscroll.js`)
      .replaceAll(home, folder);
    const env = { PATH: process.env.PATH, TZ: "UTC", HOME: folder, BACKSCROLL_HOME: folder };
    const { stdout } = spawnSync(`${line} 2>&1`, { cwd: root, env, shell: true, encoding: "utf8" });
    return stdout.replaceAll(folder, home).replace(/ in \d+\.\d s$/m, " in 0.0 s");
  }

  /** A line `…` stands for any lines up to the next one that is given. */
  function filled(shown: string, real: string): string {
    const lines = real.split("\n");
    const out: string[] = [];
    const given = shown.split("\n");
    given.forEach((line, at) => {
      const next = given[at + 1];
      const until = next === undefined ? lines.length : lines.indexOf(next, out.length);
      if (line === "…") out.push(...lines.slice(out.length, Math.max(out.length, until)));
      else out.push(line);
    });
    return out.join("\n");
  }

  /** In JSON the text `…` stands for any text. */
  function filledJson(shown: unknown, real: unknown): unknown {
    if (shown === "…" && typeof real === "string") return real;
    if (typeof shown !== "object" || shown === null || typeof real !== "object" || real === null) return shown;
    const fill = ([key, value]: [string, unknown]) => [key, filledJson(value, (real as Record<string, unknown>)[key])];
    const entries = Object.entries(shown).map(fill);
    return Array.isArray(shown) ? entries.map(([, value]) => value) : Object.fromEntries(entries);
  }

  const withExamples = pages.filter((path) => /^```console$/m.test(read(path)));

  // Quoted for a POSIX shell, as on the pages.
  test.skipIf(process.platform === "win32").each(withExamples)("%s shows what comes out", (path) => {
    const folder = join(temporaryFolder(), "home");
    const text = read(path);
    if (!text.includes(importSample)) run(importSample.slice(2), folder);
    const blocks = [...text.matchAll(/^```console\n([\s\S]*?)\n```$/gm)].map(([, block = ""]) => block);
    for (const example of blocks.flatMap((block) => block.split(/\n(?=\$ )/))) {
      const [command = "", ...output] = example.split("\n");
      const shown = output.join("\n");
      const real = run(command.slice(2), folder).trimEnd();
      if (shown.startsWith("{")) {
        const answer: unknown = JSON.parse(real);
        expect(answer, command).toEqual(filledJson(JSON.parse(shown), answer));
      } else {
        expect(real.replace(/^ +$/gm, ""), command).toBe(filled(shown, real.replace(/^ +$/gm, "")));
      }
    }
  });

  test("there are some", () => {
    expect(withExamples.length).toBeGreaterThanOrEqual(5);
    expect(importSample).toContain("--root pi=demo/sample/pi");
  });
});

describe("examples/library.ts (SPEC 9.1)", () => {
  const script = join(root, "examples/library.ts");

  test("runs, is short, stands on the public surface alone, and reads no environment", () => {
    const text = readFileSync(script, "utf8");
    expect(text.split("\n").length).toBeLessThanOrEqual(40);
    expect(
      [...text.matchAll(/^import .*from "([^"]+)"/gm)]
        .map(([, name = ""]) => name)
        .filter((name) => !name.startsWith("node:")),
    ).toEqual(["../src/index.ts"]);
    const [home, other] = [join(temporaryFolder(), "home"), join(temporaryFolder(), "other")];
    const { status, stdout, stderr } = spawnSync(process.execPath, [script, home], {
      encoding: "utf8",
      env: { PATH: process.env.PATH, BACKSCROLL_HOME: other, HOME: other, XDG_DATA_HOME: other },
    });
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("> assistant: Then its grease is too stiff.");
    expect([existsSync(join(home, "agents/gardener/transcripts.sqlite")), existsSync(other)]).toEqual([true, false]);
  });

  test("two opened homes share nothing; options are typed", async () => {
    const [one, two] = [temporaryHome(), temporaryHome()];
    await one.import(sample);
    expect((await one.search({ query: "tide" })).results.length).toBeGreaterThan(0);
    expect((await two.search({ query: "tide" })).explain?.emptyStore).toBe(true);
    // @ts-expect-error: a misspelt option
    expect(() => open({ hoem: "x" })).toThrow();
  });
});

describe("proof scripts (SPEC 12.3)", () => {
  const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
  /** A small run of each that is sure to be good. */
  const small: Record<string, (folder: string) => readonly string[]> = {
    "npm run cases": (folder) => {
      const action = { tool: "search", args: { query: "plum" } };
      const setup = [{ session: "a", role: "user", text: "plum" }];
      const file = join(folder, "cases.jsonl");
      writeFileSync(
        file,
        JSON.stringify({ id: "own-1", kind: "own", level: "must", setup, action, expect: { count: 1 } }),
      );
      return [file];
    },
    "npm run corpus": () => ["demo/sample"],
    "npm run crash": () => ["--kills", "4"],
    "npm run nightly": () => ["--programs", "5", "--length", "10"],
    "npm run eval": () => ["--dataset", "eval/sets/languages"],
    "npm run bench": () => ["--only", "size", "--messages", "1000"],
  };

  test("CONTRIBUTING.md names them", () => {
    expect(names(read("CONTRIBUTING.md"), "proof")).toEqual(Object.keys(small));
  });

  test.each(Object.entries(small))("%s ends with its figures, and refuses what it can't run", (command, args) => {
    const script = scripts[command.replace("npm run ", "")]?.replace(/^node /, "") ?? "";
    const start = (given: readonly string[]) =>
      spawnSync(process.execPath, [script, ...given], { cwd: root, encoding: "utf8" });
    const { status, stdout } = start(args(temporaryFolder()));
    expect(status).toBe(0);
    expect(JSON.stringify(JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? ""))).toMatch(/"\w+":\d/);
    expect(start(["--no-such-flag"]).status).not.toBe(0);
  });
});
