/** The active branch against a naive oracle: SPEC 1.4 told again in the slowest, plainest way. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { activeBranch, type ListedEntry, pathToRoot } from "../../src/model/branch.ts";

/** Rebuilds the whole path after every entry, from parent links alone. */
function oracle(entries: readonly ListedEntry[]): string[] {
  const parent = new Map<string, string | null>();
  const typed = new Set<string>();
  let leaf: string | null = null;
  const pathOf = (id: string | null): string[] => (id === null ? [] : [...pathOf(parent.get(id) ?? null), id]);
  for (const entry of entries) {
    if (parent.has(entry.id)) continue;
    if (entry.typed) typed.add(entry.id);
    if (entry.type === "leaf") {
      parent.set(entry.id, null);
      if (entry.targetId === null) leaf = null;
      else if (entry.targetId !== undefined && parent.has(entry.targetId) && entry.targetId !== entry.id)
        leaf = entry.targetId;
      continue;
    }
    const path: string[] = pathOf(leaf);
    const known = typeof entry.parentId === "string" && parent.has(entry.parentId) && entry.parentId !== entry.id;
    let below: string | null = leaf;
    if (entry.attach === "turns") {
      const at = known && entry.typed ? path.indexOf(entry.parentId as string) : -1;
      if (at >= 0 && path.slice(at + 1).some((id) => typed.has(id))) below = entry.parentId as string;
    } else if (entry.parentId === null) below = null;
    else if (known) below = entry.parentId as string;
    parent.set(entry.id, below);
    if (entry.attach !== "side") leaf = entry.id;
  }
  return pathOf(leaf);
}

const id = fc.integer({ min: 0, max: 14 }).map((n) => `e${n}`);
const entry: fc.Arbitrary<ListedEntry> = fc.record(
  {
    id,
    type: fc.constantFrom("message", "message", "message", "custom", "leaf"),
    parentId: fc.option(id, { nil: null }),
    attach: fc.constantFrom("tree", "tree", "turns", "side"),
    typed: fc.constant(true),
    targetId: fc.option(id, { nil: null }),
  },
  { requiredKeys: ["id", "type"] },
) as fc.Arbitrary<ListedEntry>;

describe("active branch", () => {
  test("equals the oracle for any list of entries", () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 40 }), (entries) => {
        expect(activeBranch(entries)).toEqual(oracle(entries));
      }),
      { numRuns: 2000 },
    );
  });

  test("a rewind leaves the abandoned entries off the branch", () => {
    const list: ListedEntry[] = [
      { id: "a", type: "message", parentId: null },
      { id: "b", type: "message", parentId: "a" },
      { id: "c", type: "message", parentId: "a" },
    ];
    expect(activeBranch(list)).toEqual(["a", "c"]);
    expect(activeBranch([...list, { id: "l", type: "leaf", targetId: "b" }])).toEqual(["a", "b"]);
  });

  test("turns: parallel tool results are no fork, an edited prompt is", () => {
    const turns = { type: "message", attach: "turns" } as const;
    const list: ListedEntry[] = [
      { ...turns, id: "p1", parentId: null, typed: true },
      { ...turns, id: "call", parentId: "p1" },
      { ...turns, id: "r1", parentId: "call" },
      { ...turns, id: "r2", parentId: "call" },
      { ...turns, id: "say", parentId: "r1" },
      { ...turns, id: "p2", parentId: "say", typed: true },
      { ...turns, id: "say2", parentId: "p2" },
    ];
    expect(activeBranch(list)).toEqual(["p1", "call", "r1", "r2", "say", "p2", "say2"]);
    expect(activeBranch([...list, { ...turns, id: "p2b", parentId: "say", typed: true }])).toEqual([
      "p1",
      "call",
      "r1",
      "r2",
      "say",
      "p2b",
    ]);
  });

  test("a cycle gives an empty path", () => {
    expect(pathToRoot("a", (node) => (node === "a" ? "b" : "a"))).toEqual([]);
  });
});
