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
  /**
   * The append position: where the program that writes the transcript hangs its next record (null: above the root). The
   * leaf, except behind a side entry and behind a `leaf` entry that says otherwise.
   */
  readonly appendAt: Node | null;
  /** The entry of that id or alias; null for an alias of "above the root"; undefined when nothing has that id. */
  find(id: string): Node | null | undefined;
  /** What an entry means as a parent: itself; a `leaf` entry, which lies on no branch, means the one it hangs below. */
  standsFor(node: Node): Node | null;
  /** Whether the entry is on the active branch. */
  isActive(node: Node): boolean;
  /** Whether the active branch has a typed message after this entry. */
  hasTypedAfter(node: Node): boolean;
  /** Whether the active branch has a reset that is not on the path from this entry (null: above the root) to its root. */
  isBeforeReset(node: Node | null): boolean;
}

/** What placing needs to know of the new entry. See {@link Attach} for the three ways. */
export interface Placing {
  readonly type: string;
  readonly parentId?: string | null;
  readonly attach?: Attach;
  readonly typed?: true;
  readonly targetId?: string | null;
  readonly appendParentId?: string | null;
}

export interface Place<Node> {
  /** The entry it hangs below; null for a root. */
  readonly parent: Node | null;
  /**
   * - `self`: the entry becomes the leaf and the append position.
   * - `side`: it becomes the append position; the leaf stays.
   * - `keep`: both stay (`leaf` entries that name what is not there, or are kept for the record only).
   * - `move`: they become `leaf` and `appendAt`; the entry itself is a marker on no branch.
   */
  readonly effect: "self" | "side" | "keep" | "move";
  readonly leaf?: Node | null;
  readonly appendAt?: Node | null;
}

/** The rules are OpenClaw's for its own transcripts, so that what counts as said is the same there and here (SPEC 1.9). */
export function place<Node>(entry: Placing, tree: Tree<Node>): Place<Node> {
  if (entry.type === "leaf") return placeControl(entry, tree);
  if (entry.attach === "side") return { parent: sideParent(entry, tree), effect: "side" };
  const parent = entry.attach === "turns" ? turnParent(entry, tree) : treeParent(entry, tree);
  // A reset is a barrier: what would go on in front of it goes on at the leaf.
  return { parent: crossesReset(parent, tree) ? tree.leaf : parent, effect: "self" };
}

/** Where a `leaf` entry moves the leaf and the append position. */
function placeControl<Node>(entry: Placing, tree: Tree<Node>): Place<Node> {
  if (entry.attach === "side") return { parent: sideParent(entry, tree), effect: "keep" };
  const target = find(entry.targetId, tree);
  const appendAt = entry.appendParentId === undefined ? target : find(entry.appendParentId, tree);
  const leaf = target === undefined ? undefined : through(target, tree);
  // One that is not known is as far in front of a reset as the root is.
  const stays = leaf === undefined ? tree.isBeforeReset(null) : crossesReset(leaf, tree);
  if (stays) return { parent: tree.leaf, effect: "move", leaf: tree.leaf, appendAt: tree.leaf };
  if (leaf === undefined || appendAt === undefined) return { parent: sideParent(entry, tree), effect: "keep" };
  return { parent: leaf, effect: "move", leaf, appendAt };
}

/** Of an entry that does not become the leaf. Below a parent that is not known it is a branch of its own. */
function sideParent<Node>(entry: Placing, tree: Tree<Node>): Node | null {
  if (entry.parentId === undefined) return tree.leaf;
  return through(find(entry.parentId, tree) ?? null, tree);
}

/** A parent that is not known (dropped, in another file) continues the leaf. The append position is where the record lies, not what it answers: whoever names it continues the leaf. */
function treeParent<Node>(entry: Placing, tree: Tree<Node>): Node | null {
  const named = find(entry.parentId, tree);
  return named === undefined || named === tree.appendAt ? tree.leaf : through(named, tree);
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

function crossesReset<Node>(node: Node | null, tree: Tree<Node>): boolean {
  return node !== tree.leaf && tree.isBeforeReset(node);
}

function through<Node>(node: Node | null, tree: Tree<Node>): Node | null {
  return node === null || node === tree.leaf ? node : tree.standsFor(node);
}

/** Null where null is named (above the root), undefined where nothing is, or nothing that is there. */
function find<Node>(id: string | null | undefined, tree: Tree<Node>): Node | null | undefined {
  return id === undefined || id === null ? id : tree.find(id);
}

/** An entry of a list to replay. Ids are unique; a repeated id is taken once. */
export interface ListedEntry extends Placing {
  readonly id: string;
}

/** How a transcript stands after its entries. */
export interface Standing {
  /** The ids of the active branch, root first. The last one is the leaf. */
  readonly branch: readonly string[];
  readonly appendAt: string | null;
}

/** The ids of the active branch, root first, after all entries of a list. */
export function activeBranch(entries: readonly ListedEntry[]): readonly string[] {
  return replay(entries).branch;
}

/** O(entries), plus the length of what is left at each step back, plus the branch at each one behind a reset. */
export function replay(entries: readonly ListedEntry[]): Standing {
  const parents = new Map<string, string | null>();
  const types = new Map<string, string>();
  const typed = new Set<string>();
  let branch: string[] = [];
  let depth = new Map<string, number>();
  let appendAt: string | null = null;

  const tree: Tree<string> = {
    get leaf() {
      return branch.at(-1) ?? null;
    },
    get appendAt() {
      return appendAt;
    },
    find: (id) => (parents.has(id) ? id : undefined),
    standsFor: (id) => (types.get(id) === "leaf" ? (parents.get(id) ?? null) : id),
    isActive: (id) => depth.has(id),
    hasTypedAfter: (id) => branch.slice((depth.get(id) ?? branch.length) + 1).some((after) => typed.has(after)),
    isBeforeReset(id) {
      const reset = branch.findLast((active) => types.get(active) === "reset");
      return reset !== undefined && !pathTo(id).includes(reset);
    },
  };

  const pathTo = (leaf: string | null) => pathToRoot(leaf, (id) => parents.get(id) ?? null);
  const moveTo = (leaf: string | null) => {
    if (leaf === tree.leaf) return;
    branch = pathTo(leaf);
    depth = new Map(branch.map((id, at) => [id, at]));
  };

  for (const entry of entries) {
    if (parents.has(entry.id)) continue;
    const at = place(entry, tree);
    parents.set(entry.id, at.parent);
    types.set(entry.id, entry.type);
    if (entry.typed) typed.add(entry.id);
    if (at.effect === "move") {
      moveTo(at.leaf ?? null);
      appendAt = at.appendAt ?? null;
    } else if (at.effect !== "keep") appendAt = entry.id;
    if (at.effect === "self") {
      moveTo(at.parent);
      depth.set(entry.id, branch.length);
      branch.push(entry.id);
    }
  }
  return { branch, appendAt };
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
