import { describe, expect, it } from "vitest";
import { file, ignored, meta, problems, readRecords, sessions, userEvent, userItem } from "./reading.ts";

const id = "0199c0de-2222-7aaa-8bbb-000000000001";
const other = "0199c0de-2222-7aaa-8bbb-000000000002";

describe("the header", () => {
  it("says what the session is", () => {
    // SPEC 1.2
    const items = readRecords([meta({ git: { branch: "refit", commit_hash: "ab" } })]);
    expect(sessions(items)).toEqual([
      {
        agentId: "codex",
        sessionId: id,
        sessionKey: `agent:codex:${id}`,
        kind: "direct",
        project: "/srv/boatyard",
        gitBranch: "refit",
        createdAt: Date.UTC(2026, 2, 4, 8),
      },
    ]);
  });

  it("makes a run of `codex exec` a direct session", () => {
    // SPEC 1.2
    expect(sessions(readRecords([meta({ originator: "codex_exec", source: "exec" })]))[0]).toMatchObject({
      kind: "direct",
    });
  });

  it.each([
    [{ source: { subagent: "review" } }, undefined],
    [{ source: { subagent: { thread_spawn: { parent_thread_id: other, depth: 1 } } } }, `agent:codex:${other}`],
    [{ source: { subagent: { other: "guardian" } }, parent_thread_id: other }, `agent:codex:${other}`],
    [{ thread_source: "subagent", parent_thread_id: other }, `agent:codex:${other}`],
    [{ source: { internal: "memory_consolidation" } }, undefined],
  ])("links a subagent to its parent: %j", (payload, parent) => {
    // SPEC 8.5
    const [session] = sessions(readRecords([meta(payload)]));
    expect(session?.kind).toBe("subagent");
    expect(session?.spawnedBy).toBe(parent);
    expect(session?.parentSessionKey).toBe(parent);
  });

  it("doesn't take a parent without being a subagent for a spawner", () => {
    // SPEC 1.2
    const [session] = sessions(readRecords([meta({ parent_thread_id: other })]));
    expect(session).toMatchObject({ kind: "direct" });
    expect(session).not.toHaveProperty("spawnedBy");
  });

  it("of another session further down is where this one was forked from, once", () => {
    // SPEC 8.5; formats B2, Fork
    const items = readRecords([meta(), meta({ id: other }), meta({ id: "grandparent" }), meta(), userEvent("a")]);
    expect(sessions(items).map((session) => [session.sessionId, session.forkedFrom])).toEqual([
      [id, undefined],
      [id, `agent:codex:${other}`],
    ]);
    expect(ignored(items)).toEqual(["session_meta", "session_meta"]);
  });

  it("may name the origin itself", () => {
    // SPEC 8.5
    const items = readRecords([meta({ forked_from_id: other }), meta({ id: other })]);
    expect(sessions(items).map((session) => session.forkedFrom)).toEqual([`agent:codex:${other}`]);
  });

  it("is not needed: the session is named by the file, before its first entry", () => {
    // SPEC 8.4
    const items = readRecords([userEvent("a")]);
    expect(items.map((item) => item.kind)).toEqual(["session", "entry"]);
    expect(sessions(items)[0]).toMatchObject({ sessionId: id, kind: "direct", createdAt: Date.UTC(2026, 2, 4, 8) });
    const nameless = { ...file, path: "/srv/codex/old/attic.jsonl.zst", relative: "old/attic.jsonl.zst" };
    expect(sessions(readRecords([userEvent("a")], [], nameless))[0]).toMatchObject({ sessionId: "old/attic" });
  });

  it("that comes late adds what it says and leaves the name alone", () => {
    // SPEC 8.4
    const items = readRecords([userEvent("a"), meta({ id: other })]);
    expect(sessions(items).at(-1)).toMatchObject({ sessionId: id, project: "/srv/boatyard" });
    expect(sessions(items).at(-1)).not.toHaveProperty("forkedFrom");
  });

  it("with nothing usable in it still gives a session", () => {
    // SPEC 8.4
    const payload = { id: 7, timestamp: null, cwd: [], source: [], git: "main", forked_from_id: {} };
    const items = readRecords([meta(payload)]);
    expect(sessions(items)).toEqual([
      {
        agentId: "codex",
        sessionId: id,
        sessionKey: `agent:codex:${id}`,
        kind: "direct",
        createdAt: Date.UTC(2026, 2, 4, 8),
      },
    ]);
  });

  it("marks what lies in the archive", () => {
    // SPEC 1.2
    const archived = {
      ...file,
      path: "/srv/codex/archived_sessions/rollout-a.jsonl",
      relative: "archived_sessions/rollout-a.jsonl",
    };
    expect(sessions(readRecords([meta()], [], archived))[0]).toMatchObject({ archived: true });
    expect(sessions(readRecords([meta()]))[0]).not.toHaveProperty("archived");
  });
});

describe("turn settings", () => {
  const turn = (payload: object) => ({ type: "turn_context", payload });

  it("give the model, again only when it changes", () => {
    // SPEC 1.2
    const items = readRecords([
      meta(),
      turn({ model: "gpt-5" }),
      turn({ model: "gpt-5" }),
      turn({ model: "gpt-6" }),
      turn({}),
    ]);
    expect(sessions(items).flatMap((session) => session.model ?? [])).toEqual(["gpt-5", "gpt-6"]);
    expect(ignored(items)).toEqual(["turn_context", "turn_context"]);
  });

  it("give the folder where the header has none", () => {
    // SPEC 1.2
    const items = readRecords([meta({ cwd: null }), turn({ cwd: "/srv/mill" }), turn({ cwd: "/srv/barn" })]);
    expect(sessions(items).flatMap((session) => session.project ?? [])).toEqual(["/srv/mill"]);
    expect(sessions(readRecords([meta(), turn({ cwd: "/srv/mill" })]))).toHaveLength(1);
  });
});

describe("the environment block", () => {
  it("gives the folder where the header has none", () => {
    // SPEC 1.2; formats B2, oldest generation
    const block = userItem("<environment_context>\n<cwd>/srv/bakery</cwd>\n</environment_context>");
    expect(sessions(readRecords([meta({ cwd: undefined }), block])).at(-1)).toMatchObject({ project: "/srv/bakery" });
    expect(sessions(readRecords([meta(), block]))).toHaveLength(1);
  });
});

describe("the session index", () => {
  it("names sessions; the last name comes last", () => {
    // SPEC 1.2
    const items = readRecords([
      { id, thread_name: "Honey", updated_at: "2026-02-01T10:00:00Z" },
      { id, thread_name: " Honey labels ", updated_at: "2026-02-01T11:00:00Z" },
      { id, thread_name: "" },
      { id: 7, thread_name: "lost" },
      { id, thread_name: 7 },
    ]);
    expect(sessions(items)).toEqual([
      { agentId: "codex", sessionId: id, title: { text: "Honey", rank: "generated" } },
      { agentId: "codex", sessionId: id, title: { text: "Honey labels", rank: "generated" } },
    ]);
    expect(ignored(items)).toEqual(["thread_name"]);
    expect(problems(items)).toEqual(["bad-record", "bad-record"]);
  });
});
