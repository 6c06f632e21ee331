/** What a file is, from its name and its first 64 KiB (SPEC 8.2; layouts and record types of Claude Code). */
import { describe, expect, it, test } from "vitest";
import { claudeCode } from "../../../../src/sources/claude-code/claude-code.ts";
import { fileAt } from "../items-of.ts";

const id = "3f9d0c11-7a52-4d80-9c1e-5b6a7d8e9f10";
const recognise = (relative: string, head: string, root?: string) => claudeCode.recognise(fileAt(relative, root), head);
const line = (record: unknown) => `${JSON.stringify(record)}\n`;
const transcript = { as: "transcript", appendOnly: true };
const user = {
  parentUuid: null,
  isSidechain: false,
  sessionId: id,
  type: "user",
  message: { role: "user", content: "Is the well deep?" },
  uuid: "u1",
};

describe("a transcript is known by any of its records", () => {
  test.each<[string, unknown]>([
    ["a message", user],
    ["a message without ids", { type: "user", message: { content: "Is the well deep?" } }],
    ["a message whose content is null", { ...user, message: { role: "user", content: null } }],
    ["a record without message", { ...user, message: undefined }],
    ["a summary", { type: "summary", summary: "Well", leafUuid: "u1" }],
    ["a snapshot", { type: "file-history-snapshot", messageId: "u1", snapshot: {} }],
    ["progress", { ...user, type: "progress", data: { type: "hook_progress" } }],
    ["a system record", { ...user, type: "system", subtype: "compact_boundary" }],
    ["an attachment", { ...user, type: "attachment", attachment: { type: "date_change" } }],
    ["a queue operation", { type: "queue-operation", operation: "dequeue", sessionId: id }],
    ["a title", { type: "ai-title", aiTitle: "Well", sessionId: id }],
    ["a mode", { type: "permission-mode", permissionMode: "default", sessionId: id }],
  ])("%s", (_, record) => {
    expect(recognise(`-srv-well/${id}.jsonl`, line(record))).toEqual(transcript);
  });

  it("under any name and folder", () => {
    for (const name of ["fixtures/short conversation.jsonl", "agent-a1.jsonl", `x/${id}.jsonl.rotated-1770105600000`]) {
      expect(recognise(name, line(user))).toEqual(transcript);
    }
  });

  it("behind a byte-order mark, blank, broken and unknown lines", () => {
    const head = `\uFEFF\n{"type":"us\n${line({ type: "weather-latch", sessionId: id })}42\n${line(user)}`;
    expect(recognise("a.jsonl", head)).toEqual(transcript);
  });

  it("when its first record is longer than the head", () => {
    const picture = { ...user, message: { role: "user", content: [{ type: "image", data: "A".repeat(70_000) }] } };
    expect(recognise("a.jsonl", line(picture).slice(0, 65_536))).toEqual(transcript);
    const late = { type: "user", uuid: "u1", message: { role: "user", content: "B".repeat(70_000) }, sessionId: id };
    expect(recognise("a.jsonl", line(late).slice(0, 65_536))).toEqual(transcript);
  });
});

describe("files of the program without a transcript of their own are skipped with a reason", () => {
  test.each<[string, string]>([
    [`p/${id}/subagents/agent-acompact-12ab.jsonl`, line(user)],
    [`p/${id}/subagents/agent-aside_question-34cd.jsonl`, line(user)],
    [`p/${id}/subagents/agent-a7.meta.json`, "{}"],
    [`p/${id}/subagents/workflows/wf_1/journal.jsonl`, line({ type: "started", key: "v2:1", agentId: "a7" })],
    [`p/${id}/workflows/wf_1.json`, "{}"],
    [`p/${id}/tool-results/toolu_1.txt`, "output"],
    ["p/sessions-index.json", "{}"],
    ["history.jsonl", line({ display: "Is the well deep?", pastedContents: {}, timestamp: 1, project: "/srv/well" })],
    ["run.jsonl", line({ type: "system", subtype: "init", session_id: id, mcp_servers: [], tools: [] })],
    ["local_1/audit.jsonl", line({ ...user, sessionId: undefined, session_id: id, parent_tool_use_id: null })],
    ["export.json", '{\n  "loglines": [{"type": "user"}]}'],
    ["export.json", JSON.stringify([user])],
  ])("%s", (relative, head) => {
    expect(recognise(relative, head)).toEqual({ as: "skip", reason: expect.stringMatching(/\w{4}/) });
  });

  it("memory notes only below projects: other programs have such a folder too", () => {
    expect(recognise("-srv-well/memory/MEMORY.md", "# Well", "/home/a/.claude/projects")).toMatchObject({ as: "skip" });
    expect(recognise("memory/MEMORY.md", "# Well", "/home/a/workspace")).toBeNull();
  });
});

describe("files of other programs are not recognised", () => {
  const qwen = {
    uuid: "u1",
    parentUuid: null,
    sessionId: id,
    type: "user",
    message: { role: "user", parts: [{ text: "hi" }] },
  };
  test.each<[string, string]>([
    ["Codex", line({ timestamp: "2026-02-03T08:00:00Z", type: "session_meta", payload: { id } })],
    ["Codex prompts", line({ session_id: id, ts: 1770105600, text: "hi" })],
    [
      "pi and OpenClaw",
      line({ type: "session", version: 3, id }) +
        line({ type: "message", id: "a", message: { role: "user", content: "hi" } }),
    ],
    ["Qwen Code", line(qwen)],
    [
      "Qwen Code, telemetry first",
      line({ ...qwen, type: "system", subtype: "ui_telemetry", message: undefined }) + line(qwen),
    ],
    [
      "Qwen Code, a long first record",
      line({ ...qwen, message: { role: "user", parts: [{ text: "C".repeat(70_000) }] } }).slice(0, 65_536),
    ],
    [
      "Gemini CLI",
      line({ sessionId: id, projectHash: "ab", kind: "main" }) + line({ id: "g", type: "user", content: "hi" }),
    ],
    ["Cursor", line({ role: "user", message: { content: [{ type: "text", text: "hi" }] } })],
    ["Copilot CLI", line({ type: "user.message", data: { content: "hi" }, id: "e1" })],
    [
      "Droid",
      line({ type: "session_start", id }) + line({ type: "message", id: "m", message: { role: "user", content: [] } }),
    ],
    ["Droid's stream", line({ type: "system", subtype: "init", session_id: id, tools: ["Read"] })],
    ["the neutral form", line({ type: "message", sessionKey: "agent:a:b", id: "m", role: "user", text: "hi" })],
    ["a record of a name that others use too", line({ type: "mode", mode: "fast" })],
    ["an empty file", ""],
    ["no records", "plain words\nand more\n"],
  ])("%s", (_, head) => {
    expect(recognise(`x/${id}.jsonl`, head)).toBeNull();
  });

  it("nor other endings", () => {
    expect(recognise("notes.txt", line(user))).toBeNull();
    expect(recognise("package.json", '{"type": "module"}')).toBeNull();
    expect(recognise("list.json", '[{"sessionId": "x"}]')).toBeNull();
  });
});
