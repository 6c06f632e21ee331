/** Sub-agents of Claude Code, in files of their own and inline (SPEC 8.5). */
import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { claudeCode } from "../../../../src/sources/claude-code/claude-code.ts";
import { spoken } from "../items-of.ts";
import { assistant, id, key, read, record, user, words } from "./records.ts";

describe("sub-agents", () => {
  const agent = { isSidechain: true, agentId: "a7" };
  const file = `-srv-well/${id}/subagents/agent-a7.jsonl`;
  const task = user("w1", null, "Measure the well.", agent);
  const parent = { kind: "subagent", spawnedBy: key, parentSessionKey: key };

  it("in files of their own belong to the session in their records", async () => {
    for (const name of [file, "-srv-well/agent-a7.jsonl"]) {
      const { sessions, entries } = await read([task, assistant("w2", "w1", words("Forty metres."), agent)], name);
      expect(sessions[0]).toMatchObject({ sessionId: `${id}/agent-a7`, sessionKey: `${key}:subagent:a7`, ...parent });
      // Nobody typed the task.
      expect(spoken(entries)).toEqual(["Forty metres."]);
    }
  });

  it("belong to the session of their folder when the records name only themselves", async () => {
    const { sessions } = await read([user("w1", null, "Measure.", { ...agent, sessionId: "agent-a7" })], file);
    expect(sessions[0]).toMatchObject({ sessionId: `${id}/agent-a7`, ...parent });
  });

  it("are sub-agents also without any parent named", async () => {
    const { sessions } = await read(
      [user("w1", null, "Measure.", { ...agent, sessionId: undefined })],
      "agent-a7.jsonl",
    );
    expect(sessions[0]).toMatchObject({ sessionId: "agent-a7", kind: "subagent" });
    expect(sessions[0]?.spawnedBy).toBeUndefined();
  });

  it("may be spoken to by a person, when the record says so", async () => {
    const { entries } = await read(
      [
        task,
        user("w2", "w1", "by the model", agent),
        user("w3", "w2", "by me", { ...agent, origin: { kind: "human" } }),
      ],
      file,
    );
    expect(spoken(entries)).toEqual(["by me"]);
  });

  it("inline are sessions apart, told apart when they run side by side", async () => {
    const side = { isSidechain: true };
    const { items, sessions } = await read([
      assistant("a1", null, [
        { type: "tool_use", id: "t1", name: "Task", input: { description: "Measure it", prompt: "Measure the well." } },
      ]),
      user("x1", null, "Measure the well.", side),
      user("y1", null, "Clean the well.", side),
      assistant("x2", "x1", words("Forty metres."), side),
      assistant("y2", "y1", words("Clean."), side),
      record("progress", "y3", "y2", { ...side, data: {} }),
      user("y4", "y3", [{ type: "tool_result", content: "mud" }], side),
      assistant("a5", "a1", words("All done.")),
    ]);
    const entries = items.flatMap((item) => (item.kind === "entry" ? [[item.entry.id, item.sessionId]] : []));
    const [x, y] = [`${id}/sidechain-x1`, `${id}/sidechain-y1`];
    expect(entries).toEqual([
      ["a1", id],
      ["x1", x],
      ["y1", y],
      ["x2", x],
      ["y2", y],
      ["y4", y],
      ["a5", id],
    ]);
    expect(sessions.find((session) => session.sessionId === x)).toMatchObject({
      ...parent,
      sessionKey: `${key}:subagent:x1`,
      title: { text: "Measure it", rank: "generated" },
    });
    expect(sessions.find((session) => session.sessionId === y)?.title).toBeUndefined();
  });

  it("inline keep a record whose parent is not there", async () => {
    const side = { isSidechain: true };
    const { items } = await read([
      user("u1", null, "Dig."),
      user("x2", null, "Measure the well.", side),
      assistant("x4", "lost", words("Forty metres."), side),
    ]);
    const ids = items.flatMap((item) => (item.kind === "entry" ? [item.sessionId] : []));
    expect(ids).toEqual([id, `${id}/sidechain-x2`, `${id}/sidechain-x2`]);
  });

  it("have their description as a title, and no file outside is read for it", async () => {
    const root = mkdtempSync(join(tmpdir(), "backscroll-source-"));
    try {
      const titleOf = async (name: string) => {
        const path = join(root, name);
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, `${JSON.stringify(task)}\n`);
        const found = { path, relative: name, root, size: statSync(path).size, mtimeMs: 0 };
        for await (const batch of claudeCode.read(found, null)) {
          for (const item of batch.items) if (item.kind === "session") return item.session.title;
        }
        return undefined;
      };
      writeFileSync(join(root, "agent-a1.meta.json"), '{"agentType":"Explore","description":"Measure the well"}');
      writeFileSync(join(root, "agent-a2.meta.json"), "{broken");
      writeFileSync(join(root, "agent-a3.meta.json"), '{"description":["no text"]}');
      symlinkSync(join(root, "agent-a1.meta.json"), join(root, "agent-a4.meta.json"));
      expect(await titleOf("agent-a1.jsonl")).toEqual({ text: "Measure the well", rank: "generated" });
      for (const name of ["agent-a2", "agent-a3", "agent-a4", "agent-a5"]) {
        expect(await titleOf(`${name}.jsonl`)).toBeUndefined();
      }
    } finally {
      rmSync(root, { recursive: true });
    }
  });
});
