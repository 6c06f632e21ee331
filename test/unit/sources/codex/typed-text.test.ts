import { describe, expect, it } from "vitest";
import { assistantText, folderOf, shownText, speechKey, userText } from "../../../../src/sources/codex/typed-text.ts";

const typed = (text: string) => ({ type: "text", text });
const injected = (text: string) => ({ type: "text", text, injected: true });

describe("user text", () => {
  it("is typed when no harness block opens it, trimmed of surrounding white space", () => {
    // SPEC 8.6
    expect(userText("\n\n  Varnish the oars.\n", false)).toEqual([typed("Varnish the oars.")]);
    expect(userText(" \n ", false)).toEqual([]);
    expect(userText("Why does <environment_context> come first?", false)).toEqual([
      typed("Why does <environment_context> come first?"),
    ]);
  });

  it("keeps a harness block, tags and all, apart from the words after it", () => {
    // SPEC 1.4, 8.6
    const text =
      "<environment_context>\n<cwd>/srv</cwd>\n</environment_context>\n\n<skill>oars</skill>\nVarnish the oars.";
    expect(userText(text, false)).toEqual([
      injected("<environment_context>\n<cwd>/srv</cwd>\n</environment_context>"),
      injected("<skill>oars</skill>"),
      typed("Varnish the oars."),
    ]);
  });

  it("knows block tags in any case, with attributes, and made of a key", () => {
    // SPEC 8.6
    for (const block of [
      "<ENVIRONMENT_CONTEXT>a</ENVIRONMENT_CONTEXT>",
      "<Skill>a</skill>",
      '<codex_internal_context source="goal">a</codex_internal_context>',
      "<permissions instructions>a</permissions instructions>",
      "<external_tide-table>a</external_tide-table>",
      "# AGENTS.md instructions for /srv\n\n<INSTRUCTIONS>\na\n</INSTRUCTIONS>",
    ]) {
      expect(userText(block, true), block).toEqual([injected(block)]);
    }
  });

  it("leaves markup that is not the harness's to the person who typed it", () => {
    // SPEC 8.6
    for (const text of [
      "<div>a</div>",
      "<skills>a</skills>",
      "<environment_contexts>",
      "< skill>",
      "# Heading\nwords",
    ]) {
      expect(userText(text, false), text).toEqual([typed(text)]);
    }
  });

  it("takes an unclosed block whole in an item, and for typed in an event", () => {
    // SPEC 8.6
    const text = "<turn_aborted>\nstopped half way";
    expect(userText(text, false)).toEqual([injected(text)]);
    expect(userText(text, true)).toEqual([typed(text)]);
  });

  it("takes what the harness writes without tags for injected in items only", () => {
    // SPEC 8.6
    const text =
      "Warning: apply_patch was requested via exec_command. Use the apply_patch tool instead of exec_command.";
    expect(userText(text, false)).toEqual([injected(text)]);
    expect(userText(text, true)).toEqual([typed(text)]);
  });

  it("cuts at the first request heading that is a line of its own", () => {
    // SPEC 8.6; formats B2, IDE
    const context = '# Context from my IDE setup:\n\n## Active selection:\nsay "## My request for Codex:" twice\n\n';
    expect(userText(`${context}## My request for Codex:\nTrim it.\n## My request for Codex:\nmine`, true)).toEqual([
      injected(`${context}## My request for Codex:`),
      typed("Trim it.\n## My request for Codex:\nmine"),
    ]);
    expect(
      userText("# Files mentioned by the user:\n\n## a.md: /a.md\n\n## My request for Codex:\nRead it", true),
    ).toEqual([
      injected("# Files mentioned by the user:\n\n## a.md: /a.md\n\n## My request for Codex:"),
      typed("Read it"),
    ]);
  });

  it("does not cut a text that merely mentions the heading", () => {
    // SPEC 8.6
    const text = "The file has\n## My request for Codex:\nin it. Why?";
    expect(userText(text, true)).toEqual([typed(text)]);
  });

  it("takes editor context without a request for injected", () => {
    // SPEC 8.6
    const text = "# Context from my IDE setup:\n\n## Open tabs:\n- a.md";
    expect(userText(text, true)).toEqual([injected(text)]);
  });

  it("reads a text of ten thousand blocks in a moment and loses nothing of it", () => {
    // SPEC 8.4: one hostile text must not hold up an import
    const text = Array.from({ length: 10_000 }, (_, i) => `<external_${i}>x</external_${i}>`).join("\n");
    const start = performance.now();
    const parts = userText(text, false);
    expect(performance.now() - start).toBeLessThan(1000);
    expect(parts.map((part) => (part.type === "text" ? part.text : "")).join("\n")).toBe(text);
  });
});

describe("assistant text", () => {
  it("is kept as said", () => {
    // SPEC 1.4
    expect(assistantText("  two spaces first\n")).toEqual([typed("  two spaces first\n")]);
  });

  it("keeps memory citations apart, closed or not", () => {
    // SPEC 1.4
    const text = "Grey.<oai-mem-citation>a:1</oai-mem-citation> Surely.<oai-mem-citation>b:2";
    expect(assistantText(text)).toEqual([
      typed("Grey. Surely."),
      injected("<oai-mem-citation>a:1</oai-mem-citation>"),
      injected("<oai-mem-citation>b:2"),
    ]);
  });

  it("takes a message to another agent for injected", () => {
    // SPEC 1.4
    const text = '{"author":"/root","recipient":"/root/oars","content":"varnish","trigger_turn":true}';
    expect(assistantText(text)).toEqual([injected(text)]);
    expect(assistantText('{"author":"me"}')).toEqual([typed('{"author":"me"}')]);
  });
});

describe("the two copies of a text", () => {
  it("share what is shown: no citation, no plan", () => {
    // SPEC 8.5
    expect(shownText("a\n<proposed_plan>\nb\n</proposed_plan>\nc<oai-mem-citation>d</oai-mem-citation>")).toBe(
      "a\n\nc",
    );
    expect(shownText("plain <b>")).toBe("plain <b>");
  });

  it("share a key whatever the white space, and only then", () => {
    // SPEC 8.5
    expect(speechKey("a b\n\nc")).toBe(speechKey("ab c\n"));
    expect(speechKey("a b c")).not.toBe(speechKey("a b d"));
  });
});

describe("the folder in an environment block", () => {
  it("is found in both wordings, and nowhere else", () => {
    // SPEC 1.2
    expect(folderOf("<environment_context>\n  <cwd>/srv/bakery</cwd>\n</environment_context>")).toBe("/srv/bakery");
    expect(folderOf("<environment_context>\nCurrent working directory: /srv/mill\nmore")).toBe("/srv/mill");
    expect(folderOf("<environment_context><cwd> </cwd></environment_context>")).toBeNull();
    expect(folderOf("<cwd>/srv/bakery</cwd>")).toBeNull();
  });
});
