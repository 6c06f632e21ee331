import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { builtInSources, type ImportReport, type Source, toEntryId } from "../../../src/index.ts";
import { readSourcesAnew, readSourcesAsNew } from "../../../src/store/tombstones.ts";
import { key } from "../../helpers/entries.ts";
import { snapshot } from "../../helpers/snapshot.ts";
import { temporaryFolder, temporaryHome } from "../../helpers/temporary.ts";

const neutral = builtInSources.filter(({ id }) => id === "jsonl");

interface Line {
  readonly id: string;
  readonly text: string;
  readonly [more: string]: unknown;
}

function line({ id, text, ...more }: Line): string {
  return `${JSON.stringify({ type: "message", sessionKey: "agent:shed:talk", id, role: "user", text, timestamp: "2026-04-01T08:00:00Z", ...more })}\n`;
}

/** A home with one root of neutral JSONL. */
function setUp() {
  const folder = temporaryFolder();
  const home = temporaryHome();
  const sync = (): Promise<ImportReport> => home.import(neutral.map((source) => ({ source, folder })));
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  };
  const texts = async (query: string) =>
    (await home.search({ query, perSession: 25, limit: 25 })).results.map(({ snippet }) => snippet).sort();
  return { folder, home, sync, write, texts };
}

describe("import", () => {
  test("a file that grew costs what it grew by (SPEC 8.3)", async () => {
    const { folder, sync, write, texts } = setUp();
    const first = Array.from({ length: 50 }, (_, at) => line({ id: `m${at}`, text: `plank ${at}` })).join("");
    write("a.jsonl", first);
    expect((await sync()).bytes).toBe(Buffer.byteLength(first));
    const more = line({ id: "m50", text: "plank late" });
    appendFileSync(join(folder, "a.jsonl"), more);
    const report = await sync();
    expect(report.bytes).toBe(Buffer.byteLength(more));
    expect(report.files.grown).toBe(1);
    expect(report.entries).toEqual({ added: 1, same: 0, changed: 0, extended: 0 });
    expect(await texts("late")).toEqual(["plank late"]);
  });

  test("a half line waits and comes in once, whole (SPEC 8.4)", async () => {
    const { folder, sync, write, texts } = setUp();
    const [one, two] = [line({ id: "m1", text: "first plank" }), line({ id: "m2", text: "second plank \u{1f9f5}" })];
    // Every place a write can stop at, also inside a character.
    const bytes = Buffer.from(two);
    for (const cut of [1, 40, bytes.indexOf(0xf0) + 2, bytes.length - 2]) {
      write("a.jsonl", one);
      appendFileSync(join(folder, "a.jsonl"), bytes.subarray(0, cut));
      expect((await sync()).problemCounts["half-line"], String(cut)).toBe(1);
      expect(await texts("second"), String(cut)).toEqual([]);
    }
    write("a.jsonl", one + two);
    expect((await sync()).problemCounts).toEqual({});
    expect(await texts("second")).toEqual(["second plank \u{1f9f5}"]);
    expect(await texts("plank")).toHaveLength(2);
  });

  test("one bad line costs one line, with its place (SPEC 8.4)", async () => {
    const { folder, sync, write, texts } = setUp();
    write(
      "a.jsonl",
      `${line({ id: "m1", text: "first plank" })}{"type":"message","torn\n[1,2]\n"text"\n\n${line({ id: "m2", text: "second plank" })}`,
    );
    const report = await sync();
    expect(report.problemCounts).toEqual({ "bad-line": 3 });
    expect(report.problems.map((problem) => [problem.path, problem.line])).toEqual(
      [2, 3, 4].map((at) => [join(folder, "a.jsonl"), at]),
    );
    expect(await texts("plank")).toEqual(["first plank", "second plank"]);
  });

  test("line ends, byte order mark and U+2028 are read for what they are", async () => {
    const { sync, write, texts } = setUp();
    const crlf = (text: string) => text.replace("\n", "\r\n");
    write(
      "a.jsonl",
      `\ufeff${crlf(line({ id: "m1", text: "first plank" }))}\r\n${crlf(line({ id: "m2", text: "second\u2028plank" }).replace("\\u2028", "\u2028"))}`,
    );
    expect((await sync()).problemCounts).toEqual({});
    expect(await texts("plank")).toEqual(["first plank", "second\u2028plank"]);
  });

  test("a rewritten file is noticed; what is no longer in it is off the branch, and stays stored (SPEC 8.3, 8.13)", async () => {
    const { home, sync, write, texts } = setUp();
    write(
      "a.jsonl",
      line({ id: "m1", text: "first plank" }) +
        line({ id: "m2", text: "oak plank" }) +
        line({ id: "m3", text: "elm plank" }),
    );
    await sync();
    write("a.jsonl", line({ id: "m1", text: "first plank" }) + line({ id: "m2", text: "ash plank" }));
    const report = await sync();
    expect(report.problemCounts).toEqual({ rewritten: 1 });
    expect(report.files.reread).toBe(1);
    expect(report.entries).toEqual({ added: 0, same: 1, changed: 1, extended: 0 });
    expect(await texts("plank")).toEqual(["ash plank", "first plank"]);
    const stored = snapshot(home.store("shed"))[0]?.transcripts[0];
    expect(stored?.entries).toHaveLength(3);
    expect(stored?.leafId).toBe("m2");
  });

  test("what is new in a rewritten file goes on where the file does, not where it once ended (SPEC 8.3, 8.13)", async () => {
    const { home, sync, write, texts } = setUp();
    const [one, two, three, four] = ["first", "oak", "elm", "ash"].map((word, at) =>
      line({ id: `m${at + 1}`, text: `${word} plank` }),
    );
    write("a.jsonl", `${one}${two}${three}`);
    await sync();
    write("a.jsonl", `${one}${four}`);
    expect((await sync()).entries).toMatchObject({ added: 1, same: 1 });
    expect(await texts("plank")).toEqual(["ash plank", "first plank"]);
    expect(snapshot(home.store("shed"))[0]?.transcripts[0]?.entries).toHaveLength(4);
  });

  test("a late piece of a message is no place that a rewritten file goes on at (SPEC 1.11, 8.13)", async () => {
    const { folder, home, write } = setUp();
    const fixture = join(import.meta.dirname, "../../fixtures/sources/claude-code/streamed-pieces/root/-srv-boatyard");
    const name = "2b7d1e90-55c2-4f0a-8a11-6d2c9f3e0b02.jsonl";
    const lines = readFileSync(join(fixture, name), "utf8").split("\n");
    const roots = builtInSources.filter(({ id }) => id === "claude-code").map((source) => ({ source, folder }));
    write(`-srv-boatyard/${name}`, lines.join("\n"));
    await home.import(roots);
    // Without its end, it ends with a piece that came after the tool's result.
    write(`-srv-boatyard/${name}`, `\n${lines.slice(0, 7).join("\n")}\n`);
    await home.import(roots);
    expect(snapshot(home.store("claude-code"))[0]?.transcripts[0]?.leafId).toBe("2b7d1e90-0000-4000-8000-000000000005");
  });

  test("a file that a repair asked for decides where its transcripts end; for an undo, they end where they do (SPEC 8.13)", async () => {
    const { home, sync, write } = setUp();
    write("a.jsonl", ["m1", "m2", "m3"].map((id) => line({ id, text: "plank" })).join(""));
    await sync();
    const store = home.store("shed");
    const leaf = () => snapshot(store)[0]?.transcripts[0]?.leafId;
    store.setLeaf(key("talk", "shed"), toEntryId("m1"));
    readSourcesAsNew(store.db);
    await sync();
    expect(leaf()).toBe("m1");
    expect(readSourcesAnew(store.db)).toBe(1);
    await sync();
    expect(leaf()).toBe("m3");
  });

  test("a move to an entry that is not there is named (SPEC 8.4)", async () => {
    const { sync, write, texts } = setUp();
    const leaf = (targetId: string | null) =>
      `${JSON.stringify({ type: "leaf", sessionKey: "agent:shed:a", targetId })}\n`;
    const kept = line({ id: "m1", text: "first plank", sessionKey: "agent:shed:a" });
    write("a.jsonl", kept + leaf("m9"));
    const report = await sync();
    expect(report.problems.map(({ code, reason }) => [code, reason])).toEqual([
      ["bad-record", "a leaf at m9 of session a: no such entry; left out"],
    ]);
    expect(await texts("plank")).toEqual(["first plank"]);
  });

  test("a file of the same length and other content is not taken for the same (SPEC 8.3)", async () => {
    const { sync, write, texts } = setUp();
    write("a.jsonl", line({ id: "m1", text: "oak plank" }));
    await sync();
    write("a.jsonl", line({ id: "m1", text: "elm plank" }));
    await sync();
    expect(await texts("plank")).toEqual(["elm plank"]);
  });

  test("a moved file is known again and not read twice; one that goes away stays in the store (SPEC 8.3)", async () => {
    const { folder, sync, write, texts } = setUp();
    write("a.jsonl", line({ id: "m1", text: "first plank" }));
    await sync();
    mkdirSync(join(folder, "archive"));
    renameSync(join(folder, "a.jsonl"), join(folder, "archive", "b.jsonl"));
    const moved = await sync();
    expect([moved.bytes, moved.files.unchanged, moved.files.vanished]).toEqual([0, 1, 0]);
    rmSync(join(folder, "archive"), { recursive: true });
    const gone = await sync();
    expect(gone.files.vanished).toBe(1);
    expect(await texts("plank")).toEqual(["first plank"]);
  });

  test("links that lead out of the root are not followed (SPEC 8.7)", async () => {
    const { folder, sync, write, texts } = setUp();
    const outside = temporaryFolder();
    writeFileSync(join(outside, "secret.jsonl"), line({ id: "x1", text: "secret plank" }));
    write("real.jsonl", line({ id: "m1", text: "first plank" }));
    symlinkSync(join(outside, "secret.jsonl"), join(folder, "link.jsonl"));
    symlinkSync(outside, join(folder, "linked-folder"));
    symlinkSync(folder, join(folder, "round"));
    symlinkSync(join(folder, "nowhere.jsonl"), join(folder, "dangling.jsonl"));
    const report = await sync();
    expect(report.problemCounts).toEqual({ "outside-root": 2 });
    expect(await texts("plank")).toEqual(["first plank"]);
  });

  test("a root reached through a link is a root like any other", async () => {
    const { folder, home, write } = setUp();
    write("a.jsonl", line({ id: "m1", text: "first plank" }));
    const link = join(temporaryFolder(), "link");
    symlinkSync(folder, link);
    const report = await home.import(neutral.map((source) => ({ source, folder: link })));
    expect(report.files.imported).toBe(1);
  });

  test("a file without times takes those of the file (SPEC 8.7)", async () => {
    const { folder, sync, write, home } = setUp();
    write(
      "a.jsonl",
      line({ id: "m1", text: "first plank", timestamp: undefined }) +
        line({ id: "m2", text: "second plank", timestamp: "not-a-date" }),
    );
    const at = new Date("2026-02-03T04:05:06Z");
    utimesSync(join(folder, "a.jsonl"), at, at);
    const report = await sync();
    expect(report.problemCounts).toEqual({ "bad-time": 1 });
    const { results } = await home.search({ query: "plank" });
    expect(results.map(({ timestamp }) => timestamp)).toEqual([at.getTime(), at.getTime()]);
  });

  test("files that hold nothing are opened once (SPEC 8.3)", async () => {
    const { home, sync, write } = setUp();
    write("notes.txt", "nothing of ours");
    write("empty.jsonl", "");
    write("only-session.jsonl", `${JSON.stringify({ type: "session", sessionKey: "not a key" })}\n`);
    const first = await sync();
    expect(first.files.imported + first.files.foreign + first.files.skipped).toBe(3);
    const cache = readFileSync(join(home.folder, "seen-files.json"), "utf8");
    const second = await sync();
    expect(second.files.imported).toBe(0);
    expect(second.bytes).toBe(0);
    expect(readFileSync(join(home.folder, "seen-files.json"), "utf8")).toBe(cache);
    writeFileSync(join(home.folder, "seen-files.json"), "{ damaged");
    expect((await sync()).files.failed).toBe(0);
  });

  test("a time budget leaves files for the next run and says how many", async () => {
    const { home, folder, write } = setUp();
    for (const name of ["a", "b", "c"])
      write(`${name}.jsonl`, line({ id: name, text: `plank ${name}`, sessionKey: `agent:shed:${name}` }));
    const [source] = neutral;
    if (!source) throw new Error("no neutral source");
    const report = await home.import([{ source, folder }], { until: 0 });
    expect(report.files.pending).toBe(3);
    expect((await home.import([{ source, folder }])).files.imported).toBe(3);
  });

  test("what two agents said in one file goes to two stores, resumed apart", async () => {
    const { folder, home, sync, write, texts } = setUp();
    write(
      "a.jsonl",
      line({ id: "m1", text: "first plank" }) +
        line({ id: "k1", text: "kitchen plank", sessionKey: "agent:kitchen:talk" }),
    );
    await sync();
    appendFileSync(join(folder, "a.jsonl"), line({ id: "k2", text: "later plank", sessionKey: "agent:kitchen:talk" }));
    const report = await sync();
    expect(report.entries.added).toBe(1);
    expect(home.agents()).toEqual(["kitchen", "shed"]);
    expect(await texts("plank")).toEqual(["first plank", "kitchen plank", "later plank"]);
  });

  test("names that are properties of every object do no harm", async () => {
    const { home, sync, write, texts } = setUp();
    const names = ["__proto__", "constructor", "toString", "hasOwnProperty"];
    write(
      "a.jsonl",
      names.map((name) => line({ id: name, text: `plank ${name}`, sessionKey: `agent:shed:${name}` })).join(""),
    );
    await sync();
    expect(await texts("plank")).toHaveLength(names.length);
    for (const name of names)
      expect((await home.history({ sessionKey: `agent:shed:${name}`, messageId: name })).messages).toHaveLength(1);
  });

  test("a record nested without end costs itself (SPEC 8.4)", async () => {
    const { sync, write, texts } = setUp();
    const deep = line({ id: "m2", text: "deep plank", data: "DEEP" }).replace(
      '"DEEP"',
      `${"[".repeat(50_000)}${"]".repeat(50_000)}`,
    );
    write("a.jsonl", line({ id: "m1", text: "first plank" }) + deep + line({ id: "m3", text: "third plank" }));
    const report = await sync();
    expect(report.problemCounts).toEqual({ "bad-record": 1 });
    expect(report.problems[0]?.reason).toContain("m2");
    expect(await texts("plank")).toEqual(["first plank", "third plank"]);
  });

  test("a second copy of a file changes nothing, also where the leaf moved in it (SPEC 8.13)", async () => {
    const { folder, home, sync, write, texts } = setUp();
    const leaf = `${JSON.stringify({ type: "leaf", sessionKey: "agent:shed:talk", targetId: "m1" })}\n`;
    const text =
      line({ id: "m1", text: "first plank" }) +
      line({ id: "m2", text: "dead plank" }) +
      leaf +
      line({ id: "m3", text: "third plank" });
    write("a.jsonl", text);
    await sync();
    const before = snapshot(home.store("shed"));
    write("b.jsonl", text);
    await sync();
    expect(snapshot(home.store("shed"))).toEqual(before);
    // A move that is new takes place.
    appendFileSync(join(folder, "b.jsonl"), leaf);
    await sync();
    expect(await texts("plank")).toEqual(["first plank"]);
  });

  test("a part of a shared file whose database is gone comes back (SPEC 8.13)", async () => {
    const { folder, home, sync, write, texts } = setUp();
    write(
      "a.jsonl",
      line({ id: "m1", text: "first plank" }) +
        line({ id: "k1", text: "kitchen plank", sessionKey: "agent:kitchen:talk" }),
    );
    await sync();
    home.close();
    rmSync(join(home.folder, "agents", "kitchen"), { recursive: true });
    const report = await sync();
    expect(report.entries).toMatchObject({ added: 1, same: 1 });
    expect(await texts("plank")).toEqual(["first plank", "kitchen plank"]);
    expect((await sync()).bytes).toBe(0);
    expect(folder).not.toBe("");
  });

  test("a file replaced while it is read is read again, whole (SPEC 8.3)", async () => {
    const { folder, home, texts } = setUp();
    const path = join(folder, "a.jsonl");
    const lines = (name: string, count: number) =>
      Array.from({ length: count }, (_, at) =>
        line({ id: `${name}${at}`, text: `plank ${name}${at} ${"x".repeat(200)}` }),
      ).join("");
    writeFileSync(path, lines("old", 9000));
    const [source] = neutral;
    if (!source) throw new Error("no neutral source");
    const replacing: Source = {
      ...source,
      async *read(file, from) {
        let batches = 0;
        for await (const batch of source.read(file, from)) {
          yield batch;
          batches += 1;
          if (batches !== 1) continue;
          writeFileSync(`${path}.new`, lines("new", 9500));
          renameSync(`${path}.new`, path);
        }
      },
    };
    const first = await home.import([{ source: replacing, folder }]);
    expect(first.problemCounts).toEqual({ rewritten: 1 });
    const second = await home.import([{ source, folder }]);
    expect(second.files.reread).toBe(1);
    expect(await texts("new0")).toHaveLength(1);
    expect(await texts("new9499")).toHaveLength(1);
  });

  test("an ignored record with the id of a message, and a deep piece, cost themselves (SPEC 8.4)", async () => {
    const folder = temporaryFolder();
    const home = temporaryHome();
    const claude = builtInSources.filter(({ id }) => id === "claude-code").map((source) => ({ source, folder }));
    const path = join(folder, "0b1c2d3e-0000-4000-8000-000000000001.jsonl");
    const record = (uuid: string, more: object) =>
      `${JSON.stringify({ uuid, parentUuid: null, sessionId: "0b1c2d3e-0000-4000-8000-000000000001", timestamp: "2026-04-01T08:00:00Z", cwd: "/srv", ...more })}\n`;
    const typed = record("u1", { type: "user", message: { role: "user", content: "the first plank" } });
    writeFileSync(path, typed);
    await home.import(claude);
    const piece = (uuid: string, input: unknown) =>
      record(uuid, {
        type: "assistant",
        message: { role: "assistant", id: "msg_1", content: [{ type: "tool_use", id: uuid, name: "saw", input }] },
      });
    appendFileSync(
      path,
      record("u1", { type: "system", subtype: "informational", content: "x" }) + typed + piece("u2", {}),
    );
    appendFileSync(path, piece("u3", { deep: "DEEP" }).replace('"DEEP"', `${"[".repeat(8000)}${"]".repeat(8000)}`));
    appendFileSync(path, record("u4", { type: "user", message: { role: "user", content: "the last plank" } }));
    const report = await home.import(claude);
    expect(report.problemCounts).toEqual({ "bad-record": 1 });
    expect((await home.search({ query: "plank" })).results).toHaveLength(2);
  });

  test("a record over the line limit is skipped by name, the next one read (SPEC 8.4, 8.8)", async () => {
    const { sync, write, texts } = setUp();
    const long = line({ id: "m2", text: "x".repeat(17 * 1024 * 1024) });
    write("a.jsonl", line({ id: "m1", text: "first plank" }) + long + line({ id: "m3", text: "third plank" }));
    const report = await sync();
    expect(report.problemCounts).toEqual({ "long-line": 1 });
    expect(report.problems[0]?.line).toBe(2);
    expect(await texts("plank")).toEqual(["first plank", "third plank"]);
  });
});
