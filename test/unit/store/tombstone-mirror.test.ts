/** The tombstones once more beside the store: written, trusted in nothing, and what comes back by them (SPEC 2.18). */
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Backscroll, builtInSources, toEntryId, toSessionId } from "../../../src/index.ts";
import { deleteEntry } from "../../../src/store/delete-entry.ts";
import { deleteSession } from "../../../src/store/delete-session.ts";
import { openNodeDriver } from "../../../src/store/driver-node.ts";
import { entryNo } from "../../../src/store/entry-no.ts";
import { mirrorPath, readMirror } from "../../../src/store/tombstone-mirror.ts";
import { countTombstones, hasTombstone, readTombstones } from "../../../src/store/tombstones.ts";
import { transaction } from "../../../src/store/transaction.ts";
import { file as storeFile } from "../../helpers/damaged-store.ts";
import { key, user } from "../../helpers/entries.ts";
import { temporaryFolder, temporaryHome } from "../../helpers/temporary.ts";

type Home = Backscroll & { readonly folder: string };

const mirrorOf = ({ folder }: Pick<Home, "folder">, agent = "main") => join(folder, "agents", agent, "tombstones.txt");
const names = (rows: readonly { readonly hash: string }[]) => rows.map(({ hash }) => hash).sort();
const table = (home: Home) => names(readTombstones(home.store("main").db));
const mirrored = (home: Home) => names(readMirror(mirrorOf(home)).rows);
const codes = async (home: Home) => (await home.doctor()).findings.map(({ code }) => code);

function homeWith(...sessions: string[]): Home {
  const home = temporaryHome();
  for (const name of sessions) home.store("main").append(key(name), [user("m1", `a heron at the ${name}`)]);
  return home;
}

describe("what is written (SPEC 2.18)", () => {
  test("a deletion adds its lines behind those that are there, for the owner alone; an undo takes them away", () => {
    const home = homeWith("weir", "ferry", "orchard");
    const store = home.store("main");
    expect(existsSync(mirrorOf(home))).toBe(false);
    store.deleteSession(key("weir"));
    const first = readFileSync(mirrorOf(home), "utf8");
    const { ino, mode } = statSync(mirrorOf(home));
    if (process.platform !== "win32") expect(mode & 0o777).toBe(0o600);
    expect(first.split("\n")).toEqual([
      "backscroll tombstones 1",
      expect.stringMatching(/^\S{43} \S{43} \d+ \w{8}$/),
      "",
    ]);
    store.deleteEntry(key("ferry"), toEntryId("m1"));
    expect(readFileSync(mirrorOf(home), "utf8").startsWith(first)).toBe(true);
    expect(statSync(mirrorOf(home)).ino).toBe(ino);
    expect(mirrored(home)).toEqual(table(home));
    expect(home.undoForget(key("weir"))).toEqual({ transcripts: 1, entries: 0 });
    expect([mirrored(home), mirrored(home).length]).toEqual([table(home), 1]);
    expect(home.undoForget(key("ferry"))).toEqual({ transcripts: 0, entries: 1 });
    expect([mirrored(home), readMirror(mirrorOf(home)).skipped]).toEqual([[], 0]);
  });

  test("an undo keeps what only the file names, and takes away of it what is undone", () => {
    const home = homeWith("weir", "ferry", "orchard");
    for (const name of ["weir", "ferry", "orchard"]) home.store("main").deleteSession(key(name));
    home.store("main").db.exec("DELETE FROM tombstones");
    expect(home.undoForget(key("weir"))).toEqual({ transcripts: 1, entries: 0 });
    expect([mirrored(home), mirrored(home).length]).toEqual([table(home), 2]);
  });

  test("a deletion that is rolled back leaves nothing, and the counts are of transcripts alone", async () => {
    const home = homeWith("weir", "ferry");
    const store = home.store("main");
    const change = () =>
      transaction(store.db, () => {
        deleteSession(store.db, key("weir"), 1);
        throw new RangeError("changed my mind");
      });
    expect(change).toThrow(RangeError);
    expect([existsSync(mirrorOf(home)), table(home)]).toEqual([false, []]);
    // Of what a savepoint took back, the next one that is written says nothing.
    transaction(store.db, () => {
      expect(change).toThrow(RangeError);
      deleteEntry(store.db, entryNo(2, 0), 1);
    });
    expect([mirrored(home), mirrored(home).length]).toEqual([table(home), 1]);
    store.append(key("ferry"), [user("m2", "a bittern")]);
    expect((await home.forget({ what: "message", sessionKey: key("ferry"), messageId: "m2" })).tombstones).toBe(0);
    expect(home.store("main").removeAll().sessions).toBe(2);
    expect(mirrored(home)).toHaveLength(4);
    expect(mirrored(home)).toEqual(table(home));
    expect(countTombstones(home.store("main").db)).toBe(2);
  });

  test("what lives in memory has none, nor do copies and unfinished files", () => {
    expect(mirrorPath("/h/agents/main/transcripts.sqlite")).toBe(join("/h/agents/main", "tombstones.txt"));
    for (const path of [
      ":memory:",
      "/h/agents/main/replaced-1/transcripts.sqlite",
      "/h/agents/main/damaged-1/transcripts.sqlite",
    ])
      expect(mirrorPath(path)).toBe(null);
    expect(mirrorPath("/h/agents/main/salvaged-1.sqlite")).toBe(null);
    const home = homeWith("weir");
    home.store("main").append(key("secret"), [user("m1", "hush")], { incognito: true });
    home.store("main").deleteSession(key("secret"));
    expect(existsSync(mirrorOf(home))).toBe(false);
  });

  test("its own words don't stand in the way of a proof, and garbage in it that says what was forgotten does", async () => {
    const home = homeWith("weir");
    home.store("main").append(key("talk"), [user("m1", "the backscroll tombstones of the zyxquagga")]);
    home.store("main").deleteSession(key("weir"));
    expect(await home.forget({ what: "sessions", sessions: [key("talk")] })).toMatchObject({ proven: true });
    appendFileSync(mirrorOf(home), "zyxquagga\n");
    home.store("main").append(key("again"), [user("m1", "of the zyxquagga")]);
    expect(await home.forget({ what: "sessions", sessions: [key("again")] })).toMatchObject({
      proven: false,
      scan: { leftIn: [mirrorOf(home)] },
    });
    await home.doctor({ fix: true });
    expect(await home.forget({ what: "sessions", sessions: [key("again")] })).toMatchObject({ proven: true });
  });
});

describe("a database that is lost (SPEC 2.18)", () => {
  const line = (session: string, id: string, text: string) =>
    `${JSON.stringify({ type: "message", sessionKey: key(session), id, role: "user", text, timestamp: 1_760_000_000_000 })}\n`;

  test("an import into a new one brings nothing back, until that is undone", async () => {
    const home = temporaryHome();
    const folder = temporaryFolder();
    const roots = builtInSources.filter(({ id }) => id === "jsonl").map((source) => ({ source, folder }));
    writeFileSync(
      join(folder, "a.jsonl"),
      line("a", "m1", "zyxquagga one") + line("a", "m2", "heron") + line("b", "m1", "zyxquagga two"),
    );
    await home.import(roots);
    await home.forget({ what: "message", sessionKey: key("a"), messageId: "m1" });
    await home.forget({ what: "sessions", sessions: [key("b")] });
    const before = table(home);
    home.close();
    for (const end of ["", "-wal", "-shm"]) rmSync(storeFile(home.folder) + end, { force: true });
    const report = await home.import(roots);
    expect(report).toMatchObject({ forgotten: 1, forgottenEntries: 1, entries: { added: 1 } });
    expect(table(home)).toEqual(before);
    const found = async () => (await home.search({ query: "zyxquagga" })).results.length;
    expect(await found()).toBe(0);
    expect(await codes(home)).toEqual([]);
    expect(home.undoForget(key("b"))).toEqual({ transcripts: 1, entries: 0 });
    expect(home.undoForget("a").entries).toBe(1);
    await home.import(roots);
    expect(await found()).toBe(2);
  });

  test("undone before anything is imported, by the id of a transcript", () => {
    const home = homeWith("a");
    home.store("main").deleteEntry(key("a"), toEntryId("m1"));
    home.close();
    for (const end of ["", "-wal", "-shm"]) rmSync(storeFile(home.folder) + end, { force: true });
    expect(home.store("main").db.prepare("SELECT count(*) AS n FROM sessions").get()?.n).toBe(0);
    expect(home.undoForget("a")).toEqual({ transcripts: 0, entries: 1 });
    expect(mirrored(home)).toEqual([]);
  });

  test("a restore into its place has what the mirror says, and a mirror afterwards (SPEC 2.14)", async () => {
    const home = homeWith("weir", "ferry");
    home.store("main").deleteSession(key("weir"));
    const { file } = await home.backup(join(temporaryFolder(), "b"));
    home.store("main").append(key("ferry"), [user("m2", "a bittern")]);
    home.store("main").deleteEntry(key("ferry"), toEntryId("m1"));
    home.close();
    for (const end of ["", "-wal", "-shm"]) rmSync(storeFile(home.folder) + end, { force: true });
    const report = await home.restore(file);
    expect(report.agents[0]?.deletedAgain).toEqual({ sessions: 0, entries: 1, unknown: 0 });
    expect((await home.search({ query: "heron" })).results).toEqual([]);
    expect(mirrored(home)).toEqual(table(home));
    const elsewhere = temporaryHome();
    await elsewhere.restore(file);
    expect(mirrored(elsewhere)).toEqual(table(elsewhere));
    expect(mirrored(elsewhere)).toHaveLength(1);
    expect([await codes(home), await codes(elsewhere)]).toEqual([[], []]);
    // Over a store that can't be read, as well.
    home.close();
    writeFileSync(storeFile(home.folder), Buffer.alloc(8192, "noise"));
    expect((await home.restore(file, { replace: true })).warnings).toEqual([]);
    expect((await home.search({ query: "heron" })).results).toEqual([]);
  });

  test("a message forgotten since is forgotten in a backup where it had another id", async () => {
    const home = temporaryHome();
    const store = home.store("main");
    store.append(key("talk"), [user("line#3", "the zyxquagga plan"), user("line#4", "else")]);
    const { file } = await home.backup(join(temporaryFolder(), "b"));
    store.upsert(key("talk"), user("line#3", "another line"));
    store.append(key("talk"), [user("line#5", "the zyxquagga plan")]);
    await home.forget({ what: "message", sessionKey: key("talk"), messageId: "line#5" });
    expect((await home.restore(file, { replace: true })).agents[0]?.deletedAgain.entries).toBe(1);
    expect((await home.search({ query: "zyxquagga" })).results).toEqual([]);
    expect((await home.search({ query: "else" })).results).toHaveLength(1);
  });
});

describe("what the doctor says and does (SPEC 2.8, 2.18)", () => {
  test.each<[string, string, (home: Home) => void]>([
    [
      "it lacks one",
      "mirror-behind",
      (home) => writeFileSync(mirrorOf(home), readFileSync(mirrorOf(home), "utf8").replace(/\n.*\n/, "\n")),
    ],
    ["it is gone", "mirror-behind", (home) => rmSync(mirrorOf(home))],
    ["the store lost one", "lost-tombstone", (home) => home.store("main").db.exec("DELETE FROM tombstones")],
    [
      "its last line is torn",
      "mirror-damaged",
      (home) => truncateSync(mirrorOf(home), statSync(mirrorOf(home)).size - 7),
    ],
    [
      "garbage",
      "mirror-damaged",
      (home) => appendFileSync(mirrorOf(home), "garbage\n\u0000\u0001\n\ntitle:x y 1 00000000\n"),
    ],
    ["a line without end", "mirror-damaged", (home) => appendFileSync(mirrorOf(home), "x".repeat(300_000))],
    [
      "a changed letter",
      "mirror-damaged",
      (home) => {
        const text = readFileSync(mirrorOf(home), "utf8");
        const at = text.indexOf("\n") + 5;
        writeFileSync(mirrorOf(home), `${text.slice(0, at)}${text[at] === "a" ? "b" : "a"}${text.slice(at + 1)}`);
      },
    ],
    [
      "no first line",
      "mirror-damaged",
      (home) => writeFileSync(mirrorOf(home), readFileSync(mirrorOf(home), "utf8").split("\n").slice(1).join("\n")),
    ],
    ["nothing", "mirror-damaged", (home) => writeFileSync(mirrorOf(home), "")],
    ["a huge file", "mirror-damaged", (home) => truncateSync(mirrorOf(home), 200 * 1024 * 1024)],
    [
      "a symbolic link",
      "mirror-damaged",
      (home) => {
        rmSync(mirrorOf(home));
        const other = join(temporaryFolder(), "other");
        writeFileSync(other, "another's\n");
        symlinkSync(other, mirrorOf(home));
      },
    ],
    [
      "a pipe",
      "mirror-damaged",
      (home) => {
        rmSync(mirrorOf(home));
        execFileSync("mkfifo", [mirrorOf(home)]);
      },
    ],
  ])("%s", async (_, code, damage) => {
    const home = homeWith("weir", "ferry", "orchard");
    home.store("main").deleteSession(key("weir"));
    home.store("main").deleteEntry(key("ferry"), toEntryId("m1"));
    const before = table(home);
    damage(home);
    expect(await codes(home)).toContain(code);
    // A deletion goes on meanwhile.
    home.store("main").deleteEntry(key("orchard"), toEntryId("m1"));
    const report = await home.doctor({ fix: true });
    expect(report.findings).toEqual([]);
    expect(table(home)).toEqual(expect.arrayContaining(before));
    expect(table(home)).toHaveLength(3);
    expect(mirrored(home)).toEqual(table(home));
    expect(lstatSync(mirrorOf(home)).isFile()).toBe(true);
    expect(readMirror(mirrorOf(home)).skipped).toBe(0);
  });

  test("a torn line stays one of its own when the next one is added", () => {
    const home = homeWith("weir", "ferry");
    home.store("main").deleteSession(key("weir"));
    truncateSync(mirrorOf(home), statSync(mirrorOf(home)).size - 7);
    home.store("main").deleteSession(key("ferry"));
    expect(readMirror(mirrorOf(home))).toMatchObject({ skipped: 1, rows: [{ hash: expect.any(String) }] });
  });

  test("a folder in its place keeps nobody from deleting", async () => {
    const home = homeWith("weir");
    mkdirSync(mirrorOf(home));
    expect(home.store("main").deleteSession(key("weir"))).toBe(true);
    expect(await codes(home)).toEqual(expect.arrayContaining(["mirror-behind", "mirror-damaged"]));
    home.store("main").db.exec("DELETE FROM messages");
    const report = await home.doctor({ fix: true });
    expect(report.agents.map(({ failed }) => failed)).toEqual([undefined]);
    expect(report.findings.map(({ code }) => code)).toEqual(["mirror-behind", "mirror-damaged"]);
  });

  test("a receipt says that it could not be written, and nothing of it once it can (SPEC 2.18)", async () => {
    const home = homeWith("weir", "ferry");
    mkdirSync(mirrorOf(home));
    const receipt = await home.forget({ what: "sessions", sessions: [key("weir")] });
    expect(receipt).toMatchObject({ proven: true, mirrorProblems: [expect.stringContaining(mirrorOf(home))] });
    rmSync(mirrorOf(home), { recursive: true });
    expect(await home.forget({ what: "sessions", sessions: [key("ferry")] })).not.toHaveProperty("mirrorProblems");
    expect(mirrored(home)).toEqual(table(home));
    expect(table(home)).toHaveLength(2);
  });

  test("that of another agent keeps away nothing that was not forgotten here (SPEC 2.18)", async () => {
    const home = homeWith("weir", "ferry");
    home
      .store("second")
      .append(key("shared", "second"), [user("m1", "of the second")], { sessionId: toSessionId("one") });
    home.store("main").append(key("shared"), [user("m1", "of the first")], { sessionId: toSessionId("one") });
    home.store("main").deleteSession(key("weir"));
    home.store("second").deleteSession(key("shared", "second"));
    copyFileSync(mirrorOf(home, "second"), mirrorOf(home));
    expect(await codes(home)).toEqual(["mirror-behind", "mirror-damaged"]);
    expect((await home.doctor({ fix: true })).findings).toEqual([]);
    expect([hasTombstone(home.store("main").db, "one"), table(home).length]).toEqual([false, 1]);
    expect(mirrored(home)).toEqual(table(home));
  });

  test("tombstones on a damaged page come back out of it, and the report does not call the list incomplete", async () => {
    for (const keep of [true, false]) {
      const home = homeWith(...Array.from({ length: 40 }, (_, at) => `s${at}`));
      const store = home.store("main");
      for (let at = 0; at < 30; at++) store.deleteSession(key(`s${at}`));
      const before = table(home);
      await home.settle();
      home.close();
      const db = openNodeDriver(storeFile(home.folder), { busyWait: 1000 });
      db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
      const pages = db.prepare("SELECT pageno FROM dbstat WHERE name LIKE 'tombstones%' AND pagetype = 'leaf'").all();
      const size = Number(db.prepare("PRAGMA page_size").get()?.page_size);
      db.close();
      const bytes = readFileSync(storeFile(home.folder));
      for (const { pageno } of pages) bytes.fill(0xa7, (Number(pageno) - 1) * size, Number(pageno) * size);
      writeFileSync(storeFile(home.folder), bytes);
      if (!keep) rmSync(mirrorOf(home));
      const report = await home.doctor({ fix: true });
      expect(report.findings).toEqual([]);
      const said = report.repairs?.some(({ what }) => what.includes("may be incomplete"));
      expect([said, table(home).length]).toEqual(keep ? [false, 30] : [true, 0]);
      if (keep) expect([table(home), mirrored(home)]).toEqual([before, before]);
    }
  });
});
