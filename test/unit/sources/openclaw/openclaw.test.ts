/** OpenClaw's file store: which files are read, whose sessions they are, what counts as said (SPEC 8.2). */
import { zstdCompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { openclaw } from "../../../../src/sources/openclaw/openclaw.ts";
import { fileAt, itemsOf, spoken } from "../items-of.ts";

const sessionId = "1c9f8d3a-7b21-4a6e-8f45-90d2b6c1e7aa";
const folder = "agents/harbour/sessions";
const name = `${folder}/${sessionId}.jsonl`;
const header = {
  type: "session",
  version: 3,
  id: sessionId,
  timestamp: "2026-02-10T06:00:00.000Z",
  cwd: "/srv/harbour",
};

function message(id: string, parentId: string | null, role: string, content: unknown, fields: object = {}) {
  return {
    type: "message",
    id,
    parentId,
    timestamp: "2026-02-10T06:00:01.000Z",
    message: { role, content, ...fields },
  };
}

// SPEC 8.2
describe("whose session a transcript is", () => {
  it("takes the agent from the folder and leaves the key to the store", async () => {
    const { sessions, items } = await itemsOf(openclaw, name, [
      header,
      message("m1", null, "user", "Is the ferry late?"),
    ]);
    expect(sessions).toEqual([
      { agentId: "harbour", sessionId, project: "/srv/harbour", createdAt: Date.UTC(2026, 1, 10, 6) },
    ]);
    expect(items.at(-1)).toMatchObject({ kind: "entry", agentId: "harbour", sessionId });
  });

  it("cleans agent names, and takes the innermost agents folder", async () => {
    const { sessions } = await itemsOf(openclaw, `agents/x/sessions/agents/Pilot Boat/sessions/${sessionId}.jsonl`, [
      header,
    ]);
    expect(sessions[0]?.agentId).toBe("pilot-boat");
  });

  it("reads files that lie in no agent's folder as the main agent's", async () => {
    const { sessions } = await itemsOf(openclaw, "o1.jsonl", [{ type: "session", id: "o1", cwd: "pond" }]);
    expect(sessions[0]).toMatchObject({ agentId: "main", sessionId: "o1" });
  });

  it("trusts the header over the file's name", async () => {
    const { sessions } = await itemsOf(openclaw, "some-other-name.jsonl", [{ type: "session", id: "o2" }]);
    expect(sessions[0]?.sessionId).toBe("o2");
  });

  it("reads archived transcripts under the same id, and flags the deleted ones", async () => {
    for (const suffix of [
      ".deleted.2026-02-12T09-24-01.945Z",
      ".reset.2026-02-12T09-24-01.945Z",
      ".deleted.1770888241",
    ]) {
      const { sessions } = await itemsOf(openclaw, `${name}${suffix}`, [message("m1", null, "user", "Hello")]);
      expect(sessions[0]).toEqual({
        agentId: "harbour",
        sessionId,
        ...(suffix.startsWith(".del") ? { archived: true } : {}),
      });
    }
  });

  it("reads compressed archives", async () => {
    const lines = [header, message("m1", null, "user", "Is the ferry late?")].map(
      (record) => `${JSON.stringify(record)}\n`,
    );
    const { entries } = await itemsOf(
      openclaw,
      `${name}.reset.2026-02-12T09-24-01.945Z.zst`,
      zstdCompressSync(Buffer.from(lines.join(""))),
    );
    expect(spoken(entries)).toEqual(["Is the ferry late?"]);
  });

  // SPEC 4.7
  it("marks scheduled and sub-agent runs that the session list no longer has", async () => {
    const cron = await itemsOf(openclaw, name, [
      header,
      message("m1", null, "user", "[cron:7c1d Tides] Read the tide table."),
    ]);
    expect(cron.sessions.at(-1)).toEqual({ agentId: "harbour", sessionId, kind: "cron" });
    const child = await itemsOf(openclaw, name, [
      header,
      message(
        "m1",
        null,
        "user",
        "[Subagent Context] You are running as a subagent.\n\n[Subagent Task]: Count the ferries.",
      ),
    ]);
    expect(child.sessions.at(-1)?.kind).toBe("subagent");
    const later = await itemsOf(openclaw, name, [
      header,
      message("m1", null, "user", "Hello"),
      message("m2", "m1", "user", "[cron:7c1d Tides] Read the tide table."),
    ]);
    expect(later.sessions).toHaveLength(1);
  });
});

// SPEC 1.4, 8.6
describe("what counts as said", () => {
  it("peels wrappers off a user's words, block by block", async () => {
    const { entries } = await itemsOf(openclaw, name, [
      header,
      message("m1", null, "user", [
        { type: "text", text: "[Tue 2026-02-10 06:00 UTC] Is the ferry late?" },
        { type: "image", data: "AAAA", mimeType: "image/png" },
      ]),
    ]);
    expect(entries[0]?.parts).toEqual([
      { type: "text", text: "[Tue 2026-02-10 06:00 UTC]", injected: true },
      { type: "text", text: "Is the ferry late?" },
      { type: "image", mime: "image/png", data: "AAAA" },
    ]);
  });

  it("takes messages of other sessions and of the system as injected", async () => {
    const { entries } = await itemsOf(openclaw, name, [
      header,
      message("m1", null, "user", "Please wait for the pilot.", {
        provenance: { kind: "inter_session", sourceTool: "sessions_send" },
      }),
      message("m2", "m1", "user", "Resume the run.", { provenance: { kind: "internal_system" } }),
      message("m3", "m2", "user", "I am waiting.", { provenance: { kind: "external_user" } }),
    ]);
    expect(spoken(entries)).toEqual(["I am waiting."]);
    expect(entries.map(({ role }) => role)).toEqual(["user", "user", "user"]);
  });

  it("keeps runtime context as injected words and snapshots as data", async () => {
    const { entries, problems } = await itemsOf(openclaw, name, [
      header,
      {
        type: "custom",
        id: "c1",
        parentId: null,
        timestamp: header.timestamp,
        customType: "model-snapshot",
        data: { modelId: "small-1" },
      },
      {
        type: "custom_message",
        id: "c2",
        parentId: "c1",
        customType: "openclaw.runtime-context",
        content: "Exec sessions: none",
        display: false,
      },
      { type: "reset", id: "c3", parentId: "c2", timestamp: header.timestamp, firstKeptEntryId: "m9" },
    ]);
    expect(problems).toEqual([]);
    expect(entries).toMatchObject([
      { type: "custom", data: { customType: "model-snapshot", data: { modelId: "small-1" } } },
      { type: "custom_message", parts: [{ type: "text", text: "Exec sessions: none", injected: true }] },
      { type: "reset", parts: [], data: { firstKeptEntryId: "m9" } },
    ]);
  });

  it("takes silent answers as injected", async () => {
    const { entries } = await itemsOf(openclaw, name, [
      header,
      message("m1", null, "assistant", [{ type: "text", text: "NO_REPLY" }]),
    ]);
    expect(entries[0]?.parts).toEqual([{ type: "text", text: "NO_REPLY", injected: true }]);
  });
});

// SPEC 8.5: one message said is one message.
describe("mirrors of what was sent", () => {
  const mirror = { provider: "openclaw", model: "delivery-mirror" };
  const answer = message("m1", null, "assistant", [
    { type: "text", text: "[[reply_to_current]] The ferry leaves\nat nine." },
  ]);

  it("drops the copy of an answer and chains what follows it", async () => {
    const { entries, ignored, aliases } = await itemsOf(openclaw, name, [
      header,
      answer,
      message("m2", "m1", "assistant", [{ type: "text", text: "The ferry leaves at nine." }], mirror),
      message("m3", "m2", "user", "Thanks"),
    ]);
    expect(spoken(entries)).toEqual(["The ferry leaves\nat nine.", "Thanks"]);
    expect([ignored, aliases]).toEqual([["copy"], { m2: "m1" }]);
  });

  it("keeps a mirror that is the only record of what was sent", async () => {
    const { entries, ignored } = await itemsOf(openclaw, name, [
      header,
      answer,
      message("m2", "m1", "assistant", [{ type: "text", text: "All ferries are cancelled." }], mirror),
    ]);
    expect(spoken(entries)).toContain("All ferries are cancelled.");
    expect(ignored).toEqual([]);
  });

  it("keeps the gateway's own notices out of what the model said", async () => {
    const gateway = { provider: "openclaw", model: "gateway-injected" };
    const { entries, ignored } = await itemsOf(openclaw, name, [
      header,
      answer,
      message("m2", "m1", "assistant", [{ type: "text", text: "The gateway restarted." }], gateway),
      message("m3", "m2", "assistant", [{ type: "text", text: "The ferry leaves at nine." }], gateway),
    ]);
    expect(spoken(entries)).toHaveLength(1);
    expect(entries[1]?.parts).toEqual([{ type: "text", text: "The gateway restarted.", injected: true }]);
    expect(ignored).toEqual(["copy"]);
  });

  it("remembers what was said over a pause in reading", async () => {
    const lines = [header, answer, message("m2", "m1", "assistant", "The ferry leaves at nine.", mirror)].map(
      (one) => `${JSON.stringify(one)}\n`,
    );
    const first = await itemsOf(openclaw, name, lines.slice(0, 2).join(""));
    const rest = await itemsOf(openclaw, name, lines.join(""), first.at);
    expect(rest.ignored).toEqual(["copy"]);
  });
});

// SPEC 8.7
it("reads times as ISO text, seconds and milliseconds", async () => {
  const at = (id: string, timestamp: unknown) => ({ ...message(id, null, "user", "curlew"), timestamp });
  const { entries } = await itemsOf(openclaw, "o3.jsonl", [
    { type: "session", id: "o3" },
    at("a1", 1775030400000),
    at("a2", 1775030400),
    at("a3", "2026-04-01T08:00:00.000Z"),
  ]);
  expect(entries.map(({ timestamp }) => timestamp)).toEqual([1775030400000, 1775030400000, 1775030400000]);
});

// SPEC 1.2, 8.2
describe("sessions.json", () => {
  const list = `${folder}/sessions.json`;
  const read = (map: unknown) => itemsOf(openclaw, list, JSON.stringify(map));

  it("names the key, the title and the lineage of each session", async () => {
    const { sessions, problems, at } = await read({
      "agent:harbour:main": {
        sessionId: "s1",
        updatedAt: 5,
        displayName: "Harbour desk",
        model: "small-1",
        skillsSnapshot: { big: [1] },
      },
      "agent:harbour:subagent:7f": {
        sessionId: "s2",
        label: "Count ferries",
        displayName: "x",
        spawnedBy: "agent:harbour:main",
        startedAt: 1770703200000,
        archivedAt: 1770789600000,
      },
      "agent:harbour:telegram:group:-100:topic:4": {
        sessionId: "s3",
        parentSessionKey: "agent:harbour:telegram:group:-100",
        forkedFromParent: true,
      },
    });
    expect(problems).toEqual([]);
    expect(sessions).toEqual([
      {
        agentId: "harbour",
        sessionId: "s1",
        sessionKey: "agent:harbour:main",
        kind: "main",
        title: { text: "Harbour desk", rank: "generated" },
        model: "small-1",
      },
      {
        agentId: "harbour",
        sessionId: "s2",
        sessionKey: "agent:harbour:subagent:7f",
        kind: "subagent",
        title: { text: "Count ferries", rank: "given" },
        spawnedBy: "agent:harbour:main",
        createdAt: 1770703200000,
        archived: true,
      },
      {
        agentId: "harbour",
        sessionId: "s3",
        sessionKey: "agent:harbour:telegram:group:-100:topic:4",
        kind: "thread",
        parentSessionKey: "agent:harbour:telegram:group:-100",
        forkedFrom: "agent:harbour:telegram:group:-100",
      },
    ]);
    expect(at?.offset).toBeGreaterThan(0);
  });

  it("puts older transcripts that it names under the same key, before the current one", async () => {
    const { sessions } = await read({
      "agent:harbour:main": { sessionId: "s3", usageFamilySessionIds: ["s1", "s2", "s3", 4, ""] },
    });
    expect(sessions.map(({ sessionId, sessionKey }) => [sessionId, sessionKey])).toEqual([
      ["s1", "agent:harbour:main"],
      ["s2", "agent:harbour:main"],
      ["s3", "agent:harbour:main"],
    ]);
  });

  it("tells the kind of a session by the shape of its key", async () => {
    const kinds: Record<string, string> = {
      "agent:harbour:main": "main",
      "agent:harbour:telegram:desk:direct:41": "direct",
      "agent:harbour:discord:channel:77": "channel",
      "agent:harbour:whatsapp:group:12@g.us": "group",
      "agent:harbour:slack:channel:c1:thread:170.2": "thread",
      "agent:harbour:subagent:a:subagent:b": "subagent",
      "agent:harbour:cron:7c1d:run:s9": "cron",
      "agent:harbour:main:heartbeat": "cron",
      "agent:harbour:hook:3e": "hook",
      "agent:harbour:dashboard:3e": "other",
    };
    const { sessions } = await read(
      Object.fromEntries(Object.keys(kinds).map((key, i) => [key, { sessionId: `s${i}` }])),
    );
    expect(Object.fromEntries(sessions.map(({ sessionKey, kind }) => [sessionKey, kind]))).toEqual(kinds);
    const typed = await read({ "agent:harbour:+4900": { sessionId: "s1", chatType: "direct" } });
    expect(typed.sessions[0]?.kind).toBe("direct");
  });

  it("makes session keys of what older releases wrote", async () => {
    const { sessions } = await read({
      main: { sessionId: "s1" },
      "cron:7c": { sessionId: "s2" },
      "agent:Pilot Boat:main": { sessionId: "s3" },
    });
    expect(sessions.map(({ sessionKey, agentId }) => [sessionKey, agentId])).toEqual([
      ["agent:harbour:main", "harbour"],
      ["agent:harbour:cron:7c", "harbour"],
      ["agent:pilot-boat:main", "pilot-boat"],
    ]);
  });

  // SPEC 8.4
  it("reports what it can't read and goes on", async () => {
    const { sessions, problems, ignored } = await read({
      "agent:harbour:a": null,
      "agent:harbour:b": { updatedAt: 1 },
      __proto__x: { sessionId: "s1", label: 7, spawnedBy: [], startedAt: "soon", usageFamilySessionIds: "s0" },
    });
    expect(problems.map(({ code }) => code)).toEqual(["bad-record"]);
    expect(ignored).toEqual(["session without a transcript"]);
    expect(sessions).toEqual([
      { agentId: "harbour", sessionId: "s1", sessionKey: "agent:harbour:__proto__x", kind: "other" },
    ]);
    const hostile = await itemsOf(openclaw, list, '{"__proto__":{"sessionId":"s1"},"constructor":{"sessionId":"s2"}}');
    expect(hostile.sessions.map(({ sessionKey }) => sessionKey)).toEqual([
      "agent:harbour:__proto__",
      "agent:harbour:constructor",
    ]);
    for (const damaged of ['{"agent:harbour:main":{"sess', "[]", "null", ""]) {
      const { items } = await itemsOf(openclaw, list, damaged);
      expect(items).toMatchObject([{ kind: "problem", problem: { code: "bad-record" } }]);
    }
  });
});

// SPEC 8.1
describe("recognising", () => {
  const asked = (path: string, head = `${JSON.stringify(header)}\n`) => openclaw.recognise(fileAt(path), head);

  it("reads live, reset, deleted and moved transcripts, and the session list", () => {
    const appended = { as: "transcript", appendOnly: true };
    for (const suffix of ["", ".reset.2026-02-12T09-24-01.945Z", ".deleted.1770888241"])
      expect(asked(name + suffix)).toEqual(appended);
    expect(
      asked(`agents/harbour/session-sqlite-import-archive/main.${sessionId}.jsonl.imported-1770888241000`),
    ).toEqual(appended);
    expect(asked(`${folder}/s1-topic-4.jsonl`)).toEqual(appended);
    expect(asked("o1.jsonl")).toEqual(appended);
    expect(asked(`${name}.deleted.2026-02-12T09-24-01.945Z.zst`, "\u0028\uFFFD/\uFFFD")).toEqual({
      as: "transcript",
      appendOnly: false,
    });
    expect(asked(`${folder}/sessions.json`, "{")).toEqual({ as: "facts", appendOnly: false });
  });

  it("says what it leaves out, and why", () => {
    const copies = [
      `${name}.bak-412-1770888241000`,
      `${folder}/sessions.json.bak.1770888241000`,
      `${folder}/${sessionId}.checkpoint.0b9f3b1e-4f0d-4c57-9d63-5a8a0f6c2d11.jsonl`,
      `${folder}/${sessionId}.trajectory.jsonl`,
      `${folder}/${sessionId}.trajectory-path.json`,
      `${name}.lock`,
      `${folder}/.usage-cost-cache.json`,
      "agents/harbour/agent/openclaw-agent.sqlite",
      "agents/harbour/agent/openclaw-agent.sqlite-wal",
    ];
    for (const path of copies) expect(asked(path)).toMatchObject({ as: "skip" });
    expect(asked("agents/harbour/agent/openclaw-agent.sqlite")).toMatchObject({
      reason: expect.stringMatching(/not read yet/),
    });
  });

  it("leaves files of others alone", () => {
    expect(
      asked("agents/harbour/agent/codex-home/sessions/rollout-1.jsonl", '{"type":"session_meta","payload":{}}\n'),
    ).toBe(null);
    expect(asked("cron/runs/7c1d.jsonl", '{"ts":1,"jobId":"7c1d","action":"finished"}\n')).toBe(null);
    expect(asked("openclaw.json", "{}")).toBe(null);
    expect(asked(name, "")).toBe(null);
  });

  it("looks where OpenClaw and its forerunners keep sessions, not in workspaces", () => {
    const machine = { home: "/home/mira", env: {}, platform: "linux" } as const;
    expect(openclaw.places(machine)).toEqual([
      ...["/home/mira/.openclaw/agents", "/home/mira/.openclaw/sessions"],
      ...["/home/mira/.clawdbot/agents", "/home/mira/.clawdbot/sessions"],
      ...["/home/mira/.moltbot/agents", "/home/mira/.moltbot/sessions"],
      ...["/home/mira/.moldbot/agents", "/home/mira/.moldbot/sessions"],
    ]);
    expect(openclaw.places({ ...machine, env: { OPENCLAW_HOME: "/oc" } })[0]).toBe("/oc/.openclaw/agents");
    expect(openclaw.places({ ...machine, env: { OPENCLAW_STATE_DIR: "/state", OPENCLAW_HOME: "/oc" } })[0]).toBe(
      "/state/agents",
    );
  });
});
