/** Repairs of one home by several processes at once (SPEC 2.8): one does it, the others say why they don't, nothing is lost. */
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { open } from "../../src/index.ts";
import { file, fillStore, worth } from "../helpers/damaged-store.ts";
import { temporaryFolder } from "../helpers/temporary.ts";

const bin = join(import.meta.dirname, "../../bin/backscroll.js");

function repair(home: string): Promise<{ readonly code: number; readonly out: string }> {
  const env = { ...process.env, HOME: "/nowhere", BACKSCROLL_HOME: "/nowhere" };
  return new Promise((resolve) => {
    execFile(process.execPath, [bin, "doctor", "--fix", "--home", home], { env }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), out: stdout + stderr }),
    );
  });
}

test("three at once on a damaged page", async () => {
  const home = temporaryFolder();
  await fillStore(home);
  const before = open({ home, timeZone: "UTC" });
  const wanted = await worth(before);
  before.close();
  const bytes = readFileSync(file(home));
  // A page of the index: all that was said is there.
  bytes.fill(0x77, bytes.length - 8192, bytes.length - 4096);
  writeFileSync(file(home), bytes);
  const outcomes = await Promise.all([repair(home), repair(home), repair(home)]);
  for (const { code, out } of outcomes) {
    if (code !== 0) expect(out).toMatch(/not checked: another process has/);
    expect(out).not.toMatch(/Error|EEXIST|unfinished/);
  }
  expect(outcomes.some(({ code }) => code === 0)).toBe(true);
  const after = open({ home, timeZone: "UTC" });
  expect((await after.doctor({ fix: true })).healthy).toBe(true);
  expect((await worth(after)).said.length).toBe(wanted.said.length);
  after.close();
}, 60_000);
