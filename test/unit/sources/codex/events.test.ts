import { describe, expect, it } from "vitest";
import { entries, event, ignored, meta, problems, readRecords, spoken } from "./reading.ts";

const completed = (item: unknown) => event("item_completed", { thread_id: "t", turn_id: "1", item });

describe("an event", () => {
  it("of a completed user or agent message is that message", () => {
    // SPEC 8.5
    const items = readRecords([
      meta(),
      completed({ type: "UserMessage", id: "i1", content: [{ type: "text", text: "Which knot?" }] }),
      completed({ type: "AgentMessage", id: "msg_1", content: [{ type: "Text", text: "A clove hitch." }] }),
    ]);
    expect(spoken(items)).toEqual([
      ["user", "Which knot?"],
      ["assistant", "A clove hitch."],
    ]);
    expect(entries(items).map((entry) => entry.id)).toEqual(["i1", "msg_1"]);
  });

  it("that repeats an item or reports progress is counted by its type", () => {
    // SPEC 8.4
    const types = [
      "token_count",
      "task_started",
      "agent_reasoning",
      "turn_aborted",
      "thread_name_updated",
      "exec_command_begin",
      "mcp_tool_call_end",
      "agent_message_delta",
      "collab_resume_end",
      "dynamic_tool_call_response",
    ];
    const items = readRecords([
      meta(),
      ...types.map((type) => event(type)),
      completed({ type: "Plan", text: "1. sand" }),
    ]);
    expect(ignored(items)).toEqual([...types.map((type) => `event_msg/${type}`), "event_msg/item_completed/Plan"]);
    expect(entries(items)).toEqual([]);
  });

  it("with a finding, a goal or an error is kept whole, and not as anyone's words", () => {
    // SPEC 1.4, 8.4
    const review = { type: "exited_review_mode", review_output: { overall_explanation: "sound" } };
    const items = readRecords([
      meta(),
      { type: "event_msg", payload: review },
      event("error"),
      event("thread_goal_updated"),
    ]);
    expect(entries(items).map((entry) => entry.type)).toEqual(["custom", "custom", "custom"]);
    expect(entries(items)[0]?.data).toEqual(review);
    expect(spoken(items)).toEqual([]);
  });

  it("of an unknown type is kept and reported, a completed item too", () => {
    // SPEC 1.3, 8.4
    const items = readRecords([meta(), event("applause"), completed({ type: "Dance" }), completed(null)]);
    expect(problems(items)).toEqual(["unknown-record", "unknown-record", "unknown-record"]);
    expect(entries(items).map((entry) => entry.type)).toEqual([
      "event_msg/applause",
      "event_msg/item_completed/Dance",
      "event_msg/item_completed/",
    ]);
  });

  it("without a message is reported; with an empty one, counted", () => {
    // SPEC 8.4
    const items = readRecords([
      meta(),
      event("user_message"),
      event("agent_message", { message: 7 }),
      completed({ type: "UserMessage" }),
    ]);
    expect(problems(items)).toEqual(["bad-record", "bad-record", "bad-record"]);
    expect(ignored(readRecords([meta(), event("user_message", { message: "" })]))).toEqual(["event_msg/user_message"]);
  });
});
