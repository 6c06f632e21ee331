/**
 * A process of its own that deletes or undoes: `delete <home> <session…>`, `undo <home> <session…>`. With `KILL_AT` in its
 * environment it kills itself at the so-many-th call that changes the file system outside of SQLite. Prints `done`.
 */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { open } from "../../src/index.ts";
import { key } from "./entries.ts";

const [what, home = "", ...sessions] = process.argv.slice(2);
const killAt = Number(process.env.KILL_AT);
if (killAt > 0) {
  let calls = 0;
  const patched = fs as unknown as Record<string, (...args: unknown[]) => unknown>;
  for (const name of ["openSync", "writeSync", "writeFileSync", "fsyncSync", "renameSync", "rmSync"]) {
    const real = patched[name];
    if (!real) throw new Error(`no fs.${name}`);
    patched[name] = (...args) => {
      calls += 1;
      if (calls === killAt) process.kill(process.pid, "SIGKILL");
      return real(...args);
    };
  }
  syncBuiltinESMExports();
}

const backscroll = open({ home });
const store = backscroll.store("main");
for (const session of sessions) {
  if (what === "delete") store.deleteSession(key(session));
  else backscroll.undoForget(key(session));
}
backscroll.close();
process.stdout.write("done\n");
