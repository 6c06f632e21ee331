import { expect, test } from "vitest";
import type { Part } from "../../../src/model/transcript.ts";
import { toolText } from "../../../src/store/tool-text.ts";

const textOf = (...parts: Part[]) => toolText({ type: "message", role: "assistant", parts })?.text ?? null;
const answer = JSON.stringify({ results: [{ sessionKey: "agent:main:a", snippet: "the bittern nests in the reeds" }] });

// SPEC 4.3: earlier answers of these tools are not hits.
test.each(["sessions_search", "sessions_history", "mcp__backscroll__sessions_list", "backscroll.sessions_search"])(
  "what %s was asked and answered is not indexed",
  (name) => {
    expect(textOf({ type: "toolCall", id: "c1", name, arguments: { query: "bittern" } })).toBeNull();
    expect(textOf({ type: "toolResult", id: "c1", name, text: "the bittern nests" })).toBeNull();
  },
);

test("nor an answer that does not say whose it is", () => {
  expect(textOf({ type: "toolResult", id: "c1", text: answer })).toBeNull();
});

test("other tools are, whatever their names are like", () => {
  expect(textOf({ type: "toolResult", id: "c1", name: "list_sessions_search_pages", text: "bittern" })).toBe("bittern");
  expect(textOf({ type: "toolResult", id: "c1", text: '{"results": ["bittern"]}' })).toContain("bittern");
  expect(textOf({ type: "toolCall", id: "c1", name: "grep", arguments: { pattern: "bittern" } })).toContain("bittern");
});
