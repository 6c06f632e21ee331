import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { builtInSources, type ForgetRequest, toEntryId } from "../../../src/index.ts";
import { ByteScan } from "../../../src/upkeep/forget/byte-scan.ts";
import { Probes } from "../../../src/upkeep/forget/probes.ts";
import { bytesOf } from "../../helpers/bytes-of.ts";
import { assistant, key, message, user } from "../../helpers/entries.ts";
import { temporaryFolder, temporaryHome } from "../../helpers/temporary.ts";

type Home = ReturnType<typeof temporaryHome>;

const found = async (home: Home, query: string) =>
  (await home.search({ query, limit: 25, perSession: 25 })).results.map(
    ({ sessionKey, messageId }) => `${sessionKey.split(":")[2]}/${messageId}`,
  );

/** A home with a talk to forget, beside others, some of which say some of the same words. */
function homeWithTalk(): Home {
  const home = temporaryHome();
  const store = home.store("main");
  store.append(key("other"), [user("o1", "an ordinary sprocket and a wolverine")], { project: "/srv/zoo" });
  store.append(
    key("talk"),
    [
      user("m1", "the zyxquagga plan"),
      assistant("m2", "zyxquagga and wolverine together"),
      message("t1", "toolResult", "", { parts: [{ type: "toolResult", text: "zyxquagga list ".repeat(3000) }] }),
      assistant("m3", "a branch about zyxquagga that was left"),
      user("m4", "something else entirely", { parentId: toEntryId("t1") }),
    ],
    { project: "/srv/zoo", title: { text: "The zyxquagga plan", rank: "generated" } },
  );
  store.append(key("far"), [user("f1", "a zyxquagga far away")], { project: "/srv/far" });
  home.store("second").append(key("s", "second"), [user("s1", "zyxquagga of another agent")]);
  return home;
}

describe("forget (SPEC 2.2)", () => {
  test("shows first, and changes nothing without being told to", async () => {
    const home = homeWithTalk();
    const before = [...home.export({ reveal: false })];
    const preview = home.previewForget({ what: "sessions", sessions: [key("talk"), "talk"] });
    expect(preview.sessions).toMatchObject([{ sessionKey: key("talk"), whole: true, entries: 5, title: true }]);
    expect(preview.sessions[0]?.begins[0]).toBe("the zyxquagga plan");
    expect([...home.export({ reveal: false })]).toEqual(before);
    expect((await found(home, "zyxquagga")).length).toBe(4);
  });

  test("a session: the receipt counts what went, and proves that no byte is left of what nobody else says", async () => {
    const home = temporaryHome();
    const store = home.store("main");
    store.append(key("other"), [user("o1", "an ordinary sprocket and a wolverine")]);
    store.append(
      key("talk"),
      [user("m1", "the zyxquagga plan of the wolverine"), assistant("m2", "Ünïcödewört 秘密の計画です")],
      {
        title: { text: "gooseberry jam", rank: "given" },
      },
    );
    const receipt = await home.forget({ what: "sessions", sessions: [key("talk")] });
    expect(receipt).toMatchObject({
      sessions: [key("talk")],
      removed: { sessions: 1, transcripts: 1, entries: 2, messages: 2 },
      tombstones: 1,
      proven: true,
      scan: { left: 0, notChecked: 0, saidElsewhere: 1 },
    });
    expect(receipt.scan.wordsChecked).toBeGreaterThan(5);
    const bytes = bytesOf(home.folder);
    expect(receipt.scan.bytes).toBeGreaterThan(10_000);
    for (const word of ["zyxquagga", "Ünïcödewört", "unicodewort", "秘密の計画", "gooseberry"])
      expect(bytes.includes(word), word).toBe(false);
    expect(bytes.includes("wolverine")).toBe(true);
    await expect(home.forget({ what: "sessions", sessions: [key("never")] })).rejects.toMatchObject({
      code: "unknown_session",
    });
  });

  test("what a killed run or a program deleted without its copies is forgotten by repeating it", async () => {
    const home = homeWithTalk();
    const store = home.store("main");
    await home.backup();
    const [name = ""] = readdirSync(join(home.folder, "backups"));
    await home.restore(join(home.folder, "backups", name), { replace: true });
    const again = home.store("main");
    expect(again).not.toBe(store);
    again.deleteSession(key("talk"));
    again.deleteEntry(key("far"), toEntryId("f1"));
    home.store("second").deleteSession(key("s", "second"));
    await home.settle();
    expect(bytesOf(home.folder).includes("zyxquagga")).toBe(true);
    const receipt = await home.forget({ what: "sessions", sessions: [key("talk")] });
    expect(receipt).toMatchObject({ removed: { sessions: 0 }, tombstones: 1, proven: true });
    // The words are those of the copies, and everything else that was deleted left them, too.
    expect(receipt.scan.wordsChecked).toBeGreaterThan(5);
    expect(receipt.backups).toHaveLength(2);
    await home.forget({ what: "sessions", sessions: ["s"] });
    expect(bytesOf(home.folder).includes("zyxquagga")).toBe(false);
    expect(await found(home, "sprocket")).toEqual(["other/o1"]);
  });

  test("a word that only another agent's set-aside store says is no proof of anything left", async () => {
    const home = homeWithTalk();
    const { file } = await home.backup();
    await home.restore(file, { replace: true, agent: "second" });
    rmSync(file);
    home.store("second").append(key("t", "second"), [user("t1", "nothing")]);
    home.store("second").deleteEntry(key("s", "second"), toEntryId("s1"));
    const receipt = await home.forget({ what: "mentions", search: { query: "zyxquagga", agent: "main" } });
    expect(receipt.proven).toBe(true);
    expect(receipt.scan.saidElsewhere).toBeGreaterThan(0);
  });

  test("one message, and the title that was made of it; the rest of the session stays", async () => {
    const home = homeWithTalk();
    const receipt = await home.forget({ what: "message", sessionKey: "talk", messageId: "m1" });
    expect(receipt).toMatchObject({ sessions: [], changed: [key("talk")], titlesCleared: 1, proven: true });
    expect(receipt.removed).toMatchObject({ entries: 1, messages: 1 });
    expect((await found(home, "zyxquagga")).sort()).toEqual(["far/f1", "s/s1", "talk/m2"]);
    const { messages, title } = await home.history({ sessionKey: key("talk") });
    expect(messages.map(({ messageId }) => messageId)).toEqual(["m2", "m4"]);
    expect(title).toBe("something else entirely");
    expect(await home.forget({ what: "message", sessionKey: "talk", messageId: "m1" })).toMatchObject({
      removed: { entries: 0 },
      proven: true,
    });
    await expect(home.forget({ what: "message", sessionKey: "talk", messageId: "m99" })).rejects.toMatchObject({
      code: "unknown_message",
    });
  });

  test("of a message id that several generations have, the one that the session id names", async () => {
    const home = temporaryHome();
    const store = home.store("main");
    store.append(key("talk"), [user("m1", "the zyxquagga plan")]);
    store.reset(key("talk"));
    store.append(key("talk"), [user("m1", "gooseberry jam"), user("m2", "sprocket")]);
    const request = { what: "message", sessionKey: key("talk"), messageId: "m1" } as const;
    await expect(home.forget(request)).rejects.toMatchObject({
      code: "bad_input",
      hint: expect.stringContaining("talk, talk~2"),
    });
    const [hit] = (await home.search({ query: "zyxquagga" })).results;
    await home.forget({ ...request, sessionKey: hit?.sessionId ?? "" });
    expect(await found(home, "zyxquagga")).toEqual([]);
    expect(await found(home, "gooseberry")).toEqual(["talk/m1"]);
    // One is left: now the key says it, and so it does for an id that only one generation has.
    await home.forget(request);
    await home.forget({ ...request, messageId: "m2" });
    expect(await found(home, "gooseberry OR sprocket")).toEqual([]);
  });

  test("a title stays where a role or a time leaves no message of its session", () => {
    const home = homeWithTalk();
    const mentions = (more: object) =>
      home.previewForget({ what: "mentions", search: { query: "zyxquagga plan", project: "/srv/zoo", ...more } })
        .sessions;
    expect(mentions({ after: "2099-01-01" })).toEqual([]);
    expect(mentions({ role: "assistant" })).toEqual([]);
    expect(mentions({ role: "user" })).toMatchObject([{ messageIds: ["m1"], title: true }]);
  });

  test("everything that mentions a word in a project: tool results, left branches and titles, too", async () => {
    const home = homeWithTalk();
    const request: ForgetRequest = { what: "mentions", search: { query: "zyxquagga", project: "/srv/zoo" } };
    expect(home.previewForget(request).sessions).toMatchObject([
      { sessionKey: key("talk"), whole: false, entries: 4, messageIds: ["m1", "m2", "t1", "m3"], title: true },
    ]);
    const receipt = await home.forget(request);
    expect(receipt).toMatchObject({ changed: [key("talk")], titlesCleared: 1, proven: true });
    expect((await found(home, "zyxquagga")).sort()).toEqual(["far/f1", "s/s1"]);
    await home.forget({ what: "mentions", search: { query: "zyxquagga" }, wholeSessions: true });
    expect(bytesOf(home.folder).includes("zyxquagga")).toBe(false);
    expect(await found(home, "sprocket")).toEqual(["other/o1"]);
  });

  test("a secret by its value, which no search would find", async () => {
    const home = temporaryHome();
    const secret = "sk-T3BlbkFJ0123456789abcdefTESTONLY";
    home.store("main").append(key("a"), [user("m1", `use ${secret} for the kiln`), user("m2", "and on")]);
    expect(await found(home, secret)).toEqual([]);
    const receipt = await home.forget({ what: "mentions", search: { query: `"${secret}"` } });
    expect(receipt).toMatchObject({ removed: { entries: 1 }, proven: true });
    expect(bytesOf(home.folder).includes(secret)).toBe(false);
  });

  test("of a long session every word is looked for, and stretches from all over it", async () => {
    const home = temporaryHome();
    const store = home.store("main");
    const words = (from: number, count: number) =>
      Array.from({ length: count }, (_, i) => `word${(from + i).toString(36).padStart(4, "0")}`).join(" ");
    const result = (i: number) =>
      message(`t${i}`, "toolResult", "", {
        parts: [{ type: "toolResult", text: `${"a long line of output ".repeat(2000)}${words(i * 1000, 1000)}` }],
      });
    store.append(
      key("long"),
      Array.from({ length: 150 }, (_, i) => result(i)),
    );
    // In the last of several passes, and said by what stays.
    store.append(key("other"), [user("o1", words(149_999, 1))]);
    store.append(key("spoken"), [
      user("s1", Array.from({ length: 6000 }, (_, i) => `${i}% of an ordinary day`).join("\n")),
    ]);
    const receipt = await home.forget({ what: "sessions", sessions: [key("long"), key("spoken")] });
    expect(receipt).toMatchObject({ proven: true, scan: { notChecked: 0, saidElsewhere: 1, left: 0 } });
    expect(receipt.scan.wordsChecked).toBeGreaterThan(150_000);
    const probes = new Probes();
    for (let i = 0; i < 30_000; i++) probes.addBytes(Buffer.from(`body ${i} `.repeat(40)));
    expect([probes.skipped, probes.stretches.size > 10_000, probes.stretches.size <= 20_000]).toEqual([0, true, true]);
  });

  test("leaves the backups of the home, and names those elsewhere", async () => {
    const home = homeWithTalk();
    const elsewhere = join(temporaryFolder(), "copy.backscroll");
    await home.backup();
    await home.backup(elsewhere);
    home.store("main").rename(key("talk"), key("renamed"));
    const receipt = await home.forget({ what: "mentions", search: { query: "zyxquagga" }, wholeSessions: true });
    expect(receipt).toMatchObject({ proven: true, copiesElsewhere: [elsewhere] });
    expect(receipt.backups).toHaveLength(1);
    expect(bytesOf(home.folder).includes("zyxquagga")).toBe(false);
    expect(readFileSync(elsewhere).includes("zyxquagga")).toBe(true);
    // What is left of it still restores.
    const again = temporaryHome();
    await again.restore(receipt.backups[0] ?? "");
    expect(await found(again, "sprocket")).toEqual(["other/o1"]);
  });

  test("a damaged copy that a repair put aside goes whole where it can't be cleaned", async () => {
    const home = homeWithTalk();
    const folder = join(home.folder, "agents", "main", "damaged-2026-01-01");
    mkdirSync(folder);
    writeFileSync(
      join(folder, "transcripts.sqlite"),
      Buffer.concat([Buffer.alloc(4096, "noise"), Buffer.from("zyxquagga")]),
    );
    const receipt = await home.forget({ what: "mentions", search: { query: "zyxquagga" }, wholeSessions: true });
    expect(receipt).toMatchObject({ proven: true, damagedCopiesRemoved: [folder] });
    expect(bytesOf(home.folder).includes("zyxquagga")).toBe(false);
  });

  test("a backup that can't be read is named, and then nothing is proven", async () => {
    const home = homeWithTalk();
    await home.backup();
    const [name = ""] = readdirSync(join(home.folder, "backups"));
    writeFileSync(join(home.folder, "backups", name), Buffer.alloc(4096, "noise"));
    const receipt = await home.forget({ what: "sessions", sessions: [key("talk")] });
    expect(receipt.proven).toBe(false);
    expect(receipt.backupProblems?.[0]?.file).toContain(name);
  });

  test("nothing that is not there, nothing that can't be searched for", async () => {
    const home = homeWithTalk();
    expect(home.previewForget({ what: "mentions", search: { query: "nosuchword" } }).sessions).toEqual([]);
    expect((await home.forget({ what: "mentions", search: { query: "nosuchword" } })).removed.entries).toBe(0);
    await expect(home.forget({ what: "mentions", search: { query: "***" } })).rejects.toMatchObject({
      code: "bad_input",
    });
  });

  test("an import does not bring it back, until that is undone (SPEC 2.2, 8.13)", async () => {
    const home = temporaryHome();
    const folder = join(temporaryFolder(), "notes");
    mkdirSync(folder);
    const line = (session: string, id: string, text: string) =>
      `${JSON.stringify({ type: "message", sessionKey: `agent:main:${session}`, id, role: "user", text, timestamp: 1_760_000_000_000 })}\n`;
    const roots = builtInSources.filter(({ id }) => id === "jsonl").map((source) => ({ source, folder }));
    const file = join(folder, "a.jsonl");
    const whole = line("a", "m1", "zyxquagga one") + line("a", "m2", "two") + line("b", "m1", "zyxquagga three");
    writeFileSync(file, whole);
    await home.import(roots);
    await home.forget({ what: "message", sessionKey: key("a"), messageId: "m1" });
    await home.forget({ what: "sessions", sessions: [key("b")] });
    // Grown, and then written anew: neither brings anything back, nor leaves a trace of it.
    writeFileSync(file, whole + line("a", "m3", "grown"));
    await home.import(roots);
    writeFileSync(file, `\n${whole}${line("a", "m3", "grown")}`);
    await home.import(roots);
    expect(await found(home, "zyxquagga")).toEqual([]);
    expect(await found(home, "grown")).toEqual(["a/m3"]);
    expect(bytesOf(home.folder).includes("zyxquagga")).toBe(false);
    expect(home.undoForget(key("b"))).toEqual({ transcripts: 1, entries: 0 });
    expect(home.undoForget(key("a"))).toEqual({ transcripts: 0, entries: 1 });
    expect(home.undoForget(key("never"))).toEqual({ transcripts: 0, entries: 0 });
    await home.import(roots);
    expect((await found(home, "zyxquagga")).sort()).toEqual(["a/m1", "b/m1"]);
    expect((await home.history({ sessionKey: key("a") })).messages.map(({ messageId }) => messageId)).toEqual([
      "m1",
      "m2",
      "m3",
    ]);
  });

  test("undone for one of several agents of a file, and for one of several files of a session, all is as it was", async () => {
    const home = temporaryHome();
    const folder = temporaryFolder();
    const fixtures = join(import.meta.dirname, "../../fixtures/sources");
    cpSync(join(fixtures, "jsonl/sessions-and-agents/root"), join(folder, "jsonl"), { recursive: true });
    cpSync(join(fixtures, "openclaw/live-and-archived/root"), join(folder, "openclaw"), { recursive: true });
    const roots = builtInSources
      .filter(({ id }) => id === "jsonl" || id === "openclaw")
      .map((source) => ({ source, folder: join(folder, source.id) }));
    await home.import(roots);
    const before = [...home.export({ reveal: false })];
    for (const { sessionKey } of (await home.sessions({})).sessions) {
      await home.forget({ what: "sessions", sessions: [sessionKey] });
      await home.import(roots);
      expect(home.undoForget(sessionKey).transcripts, sessionKey).toBeGreaterThan(0);
      await home.import(roots);
      expect([...home.export({ reveal: false })].sort(), sessionKey).toEqual([...before].sort());
    }
  });

  test("files that come and go while the home is searched are no failure", async () => {
    const home = homeWithTalk();
    let done = false;
    const others = (async () => {
      for (let i = 0; !done; i = (i + 1) % 40) {
        const folder = join(home.folder, `unfinished-${i % 8}`);
        if (i % 2 === 0) rmSync(folder, { recursive: true, force: true });
        mkdirSync(folder, { recursive: true });
        writeFileSync(join(folder, `copy-${i}`), "another process's work");
        if (i % 10 === 0) await setImmediate();
      }
    })();
    const receipt = await home.forget({ what: "sessions", sessions: [key("talk")] });
    done = true;
    await others;
    expect(receipt.proven).toBe(true);
  });

  test("a title that was forgotten does not come back with an import either, until that is undone", async () => {
    const home = temporaryHome();
    const folder = temporaryFolder();
    const line = (fields: object) => `${JSON.stringify({ sessionKey: "agent:main:a", sessionId: "g1", ...fields })}\n`;
    const roots = builtInSources.filter(({ id }) => id === "jsonl").map((source) => ({ source, folder }));
    const whole =
      line({ type: "session", title: "An older zyxquagga title", titleRank: "generated" }) +
      line({ type: "message", id: "m1", role: "user", text: "zyxquagga one", timestamp: 1_760_000_000_000 }) +
      line({ type: "message", id: "m2", role: "user", text: "two", timestamp: 1_760_000_000_000 }) +
      line({ type: "session", title: "The zyxquagga plan" });
    const file = join(folder, "a.jsonl");
    writeFileSync(file, whole);
    await home.import(roots);
    const { file: backup } = await home.backup(join(temporaryFolder(), "b"));
    await home.forget({ what: "mentions", search: { query: "zyxquagga" } });
    for (const start of ["\n", "\n\n"]) {
      writeFileSync(file, start + whole);
      await home.import(roots);
      expect(bytesOf(home.folder).includes("zyxquagga")).toBe(false);
      // Nor with an older store.
      await home.restore(backup, { replace: true });
      expect(readFileSync(join(home.folder, "agents/main/transcripts.sqlite")).includes("zyxquagga")).toBe(false);
      rmSync(backup);
      await home.forget({ what: "message", sessionKey: key("a"), messageId: "m1" });
      await home.backup(backup);
    }
    // What a program says itself holds; and the session id will do to undo it.
    home.store("main").append(key("a"), [], { title: { text: "by hand", rank: "given" } });
    expect((await home.sessions({})).sessions[0]?.title).toBe("by hand");
    expect(home.undoForget("g1")).toEqual({ transcripts: 0, entries: 1 });
    await home.import(roots);
    expect((await home.sessions({})).sessions[0]?.title).toBe("The zyxquagga plan");
  });

  test("a title that names a message of a forgotten session is not kept", async () => {
    const home = temporaryHome();
    const folder = join(temporaryFolder(), "projects");
    mkdirSync(join(folder, "-srv"), { recursive: true });
    const session = "0f0c4f4e-0000-4000-8000-000000000001";
    const record = `${JSON.stringify({ type: "user", uuid: "u1", parentUuid: null, sessionId: session, cwd: "/srv", timestamp: "2026-01-01T00:00:00Z", message: { role: "user", content: "hello" } })}\n`;
    const summary = `${JSON.stringify({ type: "summary", summary: "A gooseberry summary", leafUuid: "u1" })}\n`;
    const file = join(folder, "-srv", `${session}.jsonl`);
    const roots = builtInSources.filter(({ id }) => id === "claude-code").map((source) => ({ source, folder }));
    writeFileSync(file, record + summary);
    await home.import(roots);
    expect((await home.sessions({})).sessions[0]?.title).toBe("A gooseberry summary");
    await home.forget({ what: "sessions", sessions: [session] });
    writeFileSync(file, `\n${record}${summary}`);
    await home.import(roots);
    await home.settle();
    expect(bytesOf(home.folder).includes("gooseberry")).toBe(false);
  });

  test("what a source remembers of a forgotten file holds none of its words", async () => {
    const home = temporaryHome();
    const folder = join(temporaryFolder(), "projects");
    mkdirSync(join(folder, "-srv"), { recursive: true });
    const session = "0f0c4f4e-0000-4000-8000-000000000001";
    const record = (uuid: string, text: string) =>
      `${JSON.stringify({ type: "user", uuid, parentUuid: null, sessionId: session, cwd: "/srv", timestamp: "2026-01-01T00:00:00Z", message: { role: "user", content: text } })}\n`;
    const titled = `${JSON.stringify({ type: "ai-title", aiTitle: "A gooseberry title", sessionId: session })}\n`;
    const file = join(folder, "-srv", `${session}.jsonl`);
    const roots = builtInSources.filter(({ id }) => id === "claude-code").map((source) => ({ source, folder }));
    writeFileSync(file, record("u1", "zyxquagga") + titled);
    await home.import(roots);
    const receipt = await home.forget({ what: "sessions", sessions: [session] });
    expect(receipt.proven).toBe(true);
    expect(receipt.sourceFiles).toEqual([file]);
    writeFileSync(file, record("u1", "zyxquagga") + titled + record("u2", "wolverine"));
    const report = await home.import(roots);
    expect(report).toMatchObject({ forgotten: 1, messages: 0, problems: [] });
    const bytes = bytesOf(home.folder);
    for (const word of ["gooseberry", "zyxquagga", "wolverine"]) expect(bytes.includes(word), word).toBe(false);
  });
});

describe("byte scan", () => {
  test("finds what stands there, across every offset, and nothing else", () => {
    const probes = ["needle", "needles in", "haystack!", "not here"].map((text) => Buffer.from(text));
    const scan = new ByteScan(probes);
    for (let offset = 0; offset < 9; offset++) {
      const found = new Set<number>();
      scan.scan(Buffer.from(`${"x".repeat(offset)}needle in a haystack!`), found);
      expect([...found].sort()).toEqual([0, 2]);
    }
    const none = new Set<number>();
    scan.scan(Buffer.from("needl"), none);
    scan.scan(Buffer.from(""), none);
    scan.scan(Buffer.from("needl eneedl"), none);
    expect([...none]).toEqual([]);
  });
});
