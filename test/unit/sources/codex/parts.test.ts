import { describe, expect, it } from "vitest";
import {
  callParts,
  contentParts,
  eventImages,
  imagePart,
  outputParts,
  reasoningText,
} from "../../../../src/sources/codex/parts.ts";

describe("content", () => {
  it("is a string or a list of blocks", () => {
    // SPEC 1.3
    expect(contentParts("kept")).toEqual([{ type: "text", text: "kept" }]);
    expect(contentParts("")).toEqual([]);
    expect(contentParts([])).toEqual([]);
    for (const odd of [null, undefined, 7, {}]) expect(contentParts(odd)).toBeNull();
  });

  it("keeps texts, pictures and blocks it doesn't know, in order", () => {
    // SPEC 1.3, 1.4
    const chart = { type: "chart", points: [1, 2] };
    expect(
      contentParts([
        { type: "input_text", text: "a" },
        { type: "input_image", image_url: "https://example.org/a.png" },
        { type: "input_image", image_url: null },
        { type: "encrypted_content", encrypted_content: "b3BhcXVl" },
        { type: "refusal", refusal: "no" },
        "bare",
        "",
        null,
        7,
        chart,
        { type: "output_text", text: "" },
      ]),
    ).toEqual([
      { type: "text", text: "a" },
      { type: "image", url: "https://example.org/a.png" },
      { type: "text", text: "no" },
      { type: "text", text: "bare" },
      { type: "other", value: 7 },
      { type: "other", value: chart },
    ]);
  });
});

describe("an image", () => {
  it("is base64 data, an address or a path", () => {
    // SPEC 1.3
    expect(imagePart("data:image/png;base64,AAAA")).toEqual({ type: "image", mime: "image/png", data: "AAAA" });
    expect(imagePart("data:;base64,AAAA")).toEqual({ type: "image", data: "AAAA" });
    expect(imagePart("data:image/svg+xml,<svg/>")).toEqual({ type: "image", url: "data:image/svg+xml,<svg/>" });
    expect(imagePart({ url: "/srv/leaf.png" })).toEqual({ type: "image", url: "/srv/leaf.png" });
    for (const odd of [null, 7, {}, " "]) expect(imagePart(odd)).toBeNull();
  });

  it("stands in a user event under either name", () => {
    // SPEC 1.3
    expect(eventImages({ images: ["https://example.org/a.png", null], local_images: ["/srv/b.png"] })).toEqual([
      { type: "image", url: "https://example.org/a.png" },
      { type: "image", url: "/srv/b.png" },
    ]);
    expect(eventImages({ images: "a", local_images: null })).toEqual([]);
  });
});

describe("reasoning", () => {
  it("is the summary and the readable content; nothing when it is encrypted", () => {
    // SPEC 1.3
    expect(
      reasoningText({
        summary: [{ type: "summary_text", text: "first" }],
        content: [{ type: "reasoning_text", text: "then" }],
      }),
    ).toBe("first\n\nthen");
    expect(reasoningText({ summary: [], encrypted_content: "b3BhcXVl" })).toBe("");
    expect(reasoningText({ summary: "odd", content: [null, 7, { text: " " }] })).toBe("");
  });
});

describe("a tool call", () => {
  it("has its arguments parsed where they are JSON", () => {
    // SPEC 1.3
    expect(callParts("function_call", { name: "shell", call_id: "c1", arguments: '{"command":["ls"]}' })).toEqual([
      { type: "toolCall", id: "c1", name: "shell", arguments: { command: ["ls"] } },
    ]);
    expect(callParts("function_call", { name: "shell", arguments: "{torn" })).toEqual([
      { type: "toolCall", name: "shell", arguments: "{torn" },
    ]);
    expect(callParts("function_call", {})).toEqual([{ type: "toolCall", name: "unknown", arguments: null }]);
  });

  it("is named by its type where it has no name", () => {
    // SPEC 1.3
    expect(callParts("custom_tool_call", { name: "exec", call_id: "c2", input: '{"a":1}' })).toEqual([
      { type: "toolCall", id: "c2", name: "exec", arguments: '{"a":1}' },
    ]);
    expect(callParts("local_shell_call", { call_id: "c3", action: { type: "exec", command: ["ls"] } })).toEqual([
      { type: "toolCall", id: "c3", name: "local_shell", arguments: { type: "exec", command: ["ls"] } },
    ]);
    expect(callParts("image_generation_call", { revised_prompt: "a boat", result: "AAAA" })).toEqual([
      { type: "toolCall", name: "image_generation", arguments: { revised_prompt: "a boat" } },
      { type: "image", mime: "image/png", data: "AAAA" },
    ]);
  });
});

describe("a tool result", () => {
  const result = (text: string, more = {}) => ({ type: "toolResult", id: "c1", text, ...more });

  it("is read in each of its shapes", () => {
    // SPEC 1.3
    expect(outputParts({ call_id: "c1", output: "done" })).toEqual([result("done")]);
    expect(outputParts({ call_id: "c1", output: '{"output":"done","metadata":{"exit_code":0}}' })).toEqual([
      result("done"),
    ]);
    expect(outputParts({ call_id: "c1", output: { content: "done", success: true } })).toEqual([result("done")]);
    expect(outputParts({ call_id: "c1", output: { type: "input_text", text: "done" } })).toEqual([result("done")]);
    expect(
      outputParts({
        call_id: "c1",
        output: [
          { type: "input_text", text: "one" },
          { type: "input_text", text: "two" },
          { type: "input_image", image_url: "https://example.org/a.png" },
        ],
      }),
    ).toEqual([result("one\ntwo"), { type: "image", url: "https://example.org/a.png" }]);
    expect(outputParts({ call_id: "c1", tools: [{ name: "saw" }] })).toEqual([
      result(""),
      { type: "other", value: [{ name: "saw" }] },
    ]);
    for (const output of [null, undefined, []]) expect(outputParts({ call_id: "c1", output })).toEqual([result("")]);
  });

  it("says when the call failed", () => {
    // SPEC 1.3
    for (const output of [
      '{"output":"no such file","metadata":{"exit_code":2}}',
      { content: "no such file", success: false },
      "Exit code: 2\nno such file",
    ]) {
      expect(outputParts({ call_id: "c1", output })[0]).toMatchObject({ isError: true });
    }
    expect(outputParts({ call_id: "c1", output: "Exit code: 0\nfine" })[0]).not.toHaveProperty("isError");
  });

  it("stays as it is when it only looks like a wrapped one", () => {
    // SPEC 8.4
    expect(outputParts({ call_id: "c1", output: '{"output":"torn' })).toEqual([result('{"output":"torn')]);
    expect(outputParts({ call_id: "c1", output: '{"output":7}' })).toEqual([result('{"output":7}')]);
  });
});
