import { describe, expect, it } from "vitest";
import { turnsKept } from "../../../../src/sources/codex/state.ts";
import {
  agentEvent,
  entries,
  event,
  ignored,
  item,
  meta,
  problems,
  readRecords,
  userEvent,
  userItem,
} from "./reading.ts";

const rollback = (turns: unknown) => event("thread_rolled_back", { num_turns: turns });

describe("a rollback", () => {
  const turns = [userEvent("one"), agentEvent("first"), userEvent("two"), agentEvent("second"), userEvent("three")];

  it("moves the leaf to the entry before the earliest message taken back", () => {
    // SPEC 1.4; formats B2, Rollback
    const items = readRecords([meta(), ...turns, rollback(2), userEvent("two again")]);
    const [, first] = entries(items);
    expect(entries(items).at(-2)).toMatchObject({ type: "leaf", targetId: first?.id, parts: [] });
    expect(entries(items).at(-1)).not.toHaveProperty("parentId");
  });

  it("counts the messages of the branch that is left by earlier ones", () => {
    // SPEC 1.4
    const items = readRecords([meta(), ...turns, rollback(1), userEvent("four"), rollback(2)]);
    const [, first] = entries(items);
    expect(entries(items).at(-1)).toMatchObject({ type: "leaf", targetId: first?.id });
  });

  it("leaves the branch where the next message goes on, so that it can be taken back too", () => {
    // SPEC 1.4
    const items = readRecords([meta(), ...turns, rollback(1), userEvent("three again"), rollback(1)]);
    const leaves = entries(items).filter((entry) => entry.type === "leaf");
    expect(leaves.map((leaf) => leaf.targetId)).toEqual([entries(items)[3]?.id, entries(items)[3]?.id]);
  });

  it("ends the wait for other copies: what is said again afterwards is said on the new branch", () => {
    // SPEC 8.5
    const items = readRecords([meta(), userEvent("one"), userItem("two"), rollback(1), userEvent("two")]);
    expect(entries(items).map((entry) => entry.role ?? entry.type)).toEqual(["user", "user", "leaf", "user"]);
    expect(new Set(entries(items).map((entry) => entry.id)).size).toBe(4);
  });

  it("counts a message once whichever copies it has, and injected ones not at all", () => {
    // SPEC 8.5, 8.6
    const items = readRecords([
      meta(),
      userItem("<environment_context>x</environment_context>"),
      userItem("one"),
      userEvent("one"),
      agentEvent("first"),
      userItem("two"),
      userEvent("two"),
      userItem("<turn_aborted>x</turn_aborted>"),
      userItem("a note of the harness"),
      rollback(1),
    ]);
    const first = entries(items).find((entry) => entry.role === "assistant");
    expect(entries(items).at(-1)).toMatchObject({ type: "leaf", targetId: first?.id });
  });

  it("of more turns than there are keeps what lies before the first", () => {
    // SPEC 1.4
    const context = userItem("<environment_context>x</environment_context>");
    const items = readRecords([meta(), context, ...turns, rollback(9)]);
    expect(entries(items).at(-1)).toMatchObject({ type: "leaf", targetId: entries(items)[0]?.id });
    expect(entries(readRecords([meta(), ...turns, rollback(9)])).at(-1)).toMatchObject({
      type: "leaf",
      targetId: null,
    });
  });

  it("of nothing changes nothing", () => {
    // SPEC 8.4
    const items = readRecords([meta(), rollback(1), ...turns, rollback(0)]);
    expect(entries(items).filter((entry) => entry.type === "leaf")).toEqual([]);
    expect(ignored(items)).toEqual(["event_msg/thread_rolled_back", "event_msg/thread_rolled_back"]);
  });

  it("without a count is reported", () => {
    // SPEC 8.4
    for (const count of [undefined, null, "2", -1, 1.5]) {
      expect(problems(readRecords([meta(), ...turns, rollback(count)])), String(count)).toEqual(["bad-record"]);
    }
  });

  it("past what is remembered goes back as far as it can and says so", () => {
    // SPEC 8.4: nothing is dropped silently
    const many = Array.from({ length: turnsKept + 3 }, (_, i) => userEvent(`message ${i}`));
    const items = readRecords([meta(), ...many, rollback(turnsKept + 1)]);
    expect(problems(items)).toEqual(["bad-record"]);
    expect(entries(items).at(-1)).toMatchObject({ type: "leaf", targetId: entries(items)[2]?.id });
    const exact = readRecords([meta(), ...many, rollback(turnsKept)]);
    expect(problems(exact)).toEqual([]);
    expect(entries(exact).at(-1)).toMatchObject({ targetId: entries(exact)[2]?.id });
  });
});

describe("an entry id", () => {
  const shell = { name: "shell", call_id: "call_1", arguments: "{}" };

  it("is the record's own, or its call's with what it is", () => {
    // SPEC 1.5
    const items = readRecords([
      meta(),
      item("reasoning", { id: "rs_1", summary: [{ text: "hm" }] }),
      item("function_call", shell),
      item("function_call", { ...shell, name: "view" }),
      item("function_call_output", { call_id: "call_1", output: "ok" }),
    ]);
    expect(entries(items).map((entry) => entry.id)).toEqual(["rs_1", "call_1:shell", "call_1:view", "call_1:output"]);
  });

  it("doesn't hang on the line that a record stands in", () => {
    // SPEC 8.3
    const said = [userEvent("one"), agentEvent("first"), item("function_call", { name: "shell" })];
    const apart = [meta(), ...said.flatMap((record) => [event("token_count"), record])];
    const ids = (items: ReturnType<typeof readRecords>) => entries(items).map((entry) => entry.id);
    expect(ids(readRecords(apart))).toEqual(ids(readRecords([meta(), ...said])));
  });

  it("is another one for the same words in the same place of another session", () => {
    // SPEC 4.3: copies are told by id, so unrelated sessions must not share one
    const [here] = entries(readRecords([meta(), userEvent("continue")]));
    const [there] = entries(readRecords([meta({ id: "0199c0de-2222-7aaa-8bbb-000000000002" }), userEvent("continue")]));
    expect(here?.id).not.toBe(there?.id);
  });
});

describe("a timestamp", () => {
  it("is the envelope's, else the payload's, else unknown", () => {
    // SPEC 8.7
    const payload = { type: "user_message", message: "a", timestamp: "2026-03-04T08:00:05Z" };
    const [both, inner, none] = entries(
      readRecords([
        meta(),
        { timestamp: "2026-03-04T08:00:04Z", type: "event_msg", payload },
        { type: "event_msg", payload: { ...payload, message: "b" } },
        { type: "event_msg", payload: { type: "user_message", message: "c" } },
      ]),
    );
    expect([both?.timestamp, inner?.timestamp, none?.timestamp]).toEqual([1772611204000, 1772611205000, null]);
  });

  it("that can't be read is reported, once for the entry it belongs to", () => {
    // SPEC 8.7
    const bad = (record: object) => ({ ...record, timestamp: "soon" });
    const items = readRecords([meta(), bad(userEvent("a")), bad(event("token_count"))]);
    expect(problems(items)).toEqual(["bad-time"]);
    expect(entries(items)[0]?.timestamp).toBeNull();
  });
});
