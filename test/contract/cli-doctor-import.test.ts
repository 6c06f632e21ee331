/** `backscroll doctor import` as a real process (SPEC 8.10, 9.2). */
import { spawnSync } from "node:child_process";
import { appendFileSync, cpSync, existsSync, mkdirSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { Writable } from "node:stream";
import { describe, expect, test } from "vitest";
import { buildProgram } from "../../src/interfaces/cli/commands.ts";
import { line, sessionList, stateFolder, transcript, tree } from "../helpers/legacy-store.ts";
import { names, same, section } from "../helpers/markdown.ts";
import { temporaryFolder } from "../helpers/temporary.ts";

const bin = resolve(import.meta.dirname, "../../bin/backscroll.js");

function setUp() {
  const folder = stateFolder();
  const file = transcript(folder, "desk", "s1", [line("m1", "oak plank")]);
  sessionList(folder, "desk", { "agent:desk:main": "s1" });
  const machine = temporaryFolder();
  const home = join(machine, "home");
  const run = (...args: string[]) => {
    const env = { ...process.env, TZ: "UTC", HOME: machine, BACKSCROLL_HOME: "/nowhere", TMPDIR: machine };
    const { status, stdout, stderr } = spawnSync(process.execPath, [bin, "doctor", "import", "--home", home, ...args], {
      encoding: "utf8",
      env,
    });
    return { code: status, out: stdout, err: stderr };
  };
  const json = (...args: string[]) => {
    const { out, ...rest } = run("--json", ...args);
    expect(out.trim().split("\n")).toHaveLength(1);
    return { ...rest, answer: JSON.parse(out) };
  };
  return { folder, file, machine, home, run, json };
}

describe("backscroll doctor import", () => {
  test("look, try, take over, compare, undo", () => {
    const { folder, machine, home, run, json } = setUp();
    const before = tree(folder);
    expect(run(folder)).toMatchObject({ code: 0, err: "", out: expect.stringContaining("desk: 1 transcript, ") });
    expect(run("--mode", "dry-run", folder)).toMatchObject({
      code: 0,
      out: expect.stringContaining("Nothing was written"),
    });
    expect([tree(folder), existsSync(home), readdirSync(machine)]).toEqual([before, false, []]);
    const { code, answer } = json("--mode", "import", folder);
    expect(code).toBe(0);
    expect(answer).toMatchObject({ mode: "import", stores: [{ folder, verified: 2, moved: 2, stays: [] }] });
    const [{ run: id }] = answer.stores;
    expect(run("--mode", "import", folder)).toMatchObject({ code: 0, out: expect.stringContaining("Nothing new") });
    expect(run(folder).out).toContain(`Run ${id}`);
    expect(run("--mode", "validate", folder)).toMatchObject({
      code: 0,
      out: expect.stringContaining("All of it is in the store"),
    });
    expect(run("--mode", "restore", "--run", id, folder)).toMatchObject({
      code: 0,
      out: expect.stringContaining("2 files moved back"),
    });
    expect(tree(folder)).toEqual(before);
  });

  test("what stays and what differs is named, and is no success", () => {
    const { folder, file, run, json } = setUp();
    appendFileSync(file, '{"type":"torn');
    const dry = run("--mode", "dry-run", folder);
    expect([dry.code, dry.out]).toEqual([2, expect.stringContaining("2 files would not move")]);
    const { code, answer } = json("--mode", "import", folder);
    expect([code, answer.stores[0].stays.map(({ path }: { path: string }) => path)]).toEqual([
      2,
      [file, join(folder, "agents/desk/sessions/sessions.json")],
    ]);
    appendFileSync(file, `"}\n${line("m2", "elm plank")}`);
    const validate = run("--mode", "validate", folder);
    expect([validate.code, validate.out]).toEqual([2, expect.stringMatching(/missing-entry.*s1 m2/)]);
  });

  test("without a folder: OpenClaw's own, where there is one", () => {
    const { folder, machine, run, json } = setUp();
    expect(run()).toMatchObject({ code: 1, out: expect.stringContaining(join(machine, ".openclaw")) });
    expect(json()).toMatchObject({ code: 1, answer: { mode: "inspect", stores: [] } });
    cpSync(folder, join(machine, ".openclaw"), { recursive: true });
    mkdirSync(join(machine, ".clawdbot", "sessions"), { recursive: true });
    const { code, answer } = json("--mode", "import");
    expect([code, answer.stores.map((store: { moved: number }) => store.moved)]).toEqual([0, [2, 0]]);
  });

  test("home and JSON may stand before the word import", () => {
    const { folder, home } = setUp();
    const args = ["doctor", "--json", "--home", home, "import", folder];
    const { stdout, status } = spawnSync(process.execPath, [bin, ...args], { encoding: "utf8" });
    expect([status, JSON.parse(stdout)]).toMatchObject([0, { stores: [{ folder }] }]);
  });

  test("wrong words are sentences", () => {
    const { folder, run, json } = setUp();
    expect(run("--mode", "destroy", folder)).toMatchObject({
      code: 2,
      err: expect.stringContaining("inspect, dry-run"),
    });
    expect(run("--run", "x", folder)).toMatchObject({
      code: 2,
      err: expect.stringContaining("--run says nothing to inspect"),
    });
    expect(run("--mode", "restore", "--run", "../x", folder)).toMatchObject({
      code: 2,
      err: expect.stringContaining('no run "../x"'),
    });
    expect(run(join(folder, "nowhere"))).toMatchObject({ code: 2, err: expect.stringContaining("there is no folder") });
    expect(json(join(folder, "agents"))).toMatchObject({ code: 2, answer: { code: "bad_input" } });
  });

  test("every flag is documented", () => {
    const nowhere = { write: () => undefined, colour: false };
    const context = {
      argv: [],
      out: nowhere,
      err: nowhere,
      stdout: new Writable(),
      stderr: process.stderr,
      exitCode: 0,
    };
    const doctor = buildProgram(context, "0").commands.find((command) => command.name() === "doctor");
    const command = doctor?.commands.find((each) => each.name() === "import");
    const shared = names(section("docs/cli.md", "every-command"), "flag");
    same(
      [...names(section("docs/cli.md", "doctor-import"), "flag of `doctor import`"), ...shared],
      (command?.options ?? []).map(({ flags }) => flags),
    );
  });
});
