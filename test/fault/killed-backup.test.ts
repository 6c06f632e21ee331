/**
 * Backup and restore, killed before every single call that changes the file system: there is the old or the new, never half
 * of anything, and the next run clears what was left (SPEC 2.13, 2.14).
 */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { open } from "../../src/index.ts";
import { checkBackup } from "../../src/upkeep/backup/backup.ts";
import { emptyFolder, everything, leftovers, twoAgents } from "../helpers/backup-home.ts";
import { key, user } from "../helpers/entries.ts";
import { temporaryFolder } from "../helpers/temporary.ts";

const script = join(import.meta.dirname, "../helpers/upkeep-process.ts");

/** Runs it, killed at that call; returns what it printed, or null when it was killed. */
function killed(at: number, ...args: string[]): string | null {
  const { signal, stdout, stderr } = spawnSync(process.execPath, [script, ...args, String(at)], { encoding: "utf8" });
  if (signal === "SIGKILL") return null;
  expect(stderr).toBe("");
  return stdout;
}

test("a killed backup leaves a whole file or none", async () => {
  const home = twoAgents();
  home.close();
  let kills = 0;
  for (let at = 1; ; at++) {
    const file = join(temporaryFolder(), "b");
    const said = killed(at, "backup", home.folder, file);
    if (existsSync(file)) await checkBackup(file);
    else expect(said).toBe(null);
    if (said !== null) {
      expect(said).toBe("done\n");
      break;
    }
    kills += 1;
    await home.backup(`${file}2`);
    home.close();
  }
  expect(kills).toBeGreaterThan(5);
});

test("a killed restore leaves every store old or new, and the next one goes through", async () => {
  const source = twoAgents();
  const file = join(temporaryFolder(), "b");
  await source.backup(file);
  const old = everything(source.folder);
  let kills = 0;
  const states = new Set<string>();
  for (let at = 1; ; at++) {
    const into = emptyFolder();
    const home = open({ home: into });
    await home.restore(file);
    for (const agent of ["main", "shed"]) home.store(agent).append(key("since", agent), [user("n1", "said since")]);
    home.close();
    const present = everything(into);
    const said = killed(at, "replace", into, file);
    const now = everything(into);
    for (const agent of ["main", "shed"]) {
      const isOld = JSON.stringify(now[agent]) === JSON.stringify(present[agent]);
      expect(now[agent]).toEqual(isOld ? present[agent] : old[agent]);
      states.add(`${agent} ${isOld ? "as it was" : "restored"}`);
    }
    if (said !== null) {
      expect([said, now]).toEqual(["done\n", old]);
      break;
    }
    kills += 1;
    const again = open({ home: into });
    await again.restore(file, { replace: true });
    again.close();
    expect(everything(into)).toEqual(old);
    expect(leftovers(into)).toEqual([]);
  }
  expect(kills).toBeGreaterThan(10);
  expect(states.size).toBe(4);
});

test("killed while it restores into an empty home: no store, or a whole one", async () => {
  const source = twoAgents();
  const file = join(temporaryFolder(), "b");
  await source.backup(file);
  const old = everything(source.folder);
  for (let at = 1; ; at++) {
    const into = emptyFolder();
    const said = killed(at, "restore", into, file);
    const now = existsSync(into) ? everything(into) : {};
    for (const agent of Object.keys(now)) expect(now[agent]).toEqual(old[agent]);
    if (said !== null) {
      expect(now).toEqual(old);
      expect(readdirSync(into).sort()).toEqual(["agents", "roots.json"]);
      break;
    }
  }
});
