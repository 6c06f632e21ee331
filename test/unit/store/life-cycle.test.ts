import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { BackscrollError, builtInSources, limits, open, toEntryId, toSessionId } from "../../../src/index.ts";
import { deleteSession } from "../../../src/store/delete-session.ts";
import { parseFtsStructure, readFtsStructure } from "../../../src/store/fts-structure.ts";
import { isPurgeWanted } from "../../../src/store/purge.ts";
import { transaction } from "../../../src/store/transaction.ts";
import { bytesOf } from "../../helpers/bytes-of.ts";
import { assistant, key, message, user } from "../../helpers/entries.ts";
import { snapshot } from "../../helpers/snapshot.ts";
import { memoryStore, temporaryFolder, temporaryHome } from "../../helpers/temporary.ts";

const found = async (home: ReturnType<typeof temporaryHome>, query: string) =>
  (await home.search({ query, limit: 25, perSession: 25 })).results.map(
    ({ sessionKey, messageId }) => `${sessionKey.split(":")[2]}/${messageId}`,
  );

const texts = async (home: ReturnType<typeof temporaryHome>, rest: string, more = {}) =>
  (await home.history({ sessionKey: key(rest), ...more })).messages.map(({ messageId }) => messageId);

function code(work: () => unknown): string | null {
  try {
    work();
    return null;
  } catch (error) {
    if (error instanceof BackscrollError) return error.code;
    throw error;
  }
}

describe("fork (SPEC 1.5)", () => {
  test("copies the shown path up to an entry, indexes it, and takes nothing hidden along", async () => {
    const home = temporaryHome();
    const store = home.store("main");
    store.append(
      key("a"),
      [
        user("m1", "walnut one"),
        user("x1", "hidden walnut", { parentId: toEntryId("m1") }),
        assistant("m2", "walnut two", { parentId: toEntryId("m1") }),
        message("side", "user", "walnut aside", { attach: "side", parentId: toEntryId("m1") }),
        user("m3", "walnut three"),
      ],
      { title: { text: "a hidden title", rank: "generated" }, project: "/srv/nuts", kind: "direct" },
    );
    const row = store.fork(key("a"), key("b"), toEntryId("m2"));
    expect(snapshot(store).find(({ key }) => key === "agent:main:b")).toMatchObject({
      forkedFrom: key("a"),
      project: "/srv/nuts",
      title: null,
      transcripts: [{ sessionId: row.sessionId, leafId: "m2", indexed: ["m1", "m2"] }],
    });
    store.append(key("b"), [user("b3", "walnut elsewhere")]);
    expect(await texts(home, "b")).toEqual(["m1", "m2", "b3"]);
    expect(await texts(home, "a")).toEqual(["m1", "m2", "m3"]);
    expect(await found(home, "elsewhere")).toEqual(["b/b3"]);
  });

  test("what a reset closed stays behind", async () => {
    const home = temporaryHome();
    const store = home.store("main");
    store.append(key("a"), [
      user("m1", "before the reset"),
      { id: toEntryId("r"), type: "reset", timestamp: null, parts: [] },
      user("m2", "after the reset"),
    ]);
    store.fork(key("a"), key("b"));
    expect(await texts(home, "b")).toEqual(["m2"]);
    expect(await texts(home, "a")).toEqual(["m1", "m2"]);
  });

  test("refuses a taken key, an unknown entry and one off the branch, and leaves no trace", () => {
    const store = memoryStore();
    store.append(key("a"), [user("m1", "one"), user("m2", "two")]);
    store.setLeaf(key("a"), toEntryId("m1"));
    const before = snapshot(store);
    expect(code(() => store.fork(key("a"), key("a")))).toBe("bad_input");
    expect(code(() => store.fork(key("a"), key("b"), toEntryId("m2")))).toBe("bad_input");
    expect(code(() => store.fork(key("a"), key("b"), toEntryId("nope")))).toBe("unknown_message");
    expect(code(() => store.fork(key("none"), key("b")))).toBe("unknown_session");
    expect(snapshot(store)).toEqual(before);
  });

  test("one longer than a transaction indexes is indexed by the next read (SPEC 2.3)", async () => {
    const home = temporaryHome({ inlineEntries: 3 });
    const store = home.store("main");
    store.append(
      key("a"),
      Array.from({ length: 8 }, (_, at) => user(`m${at}`, `walnut number${at}`)),
    );
    store.fork(key("a"), key("b"));
    expect(store.db.prepare("SELECT reason FROM dirty").all()).toEqual([{ reason: "copy" }]);
    expect((await found(home, "number7")).sort()).toEqual(["a/m7"]);
    expect((await home.search({ query: "number7" })).results[0]?.copies).toBe(2);
  });
});

describe("compact, rename, archive (SPEC 1.5)", () => {
  test("a compaction keeps what came before it readable and searchable, its summary is not", async () => {
    const home = temporaryHome();
    const store = home.store("main");
    store.append(key("a"), [user("m1", "the original wording")]);
    store.compact(key("a"), { id: toEntryId("c"), summary: "a digest of it" });
    store.append(key("a"), [user("m2", "and on")]);
    expect(await found(home, "original")).toEqual(["a/m1"]);
    expect(await found(home, "digest")).toEqual([]);
    expect(await texts(home, "a")).toEqual(["m1", "m2"]);
    expect(await texts(home, "a", { includeTools: true })).toEqual(["m1", "c", "m2"]);
  });

  test("a renamed session answers to its new key alone, and its children follow", async () => {
    const home = temporaryHome();
    const store = home.store("main");
    store.append(key("a"), [user("m1", "the heron waits")]);
    store.append(key("kid"), [user("k1", "the chick waits")], { spawnedBy: key("a"), kind: "subagent" });
    store.rename(key("a"), key("b"));
    expect((await found(home, "waits")).sort()).toEqual(["b/m1", "kid/k1"]);
    expect((await home.search({ query: "chick" })).results[0]?.spawnedBy).toBe(key("b"));
    expect(code(() => store.append(key("b"), [user("m2", "on")]))).toBe(null);
    expect(code(() => store.rename(key("b"), key("kid")))).toBe("bad_input");
    expect(code(() => store.rename(key("b"), key("x", "other")))).toBe("bad_input");
    expect(code(() => store.rename(key("a"), key("c")))).toBe("unknown_session");
  });

  test("an archived session is marked, and found like every other", async () => {
    const home = temporaryHome();
    const store = home.store("main");
    store.append(key("a"), [user("m1", "the heron waits")]);
    store.archive(key("a"));
    expect((await home.sessions({ archived: true })).sessions.map(({ sessionKey }) => sessionKey)).toEqual([key("a")]);
    expect(await found(home, "heron")).toEqual(["a/m1"]);
    store.archive(key("a"), false);
    expect((await home.sessions({ archived: true })).sessions).toEqual([]);
  });
});

describe("deleting an entry (SPEC 1.5)", () => {
  test("its words are gone, what hangs below it stays, and the id is not taken in again", async () => {
    const home = temporaryHome();
    const store = home.store("main");
    store.append(key("a"), [user("m1", "one"), user("m2", "polecat den"), assistant("m3", "three")]);
    expect(store.deleteEntry(key("a"), toEntryId("m2"))).toMatchObject({ entries: 1, messages: 1 });
    expect(await found(home, "polecat")).toEqual([]);
    expect(await texts(home, "a", { includeTools: true })).toEqual(["m1", "m3"]);
    expect(store.append(key("a"), [user("m2", "polecat den")])).toEqual(["same"]);
    expect(store.upsert(key("a"), user("m2", "polecat den"))).toBe("same");
    expect(await found(home, "polecat")).toEqual([]);
    expect(store.deleteEntry(key("a"), toEntryId("m2"))).toMatchObject({ entries: 0 });
    expect(code(() => store.deleteEntry(key("a"), toEntryId("m9")))).toBe("unknown_message");
  });

  test("of a streamed message the whole goes, and later pieces do not bring it back", async () => {
    const home = temporaryHome();
    const store = home.store("main");
    store.append(key("a"), [
      assistant("p1", "weasel", { pieceOf: "x" }),
      assistant("p2", "path", { pieceOf: "x" }),
      user("m", "on"),
    ]);
    store.deleteEntry(key("a"), toEntryId("p2"));
    store.append(key("a"), [assistant("p3", "weasel again", { pieceOf: "x" })]);
    expect(await found(home, "weasel")).toEqual([]);
    expect(await texts(home, "a", { includeTools: true })).toEqual(["m"]);
  });

  test("undone, an append fills it as an import does, and until then nothing shows it", () => {
    const home = temporaryHome();
    const store = home.store("main");
    store.append(key("a"), [user("m1", "walnut"), user("m2", "oak")]);
    store.deleteEntry(key("a"), toEntryId("m1"));
    expect(home.undoForget(key("a"))).toEqual({ transcripts: 0, entries: 1 });
    expect(store.read(key("a")).map(({ id }) => id)).toEqual(["m2"]);
    expect(store.append(key("a"), [user("m1", "hazel"), user("m2", "elm")])).toEqual(["changed", "same"]);
    expect(store.read(key("a")).map(({ parts }) => parts)).toEqual([
      [{ type: "text", text: "hazel" }],
      [{ type: "text", text: "oak" }],
    ]);
    expect(snapshot(store)[0]?.transcripts[0]?.indexed).toEqual(["m1", "m2"]);
  });

  test("one whose content damage took is filled by an append, too", () => {
    const store = memoryStore();
    store.append(key("a"), [user("m1", "walnut"), user("m2", "oak")]);
    store.deleteEntry(key("a"), toEntryId("m1"));
    store.db.prepare("UPDATE entries SET type = 'lost' WHERE id = 'm1'").run();
    expect(store.read(key("a")).map(({ id }) => id)).toEqual(["m2"]);
    expect(store.append(key("a"), [user("m1", "walnut")])).toEqual(["changed"]);
    expect(snapshot(store)[0]?.transcripts[0]?.indexed).toEqual(["m1", "m2"]);
  });

  test("the leaf can go: what comes next continues there", async () => {
    const home = temporaryHome();
    const store = home.store("main");
    store.append(key("a"), [user("m1", "one"), user("m2", "two")]);
    store.deleteEntry(key("a"), toEntryId("m2"));
    store.append(key("a"), [user("m3", "three")]);
    expect(await texts(home, "a")).toEqual(["m1", "m3"]);
    expect(store.read(key("a")).map(({ id }) => id)).toEqual(["m1", "m3"]);
  });
});

describe("deleting a session (SPEC 2.2)", () => {
  const words = ["zyxquagga", "wolverine", "gooseberry"];
  const said = words.join(" ");

  test("no byte of it is left in the files, also where the index had been merged and rewound text lay in it", async () => {
    const home = temporaryHome();
    const store = home.store("main");
    store.append(
      key("keep"),
      Array.from({ length: 400 }, (_, at) => user(`k${at}`, `an ordinary sprocket ${at} of many`)),
    );
    store.append(
      key("gone"),
      [
        user("m1", said),
        assistant("m2", `${said} `.repeat(500)),
        message("t", "toolResult", "", { parts: [{ type: "toolResult", text: `${said} `.repeat(2000) }] }),
        user("m3", `rewound ${said}`),
      ],
      { title: { text: `about ${said}`, rank: "given" } },
    );
    store.setLeaf(key("gone"), toEntryId("m2"));
    store.append(
      key("keep"),
      Array.from({ length: 400 }, (_, at) => user(`l${at}`, `another sprocket ${at}`)),
    );
    store.db.exec("INSERT INTO message_index (message_index) VALUES ('optimize')");
    expect(store.deleteSession(key("gone"))).toBe(true);
    expect(isPurgeWanted(store.db)).toBe(false);
    const bytes = bytesOf(home.folder);
    for (const word of words) {
      // Also a word's tail: FTS5 stores what it shares with the word before it only once.
      for (const piece of [word, word.slice(2), word.slice(0, -2)]) expect(bytes.includes(piece)).toBe(false);
      expect(await found(home, word)).toEqual([]);
    }
    expect((await found(home, "sprocket")).length).toBe(25);
  });

  test("a reader that holds the log is not waited for: the log is cut when it is gone", async () => {
    const home = temporaryHome();
    const store = home.store("main");
    store.append(key("gone"), [user("m1", said)]);
    const reader = new DatabaseSync(store.db.path, { readOnly: true });
    reader.exec("BEGIN; SELECT * FROM sessions");
    store.deleteSession(key("gone"));
    expect(isPurgeWanted(store.db)).toBe(true);
    reader.exec("COMMIT");
    reader.close();
    await home.settle();
    expect(isPurgeWanted(store.db)).toBe(false);
    expect(bytesOf(home.folder).includes("wolverine")).toBe(false);
  });

  test("a large index is purged in slices, which a kill only interrupts", async () => {
    const home = temporaryHome();
    const store = home.store("main");
    const text = (at: number) =>
      Array.from({ length: 60 }, (_, n) => `w${(at * 7919 + n * 104729) % 50021}x`).join(" ");
    store.append(
      key("keep"),
      Array.from({ length: 12_000 }, (_, at) => user(`k${at}`, text(at))),
    );
    store.append(key("gone"), [user("m1", said)]);
    expect(readFtsStructure(store.db)?.pages).toBeGreaterThan(limits.purgeInline.default);
    store.deleteSession(key("gone"));
    expect(isPurgeWanted(store.db)).toBe(true);
    expect(await found(home, "wolverine")).toEqual([]);
    await home.settle();
    expect(readFtsStructure(store.db)?.tombstonePages).toBe(0);
    expect(bytesOf(home.folder).includes("wolverine")).toBe(false);
    expect(() => store.db.exec("INSERT INTO message_index (message_index) VALUES ('integrity-check')")).not.toThrow();
  });

  test("one made while another connection rewrites the file is purged, too", async () => {
    const home = temporaryHome();
    const [one, other] = [home.store("main"), open({ home: home.folder, durability: "normal" })];
    onTestFinished(() => other.close());
    one.append(key("first"), [user("m", "walnut")]);
    one.append(
      key("second"),
      Array.from({ length: 40 }, (_, i) => user(`m${i}`, "gooseberry")),
    );
    one.append(key("third"), [user("m", "hazelnut")]);
    const exec = one.db.exec.bind(one.db);
    // Between the rewrite and its note in the database, another process deletes, and is killed before it purges.
    vi.spyOn(one.db, "exec").mockImplementation((sql) => {
      exec(sql);
      if (sql !== "VACUUM") return;
      vi.restoreAllMocks();
      const { db } = other.store("main");
      transaction(db, () => deleteSession(db, key("second"), 1));
    });
    one.deleteSession(key("first"));
    await home.settle();
    expect(readFtsStructure(one.db)).toMatchObject({ deletedRows: 0, tombstonePages: 0 });
    expect(bytesOf(home.folder).includes("gooseberry")).toBe(false);
  });

  test("an import does not bring it back, however the file changes; a new session of the same file does come", async () => {
    const home = temporaryHome();
    const folder = join(temporaryFolder(), "notes");
    mkdirSync(folder);
    const line = (session: string, id: string, text: string) =>
      `${JSON.stringify({ type: "message", sessionKey: `agent:main:${session}`, id, role: "user", text, timestamp: 1_760_000_000_000 })}\n`;
    const roots = builtInSources.filter(({ id }) => id === "jsonl").map((source) => ({ source, folder }));
    const file = join(folder, "a.jsonl");
    writeFileSync(file, line("a", "m1", said));
    await home.import(roots);
    expect(home.store("main").deleteSession(key("a"))).toBe(true);
    writeFileSync(file, line("a", "m1", said) + line("a", "m2", "grown gooseberry") + line("b", "m1", "a new session"));
    expect((await home.import(roots)).forgotten).toBe(1);
    expect(await found(home, "gooseberry")).toEqual([]);
    expect(await found(home, "session")).toEqual(["b/m1"]);
    writeFileSync(file, line("a", "m0", "rewritten gooseberry"));
    await home.import(roots);
    expect(await found(home, "gooseberry")).toEqual([]);
    expect(await home.sessions().then(({ sessions }) => sessions.map(({ sessionKey }) => sessionKey))).toEqual([
      key("b"),
    ]);
  });

  test("works also where the index is damaged or gone; what stays is indexed anew", async () => {
    for (const damage of [
      "DROP TABLE message_index",
      "UPDATE message_index_data SET block = x'00000000ff00000105ff' WHERE id = 10",
    ]) {
      const home = temporaryHome();
      const store = home.store("main");
      store.append(key("gone"), [user("m1", said)]);
      store.append(key("keep"), [user("k1", "the sprocket stays")]);
      home.close();
      // FTS5's own tables are closed to everybody who did not ask for this.
      const raw = new DatabaseSync(join(home.folder, "agents", "main", "transcripts.sqlite"), { defensive: false });
      raw.exec(damage);
      raw.close();
      const again = open({ home: home.folder });
      expect(again.store("main").deleteSession(key("gone")), damage).toBe(true);
      expect((await again.search({ query: "gooseberry" })).results).toEqual([]);
      expect((await again.search({ query: "sprocket" })).results.map(({ messageId }) => messageId)).toEqual(["k1"]);
      again.close();
    }
  });

  test("an agent goes session by session, and does not come back either", async () => {
    const home = temporaryHome();
    home.store("main").append(key("a"), [user("m1", said)]);
    home.store("main").append(key("b"), [user("m1", said)]);
    home.store("other").append(key("c", "other"), [user("m1", "the sprocket stays")]);
    expect(home.deleteAgent("main")).toMatchObject({ sessions: 2, entries: 2, messages: 2 });
    expect((await home.sessions()).sessions.map(({ sessionKey }) => sessionKey)).toEqual([key("c", "other")]);
    expect(bytesOf(home.folder).includes("wolverine")).toBe(false);
  });
});

describe("an index with many deleted rows", () => {
  test("is tidied up in the background, and a deletion meanwhile is purged as every other (SPEC 2.4)", async () => {
    const home = temporaryHome();
    const store = home.store("main");
    const rewindMany = (prefix: string) => {
      const ids = Array.from({ length: 2500 }, (_, at) => `${prefix}${at}`);
      store.append(
        key("a"),
        ids.map((id) => user(id, `walnut ${id}`)),
      );
      store.setLeaf(key("a"), toEntryId(`${prefix}0`));
    };
    rewindMany("m");
    expect(readFtsStructure(store.db)?.deletedRows).toBeGreaterThan(2000);
    await home.settle();
    expect(readFtsStructure(store.db)?.tombstonePages).toBe(0);
    expect(store.db.prepare("SELECT 1 FROM index_state WHERE name = 'purge'").get()).toBeUndefined();
    expect(await found(home, "walnut")).toEqual(["a/m0"]);
    rewindMany("n");
    store.reconciler.start();
    store.append(key("gone"), [user("m1", "a wolverine")]);
    store.deleteSession(key("gone"));
    await home.settle();
    expect(isPurgeWanted(store.db)).toBe(false);
    expect(bytesOf(home.folder).includes("wolverine")).toBe(false);
    expect(() => store.db.exec("INSERT INTO message_index (message_index) VALUES ('integrity-check')")).not.toThrow();
  });
});

describe("the structure record of FTS5", () => {
  test("one that is cut or of another kind is no structure", () => {
    const store = memoryStore();
    store.append(key("a"), [user("m1", "one two")]);
    const block = store.db.prepare("SELECT block FROM message_index_data WHERE id = 10").get()?.block as Uint8Array;
    expect(parseFtsStructure(block)).toEqual({ pages: 1, tombstonePages: 0, rows: 1, deletedRows: 0 });
    expect(parseFtsStructure(block.subarray(0, block.length - 1))).toBe(null);
    expect(parseFtsStructure(new Uint8Array(12))).toBe(null);
    expect(parseFtsStructure(new Uint8Array())).toBe(null);
  });
});

describe("incognito (SPEC 6.5)", () => {
  test("facts that name it by its session id stay in memory, too", async () => {
    const home = temporaryHome();
    const store = home.store("main");
    store.append(key("hidden"), [user("m1", "walnut")], { incognito: true });
    store.setFacts({ sessionId: toSessionId("hidden"), title: { text: "gooseberry", rank: "given" } });
    expect((await home.sessions({})).sessions).toEqual([]);
    expect(bytesOf(home.folder).includes("gooseberry")).toBe(false);
  });

  test("no tool sees it, no file has it, the program that leads it reads it", async () => {
    const home = temporaryHome();
    const store = home.store("main");
    store.append(key("plain"), [user("m1", "the sprocket stays")]);
    store.append(key("shy"), [user("m1", "a gooseberry secret"), user("m2", "and more")], { incognito: true });
    store.append(key("shy"), [assistant("m3", "a wolverine answer", { parentId: toEntryId("m1") })]);
    expect(store.read(key("shy")).map(({ id }) => id)).toEqual(["m1", "m3"]);
    store.fork(key("shy"), key("shy-too"));
    store.setLeaf(key("shy-too"), toEntryId("m1"));
    expect(store.read(key("shy-too")).map(({ id }) => id)).toEqual(["m1"]);
    for (const query of ["gooseberry", "wolverine", "secret"]) expect(await found(home, query)).toEqual([]);
    expect((await home.sessions()).sessions.map(({ sessionKey }) => sessionKey)).toEqual([key("plain")]);
    await expect(home.history({ sessionKey: key("shy") })).rejects.toMatchObject({ code: "unknown_session" });
    expect([...home.export({ reveal: true })].join("")).not.toContain("gooseberry");
    expect(bytesOf(home.folder).includes("gooseberry")).toBe(false);
    expect(code(() => store.append(key("plain"), [user("m2", "x")], { incognito: true }))).toBe("bad_input");
    expect(code(() => store.rename(key("shy"), key("plain")))).toBe("bad_input");
    expect(store.deleteSession(key("shy"))).toBe(true);
    expect(code(() => store.read(key("shy")))).toBe("unknown_session");
    home.close();
    expect(bytesOf(home.folder).includes("gooseberry")).toBe(false);
  });
});

describe("dirty ranges (SPEC 2.4, 2.6)", () => {
  test("what is appended to a dirty session is found at once, and never makes more work", async () => {
    const home = temporaryHome({ inlineEntries: 3 });
    const store = home.store("main");
    store.append(
      key("a"),
      Array.from({ length: 20 }, (_, at) => user(`m${at}`, `walnut number${at}`)),
    );
    store.setLeaf(key("a"), toEntryId("m5"));
    store.append(key("a"), [user("n1", "walnut fresh")]);
    const range = () => store.db.prepare('SELECT "from", "to" FROM dirty').get();
    const before = range();
    store.append(key("a"), [user("n2", "walnut fresher")]);
    expect(range()).toEqual(before);
    const answer = await home.search({ query: "walnut fresh", match: "all", waitMs: 0 });
    expect(answer.results.map(({ messageId }) => messageId)).toEqual(["n1"]);
    expect(await found(home, "walnut")).toHaveLength(8);
  });

  test("an anchor inside the range is shown with its branch, and the answer says why", async () => {
    const home = temporaryHome({ inlineEntries: 3, now: () => Number.MAX_SAFE_INTEGER });
    const store = home.store("main");
    store.append(
      key("a"),
      Array.from({ length: 20 }, (_, at) => user(`m${at}`, `walnut number${at}`)),
    );
    store.setLeaf(key("a"), toEntryId("m5"));
    // A second store that never reconciles: the range is still there when history looks.
    store.reconciler.stop();
    const page = await home.history({ sessionKey: key("a"), messageId: "m8", limit: 3 });
    expect(page.messages.map(({ messageId }) => messageId)).toEqual(["m6", "m7", "m8"]);
    expect(page.note).toContain("still being indexed");
    expect(page.indexing).toBe(true);
  });
});
