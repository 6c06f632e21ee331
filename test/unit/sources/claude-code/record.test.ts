/** What one record of Claude Code becomes (SPEC 1.3, 8.4, 8.6). The branches are the store's: see the contract suite. */
import { describe, expect, it, test } from "vitest";
import { spoken } from "../items-of.ts";
import { assistant, at, id, queue, type Raw, read, record, user, words } from "./records.ts";

describe("entries", () => {
  it("name their parent and are placed by turns; only what a person typed is marked", async () => {
    const { entries } = await read([
      user("u1", null, "Is the well deep?"),
      assistant("a2", "u1", words("Forty metres."), {}, { id: "msg_1", model: "claude-opus-4-6" }),
      user("u3", "a2", "[Request interrupted by user]"),
      user("u4", "u3", [{ type: "image", source: { type: "base64", media_type: "image/png", data: "AA==" } }]),
    ]);
    expect(entries).toEqual([
      {
        id: "u1",
        parentId: null,
        attach: "turns",
        type: "message",
        role: "user",
        timestamp: Date.parse(at(1)),
        parts: [{ type: "text", text: "Is the well deep?" }],
        typed: true,
      },
      {
        id: "a2",
        parentId: "u1",
        attach: "turns",
        type: "message",
        role: "assistant",
        timestamp: Date.parse(at(2)),
        parts: [{ type: "text", text: "Forty metres." }],
        pieceOf: "msg_1",
        model: "claude-opus-4-6",
      },
      expect.objectContaining({ parts: [{ type: "text", text: "[Request interrupted by user]", injected: true }] }),
      expect.objectContaining({ parts: [{ type: "image", mime: "image/png", data: "AA==" }], typed: true }),
    ]);
    expect(entries[2]?.typed).toBeUndefined();
  });

  it("hold calls, results, thinking and images as parts of their own, and a result only once", async () => {
    const { entries } = await read([
      assistant("a1", null, [
        { type: "thinking", thinking: "A rope will do.", signature: "s" },
        { type: "tool_use", id: "t1", name: "Bash", input: { command: "measure" } },
      ]),
      user(
        "u2",
        "a1",
        [
          {
            type: "tool_result",
            tool_use_id: "t1",
            is_error: true,
            content: [...words("40"), { type: "image", source: { url: "x" } }, ...words("m")],
          },
          { type: "text", text: "a reminder beside it" },
        ],
        { toolUseResult: { stdout: "40 m again", agentId: "a7" } },
      ),
    ]);
    expect(entries[0]?.parts).toEqual([
      { type: "thinking", text: "A rope will do." },
      { type: "toolCall", id: "t1", name: "Bash", arguments: { command: "measure" } },
    ]);
    expect(entries[1]).toMatchObject({
      role: "toolResult",
      data: { agentId: "a7" },
      parts: [
        { type: "toolResult", id: "t1", text: "40\nm", isError: true },
        { type: "image", url: "x" },
        { type: "text", text: "a reminder beside it", injected: true },
      ],
    });
    expect(JSON.stringify(entries)).not.toContain("again");
  });

  it("of a compaction keep the summary apart from what was said", async () => {
    const { entries } = await read([
      user("u1", null, "a"),
      record("system", "s2", null, {
        subtype: "compact_boundary",
        logicalParentUuid: "u1",
        compactMetadata: { trigger: "auto", preTokens: 9, preservedMessages: { uuids: ["u1"] } },
      }),
      user("u3", "s2", "The summary.", { isCompactSummary: true }),
    ]);
    expect(entries.slice(1)).toMatchObject([
      { type: "compaction", parentId: "u1", parts: [], data: { trigger: "auto", preTokens: 9 } },
      { type: "compaction", parts: [{ text: "The summary.", injected: true }] },
    ]);
    expect(spoken(entries)).toEqual(["a"]);
  });

  it("without uuid are named by the file and line", async () => {
    const { entries } = await read([
      { type: "user", message: { content: "a" } },
      { type: "user", message: { content: "b" } },
    ]);
    expect(entries.map((entry) => entry.id)).toEqual([`${id}#1`, `${id}#2`]);
    expect(entries[1]?.parentId).toBeUndefined();
  });

  it("of the program in the model's place are not the model's words", async () => {
    const { entries } = await read([
      assistant("a1", null, words("API Error: 529"), { isApiErrorMessage: true }, { model: "claude-opus-4-6" }),
      assistant("a2", "a1", words("No response requested."), {}, { model: "<synthetic>" }),
    ]);
    expect(spoken(entries)).toEqual([]);
    expect(entries.map((entry) => entry.model)).toEqual([undefined, undefined]);
  });
});

// SPEC 8.6
describe("who wrote a user record", () => {
  test.each<[string, Raw, string[]]>([
    ["a person", { origin: { kind: "human" } }, ["dig on"]],
    ["a person, by a way not known yet", { origin: { kind: "voice" } }, ["dig on"]],
    ["the program", { isMeta: true }, []],
    ["the program, for a tool", { sourceToolUseID: "t1" }, []],
    ["a background task", { origin: { kind: "task-notification" } }, []],
    ["another agent", { origin: { kind: "peer", from: "x" } }, []],
    [
      "a person in a chat, though marked meta",
      { isMeta: true, origin: { kind: "channel", server: "chat" } },
      ["dig on"],
    ],
  ])("%s", async (_, more, expected) => {
    const { entries } = await read([user("u1", null, "dig on", more)]);
    expect(spoken(entries)).toEqual(expected);
    expect(entries).toHaveLength(1);
  });
});

// SPEC 8.4
describe("what is not taken", () => {
  it("is counted by what it is, and stands for its parent", async () => {
    const { ignored, aliases } = await read([
      user("u1", null, "a"),
      record("system", "s2", "u1", { subtype: "turn_duration" }),
      record("attachment", "t3", "s2", { attachment: { type: "date_change" } }),
      { type: "file-history-snapshot", messageId: "u1", snapshot: {} },
      assistant("a4", "t3", []),
      assistant("a5", "a4", words(" \n")),
      user("u6", "a5", null),
      queue("dequeue"),
    ]);
    expect(ignored).toEqual([
      "system/turn_duration",
      "attachment/date_change",
      "file-history-snapshot",
      "assistant/empty",
      "assistant/empty",
      "user/empty",
      "queue-operation",
    ]);
    expect(aliases).toEqual({ s2: "u1", t3: "s2", a4: "t3", a5: "a4", u6: "a5" });
  });

  it("is named with its line when it should have been a message", async () => {
    const { problems } = await read([
      user("u1", null, "a"),
      user("u2", "u1", 7),
      record("assistant", "a3", "u2"),
      record("attachment", "t4", "a3"),
      { type: "summary", summary: "no leaf" },
      { type: "custom-title", customTitle: "  ", sessionId: id },
    ]);
    expect(problems.map(({ code, line }) => [code, line])).toEqual([2, 3, 4, 5, 6].map((line) => ["bad-record", line]));
  });

  it("is kept whole when its type is not known, under a name without a meaning to the store", async () => {
    const latch = { type: "weather-latch", x: 1, sessionId: id };
    const { entries, problems } = await read([
      user("u1", null, "a"),
      latch,
      { type: "leaf", targetId: "u1" },
      { wind: "west" },
    ]);
    expect(problems.map((problem) => problem.code)).toEqual(["unknown-record", "unknown-record", "unknown-record"]);
    expect(entries.slice(1).map((entry) => [entry.type, entry.data])).toEqual([
      ["weather-latch", latch],
      ["claude-code/leaf", { type: "leaf", targetId: "u1" }],
      ["untyped", { wind: "west" }],
    ]);
  });

  it("costs a bad time the time only", async () => {
    const { entries, problems } = await read([
      user("u1", null, "a", { timestamp: "soon" }),
      user("u2", "u1", "b", { timestamp: undefined }),
    ]);
    expect(entries.map((entry) => entry.timestamp)).toEqual([null, null]);
    expect(problems.map(({ code, line }) => [code, line])).toEqual([["bad-time", 1]]);
  });
});
