/** What the store says it holds of a file's entries (SPEC 8.10). */
import { expect, test } from "vitest";
import { toEntryId } from "../../../src/index.ts";
import { heldEntry, heldTranscript } from "../../../src/store/held-entry.ts";
import { assistant, key, user } from "../../helpers/entries.ts";
import { memoryStore } from "../../helpers/temporary.ts";

function setUp() {
  const store = memoryStore();
  store.append(key("talk"), [
    user("m1", "oak plank"),
    assistant("m2", "elm plank", { pieceOf: "whole" }),
    assistant("m3", "ash plank", { pieceOf: "whole" }),
    user("m4", "last plank"),
  ]);
  const transcript = heldTranscript(store.db, "talk");
  if (typeof transcript !== "number") throw new Error("not stored");
  return { store, held: (entry: Parameters<typeof heldEntry>[2]) => heldEntry(store.db, transcript, entry) };
}

test("same words, other words, nothing", () => {
  const { held } = setUp();
  expect(held(user("m1", "oak plank"))).toBe("same");
  expect(
    held(user("m1", "oak plank", { timestamp: null, parts: [{ type: "text", text: "oak plank", injected: true }] })),
  ).toBe("same");
  expect(held(user("m1", "oak planks"))).toBe("changed");
  expect(held(assistant("m1", "oak plank"))).toBe("changed");
  expect(held(user("m1", "oak plank", { type: "custom_message" }))).toBe("changed");
  expect(held(user("m9", "oak plank"))).toBe("missing");
});

test("pieces are in the whole that they became", () => {
  const { held } = setUp();
  expect(held(assistant("m2", "elm plank", { pieceOf: "whole" }))).toBe("same");
  expect(held(assistant("m3", "ash plank", { pieceOf: "whole" }))).toBe("merged");
  expect(held(assistant("m3", "yew plank", { pieceOf: "whole" }))).toBe("changed");
});

test("what was deleted is told from what never came", () => {
  const { store, held } = setUp();
  store.deleteEntry(key("talk"), toEntryId("m4"));
  expect(held(user("m4", "last plank"))).toBe("deleted");
  store.deleteEntry(key("talk"), toEntryId("m2"));
  expect(held(assistant("m3", "ash plank", { pieceOf: "whole" }))).toBe("deleted");
  store.deleteSession(key("talk"));
  expect([heldTranscript(store.db, "talk"), heldTranscript(store.db, "other")]).toEqual(["deleted", "missing"]);
});
