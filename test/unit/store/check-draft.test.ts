import { expect, test } from "vitest";
import { BackscrollError, type EntryDraft } from "../../../src/index.ts";
import { key, user } from "../../helpers/entries.ts";
import { snapshot } from "../../helpers/snapshot.ts";
import { memoryStore } from "../../helpers/temporary.ts";

const bad: [string, Record<string, unknown>][] = [
  ["a timestamp that is no number", { timestamp: Number.NaN }],
  ["a broken one", { timestamp: 1.5 }],
  ["an endless one", { timestamp: Number.POSITIVE_INFINITY }],
  ["no parts", { parts: undefined }],
  ["a part that is none", { parts: ["text"] }],
  ["a text part without text", { parts: [{ type: "text" }] }],
  ["a role of nobody", { role: "wizard" }],
  ["no id", { id: "" }],
  ["an id that is too long", { id: "x".repeat(600) }],
  ["no type", { type: undefined }],
];

test.each(bad)("%s is refused by name, and nothing is stored (SPEC 1.6, 7.5)", (_, change) => {
  const store = memoryStore();
  store.append(key("a"), [user("m1", "one")]);
  const before = snapshot(store);
  const draft = { ...user("m2", "two"), ...change } as unknown as EntryDraft;
  for (const write of [
    () => store.append(key("a"), [user("m3", "three"), draft]),
    () => store.upsert(key("a"), draft),
  ]) {
    expect(write).toThrow(BackscrollError);
    expect(write).toThrow(expect.objectContaining({ code: "bad_input" }));
  }
  expect(snapshot(store)).toEqual(before);
});

test("a title that is only a text is refused with the shape that it has", () => {
  const store = memoryStore();
  const facts = { title: "Herons" } as unknown as Parameters<typeof store.append>[2];
  expect(() => store.append(key("a"), [user("m1", "one")], facts)).toThrow(/title is "Herons"/);
  expect(snapshot(store)).toEqual([]);
});
