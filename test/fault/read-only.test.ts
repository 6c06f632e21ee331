/** Homes that can't be written: read all the same, never changed, and never taken for empty (SPEC 1.13). */
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { open, toEntryId } from "../../src/index.ts";
import { schemaVersion } from "../../src/store/migrate.ts";
import { startChild } from "../helpers/child.ts";
import { key, user } from "../helpers/entries.ts";
import { temporaryFolder } from "../helpers/temporary.ts";
import { freeze, nobody, runUnprivileged } from "../helpers/unprivileged.ts";

const dbOf = (home: string) => join(home, "agents", "main", "transcripts.sqlite");

/** A home with two messages, closed. */
function settledHome(): string {
  const home = join(temporaryFolder(), "home");
  const store = open({ home });
  store.store("main").append(key("a"), [user("m1", "the first quagga"), user("m2", "the second quagga")]);
  store.close();
  return home;
}

/** Every file below a folder with its bytes and times. */
function bytes(folder: string): Map<string, string> {
  return new Map(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path, `${statSync(path).mtimeMs} ${readFileSync(path).toString("base64")}`]),
  );
}

/** Lets everybody read what a writer has made private. */
function makeReadable(home: string): void {
  for (const end of ["", "-wal", "-shm"])
    if (statSync(`${dbOf(home)}${end}`, { throwIfNoEntry: false })) chmodSync(`${dbOf(home)}${end}`, 0o644);
}

/** A home as a killed writer leaves it: the second message stands in the write-ahead log alone. */
function homeWithLog(withShm: boolean): string {
  const home = settledHome();
  const store = open({ home });
  store.store("main").append(key("a"), [user("m3", "the third quagga")]);
  const copy = join(temporaryFolder(), "home");
  cpSync(home, copy, { recursive: true });
  store.close();
  if (!withShm) rmSync(`${dbOf(copy)}-shm`);
  return copy;
}

test("the command line reads it: search, history, sessions, stats, export; nothing in it changes (SPEC 1.13)", () => {
  const home = settledHome();
  freeze(home);
  const before = bytes(home);
  const found = runUnprivileged("search", "--json", "--home", home, "quagga");
  expect([found.code, found.err]).toEqual([0, ""]);
  expect(JSON.parse(found.out)).toMatchObject({ results: [{ messageId: "m1" }, { messageId: "m2" }] });
  expect(JSON.parse(found.out)).not.toHaveProperty("indexing");
  expect(runUnprivileged("history", "--home", home, "agent:main:a").out).toContain("the second quagga");
  expect(runUnprivileged("sessions", "--home", home).out).toContain("agent:main:a");
  expect(JSON.parse(runUnprivileged("stats", "--json", "--home", home).out)).toMatchObject({
    agents: [{ messages: 2 }],
  });
  expect(runUnprivileged("export", "--home", home).out).toContain("the first quagga");
  expect(bytes(home)).toEqual(before);
});

test("search says once that it took nothing in, sync and an export with --reveal fail and name the file (SPEC 1.13)", () => {
  const home = settledHome();
  const folder = temporaryFolder();
  chmodSync(folder, 0o755);
  const line = JSON.stringify({
    type: "message",
    sessionKey: "agent:main:b",
    id: "m9",
    role: "user",
    text: "a new quagga",
  });
  writeFileSync(join(folder, "talk.jsonl"), `${line}\n`);
  writeFileSync(join(home, "roots.json"), JSON.stringify({ roots: [{ source: "jsonl", folder }] }));
  freeze(home);
  const found = runUnprivileged("search", "--home", home, "quagga");
  expect(found.code).toBe(0);
  expect(found.err).toBe(
    `New transcripts were not taken in: ${dbOf(home)} can't be written; it was opened for reading\n`,
  );
  const quiet = runUnprivileged("search", "--no-sync", "--home", home, "quagga");
  expect([quiet.code, quiet.err]).toEqual([0, ""]);
  for (const command of [["sync"], ["export", "--reveal"]]) {
    const { code, err } = runUnprivileged(...command, "--home", home);
    expect([code, err]).toEqual([2, expect.stringContaining(`${dbOf(home)} can't be written`)]);
    expect(err).toContain("Make the file and its folder writable");
  }
  const root = runUnprivileged("search", "--home", home, "--root", `jsonl=${temporaryFolder()}`, "quagga");
  expect([root.code, root.err]).toEqual([0, expect.stringContaining("roots.json")]);
});

test("the doctor says what it found before it could go no further, with --fix, too (SPEC 1.13, 2.8)", () => {
  const home = settledHome();
  const store = open({ home });
  store.store("main").deleteEntry(key("a"), toEntryId("m2"));
  store.close();
  freeze(home);
  for (const args of [["doctor"], ["doctor", "--fix"]]) {
    const { code, out, err } = runUnprivileged(...args, "--home", home);
    expect([code, err]).toEqual([1, ""]);
    for (const words of ["open-mode", "tombstones.txt is 0", "not checked", "can't be written"])
      expect(out).toContain(words);
  }
});

test("a home in which nothing can be made is an error for sync, and no reason for search to fail (SPEC 1.13)", () => {
  const home = join(temporaryFolder(), "home");
  mkdirSync(home);
  freeze(home);
  const folder = temporaryFolder();
  chmodSync(folder, 0o755);
  writeFileSync(join(folder, "notes.jsonl"), "not a transcript\n");
  expect(runUnprivileged("sync", "--home", home, "--root", `jsonl=${folder}`)).toMatchObject({
    code: 2,
    err: expect.stringContaining("roots.json"),
  });
  const { code, out, err } = runUnprivileged("search", "--home", home, "--root", `jsonl=${folder}`, "quagga");
  expect([code, err]).toEqual([1, expect.stringContaining("New transcripts were not taken in")]);
  expect(out).toContain("Nothing found");
});

describe("a write-ahead log that was not merged (SPEC 1.13)", () => {
  test.each([
    ["with the index of the log", true],
    ["without it: a private copy, gone when it is open", false],
  ])("%s", async (_, withShm) => {
    const home = homeWithLog(withShm);
    freeze(home);
    const before = bytes(home);
    const scratch = temporaryFolder();
    chmodSync(scratch, 0o777);
    const reader = await startChild("search-when-asked.ts", [home, scratch], nobody);
    expect(await reader.ask("quagga")).toEqual({ found: ["m1", "m2", "m3"] });
    if (process.platform !== "win32") expect(readdirSync(scratch)).toEqual([]);
    expect(await reader.ask("third")).toEqual({ found: ["m3"] });
    expect(await reader.end()).toBe(0);
    expect(readdirSync(scratch)).toEqual([]);
    expect(bytes(home)).toEqual(before);
  });

  test("without a scratch folder, or without room in it, it is refused by name", async () => {
    const home = homeWithLog(false);
    freeze(home);
    const none = await startChild("search-when-asked.ts", [home], nobody);
    expect(await none.ask("quagga")).toEqual({ code: "io", error: expect.stringContaining("write-ahead log") });
    const gone = await startChild("search-when-asked.ts", [home, join(home, "no-such")], nobody);
    expect(await gone.ask("quagga")).toEqual({ code: "io", error: expect.stringContaining("no-such") });
  });
});

test("what somebody writes after all is found by a reader that has it open (SPEC 1.13)", async () => {
  const home = settledHome();
  freeze(home);
  const scratch = temporaryFolder();
  chmodSync(scratch, 0o777);
  const reader = await startChild("search-when-asked.ts", [home, scratch], nobody);
  expect(await reader.ask("quagga")).toEqual({ found: ["m1", "m2"] });
  if (process.getuid?.() !== 0) for (const path of [join(home, "agents", "main"), dbOf(home)]) chmodSync(path, 0o700);
  const writer = open({ home });
  onTestFinished(() => writer.close());
  writer.store("main").append(key("a"), [user("m3", "the third quagga")]);
  makeReadable(home);
  expect(await reader.ask("quagga")).toEqual({ found: ["m1", "m2", "m3"] });
  writer.store("main").append(key("a"), [user("m4", "the fourth quagga")]);
  expect(await reader.ask("quagga")).toEqual({ found: ["m1", "m2", "m3", "m4"] });
  writer.close();
  expect(await reader.ask("quagga")).toEqual({ found: ["m1", "m2", "m3", "m4"] });
  const next = open({ home });
  onTestFinished(() => next.close());
  next.store("main").append(key("a"), [user("m5", "the fifth quagga")]);
  next.close();
  makeReadable(home);
  expect(await reader.ask("quagga")).toEqual({ found: ["m1", "m2", "m3", "m4", "m5"] });
});

test("what is written in the middle of an answer makes it begin again (SPEC 1.13)", async () => {
  const home = settledHome();
  freeze(home);
  const signal = join(temporaryFolder(), "go-on");
  chmodSync(join(signal, ".."), 0o755);
  const reader = await startChild("search-when-asked.ts", [home, "/nowhere", signal], nobody);
  expect(await reader.ask("quagga")).toBe("opened");
  if (process.getuid?.() !== 0) for (const path of [join(home, "agents", "main"), dbOf(home)]) chmodSync(path, 0o700);
  const writer = open({ home });
  onTestFinished(() => writer.close());
  writer.store("main").append(key("a"), [user("m3", "the third quagga")]);
  makeReadable(home);
  const answer = reader.next();
  writeFileSync(signal, "");
  expect(await answer).toEqual({ found: ["m1", "m2", "m3"] });
});

describe("what is not indexed is pending, and the warning says why (SPEC 1.13, 2.6)", () => {
  const searched = (change: string) => {
    const home = settledHome();
    const db = new DatabaseSync(dbOf(home));
    db.exec(change);
    db.close();
    freeze(home);
    const before = bytes(home);
    const { code, out } = runUnprivileged("search", "--json", "--home", home, "quagga");
    expect(bytes(home)).toEqual(before);
    return { home, code, answer: JSON.parse(out) };
  };
  const pending = { indexing: true, warning: expect.stringMatching(/^1 session is not indexed yet.*can't be written/) };

  test("a dirty transcript: the part before the mark is found", () => {
    const { code, answer } = searched(
      `INSERT INTO dirty (transcript, "from", reason) SELECT no, (no << 24) + 1, 'branch' FROM transcripts`,
    );
    expect([code, answer]).toEqual([0, expect.objectContaining(pending)]);
    expect(answer.results).toMatchObject([{ messageId: "m1" }]);
  });

  test("an index of another version of redaction: nothing is found in it, histories are whole", () => {
    const { home, code, answer } = searched("UPDATE index_state SET value = value + 1 WHERE name = 'redaction'");
    expect([code, answer]).toEqual([1, expect.objectContaining({ results: [], ...pending })]);
    expect(answer.explain?.emptyStore).toBeUndefined();
    const history = runUnprivileged("history", "--home", home, "agent:main:a").out;
    expect(history).toContain("the first quagga");
    expect(history).toContain("the second quagga");
  });
});

test("an older schema is an error that says how to bring it up to date (SPEC 2.9)", () => {
  const home = join(temporaryFolder(), "home");
  mkdirSync(join(home, "agents", "main"), { recursive: true });
  cpSync(join(import.meta.dirname, "../fixtures/databases/schema-2.sqlite"), dbOf(home));
  freeze(home);
  const { code, err } = runUnprivileged("search", "--home", home, "quagga");
  expect(code).toBe(2);
  expect(err).toContain(`has schema 2, this version of Backscroll reads ${schemaVersion}`);
  expect(err).toContain("Open it once where it can be written");
});

test("what may not even be read is an error that names it, never an empty answer", () => {
  const home = settledHome();
  freeze(home);
  chmodSync(dbOf(home), 0o000);
  expect(runUnprivileged("search", "--home", home, "quagga")).toMatchObject({
    code: 2,
    err: expect.stringContaining(`${dbOf(home)} can't be opened`),
  });
  chmodSync(dbOf(home), 0o444);
  for (const [folder, ...command] of [
    [join(home, "agents", "main"), "search", "--no-sync", "quagga"],
    [join(home, "agents"), "stats"],
    [home, "sessions"],
  ] as const) {
    chmodSync(folder, 0o000);
    const { code, err } = runUnprivileged(...command, "--home", home);
    expect([code, err], folder).toEqual([2, expect.stringContaining("EACCES")]);
    expect(err).not.toContain("    at ");
    chmodSync(folder, 0o755);
  }
});
