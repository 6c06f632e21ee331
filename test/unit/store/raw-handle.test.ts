/** Looking at a database's bytes must not cost this process its locks on it (SPEC 1.14, 2.8). */
import { spawnSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { open } from "../../../src/index.ts";
import { openNodeDriver } from "../../../src/store/driver-node.ts";
import { closeRaw, openRaw } from "../../../src/store/raw-handle.ts";
import { PageFile } from "../../../src/store/repair/page-file.ts";
import { file } from "../../helpers/damaged-store.ts";
import { key, user } from "../../helpers/entries.ts";
import { temporaryFolder } from "../../helpers/temporary.ts";

/** Another process that opens the file, reads, writes where it may, and closes. Returns what stopped it. */
function another(path: string): string {
  const script = `
    const { DatabaseSync } = require("node:sqlite");
    const db = new DatabaseSync(process.argv[1], { timeout: 0 });
    try { db.exec("CREATE TABLE visitor (no); DROP TABLE visitor"); } finally { db.close(); }`;
  const { status, stderr } = spawnSync(process.execPath, ["-e", script, path], { encoding: "utf8" });
  return status === 0 ? "" : (/Error: (.*)/.exec(stderr)?.[1] ?? stderr);
}

function home(): string {
  const folder = temporaryFolder();
  const backscroll = open({ home: folder });
  onTestFinished(() => backscroll.close());
  backscroll.store("main").append(key("a"), [user("m1", "the first")]);
  return folder;
}

test("the doctor leaves a store that is open the log that it writes to", async () => {
  const folder = temporaryFolder();
  const backscroll = open({ home: folder });
  onTestFinished(() => backscroll.close());
  backscroll.store("main").append(key("a"), [user("m1", "the first")]);
  expect((await backscroll.doctor()).healthy).toBe(true);
  expect(another(file(folder))).toBe("");
  expect(existsSync(`${file(folder)}-wal`)).toBe(true);
  backscroll.store("main").append(key("a"), [user("m2", "the second")]);
  const reader = open({ home: folder });
  onTestFinished(() => reader.close());
  expect((await reader.search({ query: "second" })).results).toHaveLength(1);
});

test("whoever was locked out stays out while pages are read", () => {
  const folder = temporaryFolder();
  const backscroll = open({ home: folder });
  backscroll.store("main").append(key("a"), [user("m1", "the first")]);
  backscroll.close();
  const lock = openNodeDriver(file(folder), { busyWait: 0 });
  onTestFinished(() => lock.close());
  lock.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE");
  new PageFile(file(folder)).close();
  expect(another(file(folder))).toBe("database is locked");
});

test.skipIf(process.platform === "win32")("one handle for a file, until it is removed", () => {
  const path = file(home());
  const first = openRaw(path);
  closeRaw(first);
  expect(openRaw(path)).toBe(first);
  rmSync(path);
  const other = file(home());
  // Closed by now, so its number is free again.
  expect(openRaw(other)).toBe(first);
});
