/**
 * A process of its own that makes or restores a backup: `backup <home> <file>`, `restore <home> <file>`, `replace …`. With a
 * number behind, it kills itself at the so-many-th call that changes the file system outside of SQLite. Prints the failure's
 * code, or `done`.
 */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { toFailure } from "../../src/errors.ts";
import { BackscrollError, open } from "../../src/index.ts";

const [what, home = "", file = "", killAt] = process.argv.slice(2);
if (killAt !== undefined) {
  let calls = 0;
  const patched = fs as unknown as Record<string, (...args: unknown[]) => unknown>;
  for (const name of [
    "linkSync",
    "renameSync",
    "rmSync",
    "rmdirSync",
    "mkdirSync",
    "mkdtempSync",
    "fsyncSync",
    "writeSync",
  ]) {
    const real = patched[name];
    if (!real) throw new Error(`no fs.${name}`);
    patched[name] = (...args) => {
      calls += 1;
      if (calls === Number(killAt)) process.kill(process.pid, "SIGKILL");
      return real(...args);
    };
  }
  syncBuiltinESMExports();
}

const backscroll = open({ home });
try {
  await (what === "backup" ? backscroll.backup(file) : backscroll.restore(file, { replace: what === "replace" }));
  process.stdout.write("done\n");
} catch (error) {
  if (!(error instanceof BackscrollError)) throw error;
  process.stdout.write(`${toFailure(error).code} ${error.message}\n`);
}
backscroll.close();
