/**
 * The tree of entries: where a new entry goes, what becomes the leaf, which entries are on the active branch (SPEC 1.4).
 * Pure. The store asks the same `place` entry by entry with its tables behind `Tree`; `activeBranch` replays a whole
 * list and is what the store's flags have to equal.
 */
import type { Attach } from "./transcript.ts";

/** What placing needs to know of the entries so far. `Node` is whatever names an entry: a row number, an id. */
export interface Tree<Node> {
  /** The entry that the next one hangs below; null before the first. */
  readonly leaf: Node | null;
  /** The entry of that id or alias; null for an alias of "above the root"; undefined when nothing has that id. */
  find(id: string): Node | null | undefined;
  /** Whether the entry is on the active branch. */
  isActive(node: Node): boolean;
  /** Whether the active branch has a typed message after this entry. */
  hasTypedAfter(node: Node): boolean;
}

/** What placing needs to know of the new entry. See {@link Attach} for the three ways. */
export interface Placing {
  readonly type: string;
  readonly parentId?: string | null;
  readonly attach?: Attach;
  readonly typed?: true;
  readonly targetId?: string | null;
}

export interface Place<Node> {
  /** The entry it hangs below; null for a root. */
  readonly parent: Node | null;
  /**
   * - `self`: the entry becomes the leaf.
   * - `keep`: the leaf stays (side entries, and `leaf` entries whose target is not known).
   * - `move`: the leaf becomes `leaf`; the entry itself is a marker on no branch.
   */
  readonly effect: "self" | "keep" | "move";
  readonly leaf?: Node | null;
}

export function place<Node>(entry: Placing, tree: Tree<Node>): Place<Node> {
  if (entry.type === "leaf") {
    const target = entry.targetId === null ? null : find(entry.targetId, tree);
    return target === undefined ? { parent: null, effect: "keep" } : { parent: null, effect: "move", leaf: target };
  }
  if (entry.attach === "turns") return { parent: turnParent(entry, tree), effect: "self" };
  const named = entry.parentId === null ? null : find(entry.parentId, tree);
  // A parent that is not known (dropped, in another file) continues the leaf, as OpenClaw does with a stale parent.
  const parent = named === undefined ? tree.leaf : named;
  return { parent, effect: entry.attach === "side" ? "keep" : "self" };
}

/** A named root (null) continues too: programs that link by turns start a new root at a compaction and after a crash. */
function turnParent<Node>(entry: Placing, tree: Tree<Node>): Node | null {
  // First, as only typed messages can go back: a look-up spared for all the others.
  if (!entry.typed) return tree.leaf;
  const named = find(entry.parentId, tree);
  if (named === undefined || named === null) return tree.leaf;
  const wentBack = named !== tree.leaf && tree.isActive(named) && tree.hasTypedAfter(named);
  return wentBack ? named : tree.leaf;
}

function find<Node>(id: string | null | undefined, tree: Tree<Node>): Node | null | undefined {
  return id === undefined || id === null ? undefined : tree.find(id);
}

/** An entry of a list to replay. Ids are unique; a repeated id is taken once. */
export interface ListedEntry extends Placing {
  readonly id: string;
}

/**
 * The ids of the active branch, root first, after all entries of a list. O(entries), plus the length of what is left
 * at each step back.
 */
export function activeBranch(entries: readonly ListedEntry[]): string[] {
  const parents = new Map<string, string | null>();
  const typed = new Set<string>();
  let branch: string[] = [];
  let depth = new Map<string, number>();

  const tree: Tree<string> = {
    get leaf() {
      return branch.at(-1) ?? null;
    },
    find: (id) => (parents.has(id) ? id : undefined),
    isActive: (id) => depth.has(id),
    hasTypedAfter: (id) => branch.slice((depth.get(id) ?? branch.length) + 1).some((after) => typed.has(after)),
  };

  const moveTo = (leaf: string | null) => {
    branch = pathToRoot(leaf, (id) => parents.get(id) ?? null);
    depth = new Map(branch.map((id, at) => [id, at]));
  };

  for (const entry of entries) {
    if (parents.has(entry.id)) continue;
    const { parent, effect, leaf } = place(entry, tree);
    parents.set(entry.id, parent);
    if (entry.typed) typed.add(entry.id);
    if (effect === "move") moveTo(leaf ?? null);
    if (effect === "self") {
      if (parent !== tree.leaf) moveTo(parent);
      depth.set(entry.id, branch.length);
      branch.push(entry.id);
    }
  }
  return branch;
}

/** The path from an entry to its root, root first. A cycle (a damaged store) gives an empty path. */
export function pathToRoot<Node>(leaf: Node | null, parentOf: (node: Node) => Node | null): Node[] {
  const path: Node[] = [];
  const seen = new Set<Node>();
  for (let node = leaf; node !== null; node = parentOf(node)) {
    if (seen.has(node)) return [];
    seen.add(node);
    path.push(node);
  }
  return path.reverse();
}
