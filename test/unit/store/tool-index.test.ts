/** The index of tool calls and results: an opt-in that lasts, in step with every write, gone with what it is of (SPEC 3.7). */
import { describe, expect, test } from "vitest";
import { open, type Part, toEntryId } from "../../../src/index.ts";
import { bytesOf } from "../../helpers/bytes-of.ts";
import { assistant, call, key, result, user } from "../../helpers/entries.ts";
import { temporaryHome } from "../../helpers/temporary.ts";

type Home = ReturnType<typeof temporaryHome>;

const on = { index: { tools: true } } as const;

function rows(home: Home, agent = "main"): number[] {
  const count = (sql: string) => Number(home.store(agent).db.prepare(sql).get()?.n);
  return [
    count("SELECT count(*) AS n FROM tool_messages"),
    count("SELECT count(*) AS n FROM tool_index_docsize"),
    count("SELECT coalesce(sum(messages), 0) AS n FROM tool_totals"),
  ];
}

async function found(home: Home, query: string): Promise<string[]> {
  const { results } = await home.search({ query, includeTools: true, limit: 25, perSession: 25, waitMs: 60_000 });
  return results.filter(({ part }) => part === "tool").map(({ messageId }) => messageId);
}

describe("the opt-in (SPEC 3.7)", () => {
  test("off unless asked for: nothing is written, and an append runs no statement for it", () => {
    const home = temporaryHome();
    const { db } = home.store("main");
    home.store("main").append(key("a"), [user("m0", "begin")]);
    const seen: string[] = [];
    const prepare = db.prepare.bind(db);
    Object.assign(db, {
      prepare: (sql: string) => {
        seen.push(sql);
        return prepare(sql);
      },
    });
    home.store("main").append(key("a"), [result("m1", "sluice gate stuck"), user("m2", "hm")]);
    Object.assign(db, { prepare });
    expect(seen.length).toBeGreaterThan(3);
    // What the choice is comes along with the transcript's row.
    const own = seen.filter((sql) => /\btool_|'tools'/.test(sql) && !/FROM transcripts/.test(sql));
    expect(own).toEqual([]);
    expect(rows(home)).toEqual([0, 0, 0]);
  });

  test("whoever opens the store later keeps it in step, also one who had it open before", async () => {
    const early = temporaryHome();
    early.store("main").append(key("a"), [user("m0", "begin")]);
    const other = open({ home: early.folder, ...on });
    await other.settle();
    early.store("main").append(key("a"), [result("m1", "sluice gate stuck")]);
    expect(await found(early, "sluice")).toEqual(["m1"]);
    other.store("main");
    other.indexTools(false);
    other.close();
    early.store("main").append(key("a"), [result("m2", "sluice gate stuck again")]);
    expect(rows(early)).toEqual([0, 0, 0]);
    expect(await found(early, "sluice")).toEqual([]);
  });

  test("turned on it takes in what is stored, in the background; nobody has to wait for a command (SPEC 2.7)", async () => {
    const home = temporaryHome();
    home.store("main").append(key("a"), [call("m1", { command: "make weir" }), result("m2", "sluice gate stuck")]);
    home.indexTools(true);
    expect(home.toolIndexes()).toEqual({ agents: { main: true }, new: true });
    expect(await found(home, "sluice")).toEqual(["m2"]);
    expect(await found(home, "weir")).toEqual(["m1"]);
  });

  test("an agent that comes later begins with the home's choice", async () => {
    const home = temporaryHome();
    home.indexTools(true);
    home.store("later").append(key("a", "later"), [result("m1", "sluice gate stuck")]);
    expect(rows(home, "later")).toEqual([1, 1, 1]);
  });

  test("turned off, its words leave the file", async () => {
    const home = temporaryHome(on);
    const store = home.store("main");
    // Packed, so that the entry itself does not spell the word.
    store.append(key("a"), [result("m1", `quagmire\n${"sluice gate stuck\n".repeat(3000)}`)]);
    store.db.exec("INSERT INTO tool_index (tool_index) VALUES ('optimize')");
    store.db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    const indexed = bytesOf(home.folder).toString("latin1").split("quagmire").length;
    home.indexTools(false);
    await home.settle();
    expect(rows(home)).toEqual([0, 0, 0]);
    expect(bytesOf(home.folder).toString("latin1").split("quagmire").length).toBeLessThan(indexed);
  });

  test("an extraction of another version makes everything dirty (SPEC 2.7)", async () => {
    const home = temporaryHome(on);
    home.store("main").append(key("a"), [result("m1", "sluice gate stuck")]);
    home.store("main").db.exec("UPDATE index_state SET value = 0 WHERE name = 'tools'; DELETE FROM tool_messages");
    home.close();
    const again = Object.assign(open({ home: home.folder }), { folder: home.folder });
    try {
      expect(await found(again, "sluice")).toEqual(["m1"]);
    } finally {
      again.close();
    }
  });
});

describe("in step with every write (SPEC 3.7)", () => {
  test("rewind, edit, deletion of an entry and of a session take the rows along", async () => {
    const home = temporaryHome(on);
    const store = home.store("main");
    store.append(key("a"), [user("m1", "go"), result("m2", "sluice one"), result("m3", "sluice two")]);
    expect((await found(home, "sluice")).sort()).toEqual(["m2", "m3"]);
    store.setLeaf(key("a"), toEntryId("m2"));
    expect(await found(home, "sluice")).toEqual(["m2"]);
    store.setLeaf(key("a"), toEntryId("m3"));
    expect((await found(home, "sluice")).sort()).toEqual(["m2", "m3"]);
    store.upsert(key("a"), result("m2", "culvert one"));
    expect(await found(home, "culvert")).toEqual(["m2"]);
    expect(await found(home, "sluice")).toEqual(["m3"]);
    store.deleteEntry(key("a"), toEntryId("m2"));
    expect(await found(home, "culvert")).toEqual([]);
    store.deleteSession(key("a"));
    expect(rows(home)).toEqual([0, 0, 0]);
  });

  test("pieces of one message: a call that comes later is found, and is one row", async () => {
    const home = temporaryHome(on);
    const piece = (id: string, part: Part) => assistant(id, "", { parts: [part], pieceOf: "whole" });
    home
      .store("main")
      .append(key("a"), [
        piece("p1", { type: "text", text: "let me look" }),
        piece("p2", { type: "toolCall", name: "read", arguments: { path: "src/sluice.ts" } }),
      ]);
    expect(await found(home, "src/sluice.ts")).toEqual(["p1"]);
    expect(rows(home)).toEqual([1, 1, 1]);
  });

  test("a fork takes along what it shows, a large change is left to reconciliation (SPEC 2.3)", async () => {
    const home = temporaryHome({ ...on, inlineEntries: 1 });
    const store = home.store("main");
    store.append(key("a"), [user("m1", "go"), result("m2", "sluice one"), result("m3", "sluice two")]);
    store.fork(key("a"), key("b"));
    store.setLeaf(key("a"), toEntryId("m1"));
    await home.settle();
    expect(rows(home)).toEqual([2, 2, 2]);
    const { results } = await home.search({ query: "sluice", includeTools: true });
    expect(new Set(results.map(({ sessionKey }) => sessionKey))).toEqual(new Set([key("b")]));
  });

  test("an incognito session leaves nothing (SPEC 6.5)", () => {
    const home = temporaryHome(on);
    home.store("main").append(key("i"), [result("m1", "sluice")], { incognito: true });
    expect(rows(home)).toEqual([0, 0, 0]);
  });
});

describe("forget (SPEC 2.2, 3.7)", () => {
  test("the words of tool traffic are gone from every file, and the receipt says so", async () => {
    const home = temporaryHome(on);
    const store = home.store("main");
    store.append(key("gone"), [call("m1", { command: "rm quagmire" }), result("m2", "bittern: quagmire not found")]);
    store.append(key("keep"), [result("m1", "sluice")]);
    const receipt = await home.forget({ what: "sessions", sessions: [key("gone")] });
    expect(receipt.proven).toBe(true);
    const bytes = bytesOf(home.folder);
    for (const word of ["quagmire", "uagmire", "bittern"]) expect(bytes.includes(word)).toBe(false);
    expect(rows(home)).toEqual([1, 1, 1]);
  });
});

describe("secrets (SPEC 5.2, 5.3, 3.7)", () => {
  const secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
  test.each([
    ["in a command", call("m1", { command: `curl -H "Authorization: Bearer ${secret}" https://weir.example` })],
    ["under a name", call("m1", { password: "heronbittern" })],
    ["under a name, with what has to be escaped", call("m1", { password: 'heron"bittern\n' })],
    [
      "as words of a command",
      assistant("m1", "", {
        parts: [{ type: "toolCall", name: "sh", arguments: { argv: ["login", "--password", "heronbittern"] } }],
      }),
    ],
    ["in a result", result("m1", `token = ${secret}`)],
    ["cut by the bound of a start", result("m1", `${"x ".repeat(290)}token=${secret} and on ${"y ".repeat(3000)}`)],
  ])("%s: neither a piece of it finds it, nor does a hit show it", async (_, entry) => {
    const home = temporaryHome(on);
    home.store("main").append(key("a"), [entry, result("m9", "lighthouse")]);
    for (const query of [secret, secret.slice(0, 6), "16C7e42F292c", "heronbittern", "bittern", "heron", "ghp*"])
      expect(await found(home, query), query).toEqual([]);
    const { results } = await home.search({
      query: "curl OR bash OR token OR x OR login OR lighthouse",
      includeTools: true,
    });
    expect(results.length).toBeGreaterThan(0);
    for (const { snippet } of results) {
      expect(snippet).not.toContain(secret.slice(6, 20));
      expect(snippet).not.toContain("bittern");
    }
  });
});
