/** Leaf, append position and reset barrier as the store keeps them (SPEC 1.9). */
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type EntryDraft, toEntryId } from "../../../src/index.ts";
import { toAgentId } from "../../../src/model/ids.ts";
import { AgentStore } from "../../../src/store/agent-store.ts";
import { markAllDirty } from "../../../src/store/dirty.ts";
import { assistant, key, user } from "../../helpers/entries.ts";
import { snapshot } from "../../helpers/snapshot.ts";
import { memoryStore, temporaryFolder } from "../../helpers/temporary.ts";

function state(id: string, type: string, more: Partial<EntryDraft> = {}): EntryDraft {
  return { id: toEntryId(id), type, timestamp: 1_760_000_000_000, parts: [], ...more };
}

function standing(store: AgentStore) {
  const transcript = snapshot(store)[0]?.transcripts[0];
  return [transcript?.leafId, transcript?.appendAtId, transcript?.indexed.join(" ")];
}

const storedAppendAt = (store: AgentStore) => store.db.prepare("SELECT append_at AS at FROM transcripts").get()?.at;

describe("append position", () => {
  test("survives a reopen, and is the leaf again once an entry becomes that", () => {
    const path = join(temporaryFolder(), "store.sqlite");
    const reopened = (work: (store: AgentStore) => void) => {
      const store = new AgentStore(path, toAgentId("main"));
      work(store);
      store.close();
    };
    reopened((store) => store.append(key("a"), [user("a", "birch"), assistant("b", "cedar"), user("c", "rowan")]));
    reopened((store) => {
      expect(storedAppendAt(store)).toBe(null);
      store.append(key("a"), [state("l", "leaf", { targetId: toEntryId("b"), appendParentId: toEntryId("c") })]);
    });
    reopened((store) => {
      expect(standing(store)).toEqual(["b", "c", "a b"]);
      store.append(key("a"), [user("d", "aspen", { parentId: toEntryId("c") })]);
      expect(standing(store)).toEqual(["d", "d", "a b d"]);
      expect(storedAppendAt(store)).toBe(null);
    });
  });

  test("above the root is a place of its own", () => {
    const store = memoryStore();
    store.append(key("a"), [
      user("a", "birch"),
      state("l", "leaf", { targetId: toEntryId("a"), appendParentId: null }),
    ]);
    expect(storedAppendAt(store)).toBe(-1);
    expect(standing(store)).toEqual(["a", null, "a"]);
    store.append(key("a"), [assistant("b", "cedar", { parentId: null })]);
    expect(standing(store)).toEqual(["b", "b", "a b"]);
  });

  test("goes to the leaf with every move that is made by hand", () => {
    const store = memoryStore();
    store.append(key("a"), [user("a", "birch"), assistant("s", "aside", { attach: "side" })]);
    expect(standing(store)).toEqual(["a", "s", "a"]);
    store.setLeaf(key("a"), toEntryId("a"));
    expect(standing(store)).toEqual(["a", "a", "a"]);
    store.append(key("a"), [assistant("b", "cedar", { parentId: toEntryId("s") })]);
    expect(standing(store)).toEqual(["b", "b", "a s b"]);
  });
});

describe("reset barrier", () => {
  const entries = [
    user("a", "birch"),
    assistant("b", "cedar"),
    state("r", "reset", { data: { firstKeptEntryId: "b" } }),
    user("c", "rowan"),
    assistant("d", "aspen"),
  ];
  const barred = expect.objectContaining({ code: "bad_input" });

  test.each([
    ["clean", () => undefined],
    ["dirty", (store: AgentStore) => markAllDirty(store.db, "branch")],
  ])("the leaf goes back to it and not over it, in a %s transcript", (_, prepare) => {
    const store = memoryStore();
    store.append(key("a"), entries);
    prepare(store);
    const move = (id: string | null) => () => store.setLeaf(key("a"), id === null ? null : toEntryId(id));
    for (const id of ["b", "a", null]) expect(move(id), String(id)).toThrow(barred);
    expect(standing(store).slice(0, 2)).toEqual(["d", "d"]);
    for (const id of ["c", "d", "r"]) {
      move(id)();
      expect(standing(store)[0]).toBe(id);
    }
    expect(move("b")).toThrow(/entry b lies in front of a reset/);
    expect(move(null)).toThrow(/the start lies in front of a reset/);
    // The dead branch hangs below the reset all the same.
    move("d")();
    expect(standing(store)[0]).toBe("d");
  });

  test("what lies before it stays searchable", () => {
    const store = memoryStore();
    store.append(key("a"), entries);
    expect(standing(store)).toEqual(["d", "d", "a b c d"]);
  });

  test("of another session, or of a dead branch, bars nothing", () => {
    const store = memoryStore();
    store.append(key("a"), [user("a", "birch"), state("r", "reset", { attach: "side" }), user("b", "cedar")]);
    store.append(key("b"), [user("a", "birch"), state("r", "reset"), user("b", "cedar")]);
    store.append(key("c"), [user("a", "birch"), user("b", "cedar")]);
    for (const rest of ["a", "c"]) expect(() => store.setLeaf(key(rest), toEntryId("a"))).not.toThrow();
    expect(() => store.setLeaf(key("b"), toEntryId("a"))).toThrow(barred);
  });

  test("moving to a leaf entry means what it moved to", () => {
    const store = memoryStore();
    store.append(key("a"), [user("a", "birch"), user("b", "cedar"), state("l", "leaf", { targetId: toEntryId("a") })]);
    store.append(key("a"), [user("c", "rowan")]);
    store.setLeaf(key("a"), toEntryId("l"));
    expect(standing(store)).toEqual(["a", "a", "a"]);
  });
});
