/** Claude Code: where its files lie, and which session a file is (SPEC 8.2, 8.5). */
import { describe, expect, it } from "vitest";
import { claudeCode } from "../../../../src/sources/claude-code/claude-code.ts";
import { assistant, at, id, key, read, record, user, words } from "./records.ts";

describe("where Claude Code keeps its files", () => {
  it("is below CLAUDE_CONFIG_DIR, else .claude, and the desktop app's folder of the platform", () => {
    const home = "/home/a";
    expect(claudeCode.places({ home, env: {}, platform: "linux" })).toEqual([
      "/home/a/.claude/projects",
      "/home/a/.config/claude/projects",
      "/home/a/.config/Claude/local-agent-mode-sessions",
    ]);
    expect(claudeCode.places({ home, env: { CLAUDE_CONFIG_DIR: "/data/c" }, platform: "darwin" })).toEqual([
      "/data/c/projects",
      "/home/a/.config/claude/projects",
      "/home/a/Library/Application Support/Claude/local-agent-mode-sessions",
    ]);
    const windows = {
      home: "C:\\Users\\a",
      env: { APPDATA: "D:\\Roam", CLAUDE_CONFIG_DIR: " " },
      platform: "win32" as const,
    };
    expect(claudeCode.places(windows).slice(0, 3)).toEqual([
      "C:\\Users\\a\\.claude\\projects",
      "C:\\Users\\a\\.config\\claude\\projects",
      "D:\\Roam\\Claude\\local-agent-mode-sessions",
    ]);
  });
});

describe("the file's session", () => {
  it("comes before its first entry, with what the records so far say", async () => {
    const { items } = await read([
      { type: "ai-title", aiTitle: "Well", sessionId: id },
      record("progress", "p1", null, { data: { type: "hook_progress" } }),
      user("u2", "p1", "Is the well deep?", { gitBranch: "main" }),
    ]);
    expect(items.filter((item) => item.kind !== "ignored")).toMatchObject([
      {
        kind: "session",
        session: {
          agentId: "claude-code",
          sessionId: id,
          sessionKey: key,
          kind: "direct",
          title: { text: "Well", rank: "generated" },
          project: "/srv/well",
          gitBranch: "main",
          createdAt: Date.parse(at(2)),
        },
      },
      { kind: "alias", id: "p1", of: null },
      { kind: "entry", sessionId: id, entry: { id: "u2", parentId: "p1" } },
    ]);
  });

  it("is not made by titles and state alone", async () => {
    const { items } = await read([
      { type: "summary", summary: "Another well", leafUuid: "x9" },
      { type: "custom-title", customTitle: "Mine", sessionId: id },
      record("progress", "p1", null, { data: {} }),
    ]);
    expect(items).toEqual([
      { kind: "title", agentId: "claude-code", entryId: "x9", text: "Another well", rank: "summary" },
      { kind: "ignored", what: "progress" },
    ]);
  });

  it("keeps the first folder, takes the latest branch and model, and knows no branch named HEAD", async () => {
    const { sessions } = await read([
      user("u1", null, "a", { cwd: "/srv/well", gitBranch: "HEAD" }),
      assistant("a2", "u1", words("b"), { cwd: "/srv/else", gitBranch: "dig" }, { model: "claude-opus-4-6" }),
      assistant("a3", "a2", words("c"), { gitBranch: "" }, { model: "claude-haiku-4-5" }),
      assistant("a4", "a3", words("d"), {}, { model: "<synthetic>" }),
    ]);
    expect(sessions.flatMap((session) => session.project ?? [])).toEqual(["/srv/well"]);
    expect(sessions.flatMap((session) => session.gitBranch ?? [])).toEqual(["dig"]);
    expect(sessions.flatMap((session) => session.model ?? [])).toEqual(["claude-opus-4-6", "claude-haiku-4-5"]);
  });

  // SPEC 8.5: a resume of release 1.0 began a new file with a copy of the old records, old session id and all.
  it("is the one in the file's name when a record has it, and names its origin", async () => {
    const old = "00000000-1111-4222-8333-444455556666";
    const { sessions } = await read([user("u1", null, "old words", { sessionId: old }), user("u2", "u1", "new words")]);
    expect(new Set(sessions.map((session) => session.sessionId))).toEqual(new Set([id]));
    expect(sessions.flatMap((session) => session.forkedFrom ?? [])).toEqual([`agent:claude-code:${old}`]);
  });

  it("is the first in the records when the name is none of them, and a stranger further down is no origin", async () => {
    const { sessions, entries } = await read(
      [user("u1", null, "mine"), user("u2", "u1", "a stranger", { sessionId: "other" })],
      "renamed.jsonl",
    );
    expect(sessions.map((session) => session.sessionId)).toEqual([id]);
    expect(sessions[0]?.forkedFrom).toBeUndefined();
    expect(entries).toHaveLength(2);
  });

  it("is found in the name also where its own records begin after megabytes of copies", async () => {
    const old = (n: number) => user(`u${n}`, null, "w".repeat(2000), { sessionId: "old" });
    const { sessions } = await read([...Array.from({ length: 100 }, (_, n) => old(n)), user("u999", "u99", "mine")]);
    expect(sessions[0]).toMatchObject({ sessionId: id, forkedFrom: "agent:claude-code:old" });
  });

  it("names its origin in forkedFrom in newer files", async () => {
    const forkedFrom = { sessionId: "parent", messageUuid: "m1" };
    const { sessions } = await read([user("u1", null, "copied", { forkedFrom }), user("u2", "u1", "new")]);
    expect(sessions.flatMap((session) => session.forkedFrom ?? [])).toEqual(["agent:claude-code:parent"]);
  });

  it("without an id in its records is its name if that is one, else its place", async () => {
    const nameless = [{ type: "user", message: { content: "Is the well deep?" } }];
    for (const [name, sessionId] of [
      [`-srv-well/${id}.jsonl`, id],
      ["a/chat.jsonl", "a/chat"],
      ["b/chat.jsonl", "b/chat"],
    ] as const) {
      expect((await read(nameless, name)).sessions).toMatchObject([{ sessionId, kind: "direct" }]);
    }
  });

  it("takes a person's title over the program's, and agent-name over ai-title", async () => {
    const { sessions, ignored } = await read([
      user("u1", null, "a"),
      { type: "agent-name", agentName: "digger", sessionId: id },
      { type: "ai-title", aiTitle: "Digging", sessionId: id },
      { type: "custom-title", customTitle: "The well", sessionId: id },
    ]);
    expect(sessions.flatMap((session) => session.title ?? [])).toEqual([
      { text: "digger", rank: "generated" },
      { text: "The well", rank: "given" },
    ]);
    expect(ignored).toEqual(["ai-title"]);
    const early = await read([
      { type: "custom-title", customTitle: "The well", sessionId: id },
      { type: "agent-name", agentName: "digger", sessionId: id },
      user("u1", null, "a"),
    ]);
    expect(early.sessions[0]?.title).toEqual({ text: "The well", rank: "given" });
  });
});
