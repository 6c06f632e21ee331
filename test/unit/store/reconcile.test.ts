import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type EntryDraft, limits, toEntryId } from "../../../src/index.ts";
import { toAgentId } from "../../../src/model/ids.ts";
import { AgentStore } from "../../../src/store/agent-store.ts";
import { dirtyTranscripts } from "../../../src/store/dirty.ts";
import { reconcile } from "../../../src/store/reconcile.ts";
import { assistant, key, user } from "../../helpers/entries.ts";
import { snapshot } from "../../helpers/snapshot.ts";
import { memoryStore, temporaryFolder, temporaryHome } from "../../helpers/temporary.ts";

/** Entries that hang below `below`, one below the other. */
function chain(prefix: string, count: number, below: string | null): EntryDraft[] {
  return Array.from({ length: count }, (_, at) =>
    assistant(`${prefix}${at}`, `${prefix} word${at}`, {
      parentId: at === 0 ? (below === null ? null : toEntryId(below)) : toEntryId(`${prefix}${at - 1}`),
    }),
  );
}

const far = limits.inlineEntries.default + 100;

/** A session whose leaf went back by more entries than one transaction corrects. */
function dirtySession(store: AgentStore): void {
  store.append(key("a"), [user("root", "the root stays"), ...chain("old", far, "root")]);
  store.setLeaf(key("a"), toEntryId("root"));
}

describe("reconciliation", () => {
  test("a change over the bound marks the transcript dirty; the valid part stays searchable, nothing else shows (SPEC 2.3, 2.6)", async () => {
    const home = temporaryHome();
    const store = home.store("main");
    dirtySession(store);
    expect(dirtyTranscripts(store.db).length).toBe(1);
    // No time to put it right: what is before the mark answers, what was rewound does not, and the answer says so.
    const rewound = await home.search({ query: "old", waitMs: 0 });
    expect(rewound.results).toEqual([]);
    expect(rewound.indexing).toBe(true);
    expect(rewound.warning).toMatch(/1 session/);
    expect((await home.search({ query: "root", waitMs: 0 })).results.map(({ messageId }) => messageId)).toEqual([
      "root",
    ]);
  });

  test("the next read puts it right, and appends meanwhile are kept (SPEC 2.4)", async () => {
    const home = temporaryHome();
    const store = home.store("main");
    dirtySession(store);
    store.append(key("a"), chain("fresh", 3, "root"));
    const answer = await home.search({ query: "fresh", perSession: 25 });
    expect(answer.indexing).toBeUndefined();
    expect(answer.results.map(({ messageId }) => messageId).sort()).toEqual(["fresh0", "fresh1", "fresh2"]);
    expect((await home.search({ query: "old" })).results).toEqual([]);
    expect(dirtyTranscripts(store.db)).toEqual([]);
    expect(snapshot(store)[0]?.transcripts[0]?.indexed).toEqual(["root", "fresh0", "fresh1", "fresh2"]);
  });

  test("what arrives while it runs is never clean and missing: appends, edits and deletions between slices (SPEC 2.1, 2.4)", async () => {
    const home = temporaryHome();
    const store = home.store("main");
    store.append(key("a"), [user("root", "the root stays"), ...chain("old", far, "root")]);
    store.setLeaf(key("a"), toEntryId("root"));
    store.append(key("a"), chain("new", 5000, "root"));
    store.setLeaf(key("a"), toEntryId(`old${far - 1}`));
    let rounds = 0;
    const running = store.reconciler.finish();
    for (; dirtyTranscripts(store.db).length > 0; rounds++) {
      store.append(key("a"), [user(`z${rounds}`, `zinnia number${rounds}`)]);
      if (rounds === 1) store.upsert(key("a"), assistant("old4000", "a marigold instead"));
      if (rounds === 2) store.deleteEntry(key("a"), toEntryId("old3999"));
      const last = await home.search({ query: `zinnia number${rounds}`, match: "all", waitMs: 0 });
      expect(last.results.map(({ messageId }) => messageId)).toEqual([`z${rounds}`]);
      await new Promise((done) => setImmediate(done));
    }
    await running;
    expect(rounds).toBeGreaterThan(3);
    expect((await home.search({ query: "marigold" })).results.map(({ messageId }) => messageId)).toEqual(["old4000"]);
    expect((await home.search({ query: "word3999" })).results).toEqual([]);
    expect((await home.search({ query: "new" })).results).toEqual([]);
    expect(snapshot(store)[0]?.transcripts[0]?.indexed.length).toBe(far + rounds);
  });

  test("stopped after any slice, it goes on from there; another process may have the rest (SPEC 2.4)", async () => {
    const path = join(temporaryFolder(), "transcripts.sqlite");
    const one = new AgentStore(path, toAgentId("main"), { durability: "normal" });
    dirtySession(one);
    one.setLeaf(key("a"), toEntryId(`old${far - 1}`));
    const two = new AgentStore(path, toAgentId("main"), { durability: "normal" });
    // A clock that lets each of the two do one slice at a time.
    for (let round = 0; round < 200 && dirtyTranscripts(one.db).length > 0; round++) {
      let asked = 0;
      await reconcile(round % 2 === 0 ? one.db : two.db, 1, () => asked++);
    }
    expect(dirtyTranscripts(two.db)).toEqual([]);
    expect(snapshot(one)[0]?.transcripts[0]?.indexed.length).toBe(far + 1);
    expect(() =>
      one.db.exec("INSERT INTO message_index (message_index, rank) VALUES ('integrity-check', 1)"),
    ).not.toThrow();
    one.close();
    two.close();
  });

  test("the mark moves back under a reconciliation: the branch is whole afterwards (SPEC 1.4, 2.4)", async () => {
    const store = memoryStore();
    store.append(key("a"), chain("m", 9000, null));
    store.setLeaf(key("a"), toEntryId("m2000"));
    store.append(key("a"), chain("n", 2000, "m2000"));
    let slices = 0;
    const between = async () => {
      while (slices < 6) {
        await new Promise((done) => setImmediate(done));
        slices += 1;
      }
      // Back before the mark, and to the end again: the path that was read so far lacks what lies between.
      store.setLeaf(key("a"), toEntryId("m500"));
      store.setLeaf(key("a"), toEntryId("n1999"));
    };
    await Promise.all([reconcile(store.db, Number.POSITIVE_INFINITY, () => 0), between()]);
    await reconcile(store.db, Number.POSITIVE_INFINITY, () => 0);
    expect(dirtyTranscripts(store.db)).toEqual([]);
    const transcript = snapshot(store)[0]?.transcripts[0];
    expect(transcript?.indexed).toEqual([
      ...Array.from({ length: 2001 }, (_, at) => `m${at}`),
      ...Array.from({ length: 2000 }, (_, at) => `n${at}`),
    ]);
  });

  test("turns find the branch also while the transcript is dirty (SPEC 1.10)", () => {
    const store = memoryStore();
    dirtySession(store);
    const turns = { attach: "turns", typed: true } as const;
    store.append(key("a"), [
      user("t1", "typed one", turns),
      assistant("t2", "answer one", { attach: "turns" }),
      user("t3", "typed two", turns),
    ]);
    store.append(key("a"), [user("t4", "typed two again", { ...turns, parentId: toEntryId("t2") })]);
    const entries = snapshot(store)[0]?.transcripts[0]?.entries as { id: string; parentId: string | null }[];
    expect(entries.find(({ id }) => id === "t4")?.parentId).toBe("t2");
  });

  test("another version of folding, extraction or redaction has everything indexed anew (SPEC 2.7)", async () => {
    const folder = temporaryFolder();
    const path = join(folder, "agents", "main", "transcripts.sqlite");
    const old = new AgentStore(path, toAgentId("main"), { durability: "normal" });
    old.append(key("a"), [user("m1", "the heron waits"), assistant("m2", "so does the newt")]);
    // What an older program would have left: other terms, and its own version.
    old.db.exec(
      "DELETE FROM message_index; INSERT INTO message_index (rowid, text, parts) SELECT 64 + row_number() OVER (), 'outdated', '' FROM messages",
    );
    old.db.exec("UPDATE index_state SET value = 0 WHERE name = 'fold'");
    old.close();
    const home = temporaryHome();
    home.close();
    const { open } = await import("../../../src/index.ts");
    const now = open({ home: folder, durability: "normal" });
    expect((await now.search({ query: "heron" })).results.map(({ messageId }) => messageId)).toEqual(["m1"]);
    expect((await now.search({ query: "outdated" })).results).toEqual([]);
    now.close();
  });
});
