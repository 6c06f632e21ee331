/** The active branch against a naive oracle, and the store against the active branch: SPEC 1.4, 1.9, 1.10. */
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { applyBatch, type BatchContext } from "../../src/import/apply-batch.ts";
import { emptyReport } from "../../src/import/report.ts";
import { builtInSources, type EntryDraft, toEntryId, toSessionId, toSourceId } from "../../src/index.ts";
import { type ListedEntry, pathToRoot, replay } from "../../src/model/branch.ts";
import { toAgentId } from "../../src/model/ids.ts";
import { AgentStore } from "../../src/store/agent-store.ts";
import { markAllDirty } from "../../src/store/dirty.ts";
import { reconcile } from "../../src/store/reconcile.ts";
import { transaction } from "../../src/store/transaction.ts";
import { searchableText } from "../../src/text/searchable.ts";
import { key } from "../helpers/entries.ts";
import { snapshot } from "../helpers/snapshot.ts";
import { memoryStore, temporaryFolder, temporaryHome } from "../helpers/temporary.ts";

/**
 * The rules told again in the slowest, plainest way: links are kept as they were named, leaf entries among them, and the
 * whole path is walked anew for every question.
 */
function oracle(entries: readonly ListedEntry[]): { branch: string[]; appendAt: string | null } {
  const known = new Map<string, { type: string; link: string | null; typed: boolean }>();
  let leaf: string | null = null;
  let appendAt: string | null = null;
  const up = (id: string): string | null => known.get(id)?.link ?? null;
  const type = (id: string | null) => (id === null ? undefined : known.get(id)?.type);
  const pathOf = (id: string | null): string[] =>
    id === null ? [] : type(id) === "leaf" ? pathOf(up(id)) : [...pathOf(up(id)), id];
  const lastOf = (path: string[]) => path.at(-1) ?? null;
  const isNamed = (id: string | null | undefined): id is string | null =>
    id === null || (id !== undefined && known.has(id));

  for (const entry of entries) {
    if (known.has(entry.id)) continue;
    const path: string[] = pathOf(leaf);
    const reset = path.filter((id) => type(id) === "reset").at(-1);
    const inFront = (id: string | null) => reset !== undefined && !pathOf(id).includes(reset);
    const raw = isNamed(entry.parentId) ? entry.parentId : leaf;
    const aside = entry.parentId !== undefined && !isNamed(entry.parentId) ? null : raw;
    let link: string | null;
    if (entry.type === "leaf") {
      const target = entry.targetId;
      const at = entry.appendParentId === undefined ? target : entry.appendParentId;
      if (entry.attach === "side") link = aside;
      else if (reset !== undefined && (!isNamed(target) || inFront(target))) {
        link = leaf;
        appendAt = leaf;
      } else if (isNamed(target) && isNamed(at)) {
        link = lastOf(pathOf(target));
        leaf = link;
        appendAt = at;
      } else link = aside;
    } else if (entry.attach === "side") {
      link = aside;
      appendAt = entry.id;
    } else {
      link = raw;
      if (entry.attach === "turns") {
        const at = entry.typed && typeof raw === "string" ? path.indexOf(raw) : -1;
        link = at >= 0 && path.slice(at + 1).some((id) => known.get(id)?.typed) ? raw : leaf;
      } else if (raw === appendAt) link = leaf;
      if (inFront(link)) link = leaf;
      leaf = entry.id;
      appendAt = entry.id;
    }
    known.set(entry.id, { type: entry.type, link, typed: entry.typed === true });
  }
  return { branch: pathOf(leaf), appendAt };
}

/** Few ids, so that entries name one another; also ones that are not there yet, and their own. */
const id = fc.integer({ min: 0, max: 14 }).map((n) => toEntryId(`e${n}`));
const spot = fc.option(id, { nil: null });

function anyEntry(attach: fc.Arbitrary<"tree" | "turns" | "side">): fc.Arbitrary<EntryDraft> {
  return fc
    .record(
      {
        id,
        type: fc.constantFrom("message", "message", "message", "custom", "reset", "leaf", "leaf"),
        parentId: spot,
        attach,
        typed: fc.constant(true as const),
        targetId: spot,
        appendParentId: spot,
        role: fc.constantFrom("user" as const, "assistant" as const, "toolResult" as const),
      },
      { requiredKeys: ["id", "type", "role", "targetId"] },
    )
    .map(({ typed, targetId, appendParentId, role, ...entry }) => ({
      ...entry,
      ...(entry.type === "message" && { role }),
      // A typed message is a user's, with words in it (transcript.ts).
      ...(typed && entry.type === "message" && role === "user" && { typed }),
      ...(entry.type === "leaf" && { targetId, ...(appendParentId !== undefined && { appendParentId }) }),
      timestamp: 1_760_000_000_000,
      parts: entry.type === "message" ? [{ type: "text" as const, text: `word${entry.id}` }] : [],
    }));
}

const list = fc.array(anyEntry(fc.constantFrom("tree", "tree", "turns", "side")), { maxLength: 40 });
/** As a format with a tree of its own can say it. */
const treeList = fc.array(anyEntry(fc.constantFrom("tree", "tree", "side")), { maxLength: 24 });

/** An import takes a repeated id for a change of its entry, type and all. */
function firstOfEach(entries: readonly EntryDraft[]): EntryDraft[] {
  return entries.filter((entry, at) => entries.findIndex((other) => other.id === entry.id) === at);
}

/** What the store holds for a list must be what the pure rules say. */
function expectStanding(store: AgentStore, entries: readonly EntryDraft[]): void {
  const { branch, appendAt } = replay(entries);
  const first = new Map(entries.map((entry) => [entry.id as string, entry] as const).reverse());
  const transcript = snapshot(store)[0]?.transcripts[0];
  const stored = (transcript?.entries ?? []) as { id: string; active: boolean }[];
  expect(stored.filter(({ active }) => active).map((entry) => entry.id)).toEqual(branch);
  expect(transcript?.leafId ?? null).toBe(branch.at(-1) ?? null);
  expect(transcript?.appendAtId ?? null).toBe(appendAt);
  const spoken = branch.filter((name) => {
    const entry = first.get(name);
    return entry !== undefined && searchableText(entry) !== null;
  });
  expect(transcript?.indexed ?? []).toEqual(spoken);
}

describe("active branch", () => {
  test("equals the oracle for any list of entries", () => {
    fc.assert(
      fc.property(list, (entries) => {
        expect(replay(entries)).toEqual(oracle(entries));
      }),
      { numRuns: 3000 },
    );
  });

  test("a cycle gives an empty path", () => {
    expect(pathToRoot("a", (node) => (node === "a" ? "b" : "a"))).toEqual([]);
  });
});

describe("the store stands where the rules say", () => {
  test("also after a reopen between any two entries, and for a dirty transcript", async () => {
    const step = fc.constantFrom("go on", "go on", "reopen", "dirty");
    await fc.assert(
      fc.asyncProperty(list, fc.array(step, { minLength: 1, maxLength: 40 }), async (entries, steps) => {
        const path = join(temporaryFolder(), "store.sqlite");
        let store = new AgentStore(path, toAgentId("main"));
        for (const [at, entry] of entries.entries()) {
          store.append(key("a"), [entry]);
          switch (steps[at % steps.length]) {
            case "dirty":
              markAllDirty(store.db, "branch");
              break;
            case "reopen":
              store.close();
              store = new AgentStore(path, toAgentId("main"));
          }
        }
        expect(await reconcile(store.db, Number.POSITIVE_INFINITY, Date.now)).toBe(0);
        expectStanding(store, entries);
        store.close();
      }),
      { numRuns: 40 },
    );
  });

  test("also when it came in batches of any size", () => {
    fc.assert(
      fc.property(list.map(firstOfEach), fc.integer({ min: 1, max: 9 }), (entries, size) => {
        const store = memoryStore();
        const file = { path: "/x", relative: "x", root: "/", size: 0, mtimeMs: 1_760_000_000_000 };
        const context: BatchContext = {
          store,
          source: toSourceId("test"),
          file,
          report: emptyReport(),
          touched: new Set(),
          writers: new Map(),
          replaying: new Map(),
          forgotten: new Set(),
          passedOver: false,
          ends: null,
        };
        const sessionId = toSessionId("a");
        const items = entries.map((entry) => ({ kind: "entry" as const, agentId: store.agentId, sessionId, entry }));
        for (let at = 0; at < items.length; at += size)
          transaction(store.db, () => applyBatch(items.slice(at, at + size), context));
        expectStanding(store, entries);
        store.close();
      }),
      { numRuns: 150 },
    );
  });

  test("also when its file grew between imports, was read anew, and after export and import", async () => {
    const neutral = builtInSources.filter((source) => source.id === "jsonl");
    await fc.assert(
      fc.asyncProperty(
        treeList.map(firstOfEach).map(withMoves),
        fc.integer({ min: 1, max: 24 }),
        async (entries, size) => {
          const folder = temporaryFolder();
          const file = join(folder, "a.jsonl");
          const home = temporaryHome();
          const roots = neutral.map((source) => ({ source, folder }));
          const lines = entries.map(lineOf);
          const sync = async () => {
            const { problems } = await home.import(roots);
            // A move to what is not there leaves nothing behind but a word about it.
            return problems.filter(({ reason }) => !reason.includes("no such entry")).map(({ code }) => code);
          };
          for (let at = 0; at < lines.length; at += size) {
            appendFileSync(file, lines.slice(at, at + size).join(""));
            expect(await sync()).toEqual([]);
          }
          const before = home.agents().map((agent) => snapshot(home.store(agent)));
          if (entries.length > 0) {
            expectStanding(home.store("main"), entries);
            // Read from its start, as other bytes stand there, it says the same; and so does a copy of it.
            writeFileSync(file, `\n${lines.join("")}`);
            expect(await sync()).toEqual(["rewritten"]);
            expect(home.agents().map((agent) => snapshot(home.store(agent)))).toEqual(before);
            writeFileSync(join(folder, "b.jsonl"), lines.join(""));
            expect(await sync()).toEqual([]);
            expect(home.agents().map((agent) => snapshot(home.store(agent)))).toEqual(before);
          }
          const exported = temporaryFolder();
          appendFileSync(
            join(exported, "x.jsonl"),
            [...home.export({ reveal: true })].map((line) => `${line}\n`).join(""),
          );
          const again = temporaryHome();
          await again.import(neutral.map((source) => ({ source, folder: exported })));
          expect(again.agents().map((agent) => snapshot(again.store(agent)))).toEqual(before);
          home.close();
          again.close();
        },
      ),
      { numRuns: 40 },
    );
  });

  test("also when its file was cut short and went on otherwise: what is no longer in it is off the branch (SPEC 8.3)", async () => {
    const neutral = builtInSources.filter((source) => source.id === "jsonl");
    await fc.assert(
      fc.asyncProperty(
        treeList.map(firstOfEach).map(withMoves),
        treeList.map(firstOfEach),
        fc.nat(),
        async (first, second, cut) => {
          fc.pre(first.length > 0);
          const entries = rewritten(first.slice(0, cut % first.length), second);
          // A file that says nothing of a leaf leaves it where it is.
          fc.pre(entries.some((entry) => entry.type !== "leaf" && entry.attach !== "side"));
          const folder = temporaryFolder();
          const home = temporaryHome();
          for (const version of [first, entries]) {
            writeFileSync(join(folder, "a.jsonl"), version.map(lineOf).join(""));
            await home.import(neutral.map((source) => ({ source, folder })));
          }
          const { branch, appendAt } = replay(entries);
          const transcript = snapshot(home.store("main"))[0]?.transcripts[0];
          const stored = (transcript?.entries ?? []) as { id: string; active: boolean }[];
          expect(stored.filter(({ active }) => active).map((entry) => entry.id)).toEqual(branch);
          expect(transcript?.appendAtId ?? null).toBe(appendAt);
          home.close();
        },
      ),
      { numRuns: 40 },
    );
  });
});

/** A part of a list, and what might come after it: names entries of that part, and its own. */
function rewritten(before: readonly EntryDraft[], after: readonly EntryDraft[]): EntryDraft[] {
  const kept = new Set(before.map((entry) => entry.id));
  const renamed = <Id extends string | null | undefined>(id: Id) =>
    typeof id === "string" && !kept.has(toEntryId(id)) ? toEntryId(`n${id}`) : id;
  const next = after.map((entry) => ({ ...entry, id: toEntryId(`n${entry.id}`) }));
  return [
    ...before,
    ...next.map((entry) => ({
      ...entry,
      ...(entry.parentId !== undefined && { parentId: renamed(entry.parentId) }),
      ...(entry.targetId !== undefined && { targetId: renamed(entry.targetId) }),
      ...(entry.appendParentId !== undefined && { appendParentId: renamed(entry.appendParentId) }),
    })),
  ];
}

function withMoves(entries: readonly EntryDraft[]): EntryDraft[] {
  return entries.map((entry, at) =>
    entry.type === "leaf" && entry.attach !== "side" && at > 0 && at % 2 === 0
      ? { ...entry, id: toEntryId(`move${at}`) }
      : entry,
  );
}

/** Some leaf entries, which nothing names, as moves that leave no entry. */
function lineOf({ id, type, role, timestamp, parts, ...rest }: EntryDraft): string {
  if (id.startsWith("move")) {
    const { targetId, appendParentId } = rest;
    return `${JSON.stringify({ type, sessionKey: key("a"), targetId, appendParentId })}\n`;
  }
  const said = type === "message" ? { type, role } : { type: "entry", entryType: type };
  return `${JSON.stringify({ ...said, sessionKey: key("a"), id, timestamp, content: parts, ...rest })}\n`;
}
