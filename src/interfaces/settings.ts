/** The only place that reads the environment: where the home is, and what sources may know of the machine. */
import { homedir, tmpdir } from "node:os";
import { resolve } from "node:path";
import envPaths from "env-paths";
import type { Machine } from "../index.ts";

/** `--home`, else `BACKSCROLL_HOME`, else the platform's data folder for this user. */
export function homeFolder(flag: string | undefined): string {
  const given = flag ?? process.env.BACKSCROLL_HOME;
  return given === undefined || given === "" ? envPaths("backscroll", { suffix: "" }).data : resolve(given);
}

/** Where a store that can't be written is copied to, when it can only be read that way. */
export function scratchFolder(): string {
  return tmpdir();
}

/** A folder as typed: absolute, and with `~` for the home folder where the shell left it (`--root pi=~/…`). */
export function folderNamed(text: string): string {
  return resolve(text.replace(/^~(?=[\\/]|$)/, () => homedir()));
}

export function thisMachine(): Machine {
  return { home: homedir(), env: process.env, platform: process.platform };
}
