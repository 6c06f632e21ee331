import { describe, expect, it } from "vitest";
import {
  agentEvent,
  assistantItem,
  entries,
  event,
  ignored,
  item,
  meta,
  readRecords,
  spoken,
  userEvent,
  userItem,
} from "./reading.ts";

describe("one spoken message", () => {
  const orders = {
    "item, event": [userItem("Caulk the deck."), userEvent("Caulk the deck.")],
    "event, item": [userEvent("Caulk the deck."), userItem("Caulk the deck.")],
  };

  it.each(Object.entries(orders))("is one entry when its copies come as %s", (_, copies) => {
    // SPEC 8.5
    const items = readRecords([meta(), ...copies]);
    expect(spoken(items)).toEqual([["user", "Caulk the deck."]]);
    expect(new Set(entries(items).map((entry) => entry.id)).size).toBe(1);
    expect(ignored(items)).toHaveLength(1);
  });

  it.each(Object.entries(orders))("is one entry in a later turn too, as %s", (_, copies) => {
    // SPEC 8.5, 8.6
    const first = [
      userItem("Sand the deck."),
      userEvent("Sand the deck."),
      agentEvent("Sanded."),
      assistantItem("Sanded."),
    ];
    expect(spoken(readRecords([meta(), ...first, ...copies]))).toEqual([
      ["user", "Sand the deck."],
      ["assistant", "Sanded."],
      ["user", "Caulk the deck."],
    ]);
  });

  it("is one entry across a checkpoint between its copies", () => {
    // SPEC 8.3, 8.5
    const records = [
      meta(),
      userItem("Sand the deck."),
      userEvent("Sand the deck."),
      agentEvent("Sanded."),
      item("reasoning", { summary: [{ type: "summary_text", text: "next" }] }),
      assistantItem("Sanded."),
      userItem("Caulk the deck."),
      userEvent("Caulk the deck."),
    ];
    const whole = readRecords(records);
    for (let cut = 1; cut < records.length; cut++) expect(readRecords(records, [cut])).toEqual(whole);
    expect(readRecords(records, [...records.keys()])).toEqual(whole);
  });

  it("is one entry for the assistant in either order, with other records in between", () => {
    // SPEC 8.5
    for (const copies of [
      [agentEvent("Sanded."), event("token_count"), assistantItem("Sanded.")],
      [assistantItem("Sanded."), event("token_count"), agentEvent("Sanded.")],
    ]) {
      expect(spoken(readRecords([meta(), ...copies]))).toEqual([["assistant", "Sanded."]]);
    }
  });

  it("is one entry when an item has two texts and each an event", () => {
    // SPEC 8.5
    const both = item("message", {
      role: "assistant",
      content: [
        { type: "output_text", text: "Sanded." },
        { type: "output_text", text: "Swept." },
      ],
    });
    expect(spoken(readRecords([meta(), agentEvent("Sanded."), agentEvent("Swept."), both]))).toEqual([
      ["assistant", "Sanded."],
      ["assistant", "Swept."],
    ]);
    expect(spoken(readRecords([meta(), both, agentEvent("Sanded."), agentEvent("Swept.")]))).toEqual([
      ["assistant", "Sanded.\nSwept."],
    ]);
    expect(spoken(readRecords([meta(), agentEvent("Sanded."), both]))).toEqual([
      ["assistant", "Sanded."],
      ["assistant", "Swept."],
    ]);
  });

  it("is not the same as the same words said later", () => {
    // SPEC 8.5
    const turn = [userItem("again"), userEvent("again"), agentEvent("Done."), assistantItem("Done.")];
    const items = readRecords([meta(), ...turn, ...turn]);
    expect(spoken(items)).toHaveLength(4);
    expect(new Set(entries(items).map((entry) => entry.id)).size).toBe(4);
  });

  it("is still said when only one copy of it was written", () => {
    // SPEC 8.5: events fill gaps
    expect(spoken(readRecords([meta(), userEvent("Sand it."), agentEvent("Sanded."), userEvent("Sand it.")]))).toEqual([
      ["user", "Sand it."],
      ["assistant", "Sanded."],
      ["user", "Sand it."],
    ]);
  });

  it("is not a copy of one that came the same way, nor of one of an earlier turn", () => {
    // SPEC 8.5
    expect(spoken(readRecords([meta(), userEvent("again"), userEvent("again")]))).toHaveLength(2);
    expect(
      spoken(readRecords([meta(), userItem("again"), assistantItem("Page one."), userEvent("again")])),
    ).toHaveLength(3);
    for (const next of [[userEvent("more")], [userItem("more"), userEvent("more")]]) {
      const records = [meta(), userEvent("go"), agentEvent("Done."), ...next, assistantItem("Done.")];
      expect(spoken(readRecords(records))).toEqual([
        ["user", "go"],
        ["assistant", "Done."],
        ["user", "more"],
        ["assistant", "Done."],
      ]);
    }
  });

  it("keeps the picture that only its item holds", () => {
    // SPEC 1.3, 8.5
    const picture = { type: "input_image", image_url: "data:image/png;base64,AAAA" };
    const withPicture = item("message", { role: "user", content: [picture, { type: "input_text", text: "Rust?" }] });
    const items = readRecords([meta(), userEvent("Rust?", { local_images: ["/srv/leaf.png"] }), withPicture]);
    expect(spoken(items)).toEqual([["user", "Rust?"]]);
    expect(entries(items).at(-1)?.parts).toContainEqual({ type: "image", mime: "image/png", data: "AAAA" });
  });

  it("takes the fuller text of the item when the event left out the plan", () => {
    // SPEC 8.5
    const full = "Ready.\n<proposed_plan>\n1. sand\n</proposed_plan>\n";
    const items = readRecords([meta(), agentEvent("Ready.\n"), assistantItem(full)]);
    expect(spoken(items)).toEqual([["assistant", full]]);
    const [first, second] = entries(items);
    expect(second?.id).toBe(first?.id);
    expect(second?.parentId).toBeNull();
  });
});

describe("a user item without an event", () => {
  it("is typed in a rollout without user events", () => {
    // SPEC 8.6
    expect(
      spoken(readRecords([meta(), userItem("Sand it."), assistantItem("Sanded."), userItem("Caulk it.")])),
    ).toEqual([
      ["user", "Sand it."],
      ["assistant", "Sanded."],
      ["user", "Caulk it."],
    ]);
  });

  it("is injected in a rollout that has user events, and kept", () => {
    // SPEC 1.4, 8.6
    const items = readRecords([meta(), userItem("Sand it."), userEvent("Sand it."), userItem("mind the tide")]);
    expect(spoken(items)).toEqual([["user", "Sand it."]]);
    expect(entries(items).at(-1)?.parts).toEqual([{ type: "text", text: "mind the tide", injected: true }]);
    expect(entries(items).at(-1)).not.toHaveProperty("typed");
  });

  it("keeps its place in the tree when the event comes after all", () => {
    // SPEC 1.3
    const items = readRecords([
      meta(),
      userItem("Sand it."),
      userEvent("Sand it."),
      userItem("Caulk it."),
      item("ghost_snapshot"),
      userEvent("Caulk it."),
      agentEvent("Caulked."),
    ]);
    const [first, hidden, shown, answer] = entries(items);
    expect(shown).toMatchObject({ id: hidden?.id, parentId: first?.id, typed: true });
    expect(answer).not.toHaveProperty("parentId");
  });

  it("is typed when it holds a picture", () => {
    // SPEC 8.6
    const picture = { type: "input_image", image_url: "data:image/png;base64,AAAA" };
    const withPicture = item("message", {
      role: "user",
      content: [picture, { type: "input_text", text: "What is this?" }],
    });
    const items = readRecords([meta(), userItem("Look."), userEvent("Look."), withPicture, userEvent("What is this?")]);
    expect(spoken(items)).toEqual([
      ["user", "Look."],
      ["user", "What is this?"],
    ]);
    expect(entries(items).at(-1)?.parts).toContainEqual({ type: "image", mime: "image/png", data: "AAAA" });
  });
});

describe("a user event", () => {
  it("of an injected kind is injected", () => {
    // SPEC 8.6
    const items = readRecords([
      meta(),
      userEvent("be brief", { kind: "user_instructions" }),
      userEvent("Sand it.", { kind: "plain" }),
    ]);
    expect(spoken(items)).toEqual([["user", "Sand it."]]);
    expect(entries(items)).toHaveLength(2);
  });
});
