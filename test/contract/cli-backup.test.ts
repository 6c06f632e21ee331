/** `backup` and `restore` as people and programs use them: real processes, real files (SPEC 2.13, 2.14, 9.2). */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { everything, twoAgents } from "../helpers/backup-home.ts";
import { temporaryFolder } from "../helpers/temporary.ts";

const bin = resolve(import.meta.dirname, "../../bin/backscroll.js");

function run(...args: string[]): { code: number | null; out: string; err: string } {
  const env = { ...process.env, TZ: "UTC", HOME: "/nowhere", BACKSCROLL_HOME: "/nowhere" };
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...args], { encoding: "utf8", env });
  return { code: status, out: stdout, err: stderr };
}

describe("backup and restore", () => {
  test("say what, how much and where; the note that all is unmasked goes to stderr", () => {
    const home = twoAgents();
    home.close();
    const file = join(temporaryFolder(), "all");
    const made = run("backup", "--home", home.folder, file);
    expect(made.code).toBe(0);
    expect(made.out).toContain(file);
    expect(made.out).toMatch(/main: 2 sessions, 3 messages, .* KB\n +shed: 1 sessions, 1 messages/);
    expect(made.err).toMatch(/secrets too/);
    expect(statSync(file).mode & 0o777).toBe(0o600);

    const into = join(temporaryFolder(), "home");
    const back = run("restore", "--into", into, file);
    expect([back.code, back.err]).toEqual([0, ""]);
    expect(back.out).toContain("settings: roots.json");
    expect(everything(into)).toEqual(everything(home.folder));

    const again = run("restore", "--into", into, "--replace", file);
    expect(again.code).toBe(0);
    const [replaced = ""] = readdirSync(join(into, "agents/main")).filter((name) => name.startsWith("replaced-"));
    expect(again.out).toContain(join(into, "agents/main", replaced));
    expect(again.out).toContain("settings that are there stay: roots.json");
  });

  test("without a file, the backup lies in the home; --json is one answer", () => {
    const home = twoAgents();
    home.close();
    const { code, out } = run("backup", "--home", home.folder, "--json");
    const report = JSON.parse(out);
    expect([code, existsSync(report.file)]).toEqual([0, true]);
    expect(report).toMatchObject({ agents: [{ agentId: "main" }, { agentId: "shed" }], warnings: [] });
    const into = join(temporaryFolder(), "home");
    const back = JSON.parse(run("restore", "--into", into, "--agent", "shed", report.file, "--json").out);
    expect(back).toMatchObject({ home: into, agents: [{ agentId: "shed", messages: 1 }], files: [] });
  });

  test("refusals are sentences with exit code 2", () => {
    const home = twoAgents();
    home.close();
    const file = join(temporaryFolder(), "all");
    expect(run("backup", "--home", home.folder, file).code).toBe(0);
    for (const [args, words] of [
      [["backup", "--home", home.folder, file], "is there already"],
      [["backup", "--home", join(home.folder, "none")], "holds no store"],
      [["restore", "--home", home.folder, file], "holds a store of main, shed already"],
      [["restore", "--home", home.folder, join(home.folder, "roots.json")], "roots.json"],
      [["restore", "--home", home.folder, `${file}x`], "there is no file"],
    ] as const) {
      const { code, err } = run(...args);
      expect(code, args.join(" ")).toBe(2);
      expect(err).toContain(words);
      expect(err).not.toMatch(/at .*:\d+:\d+/);
    }
  });
});
