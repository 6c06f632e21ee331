import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { zstdCompressSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { codex } from "../../../../src/sources/codex/codex.ts";
import type { Checkpoint, SourceFile, SourceItem } from "../../../../src/sources/source.ts";
import { agentEvent, assistantItem, meta, spoken, userEvent, userItem } from "./reading.ts";

let root = "";
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "codex-"));
});
afterAll(() => {
  rmSync(root, { recursive: true });
});

function put(name: string, bytes: string | Buffer): SourceFile {
  const path = join(root, name);
  writeFileSync(path, bytes);
  return { path, relative: name, root, size: statSync(path).size, mtimeMs: 0 };
}

const named = (relative: string): SourceFile => ({ path: join(root, relative), relative, root, size: 1, mtimeMs: 0 });
const jsonl = (...records: unknown[]) => records.map((record) => `${JSON.stringify(record)}\n`).join("");

async function read(file: SourceFile, from: Checkpoint | null = null) {
  const items: SourceItem[] = [];
  let at: Checkpoint | null = from;
  for await (const batch of codex.read(file, from)) {
    items.push(...batch.items);
    at = batch.at;
  }
  return { items, at };
}

describe("where Codex keeps its files", () => {
  const machine = { home: "/home/mila", platform: "linux" as const };

  it("is CODEX_HOME, else .codex in the home folder", () => {
    // SPEC 8.2
    expect(codex.places({ ...machine, env: {} })).toEqual([join("/home/mila", ".codex")]);
    expect(codex.places({ ...machine, env: { CODEX_HOME: "/srv/codex" } })).toEqual(["/srv/codex"]);
    expect(codex.places({ ...machine, env: { CODEX_HOME: "" } })).toEqual([join("/home/mila", ".codex")]);
  });
});

describe("a file is recognised", () => {
  const transcript = { as: "transcript", appendOnly: true };
  const skip = { as: "skip", reason: expect.any(String) };

  it.each<[string, string, unknown]>([
    ["an envelope", jsonl(meta()), transcript],
    ["an envelope with the payload first", jsonl({ payload: meta().payload, type: "session_meta" }), transcript],
    ["an envelope that is no header", jsonl(userEvent("a")), transcript],
    ["the oldest header", jsonl({ id: "a", timestamp: "2025-08-20T07:30:00Z", instructions: null }), transcript],
    ["a byte order mark", `\uFEFF${jsonl(meta())}`, transcript],
    ["blank and torn lines above", `\n{"timestamp":"2026-03\n${jsonl(meta())}`, transcript],
    ["the session index", jsonl({ id: "a", thread_name: "b", updated_at: "c" }), { as: "facts", appendOnly: true }],
    ["the prompt log", jsonl({ session_id: "a", ts: 1772611200, text: "b" }), skip],
    ["an event stream", jsonl({ type: "thread.started", thread_id: "a" }), skip],
    ["an older event stream", jsonl({ id: "0", msg: { type: "task_started" } }), skip],
    ["nothing", "", null],
    ["prose", "session_meta\n", null],
    ["a list", "[1]\n", null],
    ["another program's session", jsonl({ type: "session", id: "a", timestamp: "b", cwd: "c" }), null],
    ["another program's message", jsonl({ type: "message", id: "a", message: { role: "user" } }), null],
    ["an envelope type without a payload", jsonl({ type: "session_meta" }), null],
  ])("by its first records, whatever its name: %s", (_, head, expected) => {
    // SPEC 8.1, 8.2; formats A4
    expect(codex.recognise(named("any/name.jsonl"), head)).toEqual(expected);
  });

  it("by the beginning of a header longer than the head", () => {
    // SPEC 8.2: base instructions make a header longer than 64 KiB
    const long = "sand ".repeat(20_000);
    for (const header of [
      {
        timestamp: "2026-03-04T08:00:00Z",
        ordinal: 0,
        type: "session_meta",
        payload: { id: "a", base_instructions: { text: long } },
      },
      { payload: { id: "a", cli_version: "0.146.0", base_instructions: { text: long } }, type: "session_meta" },
      { id: "a", timestamp: "2025-08-20T07:30:00Z", instructions: long, git: {} },
    ]) {
      expect(codex.recognise(named("a.jsonl"), jsonl(header).slice(0, 65_536))).toEqual(transcript);
    }
    expect(codex.recognise(named("a.jsonl"), jsonl({ type: "note", text: long }).slice(0, 65_536))).toBeNull();
  });

  it("by its name where its first lines can't be read", () => {
    // SPEC 8.4: one bad line costs one line, not the file
    expect(codex.recognise(named("sessions/rollout-a.jsonl"), '{"timestamp":"2026')).toEqual(transcript);
    expect(codex.recognise(named("sessions/other.jsonl"), '{"timestamp":"2026')).toBeNull();
    expect(codex.recognise(named("sessions/rollout-a.jsonl"), "")).toBeNull();
  });

  it("by its name when it is compressed, unless the plain form is there too", () => {
    // SPEC 8.2; formats B2: if both exist the plain one wins
    put("rollout-both.jsonl", jsonl(meta()));
    expect(codex.recognise(named("rollout-alone.jsonl.zst"), "(\u00b5/\ufffd")).toEqual({
      as: "transcript",
      appendOnly: false,
    });
    expect(codex.recognise(named("rollout-both.jsonl.zst"), "(\u00b5/\ufffd")).toEqual(skip);
    expect(codex.recognise(named("backup.tar.zst"), "(\u00b5/\ufffd")).toBeNull();
  });

  it("and skipped when it is of the first Codex CLI", () => {
    // SPEC 8.4
    expect(codex.recognise(named("sessions/rollout-2025-05-01-a.json"), '{\n "session": {}')).toEqual(skip);
  });
});

describe("a rollout is read", () => {
  const records = [
    meta(),
    userItem("Sand it."),
    userEvent("Sand it."),
    agentEvent("Sanded."),
    assistantItem("Sanded."),
    userItem("Caulk it."),
    userEvent("Caulk it."),
  ];
  const said = [
    ["user", "Sand it."],
    ["assistant", "Sanded."],
    ["user", "Caulk it."],
  ];

  it("on from any line, with the same items as in one go", async () => {
    // SPEC 8.3: only the bytes appended since are read
    const lines = records.map((record) => jsonl(record));
    const whole = await read(put("grown.jsonl", lines.join("")));
    expect(spoken(whole.items)).toEqual(said);
    for (let cut = 1; cut < lines.length; cut++) {
      const first = await read(put("grown.jsonl", lines.slice(0, cut).join("")));
      const saved = JSON.parse(JSON.stringify(first.at)) as Checkpoint;
      const rest = await read(put("grown.jsonl", lines.join("")), saved);
      expect([...first.items, ...rest.items]).toEqual(whole.items);
      expect(rest.at).toEqual(whole.at);
    }
  });

  it("to the last whole line, and on from there when the line is complete", async () => {
    // SPEC 8.4
    const text = jsonl(...records);
    const torn = await read(put("torn.jsonl", text.slice(0, -20)));
    expect(torn.items.at(-1)).toMatchObject({ kind: "problem", problem: { code: "half-line", line: 7 } });
    const rest = await read(put("torn.jsonl", text), torn.at);
    expect(spoken([...torn.items, ...rest.items])).toEqual(said);
  });

  it("when compressed, to the same items", async () => {
    // SPEC 8.2
    const text = jsonl(...records);
    const plain = await read(put("rollout-c.jsonl", text));
    const packed = await read(put("rollout-c.jsonl.zst", zstdCompressSync(Buffer.from(text))));
    expect(packed.items).toEqual(plain.items);
  });
});
