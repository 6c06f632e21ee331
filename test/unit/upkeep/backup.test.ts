/** Backups are made online, are whole or not there, and say what they hold (SPEC 2.13). */
import { fork, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { open } from "../../../src/index.ts";
import { notedBackups } from "../../../src/store/audit.ts";
import { backupApplicationId } from "../../../src/store/backup/backup-file.ts";
import { emptyFolder, everything, leftovers, modes, twoAgents } from "../../helpers/backup-home.ts";
import { key, user } from "../../helpers/entries.ts";
import { temporaryFolder, temporaryHome } from "../../helpers/temporary.ts";

const helpers = join(import.meta.dirname, "../../helpers");

async function restored(file: string, agent?: string): Promise<string> {
  const into = emptyFolder();
  const home = open({ home: into });
  await home.restore(file, agent === undefined ? {} : { agent });
  home.close();
  return into;
}

describe("backup", () => {
  test("holds every agent's store and the settings, and says so; restored it is the same home", async () => {
    const home = twoAgents();
    writeFileSync(join(home.folder, "seen-files.json"), "{}");
    mkdirSync(join(home.folder, "legacy"));
    writeFileSync(join(home.folder, "legacy", "run-1.json"), '{"run":1}');
    const report = await home.backup();
    expect(report).toMatchObject({
      agents: [
        { agentId: "main", sessions: 2, messages: 3 },
        { agentId: "shed", sessions: 1, messages: 1 },
      ],
      files: ["legacy/run-1.json", "roots.json"],
      warnings: [],
      bytes: statSync(report.file).size,
    });
    expect(report.file.startsWith(join(home.folder, "backups"))).toBe(true);
    expect(home.backups()).toMatchObject([{ file: report.file, bytes: report.bytes, agents: ["main", "shed"] }]);

    const into = await restored(report.file);
    expect(everything(into)).toEqual(everything(home.folder));
    expect(readFileSync(join(into, "roots.json"), "utf8")).toBe(readFileSync(join(home.folder, "roots.json"), "utf8"));
    expect(readFileSync(join(into, "legacy", "run-1.json"), "utf8")).toBe('{"run":1}');
    expect(existsSync(join(into, "seen-files.json"))).toBe(false);
    const copy = open({ home: into });
    onTestFinished(() => copy.close());
    expect([...copy.export({ reveal: false })]).toEqual([...home.export({ reveal: false })]);
    expect((await copy.search({ query: "heron" })).results.map(({ messageId }) => messageId)).toEqual(["m1"]);
  });

  test("is an SQLite file of its own kind, in pieces of at most 1 MiB", async () => {
    const home = temporaryHome();
    home.store("main").append(key("long"), [user("m1", "x y ".repeat(700_000))]);
    const { file } = await home.backup(join(home.folder, "b"));
    const db = new DatabaseSync(file, { readOnly: true });
    onTestFinished(() => db.close());
    expect(db.prepare("PRAGMA application_id").get()?.application_id).toBe(backupApplicationId);
    expect(db.prepare("PRAGMA user_version").get()?.user_version).toBe(1);
    expect(db.prepare("PRAGMA integrity_check").get()?.integrity_check).toBe("ok");
    const strict = db.prepare("SELECT name, strict FROM pragma_table_list WHERE name IN ('backup','files','chunks')");
    expect(strict.all().map((row) => row.strict)).toEqual([1, 1, 1]);
    expect(db.prepare("SELECT count(*) AS n, max(length(bytes)) AS longest FROM chunks").get()).toEqual({
      n: expect.toSatisfy((n: number) => n >= 3),
      longest: 1024 * 1024,
    });
  });

  test("of one agent holds that one", async () => {
    const home = twoAgents();
    const { file } = await home.backup(join(home.folder, "b"), { agent: "shed" });
    expect(Object.keys(everything(await restored(file)))).toEqual(["shed"]);
    await expect(home.backup(join(home.folder, "c"), { agent: "nobody" })).rejects.toMatchObject({
      code: "bad_input",
      message: expect.stringContaining('"nobody"'),
      hint: expect.stringContaining("main, shed"),
    });
    await expect(temporaryHome().backup()).rejects.toMatchObject({ code: "bad_input" });
  });

  test("each store knows where it was copied to, and the copy does too", async () => {
    const home = twoAgents();
    const file = join(temporaryFolder(), "away.backscroll");
    await home.backup(file);
    expect(notedBackups(home.store("main").db)).toEqual([file]);
    const copy = open({ home: await restored(file) });
    onTestFinished(() => copy.close());
    expect(notedBackups(copy.store("shed").db)).toEqual([file]);
  });

  test("is for the owner alone, at every moment (SPEC 1.1)", async () => {
    const home = twoAgents();
    const before = process.umask(0);
    onTestFinished(() => void process.umask(before));
    const folder = temporaryFolder();
    const seen: Record<string, string> = {};
    await home.backup(join(folder, "b"), { onProgress: () => Object.assign(seen, modes(folder)) });
    await home.backup();
    Object.assign(seen, modes(folder), modes(join(home.folder, "backups")));
    expect(Object.keys(seen).some((name) => name.endsWith("copy.sqlite"))).toBe(true);
    for (const [name, mode] of Object.entries(seen)) expect(mode, name).toMatch(/^d700$|^f600$/);
    expect(modes(home.folder).backups).toBe("d700");
  });

  test("a file that is there stays, unless it is a backup and force is used", async () => {
    const home = twoAgents();
    const folder = temporaryFolder();
    const [backup, notes, store] = [join(folder, "b"), join(folder, "notes"), join(folder, "store")];
    await home.backup(backup);
    const first = readFileSync(backup);
    writeFileSync(notes, "someone's notes");
    const other = temporaryHome();
    other.store("main").append(key("a"), [user("m1", "hello")]);
    other.close();
    writeFileSync(store, readFileSync(join(other.folder, "agents/main/transcripts.sqlite")));
    for (const file of [backup, notes, store]) {
      await expect(home.backup(file)).rejects.toMatchObject({ code: "io", message: expect.stringContaining(file) });
    }
    const [notesBytes, storeBytes] = [readFileSync(notes), readFileSync(store)];
    for (const file of [notes, store]) {
      await expect(home.backup(file, { force: true })).rejects.toMatchObject({
        code: "bad_store",
        message: expect.stringContaining(file),
      });
    }
    expect([readFileSync(notes), readFileSync(store)]).toEqual([notesBytes, storeBytes]);
    expect(readFileSync(backup).equals(first)).toBe(true);
    home.store("main").append(key("weir"), [user("m9", "later")]);
    await home.backup(backup, { force: true });
    expect(everything(await restored(backup))).toEqual(everything(home.folder));
    expect(leftovers(folder)).toEqual([]);
  });

  test("into a folder that is not there is refused, and the folder is not made", async () => {
    const home = twoAgents();
    const file = join(home.folder, "no", "such", "b");
    await expect(home.backup(file)).rejects.toMatchObject({ code: "io", message: expect.stringContaining("no/such") });
    expect(existsSync(join(home.folder, "no"))).toBe(false);
  });

  test("a damaged store is not passed off as backed up", async () => {
    const home = twoAgents();
    for (let at = 0; at < 200; at++)
      home.store("shed").append(key("plank", "shed"), [user(`x${at}`, `plank ${at} `.repeat(40))]);
    home.close();
    const path = join(home.folder, "agents/shed/transcripts.sqlite");
    const bytes = readFileSync(path);
    // A page of the tree of entries, torn in the middle of the file.
    bytes.fill(0xa5, 4096 * 30, 4096 * 60);
    writeFileSync(path, bytes);
    const file = join(home.folder, "b");
    await expect(home.backup(file)).rejects.toMatchObject({
      code: "bad_store",
      message: expect.stringContaining("shed"),
    });
    expect(existsSync(file)).toBe(false);
    expect(leftovers(home.folder)).toEqual([]);
  });

  test("while another process appends: one moment of the store, and the writer is not held up", async () => {
    const home = temporaryHome();
    const filler = Array.from({ length: 20_000 }, (_, at) =>
      user(`f${at}`, `filler ${at} ${"lorem ipsum dolor ".repeat(30)}`),
    );
    home.store("main").append(key("filler"), filler);
    const writer = fork(join(helpers, "append-steadily.ts"), [home.folder]);
    onTestFinished(() => void writer.kill("SIGKILL"));
    const said = (word: string) =>
      new Promise<number>((done) => {
        writer.once("message", (count) => done(Number(count)));
        writer.send(word);
      });
    while ((await said("count")) === 0);
    const begun = await said("count");
    let steps = 0;
    const { file } = await home.backup(join(home.folder, "b"), {
      onProgress: ({ step }) => {
        if (step === "copy") steps += 1;
      },
    });
    const ended = await said("count");
    expect(steps).toBeGreaterThan(1);
    expect(ended).toBeGreaterThan(begun);
    const all = await said("stop");

    const copy = open({ home: await restored(file) });
    onTestFinished(() => copy.close());
    const { db } = copy.store("main");
    const ids = db
      .prepare("SELECT id FROM entries WHERE id LIKE 's%' ORDER BY no")
      .all()
      .map(({ id }) => String(id));
    expect(ids).toEqual(Array.from(ids, (_, at) => `s${at}`));
    expect(ids.length).toBeGreaterThanOrEqual(begun);
    expect(ids.length).toBeLessThanOrEqual(ended + 1);
    const found = db.prepare("SELECT count(*) AS n FROM message_index WHERE message_index MATCH 'steady'").get()?.n;
    expect(found).toBe(ids.length);
    expect(db.prepare("PRAGMA integrity_check").get()?.integrity_check).toBe("ok");
    // And nothing that the writer was told is missing from the store itself.
    const kept = home.store("main").db.prepare("SELECT count(*) AS n FROM entries WHERE id LIKE 's%'").get()?.n;
    expect(kept).toBe(all);
  });

  // A process may not write files beyond that size: to it, the disk is full. The copy fails, or the file of all copies.
  test.skipIf(process.platform === "win32").each([512, 2048])("without room (%i KiB) leaves nothing behind", (kib) => {
    const home = temporaryHome({ durability: "full" });
    const long = Array.from({ length: 800 }, (_, at) => user(`m${at}`, `weir ${at} ${"heron and lamp ".repeat(60)}`));
    home.store("main").append(key("a"), long);
    home.store("shed").append(key("b", "shed"), long);
    home.close();
    const folder = temporaryFolder();
    const file = join(folder, "b");
    const script = `ulimit -f ${kib}; exec "${process.execPath}" "${join(helpers, "upkeep-process.ts")}" backup "${home.folder}" "${file}"`;
    const { stdout, stderr } = spawnSync("bash", ["-c", script], { encoding: "utf8" });
    expect(stdout, stderr).toMatch(/^io /);
    expect(readdirSync(folder)).toEqual([]);
    const sizes = [...home.agents()].map(
      (agent) => home.store(agent).db.prepare("PRAGMA page_count").get()?.page_count,
    );
    expect(Math.max(...sizes.map(Number)) * 4).toBeGreaterThan(512);
    expect(Math.max(...sizes.map(Number)) * 4).toBeLessThan(2048);
    expect(sizes.reduce((sum: number, each) => sum + Number(each) * 4, 0)).toBeGreaterThan(2048);
  });
});
