import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Fields } from "../../../../src/sources/fields.ts";
import { entries, ignored, meta, problems, readRecords, sessions, spoken } from "./reading.ts";

describe("the oldest generation", () => {
  const header = { id: "4f1c2d3e-aaaa-4bbb-8ccc-000000000001", timestamp: "2025-08-20T07:30:00Z", instructions: null };
  const said = (role: string, text: string) => ({ type: "message", role, content: [{ type: "input_text", text }] });

  it("has bare items without times below a header without a type", () => {
    // SPEC 8.2, 8.7
    const items = readRecords([
      { ...header, git: { branch: "main" } },
      { record_type: "state" },
      said("user", "<user_instructions>grams</user_instructions>"),
      said("user", "Scale the loaf."),
      { type: "function_call", name: "shell", arguments: "{}", call_id: "c1" },
      { type: "function_call_output", call_id: "c1", output: "ok" },
      said("assistant", "Three kilograms."),
    ]);
    expect(sessions(items)[0]).toMatchObject({
      sessionId: header.id,
      gitBranch: "main",
      createdAt: Date.UTC(2025, 7, 20, 7, 30),
    });
    expect(spoken(items)).toEqual([
      ["user", "Scale the loaf."],
      ["assistant", "Three kilograms."],
    ]);
    expect(entries(items).every((entry) => entry.timestamp === null)).toBe(true);
    expect(problems(items)).toEqual([]);
    expect(ignored(items)).toEqual(["state"]);
  });

  it("reports what it doesn't know", () => {
    // SPEC 8.4
    const items = readRecords([header, { type: "smell" }, { note: "no type" }]);
    expect(problems(items)).toEqual(["unknown-record", "unknown-record"]);
    expect(entries(items).map((entry) => entry.type)).toEqual(["smell", "record"]);
  });
});

describe("an envelope", () => {
  it("of an unknown type is kept as it is", () => {
    // SPEC 1.3, 8.4
    const record = { timestamp: "2026-03-04T08:00:00Z", type: "x".repeat(100), payload: { note: "tar" } };
    const [entry] = entries(readRecords([meta(), record]));
    expect(entry).toMatchObject({ type: "x".repeat(64), data: record, timestamp: Date.UTC(2026, 2, 4, 8) });
  });

  it("without a payload is reported", () => {
    // SPEC 8.4
    for (const payload of [undefined, null, "text", []]) {
      expect(problems(readRecords([meta(), { type: "event_msg", payload }]))).toEqual(["bad-record"]);
    }
  });

  it("with settings of the world holds nothing to keep", () => {
    // SPEC 8.4
    const quiet = ["world_state", "inter_agent_communication_metadata"];
    expect(ignored(readRecords([meta(), ...quiet.map((type) => ({ type, payload: {} }))]))).toEqual(quiet);
  });
});

describe("a compaction", () => {
  it("is an entry with its summary injected, or with nothing where that is encrypted", () => {
    // SPEC 1.3, 1.4
    const history = [{ type: "message", role: "user", content: [{ type: "input_text", text: "again" }] }];
    const items = readRecords([
      meta(),
      { type: "compacted", payload: { message: "So far: sanded." } },
      { type: "compacted", payload: { message: "", replacement_history: history } },
    ]);
    expect(entries(items).map((entry) => [entry.type, entry.parts])).toEqual([
      ["compaction", [{ type: "text", text: "So far: sanded.", injected: true }]],
      ["compaction", []],
    ]);
  });
});

describe("any records whatever", () => {
  const word = fc.constantFrom(
    "again",
    "Sand it.",
    "<skill>a</skill>",
    "# Context from my IDE setup:",
    "",
    "__proto__",
  );
  const odd = fc.oneof(
    fc.constantFrom(null, 0, true, "", "constructor"),
    fc.array(word, { maxLength: 2 }),
    fc.jsonValue({ maxDepth: 2 }),
  );
  const content = fc.oneof(
    odd,
    word,
    fc.array(fc.record({ type: fc.constantFrom("input_text", "output_text"), text: word }), { maxLength: 3 }),
  );
  const payload = fc.record(
    {
      type: fc.oneof(
        fc.constantFrom(
          "message",
          "user_message",
          "agent_message",
          "reasoning",
          "function_call",
          "function_call_output",
        ),
        fc.constantFrom("item_completed", "thread_rolled_back", "token_count", "toString"),
        odd,
      ),
      role: fc.oneof(fc.constantFrom("user", "assistant", "developer"), odd),
      content,
      message: fc.oneof(word, odd),
      num_turns: fc.oneof(fc.integer({ min: 0, max: 3 }), odd),
      item: fc.oneof(odd, fc.record({ type: fc.constantFrom("UserMessage", "AgentMessage", "Plan"), content })),
      id: fc.oneof(fc.constantFrom("a", "b"), odd),
      call_id: odd,
      output: odd,
      arguments: odd,
      summary: odd,
      source: odd,
      images: odd,
    },
    { requiredKeys: [] },
  );
  const record = fc.record(
    {
      timestamp: fc.oneof(fc.constant("2026-03-04T08:00:00Z"), odd),
      type: fc.oneof(
        fc.constantFrom("session_meta", "response_item", "event_msg", "event_msg", "turn_context", "compacted"),
        odd,
      ),
      payload: fc.oneof({ arbitrary: payload, weight: 9 }, { arbitrary: odd, weight: 1 }),
      thread_name: odd,
      record_type: odd,
    },
    { requiredKeys: [] },
  );

  it("are read without a throw, each to something, and the same from any checkpoint", () => {
    // SPEC 8.3, 8.4
    fc.assert(
      fc.property(fc.array(record, { maxLength: 12 }), fc.nat(), (records, seed) => {
        const hostile = JSON.parse(JSON.stringify(records)) as Fields[];
        const whole = readRecords(hostile);
        for (const [index] of hostile.entries()) {
          const more = readRecords(hostile.slice(0, index + 1)).length;
          expect(more).toBeGreaterThan(readRecords(hostile.slice(0, index)).length);
        }
        expect(readRecords(hostile, [seed % (hostile.length + 1)])).toEqual(whole);
        const known = new Set<string>();
        for (const item of whole) {
          if (item.kind === "session") known.add(item.session.sessionId);
          if (item.kind === "entry") expect(known).toContain(item.sessionId);
        }
      }),
      { numRuns: 500 },
    );
  });
});
