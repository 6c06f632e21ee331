/** A restore checks everything before it touches anything, and replaces a store whole (SPEC 2.14). */
import { fork } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { open, toEntryId } from "../../../src/index.ts";
import { type BackupEntry, sealOf } from "../../../src/store/backup/backup-file.ts";
import { BackupReader } from "../../../src/store/backup/backup-reader.ts";
import { schemaVersion } from "../../../src/store/migrate.ts";
import { emptyFolder, everything, leftovers, modes, twoAgents } from "../../helpers/backup-home.ts";
import { key, user } from "../../helpers/entries.ts";
import { temporaryFolder, temporaryHome } from "../../helpers/temporary.ts";

const helpers = join(import.meta.dirname, "../../helpers");

/** A home, and a backup of it outside. */
async function backedUp() {
  const home = twoAgents();
  const file = join(temporaryFolder(), "b");
  await home.backup(file);
  return { home, file, before: everything(home.folder) };
}

function restore(into: string, file: string, options: { agent?: string; replace?: boolean } = {}) {
  const home = open({ home: into });
  return home.restore(file, options).finally(() => home.close());
}

/** Changes the head of a backup and seals it anew, as somebody else's program could. */
function forge(file: string, change: (entries: BackupEntry[]) => BackupEntry[], sql = ""): void {
  const reader = new BackupReader(file);
  reader.close();
  const entries = change([...reader.entries]);
  const db = new DatabaseSync(file);
  entries.forEach(({ agent, name, schema }, at) => {
    db.prepare('UPDATE files SET agent = ?, name = ?, "schema" = ? WHERE no = ?').run(agent, name, schema, at + 1);
  });
  db.prepare("UPDATE backup SET seal = ?").run(sealOf(reader.head, entries));
  db.exec(sql);
  db.close();
}

describe("a file that is not right is refused by name, and nothing is touched", () => {
  test("wherever a byte is flipped", async () => {
    const { file, before } = await backedUp();
    const whole = readFileSync(file);
    const bad = join(temporaryFolder(), "bad");
    let refused = 0;
    for (let at = 3; at < whole.length; at += Math.floor(whole.length / 200)) {
      const bytes = Buffer.from(whole);
      bytes.writeUInt8(bytes.readUInt8(at) ^ 0x41, at);
      writeFileSync(bad, bytes);
      const into = emptyFolder();
      const failure = await restore(into, bad).then(
        () => null,
        (error: unknown) => error,
      );
      if (failure === null) {
        // The byte stood where nothing is: between two rows, or in SQLite's own change counter.
        expect(everything(into), `byte ${at}`).toEqual(before);
        continue;
      }
      refused += 1;
      expect(failure, `byte ${at}`).toMatchObject({ code: "bad_store", message: expect.stringContaining(bad) });
      expect(existsSync(into)).toBe(false);
    }
    expect(refused).toBeGreaterThan(100);
  });

  test("wherever it ends", async () => {
    const { file } = await backedUp();
    const whole = readFileSync(file);
    const bad = join(temporaryFolder(), "bad");
    for (let part = 0; part < 20; part++) {
      writeFileSync(bad, whole.subarray(0, Math.floor((whole.length * part) / 20)));
      const into = emptyFolder();
      await expect(restore(into, bad), `${part}/20`).rejects.toMatchObject({
        code: "bad_store",
        message: expect.stringContaining(bad),
      });
      expect(existsSync(into)).toBe(false);
    }
  });

  test("when it is somebody else's, a store, a folder, or not there", async () => {
    const { home } = await backedUp();
    home.close();
    const folder = temporaryFolder();
    const notes = join(folder, "notes");
    writeFileSync(notes, "not a database, but someone's notes\n".repeat(100));
    const theirs = join(folder, "theirs");
    const db = new DatabaseSync(theirs);
    db.exec("CREATE TABLE files (x)");
    db.close();
    const store = join(home.folder, "agents/main/transcripts.sqlite");
    for (const file of [notes, theirs, store, folder]) {
      const into = emptyFolder();
      await expect(restore(into, file)).rejects.toMatchObject({
        code: "bad_store",
        message: expect.stringContaining(file),
      });
      expect(existsSync(into)).toBe(false);
    }
    await expect(restore(emptyFolder(), join(folder, "none"))).rejects.toMatchObject({ code: "io" });
    expect(readdirSync(folder).sort()).toEqual(["notes", "theirs"]);
  });

  test("when it is newer, or holds a store that is (SPEC 2.9)", async () => {
    const { file } = await backedUp();
    const [newer, newerStore] = [`${file}-newer`, `${file}-newer-store`];
    for (const copy of [newer, newerStore]) copyFileSync(file, copy);
    forge(newer, (entries) => entries, "PRAGMA user_version = 2");
    forge(newerStore, (entries) => entries.map((each) => ({ ...each, schema: each.schema && schemaVersion + 1 })));
    for (const [copy, words] of [
      [newer, "backup of version 2"],
      [newerStore, `schema ${schemaVersion + 1}`],
    ] as const) {
      const into = emptyFolder();
      await expect(restore(into, copy)).rejects.toMatchObject({
        code: "bad_store",
        message: expect.stringContaining(words),
        hint: expect.stringContaining("Update"),
      });
      expect(existsSync(into)).toBe(false);
    }
  });

  test("when its names lead out of the home", async () => {
    const { file } = await backedUp();
    for (const change of [{ agent: "../../evil" }, { name: "../roots.json" }, { name: ".bashrc" }, { agent: null }]) {
      const bad = join(temporaryFolder(), "bad");
      copyFileSync(file, bad);
      forge(bad, ([first, ...rest]) => [{ ...first, ...change } as BackupEntry, ...rest]);
      const into = emptyFolder();
      await expect(restore(into, bad)).rejects.toMatchObject({ code: "bad_store" });
      expect(existsSync(into)).toBe(false);
    }
  });

  test("when a store in it is damaged though every hash is right", async () => {
    const { home } = await backedUp();
    home.close();
    const { BackupWriter } = await import("../../../src/store/backup/backup-writer.ts");
    const file = join(temporaryFolder(), "bad");
    const store = join(home.folder, "agents/main/transcripts.sqlite");
    const bytes = readFileSync(store);
    bytes.fill(0xa5, 4096 * 5, 4096 * 12);
    writeFileSync(store, bytes);
    const [agent] = home.agents();
    if (!agent) throw new Error("no agent");
    const writer = new BackupWriter(file, { at: 1, home: "/" });
    await writer.add(store, { agent, name: "transcripts.sqlite", at: 1, schema: 3, sessions: 1, messages: 1 });
    writer.finish();
    const into = emptyFolder();
    await expect(restore(into, file)).rejects.toMatchObject({
      code: "bad_store",
      message: expect.stringContaining(`the store of main in ${file} is damaged`),
    });
    expect(existsSync(join(into, "agents"))).toBe(false);
  });
});

describe("restore", () => {
  test("makes files for the owner alone (SPEC 1.1)", async () => {
    const { file } = await backedUp();
    const before = process.umask(0);
    onTestFinished(() => void process.umask(before));
    const into = emptyFolder();
    await restore(into, file);
    expect(modes(into)).toEqual({
      agents: "d700",
      "agents/main": "d700",
      "agents/main/transcripts.sqlite": "f600",
      "agents/shed": "d700",
      "agents/shed/transcripts.sqlite": "f600",
      "roots.json": "f600",
    });
  });

  test("refuses where a store is, names it, and brings back one agent beside it", async () => {
    const { file, before } = await backedUp();
    const other = temporaryHome();
    other.store("shed").append(key("mine", "shed"), [user("m1", "what was here")]);
    other.close();
    const present = everything(other.folder);
    await expect(restore(other.folder, file)).rejects.toMatchObject({
      code: "bad_input",
      message: expect.stringMatching(/holds a store of shed already/),
      hint: expect.stringContaining("--replace"),
    });
    expect(everything(other.folder)).toEqual(present);
    const report = await restore(other.folder, file, { agent: "main" });
    expect(report).toMatchObject({ agents: [{ agentId: "main", sessions: 2, messages: 3 }], files: [] });
    expect(everything(other.folder)).toEqual({ ...present, main: before.main });
    expect(existsSync(join(other.folder, "roots.json"))).toBe(false);
    await expect(restore(other.folder, file, { agent: "nobody" })).rejects.toMatchObject({
      code: "bad_input",
      hint: expect.stringContaining("main, shed"),
    });
  });

  test("with replace puts the store that was there aside, whole, and leaves settings", async () => {
    const { home, file, before } = await backedUp();
    home.store("main").append(key("weir"), [user("m9", "said since")]);
    home.addRoots([{ source: "jsonl", folder: join(home.folder, "more") }]);
    const since = everything(home.folder);
    const roots = readFileSync(join(home.folder, "roots.json"), "utf8");
    const report = await home.restore(file, { replace: true });
    expect(everything(home.folder)).toEqual(before);
    expect(report.files).toEqual([{ name: "roots.json", restored: false }]);
    expect(readFileSync(join(home.folder, "roots.json"), "utf8")).toBe(roots);
    const aside = emptyFolder();
    for (const { agentId, replaced = "" } of report.agents) {
      expect(replaced).toContain(join(home.folder, "agents", agentId, "replaced-"));
      expect(readdirSync(replaced)).toEqual(["transcripts.sqlite"]);
      mkdirSync(join(aside, "agents", agentId), { recursive: true });
      copyFileSync(join(replaced, "transcripts.sqlite"), join(aside, "agents", agentId, "transcripts.sqlite"));
    }
    expect(everything(aside)).toEqual(since);
    for (const [name, mode] of Object.entries(modes(home.folder))) expect(mode, name).toMatch(/^d700$|^f600$/);
    // And again, beside the first.
    expect(
      (await home.restore(file, { replace: true })).agents.every(({ replaced }) => existsSync(replaced ?? "")),
    ).toBe(true);
    expect(everything(home.folder)).toEqual(before);
  });

  test("waits for nobody who has the store open: busy, and nothing is changed", async () => {
    const { home, file } = await backedUp();
    home.store("main").append(key("weir"), [user("m9", "said since")]);
    home.close();
    const holder = fork(join(helpers, "append-steadily.ts"), [home.folder]);
    onTestFinished(() => void holder.kill("SIGKILL"));
    const said = (word: string) =>
      new Promise<number>((done) => {
        holder.once("message", (count) => done(Number(count)));
        holder.send(word);
      });
    while ((await said("count")) === 0);
    await expect(restore(home.folder, file, { replace: true })).rejects.toMatchObject({
      code: "busy",
      message: expect.stringContaining(join(home.folder, "agents", "main")),
    });
    const begun = await said("count");
    while ((await said("count")) === begun);
    const acknowledged = await said("stop");
    const { db } = home.store("main");
    expect(db.prepare("SELECT count(*) AS n FROM entries WHERE id LIKE 's%'").get()?.n).toBe(acknowledged);
    expect(readdirSync(join(home.folder, "agents", "shed"))).toContain("transcripts.sqlite");
    expect(leftovers(home.folder)).toEqual([]);
    home.close();
    await restore(home.folder, file, { replace: true });
  });

  test("an open store of the same process counts, too", async () => {
    const { home, file } = await backedUp();
    await expect(restore(home.folder, file, { replace: true })).rejects.toMatchObject({ code: "busy" });
    // Its own, the object closes.
    await home.restore(file, { replace: true });
    expect((await home.search({ query: "heron" })).results).toHaveLength(1);
  });

  test("takes the place of a damaged store, whose log goes aside with it", async () => {
    const { home, file, before } = await backedUp();
    home.close();
    const path = join(home.folder, "agents/main/transcripts.sqlite");
    writeFileSync(path, "nothing of a header is left\n".repeat(1000));
    writeFileSync(`${path}-wal`, "a log");
    const report = await restore(home.folder, file, { replace: true });
    const [main] = report.agents;
    const replaced = main?.replaced ?? "";
    expect(readFileSync(join(replaced, "transcripts.sqlite"), "utf8")).toMatch(/^nothing of a header/);
    expect(readFileSync(join(replaced, "transcripts.sqlite-wal"), "utf8")).toBe("a log");
    expect(report.warnings).toEqual([expect.stringMatching(/store of main .* forgotten since the backup may be back/)]);
    expect(everything(home.folder)).toEqual(before);
  });

  test("is not misled by a log that lies about without its store", async () => {
    const { home, file, before } = await backedUp();
    const path = join(home.folder, "agents/main/transcripts.sqlite");
    // Only a process that was killed leaves a log: the file is moved away under the open store.
    home.store("main").append(key("weir"), [user("m9", "said since")]);
    copyFileSync(`${path}-wal`, `${path}-log`);
    home.close();
    renameSync(path, `${path}-away`);
    renameSync(`${path}-log`, `${path}-wal`);
    await expect(restore(home.folder, file, { agent: "main" })).rejects.toMatchObject({ code: "bad_input" });
    await restore(home.folder, file, { agent: "main", replace: true });
    expect(everything(home.folder)).toEqual(before);
  });

  test("another program's file is not put aside", async () => {
    const { file } = await backedUp();
    const into = emptyFolder();
    mkdirSync(join(into, "agents/main"), { recursive: true });
    const path = join(into, "agents/main/transcripts.sqlite");
    const db = new DatabaseSync(path);
    db.exec("CREATE TABLE theirs (x)");
    db.close();
    const bytes = readFileSync(path);
    await expect(restore(into, file, { replace: true })).rejects.toMatchObject({
      code: "bad_store",
      message: expect.stringContaining("another program"),
    });
    expect(readFileSync(path).equals(bytes)).toBe(true);
    expect(readdirSync(join(into, "agents"))).toEqual(["main"]);
  });

  test("what was forgotten since stays forgotten (SPEC 2.2)", async () => {
    const { home, file } = await backedUp();
    home.store("main").deleteSession(key("orchard"));
    const report = await home.restore(file, { replace: true });
    expect(report.agents.map(({ deletedAgain }) => deletedAgain)).toEqual([
      { sessions: 1, entries: 0, unknown: 0 },
      { sessions: 0, entries: 0, unknown: 0 },
    ]);
    expect(report.agents.map(({ sessions, messages }) => [sessions, messages])).toEqual([
      [1, 2],
      [1, 1],
    ]);
    expect((await home.search({ query: "pears" })).results).toEqual([]);
    expect((await home.search({ query: "heron" })).results).toHaveLength(1);
    home.close();
    const files = readdirSync(home.folder, { recursive: true, encoding: "utf8" }).filter((name) => /sqlite/.test(name));
    expect(files.length).toBeGreaterThanOrEqual(4);
    for (const name of files) expect(readFileSync(join(home.folder, name)).includes("pears"), name).toBe(false);
    // The tombstone came along: the next one does it again.
    expect((await home.restore(file, { replace: true })).agents[0]?.deletedAgain.sessions).toBe(1);
  });

  test("a deletion after it knows of every copy that was made before it", async () => {
    const home = temporaryHome();
    home.store("main").append(key("weir"), [user("m1", "a heron")]);
    const folder = temporaryFolder();
    const [one, two] = [join(folder, "one"), join(folder, "two")];
    await home.backup(one);
    await home.backup(two);
    await home.restore(one, { replace: true });
    await home.restore(one, { replace: true });
    const receipt = await home.forget({ what: "sessions", sessions: [key("weir")] });
    expect(receipt.copiesElsewhere).toEqual([one, two]);
    expect(home.store("main").db.prepare("SELECT count(*) AS n FROM audit").get()).toEqual({ n: 2 });
  });

  test("a session that was begun again after its deletion comes back", async () => {
    const home = temporaryHome();
    const store = home.store("main");
    store.append(key("weir"), [user("m1", "before the flood")]);
    const before = await home.backup();
    store.deleteSession(key("weir"));
    store.append(key("weir"), [user("n1", "after the flood")]);
    const after = await home.backup(join(temporaryFolder(), "after"));
    const report = await home.restore(after.file, { replace: true });
    expect(report.agents[0]).toMatchObject({ sessions: 1, deletedAgain: { sessions: 0 } });
    expect((await home.search({ query: "flood" })).results).toMatchObject([{ messageId: "n1" }]);
    // Forgetting something else takes the old one out of the old backup, and not the new one out of the new.
    const inside = await home.backup(join(home.folder, "backups", "inside"));
    home.store("main").append(key("other"), [user("o1", "a bittern")]);
    await home.forget({ what: "sessions", sessions: [key("other")] });
    await home.restore(inside.file, { replace: true });
    expect((await home.search({ query: "flood" })).results).toMatchObject([{ messageId: "n1" }]);
    expect((await home.restore(before.file, { replace: true })).agents[0]).toMatchObject({ sessions: 0 });
  });

  test("so do single messages, known to the backup or not (SPEC 2.2)", async () => {
    const { home, file } = await backedUp();
    const store = home.store("main");
    store.append(key("weir"), [user("m7", "the swan came after"), user("m8", "and left again")]);
    store.append(key("later"), [user("l1", "begun since"), user("l2", "a bittern boomed")]);
    store.deleteEntry(key("weir"), toEntryId("m1"));
    store.deleteEntry(key("weir"), toEntryId("m7"));
    store.deleteEntry(key("later"), toEntryId("l2"));
    const report = await home.restore(file, { replace: true });
    expect(report.agents[0]?.deletedAgain).toEqual({ sessions: 0, entries: 1, unknown: 0 });
    // Also of a session that the backup does not know: the tombstone came along (SPEC 2.19).
    expect(report.warnings).toEqual([]);
    const found = async (query: string) => (await home.search({ query })).results.map(({ messageId }) => messageId);
    expect([await found("heron"), await found("lamp")]).toEqual([[], ["m2"]]);
    // What an import would do: the same entries once more.
    home
      .store("main")
      .append(key("weir"), [user("m1", "the heron stood at the weir"), user("m7", "the swan came after")]);
    home.store("main").append(key("weir"), [user("m8", "and left again", { parentId: toEntryId("m7") })]);
    expect([await found("heron"), await found("swan"), await found("left again")]).toEqual([[], [], ["m8"]]);
    expect(readFileSync(join(home.folder, "agents/main/transcripts.sqlite")).includes("heron stood")).toBe(false);
  });

  test("an older schema comes back as it is, and migrates when it is opened (SPEC 2.9)", async () => {
    const folder = resolve(import.meta.dirname, "../../fixtures/databases");
    const { BackupWriter } = await import("../../../src/store/backup/backup-writer.ts");
    const file = join(temporaryFolder(), "old");
    const [agent] = twoAgents().agents();
    if (!agent) throw new Error("no agent");
    const writer = new BackupWriter(file, { at: 1, home: "/" });
    await writer.add(join(folder, "schema-2.sqlite"), {
      agent,
      name: "transcripts.sqlite",
      at: 1,
      schema: 2,
      sessions: 1,
      messages: 1,
    });
    writer.finish();
    const into = emptyFolder();
    expect((await restore(into, file)).agents).toMatchObject([{ schema: 2 }]);
    const home = open({ home: into });
    onTestFinished(() => home.close());
    expect((await home.search({ query: "heron" })).results).toHaveLength(2);
    expect(home.store("main").db.prepare("PRAGMA user_version").get()?.user_version).toBe(schemaVersion);
  });
});
