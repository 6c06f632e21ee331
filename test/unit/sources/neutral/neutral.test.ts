/** The neutral JSONL, line by line (SPEC 8.11). */
import { describe, expect, it } from "vitest";
import { neutral } from "../../../../src/sources/neutral/neutral.ts";
import { fileAt, itemsOf, spoken } from "../items-of.ts";

const sessionKey = "agent:garden:beds";
const said = (id: string, text: string, fields: object = {}) => ({
  type: "message",
  sessionKey,
  id,
  role: "user",
  text,
  ...fields,
});
const read = (...lines: unknown[]) => itemsOf(neutral, "talks.jsonl", lines);

/** Session id and entry id of each entry. */
async function placed(...lines: unknown[]): Promise<string[][]> {
  const { items } = await read(...lines);
  return items.flatMap((item) => (item.kind === "entry" ? [[item.sessionId, item.entry.id]] : []));
}

// SPEC 8.11
describe("session lines", () => {
  it("hand over every fact", async () => {
    const { sessions, problems, ignored } = await read({
      type: "session",
      sessionKey,
      sessionId: "g1",
      title: "Spring beds",
      titleRank: "generated",
      kind: "direct",
      project: "/home/mira/garden",
      gitBranch: "main",
      model: "small-1",
      spawnedBy: "agent:garden:main",
      parentSessionKey: "agent:garden:parent",
      forkedFrom: "agent:garden:origin",
      createdAt: 1772438400000,
      archived: true,
      source: "pi",
    });
    expect(problems).toEqual([]);
    expect(ignored).toEqual([]);
    expect(sessions).toEqual([
      {
        agentId: "garden",
        sessionId: "g1",
        sessionKey,
        title: { text: "Spring beds", rank: "generated" },
        kind: "direct",
        project: "/home/mira/garden",
        gitBranch: "main",
        model: "small-1",
        spawnedBy: "agent:garden:main",
        parentSessionKey: "agent:garden:parent",
        forkedFrom: "agent:garden:origin",
        createdAt: 1772438400000,
        archived: true,
        source: "pi",
      },
    ]);
  });

  it("need none of them; absent and null are the same", async () => {
    const { sessions, problems } = await read({
      type: "session",
      sessionKey,
      title: null,
      createdAt: null,
      kind: null,
      archived: false,
    });
    expect(problems).toEqual([]);
    expect(sessions).toEqual([{ agentId: "garden", sessionId: "beds", sessionKey, archived: false }]);
  });

  it("take a title for a given one", async () => {
    const { sessions } = await read({ type: "session", sessionKey, title: "Beds", createdAt: "2026-03-02T08:00:00Z" });
    expect(sessions[0]).toMatchObject({ title: { text: "Beds", rank: "given" }, createdAt: 1772438400000 });
  });
});

// SPEC 1.2, 8.11
describe("which transcript a line belongs to", () => {
  it("is the key's rest where no session id was named", async () => {
    expect(
      await placed(said("m1", "Sow."), { type: "session", sessionKey, title: "Beds" }, said("m2", "Weed.")),
    ).toEqual([
      ["beds", "m1"],
      ["beds", "m2"],
    ]);
  });

  it("is the generation that was named last for the key", async () => {
    const other = "agent:garden:shed";
    const placement = await placed(
      { type: "session", sessionKey, sessionId: "g1" },
      said("m1", "Sow."),
      { type: "session", sessionKey: other, sessionId: "s1" },
      said("m2", "Oil the hinges.", { sessionKey: other }),
      said("m3", "Weed."),
      { type: "session", sessionKey, sessionId: "g2" },
      { type: "session", sessionKey, title: "Beds" },
      said("m4", "Mulch."),
    );
    expect(placement).toEqual([
      ["g1", "m1"],
      ["s1", "m2"],
      ["g1", "m3"],
      ["g2", "m4"],
    ]);
  });

  it("is what the line itself says, and that names the key too", async () => {
    const { items } = await read(
      said("m1", "Sow.", { sessionId: "g1" }),
      said("m2", "Weed."),
      said("m3", "Mulch.", { sessionId: "beds" }),
    );
    expect(items.map((item) => (item.kind === "session" ? item.session : item.kind))).toEqual([
      { agentId: "garden", sessionId: "g1", sessionKey },
      "entry",
      "entry",
      { agentId: "garden", sessionId: "beds", sessionKey },
      "entry",
    ]);
  });

  // SPEC 8.3
  it("is remembered over a pause in reading", async () => {
    const lines = [{ type: "session", sessionKey, sessionId: "g1" }, said("m1", "Sow."), said("m2", "Weed.")].map(
      (one) => `${JSON.stringify(one)}\n`,
    );
    const first = await itemsOf(neutral, "talks.jsonl", lines.slice(0, 2).join(""));
    const rest = await itemsOf(neutral, "talks.jsonl", lines.join(""), first.at);
    expect(rest.items).toMatchObject([{ kind: "entry", sessionId: "g1", entry: { id: "m2" } }]);
  });

  it("is remembered for 128 keys, so that a checkpoint stays small", async () => {
    const lines = Array.from({ length: 1000 }, (_, i) => ({
      type: "session",
      sessionKey: `agent:garden:k${i}`,
      sessionId: `g${i}`,
    }));
    const { at } = await read(...lines);
    expect(JSON.stringify(at).length).toBeLessThan(16 * 1024);
    const late = (key: string) => said("m1", "x", { sessionKey: key });
    expect(await placed(...lines, late("agent:garden:k872"), late("agent:garden:k871"))).toEqual([
      ["g872", "m1"],
      ["k871", "m1"],
    ]);
  });
});

// SPEC 8.11
describe("message lines", () => {
  it("take every field", async () => {
    const { entries, problems } = await read(
      said("m1", "Sow the beans.", {
        parentId: null,
        timestamp: "2026-03-02T08:00:00Z",
        model: "small-1",
        data: { mood: 1 },
      }),
      said("m2", "Aside.", { role: "assistant", parentId: "m1", timestamp: 1772438400000, attach: "side" }),
      said("m3", "Weed."),
    );
    expect(problems).toEqual([]);
    expect(entries).toEqual([
      {
        id: "m1",
        parentId: null,
        type: "message",
        role: "user",
        timestamp: 1772438400000,
        parts: [{ type: "text", text: "Sow the beans." }],
        attach: "tree",
        model: "small-1",
        data: { mood: 1 },
      },
      {
        id: "m2",
        parentId: "m1",
        type: "message",
        role: "assistant",
        timestamp: 1772438400000,
        parts: [{ type: "text", text: "Aside." }],
        attach: "side",
      },
      {
        id: "m3",
        type: "message",
        role: "user",
        timestamp: null,
        parts: [{ type: "text", text: "Weed." }],
        attach: "tree",
      },
    ]);
  });

  it("take parts in the shapes of the model, and give the same parts back", async () => {
    const content = [
      { type: "text", text: "Sow." },
      { type: "text", text: "<reminder/>", injected: true },
      { type: "thinking", text: "Beans first." },
      { type: "toolCall", id: "t1", name: "sow", arguments: { bed: 2 } },
      { type: "toolCall", name: "wait", arguments: null },
      { type: "toolResult", id: "t1", name: "sow", text: "done", isError: true },
      { type: "toolResult", text: "" },
      { type: "image", mime: "image/png", data: "AAAA" },
      { type: "image", url: "file:///bed.png" },
      { type: "other", value: [1, { a: null }] },
    ];
    const { entries, problems } = await read(said("m1", "", { text: undefined, role: "assistant", content }));
    expect(problems).toEqual([]);
    expect(entries[0]?.parts).toEqual(content);
    expect(spoken(entries)).toEqual(["Sow."]);
  });

  it("may say nothing", async () => {
    const { entries } = await read(said("m1", ""), { ...said("m2", ""), text: null, content: [] });
    expect(entries.map(({ parts }) => parts)).toEqual([[], []]);
  });
});

// SPEC 8.11
describe("leaf and entry lines", () => {
  it("move the leaf, twice to the same entry if need be", async () => {
    const leaf = { type: "leaf", sessionKey, targetId: "m1" };
    const { items, entries, problems } = await read(said("m1", "Sow."), leaf, leaf, {
      ...leaf,
      targetId: null,
      id: "l3",
    });
    expect(problems).toEqual([]);
    // Without an id the line is a move and nothing else; with one it stays as an entry.
    expect(items.flatMap((item) => (item.kind === "leaf" ? [item.targetId] : []))).toEqual(["m1", "m1"]);
    expect(entries.slice(1).map(({ id, type, targetId }) => [id, type, targetId])).toEqual([["l3", "leaf", null]]);
  });

  it("say where the next one is appended", async () => {
    const leaf = { type: "leaf", sessionKey, targetId: "m1" };
    const { items, entries, problems } = await read(
      said("m1", "Sow."),
      { ...leaf, appendParentId: "m1" },
      { ...leaf, appendParentId: null },
      { ...leaf, id: "l3", appendParentId: "m1", attach: "side" },
      { ...leaf, appendParentId: 7 },
    );
    expect(items.flatMap((item) => (item.kind === "leaf" ? [item.appendParentId] : []))).toEqual([
      "m1",
      null,
      undefined,
    ]);
    expect(entries.at(-1)).toMatchObject({ id: "l3", targetId: "m1", appendParentId: "m1", attach: "side" });
    expect(problems.map(({ line, reason }) => [line, reason.includes('"appendParentId"')])).toEqual([[5, true]]);
  });

  it("keep entries that nobody said", async () => {
    const line = { type: "entry", sessionKey, id: "e1", entryType: "compaction", timestamp: 1772438400000 };
    const { entries, problems } = await read(
      { ...line, content: [{ type: "text", text: "Beds.", injected: true }], data: { tokensBefore: 4 } },
      { ...line, id: "e2", entryType: "leaf", targetId: "e1", parentId: "e1" },
    );
    expect(problems).toEqual([]);
    expect(entries).toEqual([
      {
        id: "e1",
        type: "compaction",
        timestamp: 1772438400000,
        parts: [{ type: "text", text: "Beds.", injected: true }],
        attach: "tree",
        data: { tokensBefore: 4 },
      },
      { id: "e2", parentId: "e1", type: "leaf", timestamp: 1772438400000, parts: [], attach: "tree", targetId: "e1" },
    ]);
  });
});

// SPEC 8.4, 8.11: a bad value is named by its field.
describe("bad values", () => {
  const bad: [string, object, string][] = [
    ["sessionKey", said("m1", "x", { sessionKey: undefined }), "agent:main:<name>"],
    ["sessionKey", said("m1", "x", { sessionKey: "beds" }), "agent:main:beds"],
    ["sessionKey", said("m1", "x", { sessionKey: "agent:Herb Garden:beds" }), "agent:herb-garden:beds"],
    ["sessionKey", said("m1", "x", { sessionKey: 7 }), "agent:main:<name>"],
    ["sessionId", said("m1", "x", { sessionId: 7 }), "a number"],
    ["id", said("", "x"), "empty"],
    ["id", { ...said("m1", "x"), id: 7 }, "a number"],
    ["role", said("m1", "x", { role: "bot" }), '"bot", not one of user, assistant, toolResult, system, other'],
    ["role", { ...said("m1", "x"), role: undefined }, "missing"],
    ["text", { ...said("m1", "x"), text: 7 }, "not a string"],
    ["text", { ...said("m1", "x"), text: undefined }, "missing"],
    ["text", said("m1", "x", { content: [] }), "beside content"],
    ["content", { ...said("m1", "x"), text: undefined, content: "x" }, "a string"],
    ["content[1]", { ...said("m1", "x"), text: undefined, content: [{ type: "text", text: "x" }, null] }, "null"],
    ["content[0]", { ...said("m1", "x"), text: undefined, content: [{ type: "text" }] }, "missing"],
    ["content[0]", { ...said("m1", "x"), text: undefined, content: [{ type: "toolCall", name: 1 }] }, "a number"],
    ["content[0]", { ...said("m1", "x"), text: undefined, content: [{ type: "tool_use" }] }, "toolCall"],
    ["targetId", { type: "leaf", sessionKey }, "missing"],
    ["targetId", { type: "entry", sessionKey, id: "e1", entryType: "leaf", targetId: 7 }, "a number"],
    ["entryType", { type: "entry", sessionKey, id: "e1" }, "missing"],
    ["entryType", { type: "entry", sessionKey, id: "e1", entryType: "message" }, "line type"],
    ["entryType", { type: "entry", sessionKey, id: "e1", entryType: "x".repeat(65) }, "64"],
    ["type", { sessionKey, id: "e1" }, "missing"],
  ];
  for (const [field, line, why] of bad) {
    it(`cost the line: ${field}, ${why}`, async () => {
      const { entries, sessions, problems } = await read(said("m0", "Before."), line, said("m9", "After."));
      expect(entries.map(({ id }) => id)).toEqual(["m0", "m9"]);
      expect(sessions).toEqual([]);
      expect(problems).toMatchObject([{ code: "bad-record", line: 2 }]);
      expect(problems[0]?.reason).toContain(`"${field}"`);
      expect(problems[0]?.reason).toContain(why);
      expect(problems[0]?.reason).toContain("the line was skipped");
    });
  }

  it("of mere facts cost the field", async () => {
    const { sessions, problems } = await read({
      type: "session",
      sessionKey,
      title: 7,
      kind: "chat",
      spawnedBy: "mira",
      archived: "yes",
      createdAt: "soon",
      project: "/g",
    });
    expect(sessions).toEqual([{ agentId: "garden", sessionId: "beds", sessionKey, project: "/g" }]);
    expect(problems.map(({ code }) => code).sort()).toEqual([
      "bad-record",
      "bad-record",
      "bad-record",
      "bad-record",
      "bad-time",
    ]);
    for (const field of ["title", "kind", "spawnedBy", "archived", "createdAt"]) {
      expect(
        problems.some(({ reason }) => reason.startsWith(`"${field}"`) && reason.endsWith("the field was left out")),
      ).toBe(true);
    }
    const message = await read(said("m1", "x", { parentId: 7, timestamp: "soon", model: [], attach: "up" }));
    expect(message.entries).toEqual([
      {
        id: "m1",
        type: "message",
        role: "user",
        timestamp: null,
        parts: [{ type: "text", text: "x" }],
        attach: "tree",
      },
    ]);
    expect(message.problems).toHaveLength(4);
  });

  it("never show what was said", async () => {
    const secret = "the key is under the third pot";
    const { problems } = await read(
      said("m1", secret, { role: 1 }),
      { ...said("m2", ""), text: [secret] },
      { ...said("m3", ""), text: undefined, content: [{ type: "prose", text: secret }] },
    );
    expect(problems).toHaveLength(3);
    expect(JSON.stringify(problems)).not.toContain("pot");
  });

  it("of a type that is not known are kept where they can be", async () => {
    const line = { type: "reaction", sessionKey, id: "r1", parentId: "m1", emoji: "🌱" };
    const { entries, problems } = await read(said("m1", "Sow."), line, { type: "reaction", sessionKey });
    expect(entries[1]).toMatchObject({ id: "r1", parentId: "m1", type: "reaction", parts: [], data: line });
    expect(problems.map(({ code, line }) => [code, line])).toEqual([
      ["unknown-record", 2],
      ["bad-record", 3],
    ]);
  });
});

// SPEC 8.1
describe("recognising", () => {
  const asked = (head: string, path = "talks.jsonl") => neutral.recognise(fileAt(path), head);
  const transcript = { as: "transcript", appendOnly: true };
  const line = `${JSON.stringify(said("m1", "Sow."))}\n`;

  it("goes by the extension and the first line", () => {
    expect(asked(line)).toEqual(transcript);
    expect(asked(line, "talks.ndjson")).toEqual(transcript);
    expect(asked(`\uFEFF{"type":"session","sessionKey":"agent:a:b"}`)).toEqual(transcript);
    expect(asked(`not JSON\n${line}`)).toEqual(transcript);
    expect(asked(JSON.stringify(said("m1", "x".repeat(100_000))).slice(0, 65_536))).toEqual(transcript);
    expect(asked(line, "talks.json")).toBe(null);
    expect(asked('{"type":"session","id":"s1","cwd":"/x"}\n')).toBe(null);
    expect(asked('{"type":"note","sessionKey":"agent:a:b"}\n')).toBe(null);
    expect(asked("")).toBe(null);
  });

  it("has no place of its own", () => {
    expect(neutral.places({ home: "/home/mira", env: {}, platform: "linux" })).toEqual([]);
  });
});
