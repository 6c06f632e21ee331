/** pi's session files, versions 1 to 3, and what its forks add (SPEC 8.2; pi's own docs/session.md). */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openclaw } from "../../../../src/sources/openclaw/openclaw.ts";
import { pi } from "../../../../src/sources/pi/pi.ts";
import { fileAt, itemsOf, spoken } from "../items-of.ts";

const sessionId = "5b1f1c1e-5a0e-4b6e-9a53-2f6f1f0a7c11";
const name = `--home-mira-orchard--/2026-03-02T08-00-00-000Z_${sessionId}.jsonl`;
const header = {
  type: "session",
  version: 3,
  id: sessionId,
  timestamp: "2026-03-02T08:00:00.000Z",
  cwd: "/home/mira/orchard",
};

let clock = Date.UTC(2026, 2, 2, 8);
function entry(type: string, id: string, parentId: string | null, fields: object) {
  clock += 1000;
  return { type, id, parentId, timestamp: new Date(clock).toISOString(), ...fields };
}
function message(id: string, parentId: string | null, role: string, content: unknown, fields: object = {}) {
  return entry("message", id, parentId, { message: { role, content, ...fields } });
}
const words = (text: string) => [{ type: "text", text }];

// SPEC 8.2
describe("a session of version 3", () => {
  it("gives the header's facts before the first entry", async () => {
    const { items, sessions } = await itemsOf(pi, name, [
      header,
      message("a1", null, "user", "Which pear is ripe first?"),
    ]);
    expect(items[0]?.kind).toBe("session");
    expect(sessions).toEqual([
      { agentId: "pi", sessionId, kind: "direct", project: "/home/mira/orchard", createdAt: Date.UTC(2026, 2, 2, 8) },
    ]);
  });

  it("keeps the tree as the file has it", async () => {
    const { entries } = await itemsOf(pi, name, [
      header,
      message("a1", null, "user", words("Which pear is ripe first?")),
      message("a2", "a1", "assistant", words("The early one by the gate.")),
      message("a3", "a1", "user", words("Which apple is ripe first?")),
    ]);
    expect(entries.map(({ id, parentId, attach }) => [id, parentId, attach])).toEqual([
      ["a1", null, "tree"],
      ["a2", "a1", "tree"],
      ["a3", "a1", "tree"],
    ]);
    expect(spoken(entries)).toHaveLength(3);
  });

  it("takes the parts of an answer apart and drops opaque blobs", async () => {
    const { entries } = await itemsOf(pi, name, [
      header,
      message(
        "a1",
        null,
        "assistant",
        [
          { type: "thinking", thinking: "Look at the diary.", thinkingSignature: "x".repeat(2000) },
          { type: "thinking", thinking: "", thinkingSignature: "y".repeat(2000), redacted: true },
          { type: "text", text: "I will read the diary." },
          { type: "toolCall", id: "t1", name: "read", arguments: { path: "diary.md" }, partialJson: "{" },
        ],
        { model: "small-1", stopReason: "toolUse", usage: { input: 3 } },
      ),
      message(
        "a2",
        "a1",
        "toolResult",
        [...words("ripe in July"), { type: "image", data: "AAAA", mimeType: "image/png" }],
        {
          toolCallId: "t1",
          toolName: "read",
          isError: false,
          details: { lines: 1 },
        },
      ),
    ]);
    expect(entries[0]).toMatchObject({ role: "assistant", model: "small-1" });
    expect(entries[0]?.data).toBeUndefined();
    expect(entries[0]?.parts).toEqual([
      { type: "thinking", text: "Look at the diary." },
      { type: "text", text: "I will read the diary." },
      { type: "toolCall", id: "t1", name: "read", arguments: { path: "diary.md" } },
    ]);
    expect(entries[1]).toMatchObject({ role: "toolResult" });
    expect(entries[1]?.parts).toEqual([
      { type: "toolResult", id: "t1", name: "read", text: "ripe in July" },
      { type: "image", mime: "image/png", data: "AAAA" },
    ]);
  });

  // SPEC 1.4: a command run with ! was typed, its output was not.
  it("takes the command of a bashExecution as typed", async () => {
    const { entries } = await itemsOf(pi, name, [
      header,
      entry("message", "a1", null, {
        message: { role: "bashExecution", command: "ls pears", output: "conference", exitCode: 2, cancelled: false },
      }),
    ]);
    expect(entries[0]).toMatchObject({ type: "message", role: "user", data: { exitCode: 2, cancelled: false } });
    expect(entries[0]?.parts).toEqual([
      { type: "text", text: "ls pears" },
      { type: "toolResult", name: "bash", text: "conference", isError: true },
    ]);
  });

  // SPEC 1.3, 1.4
  it("keeps summaries and extension messages with injected words", async () => {
    const { entries } = await itemsOf(pi, name, [
      header,
      entry("compaction", "a1", null, { summary: "We spoke of pears.", firstKeptEntryId: "a0", tokensBefore: 900 }),
      entry("branch_summary", "a2", "a1", { fromId: "a1", summary: "We tried apples." }),
      entry("custom_message", "a3", "a2", { customType: "diary", content: words("Frost tonight."), display: true }),
      message("a4", "a3", "custom", "Frost tomorrow.", { customType: "diary", display: false }),
      message("a5", "a4", "hookMessage", "Frost all week.", { customType: "diary" }),
      entry("message", "a6", "a5", { message: { role: "compactionSummary", summary: "Pears.", tokensBefore: 9 } }),
      entry("message", "a7", "a6", { message: { role: "branchSummary", summary: "Apples.", fromId: "a1" } }),
    ]);
    expect(entries.map(({ type, parts }) => [type, parts])).toEqual([
      ["compaction", [{ type: "text", text: "We spoke of pears.", injected: true }]],
      ["branch_summary", [{ type: "text", text: "We tried apples.", injected: true }]],
      ["custom_message", [{ type: "text", text: "Frost tonight.", injected: true }]],
      ["custom_message", [{ type: "text", text: "Frost tomorrow.", injected: true }]],
      ["custom_message", [{ type: "text", text: "Frost all week.", injected: true }]],
      ["compaction", [{ type: "text", text: "Pears.", injected: true }]],
      ["branch_summary", [{ type: "text", text: "Apples.", injected: true }]],
    ]);
    expect(entries[0]?.data).toEqual({ firstKeptEntryId: "a0", tokensBefore: 900 });
    expect(entries[2]?.data).toEqual({ customType: "diary", display: true });
    expect(spoken(entries)).toEqual([]);
  });

  it("keeps state entries with their data and draws titles and models from them", async () => {
    const { entries, sessions } = await itemsOf(pi, name, [
      header,
      entry("model_change", "a1", null, { provider: "acme", modelId: "small-1" }),
      entry("thinking_level_change", "a2", "a1", { thinkingLevel: "low" }),
      entry("label", "a3", "a2", { targetId: "a1", label: "start" }),
      entry("session_info", "a4", "a3", { name: "Orchard plan" }),
      entry("custom", "a5", "a4", { customType: "diary", data: { pages: 3 } }),
    ]);
    expect(entries.map(({ type, data }) => [type, data])).toEqual([
      ["model_change", { provider: "acme", modelId: "small-1" }],
      ["thinking_level_change", { thinkingLevel: "low" }],
      ["label", { targetId: "a1", label: "start" }],
      ["session_info", { name: "Orchard plan" }],
      ["custom", { customType: "diary", data: { pages: 3 } }],
    ]);
    expect(sessions.slice(1)).toEqual([
      { agentId: "pi", sessionId, model: "small-1" },
      { agentId: "pi", sessionId, title: { text: "Orchard plan", rank: "given" } },
    ]);
  });

  it("reads leaf records and side appends", async () => {
    const { entries, problems, aliases } = await itemsOf(pi, name, [
      header,
      message("a1", null, "user", "Pears?"),
      { ...message("a2", "a1", "assistant", "Aside."), appendMode: "side" },
      entry("leaf", "a3", "a2", { targetId: "a1" }),
      entry("leaf", "a4", "a3", { targetId: null }),
      entry("leaf", "a5", "a4", {}),
      entry("leaf", "a6", "a4", { targetId: "a1", appendParentId: {} }),
      entry("leaf", "a7", "a4", { targetId: "a1", appendParentId: null, appendMode: "side" }),
      entry("leaf", "a8", "a7", { targetId: "a1", appendParentId: "a2" }),
    ]);
    expect(entries[1]?.attach).toBe("side");
    const leaves = entries.slice(2);
    expect(
      leaves.map(({ type, attach, targetId, appendParentId }) => [type, attach, targetId, appendParentId]),
    ).toEqual([
      ["leaf", "tree", "a1", undefined],
      ["leaf", "tree", null, undefined],
      ["leaf", "tree", "a1", null],
      ["leaf", "tree", "a1", "a2"],
    ]);
    expect(leaves.map(({ data }) => data)).toEqual([undefined, undefined, { appendMode: "side" }, undefined]);
    expect(problems.map(({ code, line }) => [code, line])).toEqual([
      ["bad-record", 6],
      ["bad-record", 7],
    ]);
    expect(aliases).toEqual({ a5: "a4", a6: "a4" });
  });

  it("names the session that a fork came from", async () => {
    const parentSession =
      "/home/mira/.pi/agent/sessions/--x--/2026-03-01T07-00-00-000Z_0a5e7c4e-1c0f-4f2a-8d7b-3a1b2c3d4e5f.jsonl";
    const { sessions } = await itemsOf(pi, name, [{ ...header, parentSession }]);
    expect(sessions[0]?.forkedFrom).toBe("agent:pi:0a5e7c4e-1c0f-4f2a-8d7b-3a1b2c3d4e5f");
    const windows = await itemsOf(pi, name, [
      { ...header, parentSession: "C:\\pi\\2026-03-01T07-00-00-000Z_p_1.jsonl" },
    ]);
    expect(windows.sessions[0]?.forkedFrom).toBe("agent:pi:p_1");
  });

  it("keeps failed attempts without words, and the words of an answer that was cut short", async () => {
    const { entries } = await itemsOf(pi, name, [
      header,
      message("a1", null, "assistant", [], { stopReason: "error", errorMessage: "429 too many requests" }),
      message("a2", "a1", "assistant", words("The early pear is"), { stopReason: "aborted" }),
    ]);
    expect(entries[0]).toMatchObject({
      parts: [],
      data: { stopReason: "error", errorMessage: "429 too many requests" },
    });
    expect(entries[1]).toMatchObject({ parts: words("The early pear is"), data: { stopReason: "aborted" } });
  });
});

// SPEC 8.6
describe("what a user message holds beside typed words", () => {
  const typed = async (text: string) =>
    spoken((await itemsOf(pi, name, [header, message("a1", null, "user", text)])).entries);

  it("takes files of the command line and unfolded skills off", async () => {
    expect(
      await typed('<file name="/o/a.md">\nrows of </file> tags\n</file>\n<file name="/o/b.png"></file>\nCompare them.'),
    ).toEqual(["Compare them."]);
    expect(await typed('<skill name="prune" location="/s/SKILL.md">\nCut in March.\n</skill>\n\nthe old pear')).toEqual(
      ["the old pear"],
    );
    expect(await typed('<skill name="prune" location="/s/SKILL.md">\nCut in March.\n</skill>')).toEqual([]);
  });

  it("leaves tags that are typed alone", async () => {
    expect(await typed("Use <file name> as the tag.")).toEqual(["Use <file name> as the tag."]);
    expect(await typed('<file name="x"> is not closed')).toEqual(['<file name="x"> is not closed']);
  });
});

// SPEC 8.2: version 1 has no ids.
describe("a session of version 1", () => {
  const old = { type: "session", id: sessionId, timestamp: "2025-11-20T10:00:00.000Z", cwd: "/o", modelId: "small-0" };
  const line = (role: string, text: string) => ({
    type: "message",
    timestamp: "2025-11-20T10:00:01.000Z",
    message: { role, content: words(text) },
  });
  const file = [
    old,
    line("user", "continue"),
    line("assistant", "Done."),
    line("user", "continue"),
    { type: "compaction", timestamp: "2025-11-20T10:00:02.000Z", summary: "Done.", firstKeptEntryIndex: 1 },
  ];

  it("continues the leaf and gives ids of its own, the same each time", async () => {
    const { entries, sessions, problems } = await itemsOf(pi, name, file);
    expect(sessions[0]).toMatchObject({ model: "small-0" });
    expect(problems).toEqual([]);
    expect(spoken(entries)).toEqual(["continue", "Done.", "continue"]);
    expect(new Set(entries.map(({ id }) => id)).size).toBe(4);
    expect(entries.every((one) => !("parentId" in one))).toBe(true);
    expect((await itemsOf(pi, name, file)).entries).toEqual(entries);
  });

  it("gives other ids when the content differs, so that a rewritten file takes nothing over", async () => {
    const before = (await itemsOf(pi, name, file)).entries.map(({ id }) => id);
    const after = (await itemsOf(pi, name, [old, line("user", "something else")])).entries.map(({ id }) => id);
    expect(before).not.toContain(after[0]);
  });

  // SPEC 8.3
  it("goes on with its ids where reading stopped", async () => {
    const whole = (await itemsOf(pi, name, file)).entries.map(({ id }) => id);
    const text = file.map((record) => `${JSON.stringify(record)}\n`);
    const first = await itemsOf(pi, name, text.slice(0, 3).join(""));
    const rest = await itemsOf(pi, name, text.join(""), first.at);
    expect([...first.entries, ...rest.entries].map(({ id }) => id)).toEqual(whole);
    expect(rest.sessions).toEqual([]);
  });

  it("names what it was branched from", async () => {
    const { sessions } = await itemsOf(pi, name, [{ ...old, branchedFrom: "/s/2025-11-19T10-00-00-000Z_older.jsonl" }]);
    expect(sessions[0]?.forkedFrom).toBe("agent:pi:older");
  });
});

// SPEC 8.2, 8.4
describe("what forks of pi add", () => {
  it("takes the title of a slot line before the header, and of the header", async () => {
    const slot = {
      type: "title",
      v: 1,
      title: "Pear harvest",
      source: "user",
      updatedAt: "2026-03-02T08:00:00.000Z",
      pad: "   ",
    };
    const { sessions, ignored, problems } = await itemsOf(pi, name, [slot, header]);
    expect(sessions[0]?.title).toEqual({ text: "Pear harvest", rank: "given" });
    expect([ignored, problems]).toEqual([["title"], []]);
    const auto = await itemsOf(pi, name, [{ ...header, title: "Pears", titleSource: "auto" }]);
    expect(auto.sessions[0]?.title).toEqual({ text: "Pears", rank: "generated" });
  });

  it("knows their state entries, and keeps no account digests", async () => {
    const { entries, sessions, ignored, problems, aliases } = await itemsOf(pi, name, [
      header,
      entry("mode_change", "a1", null, { mode: "plan" }),
      entry("credential_pin", "a2", "a1", { provider: "acme", hash: "0".repeat(64) }),
      entry("title_change", "a3", "a2", { title: "Plums", source: "auto" }),
      entry("model_change", "a4", "a3", { model: "acme/small-1" }),
    ]);
    expect(entries.map(({ type }) => type)).toEqual(["mode_change", "title_change", "model_change"]);
    expect(sessions.slice(1).map(({ title, model }) => title ?? model)).toEqual([
      { text: "Plums", rank: "generated" },
      "acme/small-1",
    ]);
    expect([ignored, problems, aliases]).toEqual([["credential_pin"], [], { a2: "a1" }]);
  });
});

// SPEC 8.4
describe("damaged and odd files", () => {
  it("keeps a record of a type that it doesn't know", async () => {
    const odd = entry("weather", "a1", null, { wind: 4 });
    const { entries, problems } = await itemsOf(pi, name, [header, odd]);
    expect(entries[0]).toMatchObject({ id: "a1", type: "weather", parts: [], data: odd });
    expect(problems).toMatchObject([{ code: "unknown-record", line: 2 }]);
    expect(problems[0]?.reason).toContain("weather");
  });

  it("names a record without what its type must have, and chains what follows it", async () => {
    const { entries, problems, aliases } = await itemsOf(pi, name, [
      header,
      message("a1", null, "user", "Pears?"),
      entry("message", "a2", "a1", {}),
      entry("message", "a3", "a2", { message: "Pears!" }),
      entry("message", "a4", "a3", { message: { content: "Pears!" } }),
      { id: "a5", parentId: "a4" },
      message("a6", "a5", "assistant", "In July."),
    ]);
    expect(entries.map(({ id }) => id)).toEqual(["a1", "a6"]);
    expect(problems.map(({ code, line }) => [code, line])).toEqual([3, 4, 5, 6].map((line) => ["bad-record", line]));
    expect(aliases).toEqual({ a2: "a1", a3: "a2", a4: "a3", a5: "a4" });
  });

  it("takes any shape of content", async () => {
    const contents = ["", null, [], undefined, " ", [{ type: "text" }], [null, 7, "Plums."], 12, { text: "x" }];
    const { entries, problems } = await itemsOf(pi, name, [
      header,
      ...contents.map((content, i) => message(`a${i + 1}`, i === 0 ? null : `a${i}`, "user", content)),
    ]);
    expect(problems).toEqual([]);
    expect(entries.map(({ parts }) => parts)).toEqual([
      [],
      [],
      [],
      [],
      [],
      [{ type: "other", value: { type: "text" } }],
      [
        { type: "other", value: 7 },
        { type: "text", text: "Plums." },
      ],
      [{ type: "other", value: 12 }],
      [{ type: "other", value: { text: "x" } }],
    ]);
  });

  it("keeps a message of a role that it doesn't know out of search", async () => {
    const { entries, problems } = await itemsOf(pi, name, [
      header,
      message("a1", null, "oracle", "Rain."),
      message("a2", "a1", "system", "Be kind."),
    ]);
    expect(entries.map(({ role }) => role)).toEqual(["other", "system"]);
    expect(spoken(entries)).toEqual([]);
    expect(problems.map(({ code }) => code)).toEqual(["unknown-record"]);
  });

  // SPEC 8.7
  it("falls back to the message's time, and names a time that can't be read", async () => {
    const { entries, problems } = await itemsOf(pi, name, [
      header,
      { type: "message", id: "a1", parentId: null, message: { role: "user", content: "x", timestamp: 1772438400000 } },
      { type: "message", id: "a2", parentId: "a1", timestamp: "soon", message: { role: "user", content: "y" } },
      { type: "message", id: "a3", parentId: "a2", message: { role: "user", content: "z" } },
    ]);
    expect(entries.map(({ timestamp }) => timestamp)).toEqual([1772438400000, null, null]);
    expect(problems.map(({ code, line }) => [code, line])).toEqual([["bad-time", 3]]);
  });

  it("reads a file without a header under the id of its name", async () => {
    const { sessions, entries, problems } = await itemsOf(pi, name, [message("a1", null, "user", "Pears?")]);
    expect(sessions).toEqual([{ agentId: "pi", sessionId, kind: "direct" }]);
    expect(entries).toHaveLength(1);
    expect(problems.map(({ code }) => code)).toEqual(["bad-record"]);
    const nameless = await itemsOf(pi, name, [{ ...header, id: 7 }]);
    expect(nameless.sessions[0]?.sessionId).toBe(sessionId);
    expect(nameless.problems.map(({ code }) => code)).toEqual(["bad-record"]);
  });

  it("reads two sessions in one file as two", async () => {
    const { items } = await itemsOf(pi, name, [
      header,
      message("a1", null, "user", "Pears?"),
      { ...header, id: "other" },
      message("a1", null, "user", "Plums?"),
    ]);
    expect(items.flatMap((item) => (item.kind === "entry" ? [item.sessionId] : []))).toEqual([sessionId, "other"]);
  });
});

// SPEC 8.4
it("never throws for what a file holds, and reads the same twice", async () => {
  const type = fc.constantFrom(
    "session",
    "message",
    "title",
    "leaf",
    "compaction",
    "custom_message",
    "custom",
    "label",
    "x",
  );
  const role = fc.constantFrom("user", "assistant", "toolResult", "bashExecution", "custom", "branchSummary", "x");
  const content = fc.oneof(
    fc.jsonValue(),
    fc.array(fc.record({ type: fc.constantFrom("text", "thinking", "toolCall", "image") })),
  );
  const record = fc.record(
    {
      type: fc.oneof(type, fc.jsonValue()),
      id: fc.oneof(fc.constantFrom("a", "b"), fc.jsonValue()),
      parentId: fc.oneof(fc.constantFrom("a", "b", null), fc.jsonValue()),
      timestamp: fc.jsonValue(),
      message: fc.oneof(
        fc.record({ role: fc.oneof(role, fc.jsonValue()), content, timestamp: fc.jsonValue() }),
        fc.jsonValue(),
      ),
      ...Object.fromEntries(
        ["summary", "targetId", "name", "title", "cwd", "parentSession"].map((key) => [key, fc.jsonValue()]),
      ),
    },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(record, { maxLength: 6 }), fc.constantFrom(pi, openclaw), async (records, source) => {
      const first = await itemsOf(source, name, records);
      const strip = (items: unknown) => JSON.stringify(items).replace(/backscroll-source-\w+/g, "");
      expect(strip((await itemsOf(source, name, records)).items)).toBe(strip(first.items));
    }),
    { numRuns: 150 },
  );
});

// SPEC 8.1
describe("recognising", () => {
  const head = (record: unknown) => pi.recognise(fileAt(name), `${JSON.stringify(record)}\n`);
  const transcript = { as: "transcript", appendOnly: true };

  it("takes JSONL files that begin like a session", () => {
    expect(head(header)).toEqual(transcript);
    expect(head({ type: "session", id: sessionId })).toEqual(transcript);
    expect(head({ type: "title", v: 1, title: "Pears" })).toEqual(transcript);
    expect(head(message("a1", null, "user", "Pears?"))).toEqual(transcript);
    expect(
      pi.recognise(fileAt(name), `{"type":"session","ve\n${JSON.stringify(message("a1", null, "user", "x"))}\n`),
    ).toEqual(transcript);
  });

  it("takes no others", () => {
    expect(head({ type: "session", sessionKey: "agent:a:b" })).toBe(null);
    expect(head({ type: "session_meta", payload: {} })).toBe(null);
    expect(head([1])).toBe(null);
    expect(pi.recognise(fileAt(name), "")).toBe(null);
    expect(pi.recognise(fileAt("settings.json"), `${JSON.stringify(header)}\n`)).toBe(null);
  });

  it("looks where pi and its forks write", () => {
    const machine = { home: "/home/mira", env: {}, platform: "linux" } as const;
    expect(pi.places(machine)).toEqual(["/home/mira/.pi/agent/sessions", "/home/mira/.omp/agent/sessions"]);
    const env = { PI_CODING_AGENT_DIR: "/pi", PI_CODING_AGENT_SESSION_DIR: "/talks" };
    expect(pi.places({ ...machine, env }).slice(0, 2)).toEqual(["/talks", "/pi/sessions"]);
  });
});
