/** Other processes hold locks: reading goes on, writing waits or says that nothing was stored (SPEC 1.14). */
import { spawn } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, onTestFinished, test } from "vitest";
import { open } from "../../src/index.ts";
import { toAgentId } from "../../src/model/ids.ts";
import { AgentStore } from "../../src/store/agent-store.ts";
import { startChild } from "../helpers/child.ts";
import { key, user } from "../helpers/entries.ts";
import { temporaryFolder, temporaryHome } from "../helpers/temporary.ts";

const bin = resolve(import.meta.dirname, "../../bin/backscroll.js");
const main = toAgentId("main");
const dbOf = (home: string) => join(home, "agents", "main", "transcripts.sqlite");

/** A settled home with one message, and its folder. */
function settledHome() {
  const home = temporaryHome();
  home.store("main").append(key("a"), [user("m1", "the first quagga")]);
  return home;
}

async function run(...args: string[]): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn(process.execPath, [bin, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, TZ: "UTC", HOME: "/nowhere", BACKSCROLL_HOME: "/nowhere" },
  });
  const exit = new Promise<number | null>((done) => child.on("close", done));
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await exit, out, err };
}

describe("while another process holds the write lock", () => {
  // The lock is held until the test says so: that a reader answers at all shows that it did not wait.
  test("a settled store opens, searches, reads and lists, in a process of its own and in this one (L01, L03, SPEC 1.14)", async () => {
    const home = settledHome();
    const holder = await startChild("hold-lock.ts", [dbOf(home.folder)]);
    const found = await run("search", "--home", home.folder, "quagga");
    expect(found).toMatchObject({ code: 0, err: "" });
    expect(found.out).toContain("the first quagga");
    expect((await run("sessions", "--home", home.folder)).code).toBe(0);
    const opened = open({ home: home.folder });
    onTestFinished(() => opened.close());
    expect((await opened.search({ query: "quagga" })).results).toHaveLength(1);
    expect((await opened.history({ sessionKey: "agent:main:a" })).messages).toHaveLength(1);
    await holder.end();
  });

  test("search answers from what is stored when there is something new to take in, and says so (L01, SPEC 1.14)", async () => {
    const home = settledHome();
    const folder = temporaryFolder();
    const line = JSON.stringify({
      type: "message",
      sessionKey: "agent:main:b",
      id: "m9",
      role: "user",
      text: "a new quagga",
    });
    writeFileSync(join(folder, "talk.jsonl"), `${line}\n`);
    home.addRoots([{ source: "jsonl", folder }]);
    const holder = await startChild("hold-lock.ts", [dbOf(home.folder)]);
    const found = await run("search", "--home", home.folder, "quagga");
    expect(found.code).toBe(0);
    expect(found.out).not.toContain("a new quagga");
    expect(found.err).toBe(
      `New transcripts were not taken in: another process holds the write lock of ${dbOf(home.folder)}\n`,
    );
    await holder.end();
    expect((await run("search", "--home", home.folder, "quagga")).out).toContain("a new quagga");
  });

  test("a store that has to be brought up to date first is busy, and works once the lock is gone (L01, SPEC 1.14)", async () => {
    const folder = temporaryFolder();
    mkdirSync(dirname(dbOf(folder)), { recursive: true });
    copyFileSync(join(import.meta.dirname, "../fixtures/databases/schema-2.sqlite"), dbOf(folder));
    const home = open({ home: folder, busyWait: 100 });
    onTestFinished(() => home.close());
    const holder = await startChild("hold-lock.ts", [dbOf(folder)]);
    await expect(home.search({ query: "anything" })).rejects.toMatchObject({ code: "busy" });
    await holder.end();
    expect((await home.search({ query: "anything" })).explain?.emptyStore).toBeUndefined();
  });

  test("an append waits for it (L08, SPEC 1.14)", async () => {
    const home = settledHome();
    await startChild("hold-lock.ts", [dbOf(home.folder), "1500"]);
    home.store("main").append(key("a"), [user("m2", "the second quagga")]);
    expect((await home.search({ query: "second" })).results).toHaveLength(1);
  });

  test("an append that waited long enough fails as busy, and nothing is stored (L08, SPEC 1.14)", async () => {
    const home = temporaryHome({ busyWait: 100 });
    home.store("main").append(key("a"), [user("m1", "the first quagga")]);
    const holder = await startChild("hold-lock.ts", [dbOf(home.folder)]);
    const append = () => home.store("main").append(key("b"), [user("m2", "the second quagga")]);
    expect(append).toThrow(
      expect.objectContaining({ code: "busy", hint: expect.stringContaining("Nothing was stored") }),
    );
    expect((await home.sessions()).sessions).toHaveLength(1);
    await holder.end();
    expect(append()).toEqual(["added"]);
  });
});

test("many processes that open, append, rewind and search at once: no error of any kind, nothing lost (SPEC 1.14)", async () => {
  const home = temporaryFolder();
  const rounds = 20;
  const names = ["alder", "birch", "cedar", "maple"];
  const outcomes = await Promise.all(
    names.map(async (name) => {
      const child = spawn(
        process.execPath,
        [join(import.meta.dirname, "../helpers/read-and-write.ts"), home, name, String(rounds)],
        { stdio: ["ignore", "ignore", "pipe"] },
      );
      const exit = new Promise<number | null>((done) => child.on("close", done));
      return { err: await text(child.stderr), code: await exit };
    }),
  );
  expect(outcomes).toEqual(names.map(() => ({ err: "", code: 0 })));
  const store = new AgentStore(dbOf(home), main);
  onTestFinished(() => store.close());
  const one = (sql: string) => store.db.prepare(sql).get();
  expect(one("SELECT count(*) AS n FROM messages")).toEqual({ n: names.length * rounds * 2 });
  expect(one("SELECT count(*) AS n FROM message_index WHERE message_index MATCH 'heron'")).toEqual({
    n: names.length * rounds,
  });
  expect(one("PRAGMA integrity_check")).toEqual({ integrity_check: "ok" });
});

test("writing while an older read of the same connection is open is busy in our words, not SQLite's (SPEC 1.14)", () => {
  const path = join(temporaryFolder(), "transcripts.sqlite");
  const [store, other] = [new AgentStore(path, main), new AgentStore(path, main)];
  onTestFinished(() => [store, other].forEach((each) => void each.close()));
  store.append(key("a"), [user("m1", "one"), user("m2", "two"), user("m3", "three")]);
  const reading = store.db.prepare("SELECT id FROM entries").iterate();
  expect(reading.next().value).toEqual({ id: "m1" });
  other.append(key("b"), [user("m4", "four")]);
  expect(() => store.append(key("a"), [user("m5", "five")])).toThrow(
    expect.objectContaining({ code: "busy", hint: expect.stringContaining("export") }),
  );
  reading.return?.();
  expect(store.append(key("a"), [user("m5", "five")])).toEqual(["added"]);
});

// A POSIX lock is gone as soon as its process closes any handle on the file. An older SQLite (another program's) then
// believes to be alone with the file and takes the write-ahead log away, with what was acknowledged in it.
test.runIf(process.platform === "linux")(
  "opening a store once more in a process leaves the locks that it holds in place (SPEC 1.14)",
  () => {
    const path = join(temporaryFolder(), "transcripts.sqlite");
    const locks = () =>
      readFileSync("/proc/locks", "utf8")
        .split("\n")
        .filter((line) => line.includes(` ${process.pid} `) && line.includes(`:${statSync(path).ino} `));
    const first = new AgentStore(path, main);
    onTestFinished(() => first.close());
    first.append(key("a"), [user("m1", "one")]);
    expect(locks()).toEqual([expect.stringContaining("READ")]);
    new AgentStore(path, main).close();
    expect(locks()).toEqual([expect.stringContaining("READ")]);
  },
);
