/**
 * Homes that can't be written. Modes don't hold root back, so where the tests run as root the home stays root's and the
 * processes run as nobody; elsewhere the modes alone do it.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, lstatSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { asked } from "./become-nobody.ts";

const program = join(import.meta.dirname, "cli-as-nobody.ts");
const isRoot = process.getuid?.() === 0;
/** The environment of child processes that are to have no more rights than anybody. */
const environment = { ...process.env, ...(isRoot && { [asked]: "65534" }) };
export const nobody = { env: environment };

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
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    encoding: "utf8",
    env: { ...environment, TZ: "UTC", HOME: "/nowhere", BACKSCROLL_HOME: "/nowhere" },
  });
  return { code: status, out: stdout, err: stderr };
}
