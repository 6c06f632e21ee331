/** Each rule of placing by itself (SPEC 1.9, 1.10). The property test holds them together. */
import { describe, expect, test } from "vitest";
import { activeBranch, type ListedEntry, replay } from "../../../src/model/branch.ts";

type More = Partial<Omit<ListedEntry, "id" | "type">>;

function said(id: string, parentId?: string | null, more: More = {}): ListedEntry {
  return { id, type: "message", ...(parentId === undefined ? {} : { parentId }), ...more };
}

function leaf(id: string, targetId: string | null, more: More = {}): ListedEntry {
  return { id, type: "leaf", targetId, ...more };
}

function reset(id: string, parentId?: string): ListedEntry {
  return { id, type: "reset", ...(parentId === undefined ? {} : { parentId }) };
}

const three = [said("a", null), said("b", "a"), said("c", "b")];

describe("placing by the tree", () => {
  test.each<[string, ListedEntry[], string]>([
    ["an entry hangs below the parent that it names", [said("d", "a")], "a d"],
    ["no parent, or one that is not known, continues the leaf", [said("d"), said("e", "gone")], "a b c d e"],
    ["a named root starts anew", [said("d", null)], "d"],
    ["a side entry does not move the leaf", [said("s", "a", { attach: "side" }), said("d", "c")], "a b c d"],
    [
      "who names the side entry before it continues the leaf",
      [said("s", "a", { attach: "side" }), said("d", "s")],
      "a b c d",
    ],
    [
      "a side entry goes on at the side",
      [said("s", "a", { attach: "side" }), said("t", "s", { attach: "side" })],
      "a b c",
    ],
    [
      "a side entry whose parent is not known is a branch of its own",
      [said("s", "gone", { attach: "side" }), said("d"), said("e", "s")],
      "s e",
    ],
    [
      "a side entry without a parent hangs below the leaf",
      [said("s", undefined, { attach: "side" }), said("d"), said("e", "s")],
      "a b c s e",
    ],
    ["a side entry of long ago is a branch", [said("s", "a", { attach: "side" }), said("d"), said("e", "s")], "a s e"],
  ])("%s", (_, more, branch) => {
    expect(activeBranch([...three, ...more]).join(" ")).toBe(branch);
  });
});

describe("leaf entries", () => {
  test.each<[string, ListedEntry[], string]>([
    ["one moves the leaf", [leaf("l", "a")], "a"],
    ["null empties the branch", [leaf("l", null)], ""],
    ["what follows an empty branch is a root", [leaf("l", null), said("d")], "d"],
    ["the next entry goes on at the target", [leaf("l", "a"), said("d")], "a d"],
    ["one that names what is not there changes nothing", [leaf("l", "gone"), said("d")], "a b c d"],
    ["nor does one that names what comes later", [leaf("l", "d"), said("d", "b"), said("e")], "a b d e"],
    ["nor one whose append position is not there", [leaf("l", "a", { appendParentId: "gone" })], "a b c"],
    ["one kept for the record changes nothing", [leaf("l", "a", { attach: "side" })], "a b c"],
    ["who names one as its parent means its target", [leaf("l", "a"), said("d", "b"), said("e", "l")], "a e"],
    [
      "who names one that changed nothing means its parent",
      [leaf("l", "gone", { parentId: "b" }), said("d", "l")],
      "a b d",
    ],
    ["one that names another goes where that went", [leaf("l", "b"), leaf("m", "a"), leaf("n", "l")], "a b"],
    ["two in a row: the last one holds", [leaf("l", "a"), leaf("m", "b")], "a b"],
  ])("%s", (_, more, branch) => {
    expect(activeBranch([...three, ...more]).join(" ")).toBe(branch);
  });

  test.each<[string, ListedEntry[], string | null, string]>([
    ["is the target", [leaf("l", "a")], "a", "a d"],
    ["is what the entry says", [leaf("l", "a", { appendParentId: "c" })], "c", "a d"],
    ["can be above the root", [leaf("l", "b", { appendParentId: null })], null, "a b d"],
    ["can be another leaf entry", [leaf("l", "a"), leaf("m", "b", { appendParentId: "l" })], "l", "a b d"],
    ["is the side entry before", [said("s", "a", { attach: "side" })], "s", "a b c d"],
  ])("the append position %s, and who names it continues the leaf", (_, more, appendAt, branch) => {
    expect(replay([...three, ...more]).appendAt).toBe(appendAt);
    const next = replay([...three, ...more, said("d", appendAt)]);
    expect(next.branch.join(" ")).toBe(branch);
    expect(next.appendAt).toBe("d");
  });

  test("other parents than the append position are branches as ever", () => {
    const list = [...three, leaf("l", "a", { appendParentId: "c" })];
    expect(activeBranch([...list, said("d", "b")])).toEqual(["a", "b", "d"]);
    expect(activeBranch([...list, said("d"), said("e", "c")])).toEqual(["a", "b", "c", "e"]);
  });
});

describe("the reset barrier", () => {
  const behind = [...three, reset("r", "c"), said("d", "r"), said("e", "d")];

  test.each<[string, ListedEntry[], string]>([
    ["what was said before it stays on the branch", [], "a b c r d e"],
    ["a leaf entry can go back to it", [leaf("l", "r")], "a b c r"],
    ["and behind it", [leaf("l", "d"), said("f")], "a b c r d f"],
    ["not in front of it", [leaf("l", "b")], "a b c r d e"],
    ["nor above the root", [leaf("l", null), said("f")], "a b c r d e f"],
    [
      "who names a leaf entry that it held back continues where the leaf was",
      [leaf("l", "b"), said("f"), said("g", "l")],
      "a b c r d e g",
    ],
    ["an entry that names a parent in front of it continues the leaf", [said("f", "b")], "a b c r d e f"],
    ["so does a root, and another reset", [said("f", null), reset("q", "a")], "a b c r d e f q"],
    [
      "a typed message that would go back over it continues",
      [said("f", "a", { attach: "turns", typed: true })],
      "a b c r d e f",
    ],
    ["a side entry may hang in front of it", [said("s", "a", { attach: "side" }), said("f", "e")], "a b c r d e f"],
    ["but no leaf entry goes there", [said("s", "a", { attach: "side" }), leaf("l", "s")], "a b c r d e"],
    ["a dead branch behind it can be gone back to", [said("f", "r"), leaf("l", "e")], "a b c r d e"],
    ["the last of several counts", [reset("q"), said("f"), leaf("l", "r"), leaf("m", "q")], "a b c r d e q"],
  ])("%s", (_, more, branch) => {
    expect(activeBranch([...behind, ...more]).join(" ")).toBe(branch);
  });

  test("a leaf entry that it held back puts the append position at the leaf", () => {
    const list = [...behind, said("s", "a", { attach: "side" })];
    expect(replay(list).appendAt).toBe("s");
    for (const target of ["b", "gone", null]) expect(replay([...list, leaf("l", target)]).appendAt).toBe("e");
  });

  test("a reset that is off the branch bars nothing", () => {
    expect(activeBranch([...three, { ...reset("r", "c"), attach: "side" }, leaf("l", "a")])).toEqual(["a"]);
  });
});

describe("placing by turns", () => {
  test("parallel tool results are no fork, an edited prompt is", () => {
    const turn = (id: string, parentId: string | null, more: More = {}) =>
      said(id, parentId, { attach: "turns", ...more });
    const list = [
      turn("p1", null, { typed: true }),
      turn("call", "p1"),
      turn("r1", "call"),
      turn("r2", "call"),
      turn("say", "r1"),
      turn("p2", "say", { typed: true }),
      turn("say2", "p2"),
    ];
    expect(activeBranch(list).join(" ")).toBe("p1 call r1 r2 say p2 say2");
    expect(activeBranch([...list, turn("p2b", "say", { typed: true })]).join(" ")).toBe("p1 call r1 r2 say p2b");
  });
});
