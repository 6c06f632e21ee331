/** `forget` as people use it: real processes, real files (SPEC 2.2, 9.2). */
import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { key, user } from "../helpers/entries.ts";
import { temporaryHome } from "../helpers/temporary.ts";

const bin = resolve(import.meta.dirname, "../../bin/backscroll.js");

function run(home: string, ...args: string[]): { code: number | null; out: string; err: string } {
  const env = { ...process.env, TZ: "UTC", HOME: "/nowhere", BACKSCROLL_HOME: "/nowhere" };
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, "forget", "--home", home, ...args], {
    encoding: "utf8",
    env,
  });
  return { code: status, out: stdout, err: stderr };
}

function homeWithTalk(): string {
  const home = temporaryHome();
  home.store("main").append(key("talk"), [user("m1", "the zyxquagga plan"), user("m2", "gooseberry")]);
  home.close();
  return home.folder;
}

test("shows, does it, and says so; --json is the receipt", () => {
  const home = homeWithTalk();
  const shown = run(home, key("talk"));
  expect(shown).toMatchObject({ code: 0, out: expect.stringContaining("Repeat it with --yes") });
  const { code, out } = run(home, key("talk"), "--yes", "--json");
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ sessions: [key("talk")], removed: { entries: 2 }, proven: true });
  expect(run(home, "--mentions", "zyxquagga", "--yes").code).toBe(1);
});

test("a flag that would be left aside is refused: more would go than was asked for", () => {
  const home = homeWithTalk();
  for (const [args, words] of [
    [[key("talk"), "--yes", "--project", "shop"], "--project goes with --mentions only"],
    [[key("talk"), "--yes", "--after", "7d"], "--after goes with --mentions only"],
    [[key("talk"), "--yes", "--message", "m1", "--role", "user"], "--role goes with --mentions only"],
    [[key("talk"), "--yes", "--whole-sessions"], "--whole-sessions goes with --mentions only"],
    [[key("talk"), "--yes", "--undo-tombstone", key("talk")], "--undo-tombstone <key> goes alone"],
    [["--yes"], "nothing named"],
  ] as const) {
    expect(run(home, ...args)).toMatchObject({ code: 2, out: "", err: expect.stringContaining(words) });
  }
  expect(JSON.parse(run(home, key("talk"), "--json").out)).toMatchObject({ entries: 2 });
});
