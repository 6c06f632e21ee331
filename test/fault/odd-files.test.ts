/** What may lie where a store is expected, or happen to it while it is open: an error in our words, never a raw one. */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Backscroll, open } from "../../src/index.ts";
import { key, user } from "../helpers/entries.ts";
import { temporaryFolder } from "../helpers/temporary.ts";

const folderOf = (home: string) => join(home, "agents", "main");
const dbOf = (home: string) => join(folderOf(home), "transcripts.sqlite");

function opened(home: string): Backscroll {
  const backscroll = open({ home });
  onTestFinished(() => backscroll.close());
  return backscroll;
}

/** A home with 300 messages, closed. */
function settledHome(): string {
  const home = join(temporaryFolder(), "home");
  const backscroll = open({ home });
  backscroll.store("main").append(
    key("a"),
    Array.from({ length: 300 }, (_, at) => user(`m${at}`, `quagga number ${at}, ${"in the far paddock ".repeat(10)}`)),
  );
  backscroll.close();
  return home;
}

/** Every way to read and write is refused with that code, and names the path. */
async function refused(home: string, code: string, path: string): Promise<void> {
  const error = { code, message: expect.stringContaining(path), hint: expect.any(String) };
  const backscroll = opened(home);
  await expect(backscroll.search({ query: "quagga" })).rejects.toMatchObject(error);
  await expect(backscroll.sessions()).rejects.toMatchObject(error);
  expect(() => backscroll.stats()).toThrow(expect.objectContaining(error));
  expect(() => [...backscroll.export({ reveal: false })]).toThrow(expect.objectContaining(error));
  expect(() => backscroll.store("main").append(key("a"), [user("n1", "new")])).toThrow(
    expect.objectContaining({ code: expect.stringMatching(/^(?:io|bad_store)$/) }),
  );
}

describe("in place of a store (SPEC 1.15)", () => {
  test("the home is a file", async () => {
    const home = join(temporaryFolder(), "home");
    writeFileSync(home, "notes");
    await refused(home, "io", home);
    expect(readFileSync(home, "utf8")).toBe("notes");
  });

  test("the folder of agents is a file", async () => {
    const home = temporaryFolder();
    writeFileSync(join(home, "agents"), "notes");
    await refused(home, "io", join(home, "agents"));
  });

  test("an agent's folder is a symbolic link", async () => {
    const home = temporaryFolder();
    const elsewhere = settledHome();
    mkdirSync(join(home, "agents"));
    symlinkSync(folderOf(elsewhere), folderOf(home));
    await refused(home, "bad_store", folderOf(home));
  });

  test("the database is a symbolic link, also one to nothing", async () => {
    for (const target of [dbOf(settledHome()), join(temporaryFolder(), "nothing.sqlite")]) {
      const home = temporaryFolder();
      mkdirSync(folderOf(home), { recursive: true });
      symlinkSync(target, dbOf(home));
      await refused(home, "bad_store", dbOf(home));
      expect(existsSync(join(target, "..", "nothing.sqlite"))).toBe(false);
    }
  });

  test("the database is a folder", async () => {
    const home = temporaryFolder();
    mkdirSync(dbOf(home), { recursive: true });
    await refused(home, "bad_store", dbOf(home));
  });

  test("a home that is a symbolic link to a folder is a home", async () => {
    const link = join(temporaryFolder(), "link");
    symlinkSync(settledHome(), link);
    expect((await opened(link).search({ query: "quagga" })).results).not.toEqual([]);
  });

  test("an empty file is a new store: another process may have made it this moment", async () => {
    const home = temporaryFolder();
    mkdirSync(folderOf(home), { recursive: true });
    writeFileSync(dbOf(home), "");
    const backscroll = opened(home);
    expect((await backscroll.search({ query: "quagga" })).explain?.emptyStore).toBe(true);
    backscroll.store("main").append(key("a"), [user("m1", "a quagga")]);
    expect((await backscroll.search({ query: "quagga" })).results).toHaveLength(1);
  });

  test.each([
    ["a letter", 1],
    ["half a page", 2048],
    ["a page", 4096],
    ["a page and a half", 6144],
    ["three pages", 3 * 4096],
  ])("the database is cut to %s", async (_, size) => {
    const home = settledHome();
    truncateSync(dbOf(home), size);
    await refused(home, "bad_store", dbOf(home));
    expect(readFileSync(dbOf(home)).length).toBe(size);
  });

  test("the database lacks its second half: some of it may be read, and what fails says so", async () => {
    const home = settledHome();
    truncateSync(dbOf(home), Math.floor(readFileSync(dbOf(home)).length / 8192) * 4096);
    const backscroll = opened(home);
    const told = { code: "bad_store", message: expect.stringContaining(dbOf(home)) };
    await expect(backscroll.search({ query: "quagga" })).rejects.toMatchObject(told);
    expect(() => [...backscroll.export({ reveal: false })]).toThrow(expect.objectContaining(told));
  });
});

describe("while it is open (SPEC 1.15)", () => {
  const removeStore = (home: string) => rmSync(join(home, "agents"), { recursive: true });

  test.skipIf(process.platform === "win32")(
    "the file is removed: nothing more is acknowledged by who holds it, and the home begins anew",
    async () => {
      const home = settledHome();
      const backscroll = opened(home);
      const held = backscroll.store("main");
      held.append(key("a"), [user("n1", "one more quagga")]);
      removeStore(home);
      expect(() => held.append(key("a"), [user("n2", "lost quagga")])).toThrow(
        expect.objectContaining({ code: "io", message: expect.stringContaining("removed or replaced") }),
      );
      expect((await backscroll.search({ query: "quagga" })).results).toEqual([]);
      backscroll.store("main").append(key("a"), [user("n3", "a quagga after all")]);
      expect((await backscroll.search({ query: "quagga" })).results).toMatchObject([{ messageId: "n3" }]);
      expect((await opened(home).search({ query: "quagga" })).results).toMatchObject([{ messageId: "n3" }]);
    },
  );

  test.skipIf(process.platform === "win32")("the store is replaced: the new one is read", async () => {
    const home = settledHome();
    const other = temporaryFolder();
    const elsewhere = open({ home: other });
    elsewhere.store("main").append(key("b"), [user("o1", "another quagga")]);
    elsewhere.close();
    const backscroll = opened(home);
    const held = backscroll.store("main");
    expect((await backscroll.search({ query: "quagga" })).results[0]?.messageId).not.toBe("o1");
    renameSync(folderOf(home), join(home, "set-aside"));
    mkdirSync(folderOf(home));
    copyFileSync(dbOf(other), dbOf(home));
    expect((await backscroll.search({ query: "quagga" })).results).toMatchObject([{ messageId: "o1" }]);
    expect(() => held.append(key("a"), [user("n2", "lost quagga")])).toThrow(expect.objectContaining({ code: "io" }));
  });

  test("it was closed: using it is an error that says so", () => {
    const backscroll = open({ home: settledHome() });
    const store = backscroll.store("main");
    backscroll.close();
    const closed = expect.objectContaining({ code: "io", message: expect.stringContaining("was closed") });
    expect(() => store.append(key("a"), [user("n1", "late")])).toThrow(closed);
    expect(() => store.db.prepare("SELECT 1")).toThrow(closed);
  });
});
