/** Keeping others from a file while it is replaced (SPEC 2.8): its log stays as it is, and it is the file that is meant. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { WorkFolder } from "../../../src/store/backup/work-folder.ts";
import { openNodeDriver } from "../../../src/store/driver-node.ts";
import { inodeOf, lockOut, lockOutBeside } from "../../../src/store/repair/lock-out.ts";
import { file } from "../../helpers/damaged-store.ts";
import { key, user } from "../../helpers/entries.ts";
import { temporaryFolder, temporaryHome } from "../../helpers/temporary.ts";

/** A store with a log that nobody has open: a copy by another process. */
function storeWithLog(): string {
  const home = temporaryHome();
  home.store("main").append(key("a"), [user("m1", "a heron")]);
  const copy = temporaryFolder();
  mkdirSync(dirname(file(copy)), { recursive: true });
  execFileSync("cp", [file(home.folder), `${file(home.folder)}-wal`, dirname(file(copy))]);
  return file(copy);
}

test("the log is not taken in when the lock is let go, whatever became of the repair", () => {
  const path = storeWithLog();
  const before = [readFileSync(path), readFileSync(`${path}-wal`)];
  const work = new WorkFolder(dirname(path));
  const lock = lockOutBeside(path, work);
  expect(lock).not.toBeNull();
  const other = openNodeDriver(path, { busyWait: 0 });
  expect(() => other.prepare("SELECT count(*) FROM entries").get()).toThrow();
  lock?.close();
  work.remove();
  expect([readFileSync(path), readFileSync(`${path}-wal`)]).toEqual(before);
  expect(other.prepare("SELECT count(*) AS n FROM entries").get()?.n).toBe(1);
  other.close();
});

test("a file that another process put in the place meanwhile is not taken for the one that was looked at", () => {
  const [path, next] = [storeWithLog(), storeWithLog()];
  const aside = join(dirname(path), "aside.sqlite");
  execFileSync("ln", [path, aside]);
  const inode = inodeOf(aside);
  renameSync(next, path);
  expect(() => lockOut(path, aside, inode)).toThrow(/has replaced/);
  expect(existsSync(path)).toBe(true);
});

test("work folders that several processes make in one place at once don't take each other away", () => {
  const folder = temporaryFolder();
  const module = join(import.meta.dirname, "../../../src/store/backup/work-folder.ts");
  const script = `
    import { existsSync } from "node:fs";
    import { WorkFolder } from ${JSON.stringify(module)};
    for (let at = 0; at < 60; at++) {
      const work = new WorkFolder(${JSON.stringify(folder)});
      if (!existsSync(work.file("lock"))) throw new Error("taken away");
      work.remove();
    }`;
  const one = `"${process.execPath}" --input-type=module -e '${script}'`;
  execFileSync(
    "sh",
    ["-c", `for at in 1 2 3; do ${one} & all="$all $!"; done; for each in $all; do wait $each || exit 1; done`],
    {
      stdio: "pipe",
    },
  );
});
