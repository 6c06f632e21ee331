/** A repair that is killed while it puts the new file in place (SPEC 2.8): the next one finds everything again. */
import { existsSync, linkSync, mkdirSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type Backscroll, open } from "../../../src/index.ts";
import { openNodeDriver } from "../../../src/store/driver-node.ts";
import { copyStore, file } from "../../helpers/damaged-store.ts";
import { key, user } from "../../helpers/entries.ts";
import { temporaryFolder } from "../../helpers/temporary.ts";

/** A store whose last message stands in the log only, as a kill leaves it. */
function withLog(): string {
  const left = temporaryFolder();
  const writer = open({ home: left });
  const store = writer.store("main");
  store.append(key("a"), [user("m1", "the first")]);
  const db = openNodeDriver(file(left), { busyWait: 0 });
  db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  store.append(key("a"), [user("m2", "the last")]);
  const home = temporaryFolder();
  copyStore(left, home);
  writer.close();
  db.close();
  return home;
}

async function found(home: string): Promise<string[]> {
  const store: Backscroll = open({ home, timeZone: "UTC" });
  onTestFinished(() => store.close());
  const report = await store.doctor({ fix: true });
  expect(report.findings.filter(({ code }) => code !== "stray-file")).toEqual([]);
  return (await store.search({ query: "the" })).results.map(({ messageId }) => messageId).sort();
}

const aside = (home: string) => {
  const folder = join(dirname(file(home)), "damaged-2026-01-01T00-00-00-000Z");
  mkdirSync(folder, { mode: 0o700 });
  writeFileSync(join(dirname(file(home)), "salvaged-2026-01-01T00-00-00-000Z.sqlite"), "half", { mode: 0o600 });
  return folder;
};

test("after the log was moved", async () => {
  const home = withLog();
  renameSync(`${file(home)}-wal`, join(aside(home), "transcripts.sqlite-wal"));
  expect(await found(home)).toEqual(["m1", "m2"]);
});

test("after the file got its second name", async () => {
  const home = withLog();
  const folder = aside(home);
  renameSync(`${file(home)}-wal`, join(folder, "transcripts.sqlite-wal"));
  linkSync(file(home), join(folder, "transcripts.sqlite"));
  expect(await found(home)).toEqual(["m1", "m2"]);
});

test("after the file was moved, where no second name could be given", async () => {
  const home = withLog();
  const folder = aside(home);
  renameSync(`${file(home)}-wal`, join(folder, "transcripts.sqlite-wal"));
  renameSync(file(home), join(folder, "transcripts.sqlite"));
  expect(await found(home)).toEqual(["m1", "m2"]);
  expect(existsSync(file(home))).toBe(true);
});

test("a finished one is left as it is", async () => {
  const home = withLog();
  const folder = join(dirname(file(home)), "damaged-2026-01-01T00-00-00-000Z");
  mkdirSync(folder, { mode: 0o700 });
  writeFileSync(join(folder, "transcripts.sqlite"), "damaged", { mode: 0o600 });
  expect(await found(home)).toEqual(["m1", "m2"]);
  expect(readdirSync(folder)).toEqual(["transcripts.sqlite"]);
});
