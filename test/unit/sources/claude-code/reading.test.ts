/** Reading a growing file of Claude Code, and one that means harm (SPEC 8.3, 8.4). */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { claudeCode } from "../../../../src/sources/claude-code/claude-code.ts";
import type { Checkpoint, SourceItem } from "../../../../src/sources/source.ts";
import { assistant, id, queue, queued, read, record, user, words } from "./records.ts";

// SPEC 8.3
describe("reading on", () => {
  const side = { isSidechain: true };
  const lines = [
    { type: "custom-title", customTitle: "The well", sessionId: id },
    record("progress", "p1", null, { data: {} }),
    user("u2", "p1", "Dig.", { gitBranch: "main" }),
    assistant(
      "a3",
      "u2",
      [{ type: "tool_use", name: "Task", input: { prompt: "Measure.", description: "Measure" } }],
      {},
      { model: "m" },
    ),
    user("x4", null, "Measure.", side),
    queued("q5", "a3", { prompt: "deeper" }),
    assistant("x6", "x4", words("Forty."), side),
    queue("remove", "deeper", "absorbed_mid_turn"),
    assistant("a7", "q5", words("Deeper."), {}, { model: "m" }),
    { type: "agent-name", agentName: "digger", sessionId: id },
    { type: "ai-title", aiTitle: "Digging", sessionId: id },
    user("u8", "a7", "deeper"),
  ].map((line) => `${JSON.stringify(line)}\n`);

  it("from a saved checkpoint after any record gives what reading at once gives", async () => {
    const root = mkdtempSync(join(tmpdir(), "backscroll-source-"));
    try {
      const path = join(root, `${id}.jsonl`);
      writeFileSync(path, lines.join(""));
      const part = async (size: number, from: Checkpoint | null) => {
        const items: SourceItem[] = [];
        let end = from;
        for await (const batch of claudeCode.read({ path, relative: `${id}.jsonl`, root, size, mtimeMs: 0 }, from)) {
          items.push(...batch.items);
          end = JSON.parse(JSON.stringify(batch.at)) as Checkpoint;
        }
        return { items, end };
      };
      const whole = await part(Buffer.byteLength(lines.join("")), null);
      for (let cut = 1; cut < lines.length; cut++) {
        const first = await part(Buffer.byteLength(lines.slice(0, cut).join("")), null);
        const rest = await part(Buffer.byteLength(lines.join("")), first.end);
        expect([...first.items, ...rest.items]).toEqual(whole.items);
      }
    } finally {
      rmSync(root, { recursive: true });
    }
  });

  it("needs a memory of a few KiB, however many sub-agents there were", async () => {
    const many = Array.from({ length: 400 }, (_, n) => user(`x${n}-${"0".repeat(32)}`, null, `Task ${n}`, side));
    const { at: end } = await read([user("u1", null, "a"), ...many]);
    expect(JSON.stringify(end?.state).length).toBeLessThan(16 * 1024);
  });
});

// SPEC 8.4
describe("hostile records", () => {
  const odd = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom("", id, "u1", "__proto__", "<command-name>", -1, null, true, {}, []),
  );
  const keys = [
    "type",
    "uuid",
    "parentUuid",
    "sessionId",
    "agentId",
    "message",
    "attachment",
    "timestamp",
    "cwd",
    "summary",
  ];
  const hostile = fc.record(
    {
      type: fc.oneof(
        odd,
        fc.constantFrom("user", "assistant", "system", "attachment", "summary", "queue-operation", "ai-title"),
      ),
      message: fc.oneof(
        odd,
        fc.record({
          content: fc.oneof(odd, fc.array(fc.oneof(odd, fc.record({ type: odd, text: odd, content: odd })))),
        }),
      ),
      attachment: fc.oneof(
        odd,
        fc.record({ type: fc.constant("queued_command"), prompt: odd, commandMode: odd, origin: odd }),
      ),
      ...Object.fromEntries(keys.filter((name) => !/type|message|attachment/.test(name)).map((name) => [name, odd])),
      isSidechain: fc.boolean(),
      isCompactSummary: fc.boolean(),
      isMeta: odd,
      forkedFrom: odd,
      gitBranch: odd,
      leafUuid: odd,
    },
    { requiredKeys: [] },
  );

  it("never throw, and each one leaves a trace", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(hostile, { minLength: 1, maxLength: 8 }), async (records) => {
        const { items } = await read(records);
        const traces = items.filter(
          (item) =>
            item.kind === "entry" || item.kind === "ignored" || item.kind === "problem" || item.kind === "title",
        );
        const titles = records.filter((one) => one.type === "ai-title").length;
        expect(traces.length).toBeGreaterThanOrEqual(records.length - titles);
      }),
      { numRuns: 200 },
    );
  });
});
