/**
 * Homes that can't be written. Modes don't hold root back, so where the tests run as root the home stays root's and the
 * processes run as nobody; elsewhere the modes alone do it.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, lstatSync, readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { onTestFinished } from "vitest";

const bin = resolve(import.meta.dirname, "../../bin/backscroll.js");
const isRoot = process.getuid?.() === 0;
/** User and group of the child processes. */
export const nobody = isRoot ? { uid: 65534, gid: 65534 } : {};

/** Takes away the right to write a folder and all that lies in it; it is readable for everybody. */
export function freeze(folder: string): void {
  const each = [
    folder,
    ...readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)),
  ];
  for (const path of each)
    chmodSync(path, lstatSync(path).isDirectory() ? (isRoot ? 0o755 : 0o555) : isRoot ? 0o644 : 0o444);
  // Temporary folders are private: nobody has to be let through.
  chmodSync(dirname(folder), 0o755);
  onTestFinished(() => {
    for (const path of each.filter((path) => lstatSync(path, { throwIfNoEntry: false })?.isDirectory()))
      chmodSync(path, 0o755);
  });
}

/** The command line, by somebody who may not write. */
export function runUnprivileged(...args: string[]): { code: number | null; out: string; err: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...args], {
    ...nobody,
    encoding: "utf8",
    env: { ...process.env, TZ: "UTC", HOME: "/nowhere", BACKSCROLL_HOME: "/nowhere" },
  });
  return { code: status, out: stdout, err: stderr };
}
