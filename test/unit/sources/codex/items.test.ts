import { describe, expect, it } from "vitest";
import { entries, ignored, item, meta, problems, readRecords, spoken } from "./reading.ts";

const turn = { type: "turn_context", payload: { model: "gpt-5-codex" } };

describe("a response item", () => {
  it("of the assistant carries the model of its turn", () => {
    // SPEC 1.2
    const [said, thought, call, result] = entries(
      readRecords([
        meta(),
        turn,
        item("message", { role: "assistant", content: "Varnished." }),
        item("reasoning", { summary: [{ type: "summary_text", text: "Two coats" }] }),
        item("function_call", { name: "shell", call_id: "c1", arguments: "{}" }),
        item("function_call_output", { call_id: "c1", output: "ok" }),
      ]),
    );
    expect([said?.model, thought?.model, call?.model, result?.model]).toEqual([
      "gpt-5-codex",
      "gpt-5-codex",
      "gpt-5-codex",
      undefined,
    ]);
    expect([said?.role, thought?.role, call?.role, result?.role]).toEqual([
      "assistant",
      "assistant",
      "assistant",
      "toolResult",
    ]);
  });

  it("with thinking, calls or results gives parts of their own, nothing searchable", () => {
    // SPEC 1.3, 1.4
    const items = readRecords([
      meta(),
      item("reasoning", { summary: [{ type: "summary_text", text: "Two coats" }], encrypted_content: "b3BhcXVl" }),
      item("web_search_call", { id: "ws", action: { query: "varnish" } }),
      item("tool_search_output", { call_id: "c2", tools: [] }),
    ]);
    expect(entries(items).map((entry) => entry.parts.map((part) => part.type))).toEqual([
      ["thinking"],
      ["toolCall"],
      ["toolResult", "other"],
    ]);
    expect(spoken(items)).toEqual([]);
  });

  it("of a developer is injected and the system's; of a role unknown, another's", () => {
    // SPEC 1.4, 8.6
    const content = [{ type: "input_text", text: "be brief" }];
    const items = readRecords([
      meta(),
      item("message", { role: "developer", content }),
      item("message", { role: "system", content }),
      item("message", { role: "narrator", content }),
    ]);
    expect(entries(items).map((entry) => entry.role)).toEqual(["system", "system", "other"]);
    for (const entry of entries(items))
      expect(entry.parts).toEqual([{ type: "text", text: "be brief", injected: true }]);
  });

  it("without a type but with a role is a message", () => {
    // SPEC 8.4
    const items = readRecords([meta(), { type: "response_item", payload: { role: "user", content: "Caulk it." } }]);
    expect(spoken(items)).toEqual([["user", "Caulk it."]]);
  });

  it("that holds nothing to keep is counted", () => {
    // SPEC 8.4
    const quiet = ["ghost_snapshot", "token_count", "compaction", "context_compaction", "additional_tools"];
    const items = readRecords([
      meta(),
      ...quiet.map((type) => item(type)),
      item("reasoning", { encrypted_content: "x" }),
    ]);
    expect(entries(items)).toEqual([]);
    expect(ignored(items)).toEqual([...quiet, "reasoning"].map((type) => `response_item/${type}`));
  });

  it("without what its type must have is reported", () => {
    // SPEC 8.4
    const items = readRecords([
      meta(),
      item("message", { role: "user" }),
      item("message", { content: "a" }),
      item("message", { role: "user", content: null }),
      item("agent_message", { author: "/root" }),
    ]);
    expect(problems(items)).toEqual(["bad-record", "bad-record", "bad-record", "bad-record"]);
    expect(entries(items)).toEqual([]);
  });

  it("of an unknown type is kept as it is and reported", () => {
    // SPEC 1.3, 8.4
    const record = item("smell_call", { note: "tar" });
    const items = readRecords([meta(), record]);
    expect(problems(items)).toEqual(["unknown-record"]);
    expect(entries(items)[0]).toMatchObject({ type: "response_item/smell_call", parts: [], data: record });
  });

  it("between agents is injected", () => {
    // SPEC 1.4
    const items = readRecords([
      meta(),
      item("agent_message", { author: "/root", content: [{ type: "input_text", text: "weigh the peas" }] }),
      { type: "inter_agent_communication", payload: { author: "/root", content: "hurry" } },
      item("agent_message", { content: [{ type: "encrypted_content", encrypted_content: "x" }] }),
    ]);
    expect(entries(items).map((entry) => entry.data)).toEqual([
      { author: "/root", recipient: null },
      { author: "/root", recipient: null },
    ]);
    expect(spoken(items)).toEqual([]);
    expect(ignored(items)).toEqual(["response_item/agent_message"]);
  });
});
