/** Damage that came to nobody's mind at first, each found by trying: what the doctor says of it, and what --fix leaves alone. */
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { type Backscroll, type DoctorReport, open, sessionKeyOf, toAgentId, toEntryId } from "../../src/index.ts";
import { copyStore, file, fillStore, tamper } from "../helpers/damaged-store.ts";
import { assistant, key, user } from "../helpers/entries.ts";
import { temporaryFolder } from "../helpers/temporary.ts";
import { freeze, runUnprivileged } from "../helpers/unprivileged.ts";

let sound: string;

beforeAll(async () => {
  sound = mkdtempSync(join(tmpdir(), "backscroll-sound-"));
  await fillStore(sound);
});
afterAll(() => rmSync(sound, { recursive: true, force: true }));

function opened(home: string): Backscroll {
  const store = open({ home, timeZone: "UTC" });
  onTestFinished(() => store.close());
  return store;
}

/** A copy of the sound store's home, damaged before anything opens it. */
function damagedHome(damage: (path: string) => void = () => undefined): string {
  const home = temporaryFolder();
  damage(copyStore(sound, home));
  return home;
}

const codes = ({ findings }: DoctorReport) => findings.map(({ code }) => code);

test.skipIf(process.platform === "win32")(
  "modes are closed in the home only, not behind a link (SPEC 1.1, 2.8)",
  async () => {
    const outside = temporaryFolder();
    mkdirSync(join(outside, "below"));
    writeFileSync(join(outside, "theirs"), "");
    chmodSync(join(outside, "below"), 0o755);
    chmodSync(join(outside, "theirs"), 0o644);
    const home = damagedHome((path) => {
      chmodSync(path, 0o644);
      symlinkSync(outside, join(dirname(path), "damaged-1"));
    });
    const report = await opened(home).doctor({ fix: true });
    expect([report.healthy, codes(report)]).toEqual([true, ["symbolic-link"]]);
    expect(statSync(file(home)).mode & 0o777).toBe(0o600);
    expect(statSync(join(outside, "below")).mode & 0o777).toBe(0o755);
    expect(statSync(join(outside, "theirs")).mode & 0o777).toBe(0o644);
  },
);

test.skipIf(process.platform === "win32")(
  "a folder that can't be listed is not taken for an empty one (SPEC 2.8)",
  async () => {
    const home = join(temporaryFolder(), "home");
    copyStore(sound, home);
    freeze(home);
    // May be entered, and what lies in it read by name.
    chmodSync(home, 0o711);
    const { code, out } = runUnprivileged("doctor", "--home", home, "--json");
    const { findings } = JSON.parse(out) as DoctorReport;
    expect(findings.find((each) => each.code === "unlisted-folder")?.places).toEqual([`${home} (EACCES)`]);
    expect(code).toBe(1);
  },
);

test("an append position above the root is no damage, and stays (SPEC 1.9, 2.8)", async () => {
  const store = opened(temporaryFolder());
  store
    .store("main")
    .append(key("a"), [
      user("m1", "one"),
      assistant("m2", "two"),
      { id: toEntryId("l"), type: "leaf", timestamp: 5, parts: [], targetId: toEntryId("m1"), appendParentId: null },
    ]);
  const position = () => store.store("main").db.prepare("SELECT append_at FROM transcripts").get()?.append_at;
  expect(position()).toBe(-1);
  const report = await store.doctor({ fix: true });
  expect(report).toMatchObject({ healthy: true, findings: [], before: [], repairs: [] });
  expect(position()).toBe(-1);
});

describe("what is no store in a store's place is not healthy, and stays (SPEC 1.15, 2.8)", () => {
  test.each<[string, (home: string) => void]>([
    ["a link to nothing", (home) => replaceBy(home, () => symlinkSync("/nowhere/store", file(home)))],
    [
      "a link to a store",
      (home) => {
        renameSync(file(home), join(home, "elsewhere"));
        symlinkSync(join(home, "elsewhere"), file(home));
      },
    ],
    ["a folder", (home) => replaceBy(home, () => mkdirSync(file(home)))],
    ["a folder in place of the log", (home) => mkdirSync(`${file(home)}-wal`)],
    ["a link in place of the log", (home) => symlinkSync("/nowhere/log", `${file(home)}-wal`)],
    [
      "a link in place of the agent's folder",
      (home) => {
        renameSync(dirname(file(home)), join(home, "elsewhere"));
        symlinkSync(join(home, "elsewhere"), dirname(file(home)));
      },
    ],
  ])("%s", async (_what, damage) => {
    const home = damagedHome();
    damage(home);
    const before = kinds(home);
    for (const fix of [false, true]) {
      const { healthy, agents } = await opened(home).doctor({ fix });
      expect([healthy, agents[0]?.failed]).toEqual([false, expect.stringMatching(/ is a .*, where the /)]);
    }
    expect(kinds(home)).toEqual(before);
  });

  test("a file in place of the folder of agents", async () => {
    const home = temporaryFolder();
    writeFileSync(join(home, "agents"), "", { mode: 0o600 });
    await expect(opened(home).doctor()).rejects.toMatchObject({
      code: "io",
      message: expect.stringContaining("agents"),
    });
  });
});

const replaceBy = (home: string, make: () => void) => {
  rmSync(file(home));
  make();
};

/** Everything in a home and what it is. */
const kinds = (home: string) =>
  readdirSync(home, { recursive: true, encoding: "utf8" })
    .sort()
    .map((name) => `${name} ${lstatSync(join(home, name)).mode.toString(8)}`);

test("a file that is gone while its log is there: what the log has comes back (SPEC 2.8)", async () => {
  const left = temporaryFolder();
  const writer = opened(left);
  writer.store("main").append(key("a"), [user("m1", "the only one")]);
  const home = temporaryFolder();
  copyStore(left, home);
  rmSync(file(home));
  expect(codes(await opened(home).doctor())).toEqual(["wal-damaged"]);
  expect(existsSync(file(home))).toBe(false);
  expect((await opened(home).doctor({ fix: true })).healthy).toBe(true);
  expect((await opened(home).search({ query: "only" })).results).toHaveLength(1);
});

test("what a repair that was killed had begun is taken away by the next (SPEC 2.8)", async () => {
  for (const damage of [() => undefined, (path: string) => truncateSync(path, statSync(path).size - 4096)]) {
    const home = damagedHome(damage);
    for (const end of ["", "-wal", "-shm"])
      writeFileSync(join(dirname(file(home)), `salvaged-2026-01-01T00-00-00-000Z.sqlite${end}`), "half", {
        mode: 0o600,
      });
    // The first leaves it where the file is too damaged to be locked.
    await opened(home).doctor({ fix: true });
    const report = await opened(home).doctor({ fix: true });
    expect([report.healthy, codes(report).includes("stray-file")]).toEqual([true, false]);
  }
});

describe("a log of other things, as copying files by hand leaves it (SPEC 2.8)", () => {
  test("of another agent: moved out of the way, and nothing of the store is lost", async () => {
    const elsewhere = temporaryFolder();
    const other = opened(elsewhere).store("side");
    for (let at = 0; at < 30; at++)
      other.append(sessionKeyOf(toAgentId("side"), "a"), [user(`m${at}`, `theirs ${at}`)]);
    const home = damagedHome((path) => {
      copyFileSync(`${elsewhere}/agents/side/transcripts.sqlite-wal`, `${path}-wal`);
      chmodSync(`${path}-wal`, 0o600);
    });
    expect(codes(await opened(home).doctor())).toEqual(["wal-foreign"]);
    const report = await opened(home).doctor({ fix: true });
    expect([report.healthy, codes(report)]).toEqual([true, []]);
    expect((await opened(home).search({ query: "heron0" })).results.length).toBeGreaterThan(3);
  });

  test("of an earlier time: looking at it does not apply it", async () => {
    const home = damagedHome();
    const writer = opened(home);
    writer.store("main").append(key("early"), [user("m1", "early")]);
    const early = readFileSync(`${file(home)}-wal`);
    for (let at = 0; at < 300; at++) writer.store("main").append(key("late"), [user(`m${at}`, `late ${at}`)]);
    writer.close();
    const before = readFileSync(file(home));
    writeFileSync(`${file(home)}-wal`, early, { mode: 0o600 });
    expect((await opened(home).doctor()).healthy).toBe(false);
    expect(readFileSync(file(home)).equals(before)).toBe(true);
    expect(readFileSync(`${file(home)}-wal`).equals(early)).toBe(true);
  });
});

describe("numbers that nothing wrote (SPEC 2.8)", () => {
  test.each([
    ["the next entry's", "UPDATE transcripts SET next = 16777216 WHERE no = 2", "wrong-counter"],
    ["the next transcript's, the highest", "UPDATE sqlite_sequence SET seq = 9223372036854775807", "wrong-counter"],
    ["the next transcript's, too high", "UPDATE sqlite_sequence SET seq = 1099511627776", "wrong-counter"],
    ["the next transcript's, too low", "UPDATE sqlite_sequence SET seq = 1", "wrong-counter"],
    ["the next transcript's, none", "DELETE FROM sqlite_sequence", "wrong-counter"],
    ["a time", "UPDATE sessions SET updated_at = 9007199254740993 WHERE no = 2", "check-failed"],
    ["a generation", "UPDATE transcripts SET generation = 9007199254740999 WHERE no = 2", "check-failed"],
    ["a time of the audit", "INSERT INTO audit (at, what) VALUES (9007199254740999, 'export')", "check-failed"],
  ])("%s", async (_what, sql, code) => {
    const home = damagedHome((path) => tamper(path, (db) => db.exec(sql)));
    expect(codes(await opened(home).doctor())).toContain(code);
    expect((await opened(home).doctor({ fix: true })).findings).toEqual([]);
    expect((await opened(home).doctor({ fix: true })).repairs).toEqual([]);
    const store = opened(home);
    store.store("main").append(key("cliff"), [user("new1", "one more")]);
    store.store("main").append(key("fresh"), [user("new1", "and one more")]);
    expect((await store.search({ query: "one more" })).results).toHaveLength(2);
  });
});

test("an older mark on a newer file is told in our words (SPEC 1.14)", () => {
  const home = damagedHome((path) => tamper(path, (db) => db.exec("PRAGMA user_version = 2")));
  expect(() => opened(home).stats()).toThrow(expect.objectContaining({ code: "bad_store" }));
});

test("pages that changed places: what lies on them is found (SPEC 2.8)", async () => {
  const home = damagedHome((path) => {
    const pages = (name: string) => {
      const found: number[] = [];
      tamper(path, (db) => {
        const leaves = db
          .prepare("SELECT pageno AS no FROM dbstat WHERE name = :name AND pagetype = 'leaf'")
          .all({ name });
        found.push(...leaves.map(({ no }) => Number(no)));
      });
      return found;
    };
    const [a = 0, b = 0] = [pages("entries")[5], pages("message_index_data")[2]];
    const bytes = readFileSync(path);
    const page = (no: number) => bytes.subarray((no - 1) * 4096, no * 4096);
    const first = Buffer.from(page(a));
    page(b).copy(bytes, (a - 1) * 4096);
    first.copy(bytes, (b - 1) * 4096);
    writeFileSync(path, bytes);
  });
  const said = (store: Backscroll) => [...store.export({ reveal: true })];
  const wanted = said(opened(damagedHome()));
  expect((await opened(home).doctor()).healthy).toBe(false);
  const report = await opened(home).doctor({ fix: true });
  expect([report.healthy, codes(report)]).toEqual([true, []]);
  expect(said(opened(home))).toEqual(wanted);
});
