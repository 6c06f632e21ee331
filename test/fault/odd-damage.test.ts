/** Damage that came to nobody's mind at first, each found by trying: what the doctor says of it, and what --fix leaves alone. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { type Backscroll, type DoctorReport, open, toEntryId } from "../../src/index.ts";
import { copyStore, file, fillStore } from "../helpers/damaged-store.ts";
import { assistant, key, user } from "../helpers/entries.ts";
import { temporaryFolder } from "../helpers/temporary.ts";

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
