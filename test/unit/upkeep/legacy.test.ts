/** A legacy store is taken over file by file, each verified before it moves (SPEC 8.10). */
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import { type LegacyImportReport, toEntryId } from "../../../src/index.ts";
import { key } from "../../helpers/entries.ts";
import {
  fixtures,
  legacyOf,
  line,
  openclaw,
  sessionList,
  stateFolder,
  transcript,
  tree,
} from "../../helpers/legacy-store.ts";
import { snapshot } from "../../helpers/snapshot.ts";
import { temporaryFolder, temporaryHome } from "../../helpers/temporary.ts";

// One is of files outside any agent's folder, which no state folder has.
const names = readdirSync(fixtures).filter((name) => name !== "flat-root");

/** Two agents, three transcripts, a list of sessions. */
function sample() {
  const folder = stateFolder();
  const paths = {
    main: transcript(folder, "desk", "s1", [line("m1", "oak plank"), line("m2", "elm plank")]),
    reset: transcript(folder, "desk", "s0", [line("m0", "older plank")], "s0.jsonl.reset.2026-03-04T08-00-00.000Z"),
    list: sessionList(folder, "desk", { "agent:desk:main": "s1" }),
    other: transcript(folder, "shed", "s9", [line("m9", "shed plank")]),
  };
  return { folder, paths, home: temporaryHome() };
}

function reasons(report: Pick<LegacyImportReport, "stays">): Record<string, string> {
  return Object.fromEntries(report.stays.map(({ path, reason }) => [basename(path), reason]));
}

describe("inspect", () => {
  test("counts per agent what there is and what was imported, and writes nothing", async () => {
    const folder = stateFolder("copies-left-out");
    sessionList(folder, "desk", { "agent:desk:main": "s1", "agent:desk:discord:channel:1": "s2" });
    const before = tree(folder);
    const home = temporaryHome();
    const report = await legacyOf(home, folder).inspect();
    expect(report.agents).toMatchObject([
      { agentId: "desk", transcripts: 1, lists: 1, listed: 2, imported: 0, foreign: 0 },
    ]);
    expect(report.agents[0]?.bytes).toBe(
      statSync(join(folder, Object.keys(before).find((name) => name.endsWith("a097c97.jsonl")) ?? "")).size,
    );
    expect(Object.values(report.agents[0]?.skipped ?? {}).reduce((sum, count) => sum + count, 0)).toBe(8);
    expect(tree(folder)).toEqual(before);
    expect(readdirSync(home.folder)).toEqual([]);
    await home.import([{ source: openclaw, folder: join(folder, "agents") }]);
    expect((await legacyOf(home, folder).inspect()).agents).toMatchObject([{ imported: 2 }]);
  });

  test("a folder that is no state folder is refused with the one to name", async () => {
    const { folder, home } = sample();
    await expect(legacyOf(home, join(folder, "agents")).inspect()).rejects.toMatchObject({
      code: "bad_input",
      message: expect.stringContaining("neither agents nor sessions"),
    });
    expect(() => legacyOf(home, "relative")).toThrow(/not absolute/);
    expect(() => legacyOf(home, folder, "No Agent")).toThrow(/not an agent id/);
  });
});

test("dry-run imports into a home that goes away again, and writes neither here nor there", async () => {
  const { folder, paths, home } = sample();
  appendFileSync(paths.other, '{"type":"message","torn');
  const before = tree(folder);
  const temporary = temporaryFolder();
  const report = await legacyOf(home, folder).dryRun({ temporary });
  expect(report).toMatchObject({ files: 4, counts: { entries: 4, deleted: 0 }, report: { messages: 4 } });
  expect(report.stays).toEqual([{ path: paths.other, reason: expect.stringContaining("ends inside a record") }]);
  expect([readdirSync(temporary), readdirSync(home.folder)]).toEqual([[], []]);
  expect(tree(folder)).toEqual(before);
});

describe("import", () => {
  test("moves what it verified beside the source's roots, with mode and time, behind a manifest", async () => {
    const { folder, paths, home } = sample();
    chmodSync(paths.reset, 0o640);
    const before = tree(folder);
    const report = await legacyOf(home, folder).import();
    expect(report).toMatchObject({
      verified: 4,
      moved: 4,
      stays: [],
      differences: [],
      counts: { entries: 4, merged: 0 },
    });
    const run = report.run ?? "";
    expect(report.archive).toBe(join(folder, "backscroll-archive", run));
    expect(tree(report.archive ?? "")).toEqual(before);
    expect(statSync(report.archive ?? "").mode & 0o777).toBe(0o700);
    expect(tree(folder)).toEqual(
      Object.fromEntries(Object.entries(before).map(([name, file]) => [`backscroll-archive/${run}/${name}`, file])),
    );
    const manifest = JSON.parse(readFileSync(join(home.folder, "legacy", `${run}.json`), "utf8"));
    expect(manifest).toMatchObject({ run, status: "moved", folder });
    expect(manifest.files).toHaveLength(4);
    expect(manifest.files).toContainEqual(
      expect.objectContaining({
        from: "agents/desk/sessions/s1.jsonl",
        to: `backscroll-archive/${run}/agents/desk/sessions/s1.jsonl`,
        size: readFileSync(join(report.archive ?? "", "agents/desk/sessions/s1.jsonl")).length,
        sha256: before["agents/desk/sessions/s1.jsonl"]?.slice(0, 64),
        sessions: 1,
        entries: 2,
        status: "moved",
      }),
    );
    expect(statSync(join(home.folder, "legacy", `${run}.json`)).mode & 0o777).toBe(0o600);
    expect((await home.search({ query: "plank" })).results).toHaveLength(4);
  });

  test("a second one has nothing to do, and a sync calls nothing gone", async () => {
    const { folder, home } = sample();
    await legacyOf(home, folder).import();
    const before = [tree(folder), tree(join(home.folder, "legacy"))];
    expect(await legacyOf(home, folder).import()).toMatchObject({ run: null, moved: 0, verified: 0, stays: [] });
    expect([tree(folder), tree(join(home.folder, "legacy"))]).toEqual(before);
    const report = await home.import([{ source: openclaw, folder: join(folder, "agents") }]);
    expect(report.files).toMatchObject({ found: 0, vanished: 0 });
  });

  test("what OpenClaw writes afterwards goes into the same session, and into an archive of its own", async () => {
    const { folder, paths, home } = sample();
    const first = await legacyOf(home, folder).import();
    writeFileSync(paths.main, line("m3", "late plank", { parentId: "m2" }));
    const second = await legacyOf(home, folder).import();
    expect(second).toMatchObject({ moved: 1, stays: [] });
    expect(second.run).not.toBe(first.run);
    const session = snapshot(home.store("desk")).find(({ key }) => key === "agent:desk:main");
    expect(session?.transcripts).toMatchObject([{ indexed: ["m1", "m2", "m3"] }]);
  });

  test("a file of which something could not be read stays and is named; one bad line is no reason", async () => {
    const { folder, paths, home } = sample();
    appendFileSync(paths.main, '{"type":"message","torn');
    appendFileSync(paths.other, "no JSON\n");
    const report = await legacyOf(home, folder).import();
    expect(reasons(report)).toEqual({
      "s1.jsonl": expect.stringMatching(/^not verified: unread: line 4: the file ends inside a record/),
      "sessions.json": expect.stringContaining("a transcript of its agent stays"),
    });
    expect(report.moved).toBe(2);
    expect(report.report.problemCounts).toEqual({ "half-line": 1, "bad-line": 1 });
    // Ended by its program, it goes too, and the list with it.
    appendFileSync(paths.main, '"}\n');
    expect(await legacyOf(home, folder).import()).toMatchObject({ moved: 2, stays: [] });
  });

  test("a list of sessions that can't be read stays", async () => {
    const { folder, paths, home } = sample();
    writeFileSync(paths.list, '{"agent:desk:main":');
    const report = await legacyOf(home, folder).import();
    expect(reasons(report)).toEqual({ "sessions.json": expect.stringContaining("not a JSON object") });
    expect(report.moved).toBe(3);
  });

  test("a lock beside a transcript keeps it in place", async () => {
    const { folder, paths, home } = sample();
    writeFileSync(`${paths.other}.lock`, "{}");
    const report = await legacyOf(home, folder).import();
    expect(reasons(report)).toEqual({ "s9.jsonl": expect.stringContaining("lock file") });
    rmSync(`${paths.other}.lock`);
    expect(await legacyOf(home, folder).import()).toMatchObject({ moved: 1, stays: [] });
  });

  test("links are never moved, and never followed out of the folder", async () => {
    const { folder, paths, home } = sample();
    const outside = stateFolder();
    const far = transcript(outside, "desk", "x1", [line("x1", "secret plank")]);
    const sessions = join(folder, "agents", "desk", "sessions");
    symlinkSync(far, join(sessions, "x1.jsonl"));
    symlinkSync(paths.main, join(sessions, "s1-link.jsonl"));
    symlinkSync(join(outside, "agents", "desk"), join(folder, "agents", "far"));
    symlinkSync(join(outside, "agents"), join(folder, "sessions"));
    const before = [tree(outside), tree(folder)];
    const report = await legacyOf(home, folder).import();
    expect(reasons(report)).toMatchObject({ "s1-link.jsonl": expect.stringContaining("links are never moved") });
    expect(report.problems.map(({ code }) => code)).toContain("outside-root");
    expect(tree(outside)).toEqual(before[0]);
    expect(
      Object.keys(tree(folder)).filter((name) => name.endsWith("link.jsonl") || name.endsWith("x1.jsonl")),
    ).toHaveLength(2);
    expect((await home.search({ query: "secret" })).results).toEqual([]);
    expect(await legacyOf(home, folder).restore()).toMatchObject({ stays: [] });
    expect(tree(folder)).toEqual(before[1]);
  });

  test("one agent alone: the others are neither read nor moved", async () => {
    const { folder, home } = sample();
    expect(await legacyOf(home, folder, "shed").import()).toMatchObject({ moved: 1, stays: [] });
    expect(home.agents()).toEqual(["shed"]);
    expect(Object.keys(tree(join(folder, "agents")))).toHaveLength(3);
    expect((await legacyOf(home, folder, "desk").inspect()).agents).toMatchObject([
      { agentId: "desk", transcripts: 2 },
    ]);
  });

  test("two files that say different words under one id: the one that is not in the store stays", async () => {
    const { folder, home } = sample();
    transcript(folder, "desk", "s1", [line("m1", "ash plank")], "s1.jsonl.reset.2026-03-05T08-00-00.000Z");
    const report = await legacyOf(home, folder).import();
    const [first] = report.differences;
    expect(first).toMatchObject({ code: "changed-text", sessionId: "s1", entryId: "m1" });
    expect(Object.keys(reasons(report)).sort()).toEqual([basename(first?.path ?? ""), "sessions.json"].sort());
  });

  test("what was deleted here stays deleted, is counted, and does not keep its file", async () => {
    const { folder, home } = sample();
    await home.import([{ source: openclaw, folder: join(folder, "agents") }]);
    home.store("desk").deleteEntry(key("main", "desk"), toEntryId("m2"));
    home.store("shed").deleteSession(key("s9", "shed"));
    const before = [snapshot(home.store("desk")), snapshot(home.store("shed"))];
    const report = await legacyOf(home, folder).import();
    expect(report).toMatchObject({ moved: 4, stays: [], counts: { entries: 4, deleted: 2 } });
    expect([snapshot(home.store("desk")), snapshot(home.store("shed"))]).toEqual(before);
    expect(await legacyOf(home, folder).validate()).toMatchObject({ differences: [], counts: { deleted: 2 } });
    await legacyOf(home, folder).restore();
    await home.import([{ source: openclaw, folder: join(folder, "agents") }]);
    expect((await home.search({ query: "elm" })).results).toEqual([]);
    expect((await home.search({ query: "shed" })).results).toEqual([]);
  });
});

describe.each(names)("fixture %s", (name) => {
  test("goes over and comes back as it was; what stays has a reason", async () => {
    const folder = stateFolder(name);
    const home = temporaryHome();
    const before = tree(folder);
    const legacy = legacyOf(home, folder);
    const report = await legacy.import();
    const { agents } = await legacy.inspect();
    const left = agents.reduce((sum, { transcripts, lists }) => sum + transcripts + lists, 0);
    expect(report.stays).toHaveLength(left);
    if (!["damaged", "copies-left-out"].includes(name)) expect(report.stays).toEqual([]);
    const { differences } = await legacy.validate();
    expect(differences.every(({ code }) => code === "unread")).toBe(true);
    await legacy.restore();
    expect(tree(folder)).toEqual(before);
  });
});

describe("validate", () => {
  test("in place: what was never imported is missing", async () => {
    const { folder, home } = sample();
    const report = await legacyOf(home, folder).validate();
    expect(report.differenceCounts).toEqual({ "missing-session": 4 });
    expect(readdirSync(home.folder)).toEqual([]);
  });

  test("archived: missing sessions and entries, other words, other bytes, files that are gone", async () => {
    const { folder, home } = sample();
    const { run, archive } = await legacyOf(home, folder).import();
    const legacy = legacyOf(home, folder);
    expect(await legacy.validate()).toMatchObject({ files: 4, differences: [], counts: { entries: 4 } });
    const { db } = home.store("desk");
    const words = JSON.stringify({ parts: [{ type: "text", text: "ash plank" }] });
    db.prepare("UPDATE entries SET body = :words WHERE id = 'm1'").run({ words });
    db.exec("DELETE FROM entries WHERE id = 'm2'");
    home.store("shed").db.exec("DELETE FROM transcripts");
    expect((await legacy.validate()).differenceCounts).toEqual({
      "changed-text": 1,
      "missing-entry": 1,
      "missing-session": 1,
    });
    appendFileSync(join(archive ?? "", "agents/desk/sessions/s1.jsonl"), line("m3", "late plank"));
    rmSync(join(archive ?? "", "agents/shed/sessions/s9.jsonl"));
    const report = await legacy.validate({ run: run ?? "" });
    expect(report.differenceCounts).toEqual({
      "changed-text": 1,
      "missing-entry": 2,
      "changed-file": 1,
      "other-count": 1,
      "missing-file": 1,
    });
    expect(report.differences).toContainEqual(
      expect.objectContaining({ code: "missing-entry", sessionId: "s1", entryId: "m3" }),
    );
    await expect(legacy.validate({ run: "20260101T000000Z-000000" })).rejects.toMatchObject({ code: "bad_input" });
  });
});

describe("restore", () => {
  test("puts everything back where it was, once and again; the next sync reads nothing anew", async () => {
    const { folder, home } = sample();
    const before = tree(folder);
    const { run } = await legacyOf(home, folder).import();
    expect(await legacyOf(home, folder).restore()).toMatchObject({ run, restored: 4, stays: [] });
    expect(tree(folder)).toEqual(before);
    expect(await legacyOf(home, folder).restore()).toMatchObject({ run, restored: 0, stays: [] });
    const report = await home.import([{ source: openclaw, folder: join(folder, "agents") }]);
    expect([report.bytes, report.files.unchanged, report.files.vanished]).toEqual([0, 4, 0]);
    expect(JSON.parse(readFileSync(join(home.folder, "legacy", `${run}.json`), "utf8"))).toMatchObject({
      status: "restored",
    });
  });

  test("never overwrites: a file that is there again is left, and named", async () => {
    const { folder, paths, home } = sample();
    await legacyOf(home, folder).import();
    writeFileSync(paths.list, "{}");
    const report = await legacyOf(home, folder).restore();
    expect(report.restored).toBe(3);
    expect(report.stays).toEqual([
      { path: expect.stringContaining("backscroll-archive"), reason: expect.stringContaining("a file in its place") },
    ]);
    expect(readFileSync(paths.list, "utf8")).toBe("{}");
    rmSync(paths.list);
    expect(await legacyOf(home, folder).restore()).toMatchObject({ restored: 1, stays: [] });
  });

  test("with several runs, the one to undo has to be named", async () => {
    const { folder, paths, home } = sample();
    const first = await legacyOf(home, folder).import();
    transcript(folder, "shed", "s10", [line("m10", "new plank")]);
    const second = await legacyOf(home, folder).import();
    await expect(legacyOf(home, folder).restore()).rejects.toMatchObject({
      code: "bad_input",
      message: expect.stringContaining(`${first.run}, ${second.run}`),
    });
    expect(await legacyOf(home, folder).restore({ run: first.run ?? "" })).toMatchObject({ restored: 4 });
    expect(statSync(paths.main).isFile()).toBe(true);
    expect(await legacyOf(home, folder).restore()).toMatchObject({ run: second.run, restored: 1 });
  });

  test("without a run there is nothing to undo", async () => {
    const { folder, home } = sample();
    expect(await legacyOf(home, folder).restore()).toMatchObject({ run: null, restored: 0, stays: [] });
  });

  test("one agent's files alone", async () => {
    const { folder, paths, home } = sample();
    const { run } = await legacyOf(home, folder).import();
    expect(await legacyOf(home, folder, "shed").restore()).toMatchObject({ run, restored: 1 });
    expect(statSync(paths.other).isFile()).toBe(true);
    expect(await legacyOf(home, folder).restore()).toMatchObject({ run, restored: 3 });
  });
});

test("a state folder that is reached through a link, and old times, come back as they were", async () => {
  const { folder, paths, home } = sample();
  const old = new Date("2026-01-02T03:04:05.678Z");
  utimesSync(paths.main, old, old);
  const before = tree(folder);
  const link = join(temporaryFolder(), "link");
  symlinkSync(folder, link);
  await legacyOf(home, link).import();
  mkdirSync(join(folder, "agents", "desk", "sessions"), { recursive: true });
  expect(await legacyOf(home, folder).restore()).toMatchObject({ restored: 4 });
  expect(tree(folder)).toEqual(before);
});
