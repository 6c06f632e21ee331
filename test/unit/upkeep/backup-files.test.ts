/** Backups change when what they hold is forgotten: whole, or not at all (SPEC 2.13). */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { open } from "../../../src/index.ts";
import { AgentStore } from "../../../src/store/agent-store.ts";
import { rewriteBackup } from "../../../src/upkeep/backup/backup-files.ts";
import { emptyFolder, everything, leftovers, twoAgents } from "../../helpers/backup-home.ts";
import { key } from "../../helpers/entries.ts";
import { temporaryFolder } from "../../helpers/temporary.ts";

async function restored(file: string): Promise<string> {
  const into = emptyFolder();
  const home = open({ home: into });
  await home.restore(file);
  home.close();
  return into;
}

test("what is deleted from the copies leaves the file; all else stays", async () => {
  const home = twoAgents();
  const folder = temporaryFolder();
  const file = join(folder, "b");
  await home.backup(file);
  const holds = (words: string) => readFileSync(file).includes(words);
  expect([holds("pears before plums"), holds("oak and elm")]).toEqual([true, true]);
  const seen: string[] = [];
  const changed = await rewriteBackup(file, (path, agent) => {
    seen.push(agent);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    if (agent !== "main") return;
    const store = new AgentStore(path, agent);
    store.deleteSession(key("orchard"));
    store.close();
  });
  expect([changed, seen]).toEqual([true, ["main", "shed"]]);
  expect([holds("pears before plums"), holds("oak and elm")]).toEqual([false, true]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toEqual(["b"]);
  home.store("main").deleteSession(key("orchard"));
  const into = await restored(file);
  expect(everything(into)).toEqual(everything(home.folder));
  expect(existsSync(join(into, "roots.json"))).toBe(true);
});

test("two that change one at a time do not bring back what the other took out", async () => {
  const home = twoAgents();
  const file = join(temporaryFolder(), "b");
  await home.backup(file);
  const without = (rest: string) =>
    rewriteBackup(file, (path, agent) => {
      if (agent !== "main") return;
      const store = new AgentStore(path, agent);
      store.deleteSession(key(rest));
      store.close();
    });
  expect(await Promise.all([without("orchard"), without("weir")])).toEqual([true, true]);
  for (const words of ["pears before plums", "heron"]) expect(readFileSync(file).includes(words), words).toBe(false);
});

test("a change that comes to nothing leaves the file as it was, and so does one that fails", async () => {
  const home = twoAgents();
  const folder = temporaryFolder();
  const file = join(folder, "b");
  await home.backup(file);
  const before = readFileSync(file);
  expect(await rewriteBackup(file, () => undefined)).toBe(false);
  const fail = rewriteBackup(file, async (path, agent) => {
    const store = new AgentStore(path, agent);
    store.deleteSession(key("orchard"));
    store.close();
    if (agent === "shed") throw new Error("the change failed");
  });
  await expect(fail).rejects.toThrow("the change failed");
  await expect(rewriteBackup(file, (path) => writeFileSync(path, "no database"))).rejects.toMatchObject({
    code: "bad_store",
  });
  expect(readFileSync(file).equals(before)).toBe(true);
  expect(readdirSync(folder)).toEqual(["b"]);
});

test("the list names what can't be read, and clears what killed processes left", async () => {
  const home = twoAgents();
  expect(home.backups()).toEqual([]);
  const one = await home.backup();
  writeFileSync(join(home.folder, "backups", "notes"), "someone's notes");
  const dead = join(home.folder, "backups", ".backscroll-unfinished-abcdef");
  mkdirSync(dead);
  writeFileSync(join(dead, "copy.sqlite"), "words");
  utimesSync(dead, 0, 0);
  expect(home.backups()).toEqual([
    { file: join(home.folder, "backups", "notes"), bytes: 15, problem: expect.stringContaining("notes") },
    { file: one.file, bytes: one.bytes, at: expect.any(Number), agents: ["main", "shed"] },
  ]);
  expect(leftovers(home.folder)).toEqual([]);
});
