/**
 * Deletions and undoings that are killed at any call, and processes that delete and undo at once: the file beside the store
 * never names more than the store, and the doctor names and adds what it lacks (SPEC 2.18).
 */
import { execFile, spawnSync } from "node:child_process";
import { chmodSync, cpSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { open } from "../../src/index.ts";
import { openNodeDriver } from "../../src/store/driver-node.ts";
import { readMirror } from "../../src/store/tombstone-mirror.ts";
import { readTombstones } from "../../src/store/tombstones.ts";
import { key, user } from "../helpers/entries.ts";
import { temporaryFolder } from "../helpers/temporary.ts";

const script = join(import.meta.dirname, "../helpers/forgetting-process.ts");
const names = (rows: readonly { readonly hash: string }[]) => rows.map(({ hash }) => hash).sort();

function state(home: string): { table: string[]; mirror: string[]; skipped: number } {
  const db = openNodeDriver(join(home, "agents/main/transcripts.sqlite"), { busyWait: 1000 });
  const table = names(readTombstones(db));
  db.close();
  const mirror = readMirror(join(home, "agents/main/tombstones.txt"));
  return { table, mirror: names(mirror.rows), skipped: mirror.skipped };
}

function homeWith(sessions: readonly string[], forgotten: readonly string[] = []): string {
  const folder = temporaryFolder();
  const home = open({ home: folder });
  const store = home.store("main");
  for (const name of [...sessions, ...forgotten]) store.append(key(name), [user("m1", `words of ${name}`)]);
  for (const name of forgotten) store.deleteSession(key(name));
  home.close();
  return folder;
}

test.each(["delete", "undo"])(
  "a killed process that was to %s",
  async (what) => {
    const begin = what === "delete" ? homeWith(["a", "b"], ["c"]) : homeWith(["a"], ["b", "c"]);
    const codes = new Set<string>();
    for (let at = 1; ; at++) {
      const home = temporaryFolder();
      cpSync(begin, home, { recursive: true });
      for (const folder of ["agents", "agents/main"]) chmodSync(join(home, folder), 0o700);
      const { signal, stderr, stdout } = spawnSync(process.execPath, [script, what, home, "b"], {
        encoding: "utf8",
        env: { ...process.env, KILL_AT: String(at) },
      });
      const { table, mirror } = state(home);
      for (const hash of mirror) expect(table, `killed at ${at}`).toContain(hash);
      const store = open({ home });
      const before = await store.doctor();
      for (const { code } of before.findings) codes.add(code);
      expect(before.findings.filter(({ severity }) => severity === "fault")).toEqual([]);
      expect((await store.doctor({ fix: true })).healthy).toBe(true);
      expect((await store.doctor()).findings.filter(({ code }) => code.startsWith("mirror"))).toEqual([]);
      store.close();
      const after = state(home);
      expect(after).toEqual({ table: after.table, mirror: after.table, skipped: 0 });
      if (signal === "SIGKILL") continue;
      expect([stderr, stdout]).toEqual(["", "done\n"]);
      expect(after.table).toHaveLength(what === "delete" ? 2 : 1);
      break;
    }
    expect([...codes]).toContain("mirror-behind");
  },
  120_000,
);

test("several processes delete at once, and one undoes meanwhile", async () => {
  const all = Array.from({ length: 24 }, (_, at) => `s${at}`);
  const home = homeWith(all, ["u1", "u2", "u3"]);
  const run = (...args: string[]) => promisify(execFile)(process.execPath, [script, ...args]);
  const share = (from: number) => all.filter((_, at) => at % 3 === from);
  const undone = ["u1", "u2", "u3", "s0", "s1", "s2"];
  await Promise.all([0, 1, 2].map((from) => run("delete", home, ...share(from))).concat(run("undo", home, ...undone)));
  const { table, mirror, skipped } = state(home);
  expect(skipped).toBe(0);
  expect(mirror).toEqual(table);
  expect(table.length).toBeGreaterThanOrEqual(21);
  expect(table.length).toBeLessThanOrEqual(24);
}, 60_000);
