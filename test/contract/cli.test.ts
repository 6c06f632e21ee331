/** The command line as people and programs use it: real processes, real files (SPEC 9.2). */
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../helpers/temporary.ts";

const bin = resolve(import.meta.dirname, "../../bin/backscroll.js");
const sample = resolve(import.meta.dirname, "../../demo/sample");
const roots = ["claude-code", "codex", "openclaw", "pi"].flatMap((source) => [
  "--root",
  `${source}=${join(sample, source)}`,
]);

function run(...args: string[]): { code: number | null; out: string; err: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...args], {
    encoding: "utf8",
    env: { ...process.env, TZ: "UTC", HOME: "/nowhere", BACKSCROLL_HOME: "/nowhere" },
  });
  return { code: status, out: stdout, err: stderr };
}

function json(...args: string[]) {
  const { out, ...rest } = run(...args, "--json");
  expect(out.trim().split("\n"), "one JSON answer").toHaveLength(1);
  return { ...rest, answer: JSON.parse(out) };
}

function importedHome(): string {
  const home = join(temporaryFolder(), "home");
  expect(run("sync", "--home", home, ...roots).code).toBe(0);
  return home;
}

describe("backscroll", () => {
  test("sync counts what it did and remembers its roots; a second one reads nothing (SPEC 8.3, 8.12)", () => {
    const home = join(temporaryFolder(), "home");
    const first = run("sync", "--home", home, ...roots);
    expect(first.code).toBe(0);
    expect(first.out).toMatch(/\d+ files: \d+ read/);
    const { answer } = json("sync", "--home", home);
    expect(answer).toMatchObject({ bytes: 0, sessions: 0, files: { imported: 0, grown: 0, reread: 0, failed: 0 } });
    expect(answer.files.unchanged).toBeGreaterThan(20);
  });

  test("search finds, history opens the hit; exit codes 0, 1, 2 (SPEC 9.2)", () => {
    const home = importedHome();
    const { code, answer, err } = json("search", "--home", home, "tide table cache");
    expect([code, err]).toEqual([0, ""]);
    const [hit] = answer.results;
    const page = json("history", "--home", home, "--around", hit.messageId, "--limit", "5", hit.sessionKey);
    expect(page.code).toBe(0);
    expect(page.answer.messages.find(({ anchor }: { anchor?: true }) => anchor)?.messageId).toBe(hit.messageId);
    expect(page.answer.messages).toHaveLength(5);
    const nothing = run("search", "--home", home, "zzqqxx");
    expect(nothing.code).toBe(1);
    expect(nothing.out).toMatch(/zzqqxx: in 0 messages/);
    expect(run("search", "--home", home, "--limit", "26", "x").code).toBe(2);
    expect(json("search", "--home", home, "--limit", "26", "x").answer).toMatchObject({
      status: "error",
      code: "bad_input",
      hint: expect.any(String),
    });
    expect(run("history", "--home", home, "no-such").err).toMatch(/no session "no-such"/);
    expect(run("nonsense").code).toBe(2);
    expect(run("search", "--home", home).code).toBe(2);
    expect(run("sync", "--home", home, "--root", "claude-code").err).toMatch(/source=folder/);
    expect(run("sync", "--home", home, "--root", "word-perfect=/tmp").err).toMatch(/Sources are claude-code, codex/);
    expect(run("--help").code).toBe(0);
  });

  test("search takes in what changed first (SPEC 8.9)", () => {
    const folder = temporaryFolder();
    const home = join(folder, "home");
    const file = join(folder, "talk.jsonl");
    const line = (id: string, text: string) =>
      `${JSON.stringify({ type: "message", sessionKey: "agent:shed:talk", id, role: "user", text })}\n`;
    writeFileSync(file, line("m1", "the first quagga"));
    expect(json("search", "--home", home, "--root", `jsonl=${folder}`, "quagga").answer.results).toHaveLength(1);
    writeFileSync(file, line("m1", "the first quagga") + line("m2", "the second quagga"));
    expect(json("search", "--home", home, "--no-sync", "quagga").answer.results).toHaveLength(1);
    expect(json("search", "--home", home, "quagga").answer.results).toHaveLength(2);
  });

  test("what a transcript says never steers the terminal (SPEC 9.2)", () => {
    const folder = temporaryFolder();
    const home = join(folder, "home");
    const evil = "quagga \u001b[2J\u001b]0;owned\u0007 \u009b31m \r\n\u202eslipped\u0000";
    writeFileSync(
      join(folder, "talk.jsonl"),
      `${JSON.stringify({ type: "session", sessionKey: "agent:shed:talk", title: evil, project: evil })}\n${JSON.stringify({ type: "message", sessionKey: "agent:shed:talk", id: "m1", role: "user", text: evil })}\n`,
    );
    const outputs = [
      run("sync", "--home", home, "--root", `jsonl=${folder}`),
      run("search", "--home", home, "quagga"),
      run("history", "--home", home, "agent:shed:talk"),
      run("sessions", "--home", home),
      run("search", "--json", "--home", home, "quagga"),
      run("export", "--home", home),
    ];
    for (const { code, out } of outputs) {
      expect(code).toBe(0);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern lists the control characters that a terminal must not get
      expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
    }
    expect(outputs[1]?.out).toContain("quagga");
  });

  test("a minus leaves a word out, a misspelt flag is an error, -- makes text of everything (SPEC 3.2)", () => {
    const folder = temporaryFolder();
    const home = join(folder, "home");
    const line = (id: string, text: string) =>
      `${JSON.stringify({ type: "message", sessionKey: "agent:shed:talk", id, role: "user", text })}\n`;
    writeFileSync(join(folder, "talk.jsonl"), line("m1", "oak plank") + line("m2", "elm plank --dry-run"));
    expect(run("sync", "--home", home, "--root", `jsonl=${folder}`).code).toBe(0);
    const ids = (...words: string[]) =>
      json("search", "--home", home, "--no-sync", ...words).answer.results.map(
        ({ messageId }: { messageId: string }) => messageId,
      );
    expect(ids("plank", "-oak")).toEqual(["m2"]);
    const misspelt = run("search", "--home", home, "--limt", "5", "plank");
    expect(misspelt.code).toBe(2);
    expect(misspelt.err).toContain("--limt");
    expect(run("search", "--home", home, "--no-sync", "--", "--dry-run").code).toBe(0);
  });

  test("a root that can't be read is no success, and what came from it is not called gone (SPEC 8.3)", () => {
    const folder = temporaryFolder();
    const home = join(folder, "home");
    const root = join(folder, "root");
    mkdirSync(root);
    writeFileSync(
      join(root, "talk.jsonl"),
      `${JSON.stringify({ type: "message", sessionKey: "agent:shed:talk", id: "m1", role: "user", text: "plank" })}\n`,
    );
    expect(run("sync", "--home", home, "--root", `jsonl=${root}`).code).toBe(0);
    // Root (the test may run as root) reads everything, so the folder becomes a file.
    renameSync(root, join(folder, "away"));
    const away = json("sync", "--home", home);
    expect([away.code, away.answer.files.vanished]).toEqual([0, 0]);
    writeFileSync(root, "a file where the folder was");
    const broken = json("sync", "--home", home);
    expect([broken.code, broken.answer.files.vanished, broken.answer.files.rootsFailed]).toEqual([2, 0, 1]);
    expect(run("search", "--home", home, "plank")).toMatchObject({
      code: 0,
      err: expect.stringContaining("could not be read"),
    });
    expect(run("sync", "--home", home, "--root", `pi=${root}`).code).toBe(2);
  });

  test("the line of a hit opens it: history takes the message after the session", () => {
    const home = importedHome();
    const [hit] = json("search", "--home", home, "tide table cache").answer.results;
    const page = json("history", "--home", home, hit.sessionKey, hit.messageId);
    expect(
      page.answer.messages.some(
        ({ messageId, anchor }: { messageId: string; anchor?: true }) => anchor && messageId === hit.messageId,
      ),
    ).toBe(true);
  });

  test("a home or a root that can't be is a sentence, not a stack trace", () => {
    const folder = temporaryFolder();
    const file = join(folder, "file");
    writeFileSync(file, "no folder");
    for (const args of [
      ["search", "--home", file, "x"],
      ["sync", "--home", join(folder, "home"), "--root", `pi=${join(folder, "nowhere")}`],
    ]) {
      const { code, err } = run(...args);
      expect(code, args.join(" ")).toBe(2);
      expect(err).not.toMatch(/at .*:\d+:\d+/);
      expect(err).toContain(folder);
    }
  });

  test("sessions, stats and export", () => {
    const home = importedHome();
    const list = json("sessions", "--home", home, "--source", "pi", "--limit", "2");
    expect(list.answer.sessions).toHaveLength(2);
    expect(list.answer.sessions.every(({ source }: { source: string }) => source === "pi")).toBe(true);
    const { answer } = json("stats", "--home", home);
    expect(answer.agents.map(({ agentId }: { agentId: string }) => agentId)).toEqual(
      expect.arrayContaining(["claude-code", "codex", "pi"]),
    );
    const file = join(home, "..", "all.jsonl");
    expect(run("export", "--home", home, "--format", "jsonl", "--out", file).code).toBe(0);
    expect(readFileSync(file, "utf8").trim().split("\n").length).toBeGreaterThan(500);
    expect(run("export", "--home", home, "--format", "jsonl", "--out", file).code).toBe(2);
    expect(run("export", "--home", home, "--format", "csv").code).toBe(2);
    const copy = join(home, "..", "copy");
    const folder = temporaryFolder();
    writeFileSync(join(folder, "all.jsonl"), readFileSync(file));
    expect(run("sync", "--home", copy, "--root", `jsonl=${folder}`).code).toBe(0);
    const hits = (where: string) =>
      json("search", "--home", where, "--no-sync", "tide table cache").answer.results.map(
        ({ messageId }: { messageId: string }) => messageId,
      );
    expect(hits(copy)).toEqual(hits(home));
  });

  test("a home that was never given roots, and a machine without any agent, is no error", () => {
    const home = join(temporaryFolder(), "home");
    const { code, answer } = json("search", "--home", home, "anything");
    expect([code, answer.results, answer.explain.emptyStore]).toEqual([1, [], true]);
    expect(run("stats", "--home", home).code).toBe(0);
    expect(run("sessions", "--home", home).code).toBe(1);
  });

  // The machine's own Node, where it is older than ours; elsewhere there is nothing to try.
  const old = ["/usr/local/bin/node", "/usr/bin/node"].find(
    (path) => existsSync(path) && Number(/v(\d+)/.exec(spawnSync(path, ["-v"], { encoding: "utf8" }).stdout)?.[1]) < 24,
  );
  test.runIf(old)("started on an old Node, it says so (SPEC 9.6)", () => {
    const { status, stderr } = spawnSync(old ?? "", [bin, "search", "x"], { encoding: "utf8" });
    expect(status).toBe(2);
    expect(stderr).toMatch(/needs Node 24\.15 or newer; this is v/);
    expect(stderr).not.toMatch(/at .*:\d+/);
  });

  test("doctor: 0 healthy, 1 with faults, 0 when they are repaired; one JSON answer (SPEC 2.8)", () => {
    const home = importedHome();
    const well = json("doctor", "--home", home);
    expect([well.code, well.err, well.answer.healthy]).toEqual([0, "", true]);
    chmodSync(join(home, "agents", "pi"), 0o755);
    const open = run("doctor", "--home", home);
    expect(open.code).toBe(1);
    expect(open.out).toMatch(/fault open-mode \(1\)/);
    const fixed = json("doctor", "--home", home, "--fix");
    expect([fixed.code, fixed.answer.healthy, fixed.answer.repairs.length]).toEqual([0, true, 1]);
    expect(run("doctor", "--home", home, "--agent", "nobody").code).toBe(2);
  });
});
