/** A run that is ended at any change to the file system is finished by the next import and undone by the next restore (SPEC 8.10). */
import { spawnSync } from "node:child_process";
import { appendFileSync, cpSync, lstatSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import type { Source } from "../../../src/index.ts";
import { type FileOperations, fileOperations } from "../../../src/upkeep/legacy/legacy-move.ts";
import {
  counted,
  legacyOf,
  legacyWith,
  line,
  openclaw,
  otherDevice,
  sessionList,
  stateFolder,
  transcript,
  tree,
} from "../../helpers/legacy-store.ts";
import { temporaryFolder, temporaryHome } from "../../helpers/temporary.ts";

class Killed extends Error {}

/** A store with two files, and a home that has imported it: so that each end costs the moves alone. */
async function sample() {
  const folder = stateFolder();
  transcript(folder, "desk", "s1", [line("m1", "oak plank"), line("m2", "elm plank")]);
  sessionList(folder, "desk", { "agent:desk:main": "s1" });
  const home = temporaryHome();
  await home.import([{ source: openclaw, folder: join(folder, "agents") }]);
  home.close();
  return { folder, home: home.folder };
}

async function run(
  home: string,
  folder: string,
  operations: Partial<FileOperations>,
  mode: "import" | "restore" | "validate",
) {
  const { legacy, home: opened } = legacyWith(home, folder, operations);
  try {
    return await legacy[mode]();
  } finally {
    opened.close();
  }
}

/** Does it again and again from the same start, ended before the 1st, 2nd, 3rd … change, until one run comes through. */
async function endedEverywhere(
  start: { folder: string; home: string },
  operations: Partial<FileOperations>,
  mode: "import" | "restore",
  then: (folder: string, home: string, at: string) => Promise<void>,
): Promise<number> {
  for (let at = 1; ; at++) {
    const folder = join(temporaryFolder(), "state");
    const home = temporaryFolder();
    cpSync(start.folder, folder, { recursive: true, preserveTimestamps: true });
    cpSync(start.home, home, { recursive: true, preserveTimestamps: true });
    relocateManifests(home, start.folder, folder);
    let last = "";
    const ending = counted({ ...fileOperations, ...operations }, (count, name) => {
      last = name;
      if (count === at) throw new Killed();
    });
    try {
      await run(home, folder, ending, mode);
      return at - 1;
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
    }
    await then(folder, home, `${mode} ended before ${last}, change ${at}`);
  }
}

function relocateManifests(home: string, from: string, to: string): void {
  for (const name of Object.keys(tree(home)).filter((each) => each.endsWith(".json") && each.startsWith("legacy/"))) {
    writeFileSync(join(home, name), readFileSync(join(home, name), "utf8").replaceAll(from, to));
  }
}

const hashes = (folder: string) =>
  Object.fromEntries(Object.entries(tree(folder)).map(([name, file]) => [name, file.slice(0, 64)]));
const inArchive = (folder: string) =>
  Object.keys(tree(folder)).filter((name) => name.startsWith("backscroll-archive/"));

describe.each([
  ["on one device", {}],
  ["across devices", otherDevice()],
  [
    "where files have one name only",
    {
      link: () => {
        throw Object.assign(new Error("EPERM: operation not permitted"), { code: "EPERM", syscall: "link" });
      },
    },
  ],
] as const)("%s", (_name, operations) => {
  test("an import that was ended", async () => {
    const start = await sample();
    const before = hashes(start.folder);
    const everythingSomewhere = (folder: string, at: string) => {
      const there = Object.values(hashes(folder));
      for (const hash of Object.values(before)) expect(there, at).toContain(hash);
    };
    const ends = await endedEverywhere(start, operations, "import", async (folder, home, at) => {
      everythingSomewhere(folder, at);
      expect(await run(home, folder, operations, "validate"), at).toMatchObject({ differences: [] });
      // Undone …
      const copy = join(temporaryFolder(), "state");
      const copyHome = temporaryFolder();
      cpSync(folder, copy, { recursive: true, preserveTimestamps: true });
      cpSync(home, copyHome, { recursive: true, preserveTimestamps: true });
      relocateManifests(copyHome, folder, copy);
      expect(await run(copyHome, copy, operations, "restore"), at).toMatchObject({ stays: [] });
      expect(hashes(copy), at).toEqual(before);
      // … or finished, under the same name.
      expect(await run(home, folder, operations, "import"), at).toMatchObject({ moved: 2, stays: [] });
      expect(inArchive(folder), at).toHaveLength(2);
      expect(Object.keys(tree(folder)), at).toHaveLength(2);
      expect(
        Object.keys(tree(join(home, "legacy"))).filter((name) => name.endsWith(".json")),
        at,
      ).toHaveLength(1);
      expect(await run(home, folder, operations, "validate"), at).toMatchObject({ differences: [], files: 2 });
      expect(await run(home, folder, operations, "import"), at).toMatchObject({
        run: null,
        report: { files: { found: 0, vanished: 0 } },
      });
    });
    // The manifest twice, and for each file its folder and its move.
    expect(ends).toBeGreaterThanOrEqual(6);
  });

  test("a restore that was ended", async () => {
    const start = await sample();
    const before = hashes(start.folder);
    await run(start.home, start.folder, operations, "import");
    const ends = await endedEverywhere(start, operations, "restore", async (folder, home, at) => {
      expect(await run(home, folder, operations, "restore"), at).toMatchObject({ stays: [] });
      expect(hashes(folder), at).toEqual(before);
      expect(await run(home, folder, operations, "validate"), at).toMatchObject({ differences: [], files: 2 });
      expect(await run(home, folder, operations, "import"), at).toMatchObject({ moved: 2, stays: [] });
    });
    expect(ends).toBeGreaterThanOrEqual(5);
  });
});

test("modes survive a copy to another device", async () => {
  const { folder, home } = await sample();
  const path = join(folder, "agents/desk/sessions/s1.jsonl");
  const before = [lstatSync(path).mode, Math.round(lstatSync(path).mtimeMs)];
  await run(home, folder, otherDevice(), "import");
  const archived = inArchive(folder).find((name) => name.endsWith("s1.jsonl")) ?? "";
  const { mode, mtimeMs } = lstatSync(join(folder, archived));
  expect([mode, Math.round(mtimeMs)]).toEqual(before);
});

describe("a file that is written to meanwhile", () => {
  const path = (folder: string) => join(folder, "agents/desk/sessions/s1.jsonl");

  test("while it is read: it stays, until it comes to rest", async () => {
    const folder = stateFolder();
    const file = transcript(folder, "desk", "s1", [line("m1", "oak plank")]);
    const home = temporaryHome();
    let reads = 0;
    const restless: Source = {
      ...openclaw,
      async *read(each, from) {
        yield* openclaw.read(each, from);
        reads += 1;
        // The first is the import's, the second the check's.
        if (reads === 2) appendFileSync(file, line("m2", "late plank"));
      },
    };
    expect(await home.legacy({ source: restless, folder }).import()).toMatchObject({
      moved: 0,
      stays: [{ path: file, reason: expect.stringContaining("it changed while it was read") }],
    });
    expect(await legacyOf(home, folder).import()).toMatchObject({ moved: 1, stays: [] });
  });

  test("after it was verified: it stays, and the list with it", async () => {
    const { folder, home } = await sample();
    const late = counted(fileOperations, (count) => {
      // The manifest is written: every file was verified.
      if (count === 1) appendFileSync(path(folder), line("m3", "late plank"));
    });
    const report = await run(home, folder, late, "import");
    expect(report).toMatchObject({
      moved: 0,
      stays: [
        { path: path(folder), reason: "it changed since it was verified" },
        { path: expect.stringContaining("sessions.json"), reason: expect.stringContaining("stays") },
      ],
    });
    expect(inArchive(folder)).toEqual([]);
    expect(await run(home, folder, {}, "import")).toMatchObject({ moved: 2, stays: [] });
  });

  test("in the moment before it moves: it is put back whole", async () => {
    const { folder, home } = await sample();
    const report = await run(
      home,
      folder,
      {
        rename(from, to) {
          if (from === path(folder)) appendFileSync(from, line("m3", "late plank"));
          fileOperations.rename(from, to);
        },
      },
      "import",
    );
    expect(report).toMatchObject({ moved: 0 });
    expect(readFileSync(path(folder), "utf8")).toContain("late plank");
    expect(inArchive(folder)).toEqual([]);
  });
});

describe("what lies at the other place is never overwritten", () => {
  test("in the archive", async () => {
    const { folder, home } = await sample();
    const report = await run(
      home,
      folder,
      {
        makeFolder(path) {
          fileOperations.makeFolder(path);
          writeFileSync(join(path, "s1.jsonl"), "mine");
        },
      },
      "import",
    );
    expect(report).toMatchObject({ moved: 0, stays: [{ reason: expect.stringContaining("EEXIST") }, {}] });
    const [mine = ""] = inArchive(folder);
    expect(readFileSync(join(folder, mine), "utf8")).toBe("mine");
    expect(readFileSync(join(folder, "agents/desk/sessions/s1.jsonl"), "utf8")).toContain("oak plank");
  });

  test.each([
    ["EPERM", "where files have one name only"],
    ["EXDEV", "across devices"],
  ])("on the way back, in the moment before (%s: %s)", async (code) => {
    const { folder, home } = await sample();
    await run(home, folder, {}, "import");
    const report = await run(
      home,
      folder,
      {
        link(_from, to) {
          writeFileSync(to, "mine");
          throw Object.assign(new Error(code), { code, syscall: "link" });
        },
      },
      "restore",
    );
    expect(report).toMatchObject({ restored: 0, stays: [{ reason: expect.stringContaining("EEXIST") }, {}] });
    expect(readFileSync(join(folder, "agents/desk/sessions/s1.jsonl"), "utf8")).toBe("mine");
    expect(inArchive(folder)).toHaveLength(2);
  });
});

test("killed for good (SIGKILL) in the middle of the moves, then finished", async () => {
  const folder = stateFolder();
  for (let at = 0; at < 20; at++) transcript(folder, "desk", `s${at}`, [line(`m${at}`, `plank ${at}`)]);
  const before = Object.values(hashes(folder));
  const home = temporaryFolder();
  const worker = resolve(import.meta.dirname, "../../helpers/take-over.ts");
  for (const at of ["12", "9"]) {
    const { signal, stderr } = spawnSync(process.execPath, [worker, home, folder, at], { encoding: "utf8" });
    expect(signal, stderr).toBe("SIGKILL");
    expect(Object.values(hashes(folder)).sort()).toEqual([...before].sort());
    const archived = inArchive(folder).length;
    expect(archived).toBeGreaterThan(0);
    expect(archived).toBeLessThan(20);
  }
  const { status, stderr } = spawnSync(process.execPath, [worker, home, folder, "0"], { encoding: "utf8" });
  expect([status, stderr]).toEqual([0, ""]);
  expect(inArchive(folder)).toHaveLength(20);
  const store = temporaryHome();
  expect(await legacyOf(store, folder).validate()).toMatchObject({ files: 0, differences: [] });
  expect(await run(home, folder, {}, "validate")).toMatchObject({ files: 20, differences: [] });
  expect(await run(home, folder, {}, "restore")).toMatchObject({ restored: 20, stays: [] });
}, 60_000);
