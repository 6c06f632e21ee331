/** `backscroll index` and `search --include-tools`, as real processes (SPEC 3.7, 9.2). */
import { spawnSync } from "node:child_process";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../helpers/temporary.ts";

const bin = resolve(import.meta.dirname, "../../bin/backscroll.js");
const sample = resolve(import.meta.dirname, "../../demo/sample");

function json(...args: string[]) {
  const { status, stdout } = spawnSync(process.execPath, [bin, ...args, "--json"], {
    encoding: "utf8",
    env: { ...process.env, TZ: "UTC", HOME: "/nowhere", BACKSCROLL_HOME: "/nowhere" },
  });
  return { code: status, answer: stdout === "" ? null : JSON.parse(stdout) };
}

test("turned on for a home it lasts, for agents that come later too; turned off it is gone (SPEC 3.7)", () => {
  const home = join(temporaryFolder(), "home");
  expect(json("index", "--home", home).answer).toEqual({ tools: {}, newAgents: false });
  expect(json("index", "--home", home, "--tools", "on").answer).toEqual({ tools: {}, newAgents: true });
  json("sync", "--home", home, "--root", `claude-code=${join(sample, "claude-code")}`);
  const { answer } = json("index", "--home", home);
  expect(Object.values(answer.tools)).toEqual([true]);
  const search = () => json("search", "--home", home, "--no-sync", "--include-tools", "--limit", "25", "test OR src");
  const parts = search().answer.results.map(({ part }: { part?: string }) => part);
  expect(parts).toContain("tool");
  expect(json("index", "--home", home, "--tools", "off").code).toBe(0);
  const off = search().answer;
  expect(off.results.filter(({ part }: { part?: string }) => part === "tool")).toEqual([]);
  expect(off.warning).toContain("backscroll index --tools on");
  expect(json("index", "--home", home, "--tools", "maybe").code).toBe(2);
});
