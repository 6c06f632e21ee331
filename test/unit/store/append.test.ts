import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { EntryDraft } from "../../../src/index.ts";
import { toEntryId } from "../../../src/index.ts";
import { activeBranch } from "../../../src/model/branch.ts";
import { searchableText } from "../../../src/text/searchable.ts";
import { assistant, key, message, user } from "../../helpers/entries.ts";
import { snapshot } from "../../helpers/snapshot.ts";
import { memoryStore } from "../../helpers/temporary.ts";

function found(store: ReturnType<typeof memoryStore>, term: string): number {
  return Number(
    store.db
      .prepare("SELECT count(*) AS n FROM message_index WHERE message_index MATCH :term")
      .get({ term: `"${term}"` })?.n,
  );
}

describe("append", () => {
  test("indexes the message in the transaction that stores it (SPEC 2.1)", () => {
    const store = memoryStore();
    store.append(key("a"), [user("m1", "The spare key hangs in the boathouse.")]);
    expect(found(store, "boathouse")).toBe(1);
    expect(snapshot(store)[0]?.transcripts[0]?.indexed).toEqual(["m1"]);
  });

  test("an id that is there already is left as it is (SPEC 1.5)", () => {
    const store = memoryStore();
    expect(store.append(key("a"), [user("m1", "first wording")])).toEqual(["added"]);
    expect(store.append(key("a"), [user("m1", "second wording")])).toEqual(["same"]);
    expect(found(store, "first")).toBe(1);
    expect(found(store, "second")).toBe(0);
  });

  test("all entries of a call are stored, or none (SPEC 1.6)", () => {
    const store = memoryStore();
    store.append(key("a"), [user("m1", "before")]);
    // A body that can't be written as JSON fails inside the transaction, after its elder was written.
    const bad = { ...user("m3", "x"), data: 10n as never };
    expect(() => store.append(key("a"), [user("m2", "halfway"), bad])).toThrow(TypeError);
    expect(found(store, "halfway")).toBe(0);
    expect(snapshot(store)[0]?.transcripts[0]?.entries.length).toBe(1);
    expect(store.append(key("a"), [user("m2", "halfway")])).toEqual(["added"]);
  });

  test("only what was said in words is indexed (SPEC 1.4)", () => {
    const store = memoryStore();
    const parts: EntryDraft["parts"] = [
      { type: "text", text: "spoken" },
      { type: "text", text: "reminder", injected: true },
      { type: "thinking", text: "pondered" },
      { type: "toolCall", name: "bash", arguments: { command: "called" } },
      { type: "toolResult", text: "returned" },
      { type: "image", data: "cGljdHVyZQ==" },
      { type: "other", value: "elsewise" },
    ];
    store.append(key("a"), [
      assistant("m1", "", { parts }),
      message("m2", "toolResult", "outcome"),
      message("m3", "system", "ordinance"),
      { id: toEntryId("c1"), type: "compaction", timestamp: 1, parts: [{ type: "text", text: "abridged" }] },
      { id: toEntryId("u1"), type: "weather-latch", timestamp: 1, parts: [{ type: "text", text: "unheard" }] },
    ]);
    const words = [
      "spoken",
      "reminder",
      "pondered",
      "called",
      "returned",
      "picture",
      "elsewise",
      "outcome",
      "ordinance",
      "abridged",
      "unheard",
    ];
    expect(words.filter((word) => found(store, word) > 0)).toEqual(["spoken"]);
    // Kept all the same, unknown types as they are (SPEC 1.3).
    expect(snapshot(store)[0]?.transcripts[0]?.entries.length).toBe(5);
  });

  test("text is stored unmasked, and indexed without its secrets (SPEC 1.7, 5.3)", () => {
    const store = memoryStore();
    const secret = `ghp_${"a1B2".repeat(9)}`;
    store.append(key("a"), [user("m1", `Use ${secret} for the kiln.`)]);
    expect(JSON.stringify(snapshot(store))).toContain(secret);
    expect(found(store, "kiln")).toBe(1);
    for (let at = 0; at + 6 <= secret.length; at++)
      expect(
        found(
          store,
          secret
            .slice(at, at + 6)
            .toLowerCase()
            .replace("_", " "),
        ),
        secret.slice(at, at + 6),
      ).toBe(0);
  });

  test("large bodies that are never searched come back byte for byte (SPEC 1.8)", () => {
    const store = memoryStore();
    const text = `${"line of output \u{1f9f5}\n".repeat(2000)}\u0000 end`;
    store.append(key("a"), [message("t1", "toolResult", "", { parts: [{ type: "toolResult", text }] })]);
    const row = store.db.prepare("SELECT typeof(body) AS kind, length(body) AS size FROM entries").get();
    expect(row?.kind).toBe("blob");
    expect(Number(row?.size)).toBeLessThan(text.length / 10);
    const [entry] = snapshot(store)[0]?.transcripts[0]?.entries ?? [];
    expect(entry).toMatchObject({ parts: [{ type: "toolResult", text }] });
  });

  test("pieces of one message become one entry (SPEC 1.11)", () => {
    const store = memoryStore();
    const piece = (id: string, text: string) => assistant(id, text, { pieceOf: "msg_7" });
    expect(
      store.append(key("a"), [
        user("u1", "ask"),
        piece("p1", "one"),
        piece("p2", "two"),
        piece("p3", "two"),
        user("u2", "next", { parentId: toEntryId("p2") }),
      ]),
    ).toEqual(["added", "added", "extended", "same", "added"]);
    const entries = snapshot(store)[0]?.transcripts[0]?.entries as {
      id: string;
      parentId: string | null;
      parts: unknown;
    }[];
    expect(entries.map(({ id }) => id)).toEqual(["u1", "p1", "u2"]);
    expect(entries[1]?.parts).toEqual([
      { type: "text", text: "one" },
      { type: "text", text: "two" },
    ]);
    expect(entries[2]?.parentId).toBe("p1");
    expect(found(store, "two")).toBe(1);
  });

  test("upsert replaces content and index rows in place (SPEC 1.5)", () => {
    const store = memoryStore();
    store.append(key("a"), [user("m1", "the aspen fell"), assistant("m2", "noted")]);
    expect(store.upsert(key("a"), user("m1", "the larch fell"))).toBe("changed");
    expect(store.upsert(key("a"), user("m1", "the larch fell"))).toBe("same");
    expect([found(store, "aspen"), found(store, "larch")]).toEqual([0, 1]);
    expect(snapshot(store)[0]?.transcripts[0]?.indexed).toEqual(["m1", "m2"]);
  });

  test("NUL, lone surrogates and endless words do no harm", () => {
    const store = memoryStore();
    store.append(key("a"), [user("m1", `bulbs ${"\u0000".repeat(12_000)} marigold \ud800 ${"Q".repeat(70_000)} end`)]);
    expect([found(store, "marigold"), found(store, "end")]).toEqual([1, 1]);
    expect(() =>
      store.db.exec("INSERT INTO message_index (message_index, rank) VALUES ('integrity-check', 1)"),
    ).not.toThrow();
  });
});

describe("branches", () => {
  test("rewind takes abandoned messages out of the index, switching back brings them in again (SPEC 2.3)", () => {
    const store = memoryStore();
    store.append(key("a"), [user("m1", "Plan the pond."), assistant("m2", "gravel liner")]);
    store.setLeaf(key("a"), toEntryId("m1"));
    store.append(key("a"), [assistant("m3", "clay liner")]);
    expect([found(store, "gravel"), found(store, "clay"), found(store, "liner")]).toEqual([0, 1, 1]);
    store.setLeaf(key("a"), toEntryId("m2"));
    expect([found(store, "gravel"), found(store, "clay"), found(store, "liner")]).toEqual([1, 0, 1]);
    expect(() => store.setLeaf(key("a"), toEntryId("m9"))).toThrow(
      expect.objectContaining({ code: "unknown_message" }),
    );
  });

  /** Entries as a program would write them: any mixture of ways to hang on. */
  const id = fc.integer({ min: 0, max: 11 }).map((n) => toEntryId(`e${n}`));
  const draft: fc.Arbitrary<EntryDraft> = fc
    .record(
      {
        id,
        type: fc.constantFrom("message", "message", "message", "leaf", "custom"),
        parentId: fc.option(id, { nil: null }),
        attach: fc.constantFrom("tree" as const, "turns" as const, "side" as const),
        typed: fc.constant(true as const),
        targetId: fc.option(id, { nil: null }),
        role: fc.constantFrom("user" as const, "assistant" as const, "toolResult" as const),
      },
      { requiredKeys: ["id", "type", "role"] },
    )
    // A typed message is a user's, with words in it (transcript.ts).
    .map(({ typed, ...entry }) => ({
      ...entry,
      ...(typed && entry.type === "message" && entry.role === "user" && { typed }),
    }))
    .map((entry) => ({
      ...entry,
      timestamp: 1_760_000_000_000,
      parts: [{ type: "text" as const, text: `word${entry.id}` }],
    }));

  test("flags and index equal the pure active branch after any list of entries (SPEC 1.9, 1.10)", () => {
    fc.assert(
      fc.property(fc.array(draft, { maxLength: 30 }), fc.integer({ min: 1, max: 7 }), (entries, size) => {
        const store = memoryStore();
        for (let at = 0; at < entries.length; at += size) store.append(key("a"), entries.slice(at, at + size));
        const branch = activeBranch(entries);
        const first = new Map(entries.map((entry) => [entry.id as string, entry] as const).reverse());
        const transcript = snapshot(store)[0]?.transcripts[0];
        const stored = (transcript?.entries ?? []) as { id: string; active: boolean }[];
        expect(stored.filter(({ active }) => active).map((entry) => entry.id)).toEqual(branch);
        const spoken = branch.filter((name) => {
          const entry = first.get(name);
          return entry !== undefined && searchableText(entry) !== null;
        });
        expect(transcript?.indexed ?? []).toEqual(spoken);
        for (const name of new Set(entries.map((entry) => entry.id)))
          expect(found(store, `word${name}`)).toBe(spoken.includes(name) ? 1 : 0);
        store.close();
      }),
      { numRuns: 150 },
    );
  });
});
