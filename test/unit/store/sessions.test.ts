import { describe, expect, test } from "vitest";
import { toEntryId, toSessionId } from "../../../src/index.ts";
import { assistant, key, user } from "../../helpers/entries.ts";
import { snapshot } from "../../helpers/snapshot.ts";
import { memoryStore, temporaryHome } from "../../helpers/temporary.ts";

describe("sessions", () => {
  test("a reset starts a generation; both stay searchable and readable (SPEC 1.2, 7.2)", async () => {
    const home = temporaryHome();
    const store = home.store("main");
    store.append(key("chat"), [user("m1", "The anvil is in the barn.")]);
    store.reset(key("chat"));
    store.append(key("chat"), [user("m2", "Hello again."), assistant("m3", "The anvil, you said?")]);
    const { results } = await home.search({ query: "anvil" });
    expect(results.map(({ messageId }) => messageId).sort()).toEqual(["m1", "m3"]);
    const older = await home.history({ sessionKey: key("chat"), messageId: "m1" });
    expect(older.messages.map(({ messageId }) => messageId)).toEqual(["m1"]);
    expect(older.generations?.length).toBe(1);
    const newest = await home.history({ sessionKey: key("chat") });
    expect(newest.messages.map(({ messageId }) => messageId)).toEqual(["m2", "m3"]);
  });

  test("facts arrive in any order; a later key takes the transcript over (SPEC 1.2)", () => {
    const store = memoryStore("garden");
    const id = toSessionId("0b1");
    store.append(key("0b1", "garden"), [user("m1", "hello")], { sessionId: id, project: "/srv/garden" });
    store.setFacts({ sessionId: id, sessionKey: key("telegram:direct:77", "garden"), kind: "direct" });
    expect(
      snapshot(store).map((session) => [session.key, session.kind, session.project, session.transcripts.length]),
    ).toEqual([["agent:garden:telegram:direct:77", "direct", "/srv/garden", 1]]);
    store.setFacts({ sessionId: toSessionId("0b2"), sessionKey: key("telegram:direct:77", "garden") });
    expect(snapshot(store)[0]?.transcripts.map(({ sessionId }) => sessionId)).toEqual(["0b1", "0b2"]);
  });

  test("a title is replaced by one of the same or a higher rank only", () => {
    const store = memoryStore();
    store.append(key("a"), [user("m1", "hello")]);
    const title = () => snapshot(store)[0]?.title;
    const sessionId = toSessionId("a");
    store.setFacts({ sessionId, title: { text: "made", rank: "generated" } });
    store.setFacts({ sessionId, title: { text: "summed up", rank: "summary" } });
    expect(title()).toBe("made");
    store.setFacts({ sessionId, title: { text: "named", rank: "given" } });
    store.setFacts({ sessionId, title: { text: "made again", rank: "generated" } });
    expect(title()).toBe("named");
  });

  test("a session of another agent is refused by name", () => {
    const store = memoryStore("garden");
    expect(() => store.append(key("a", "kitchen"), [user("m1", "x")])).toThrow(
      expect.objectContaining({ code: "bad_input", message: expect.stringContaining("agent:kitchen:a") }),
    );
  });

  test("two keys with the same rest don't share a transcript", () => {
    const store = memoryStore();
    store.append(key("x"), [user("m1", "one")], { sessionId: toSessionId("y") });
    store.append(key("y"), [user("m2", "two")]);
    expect(
      snapshot(store).map(({ key: name, transcripts }) => [name, transcripts.map(({ sessionId }) => sessionId)]),
    ).toEqual([
      ["agent:main:x", ["y"]],
      ["agent:main:y", ["agent:main:y"]],
    ]);
  });

  test("deleting a session removes entries and index rows; nothing answers for it later (SPEC 2.2)", async () => {
    const home = temporaryHome();
    const store = home.store("main");
    store.append(key("s1"), [user("m1", "the zarf is rare"), assistant("m2", "indeed")]);
    store.setFacts({ sessionId: toSessionId("s1"), title: { text: "Zarf ledger", rank: "given" } });
    expect(store.deleteSession(key("s1"))).toBe(true);
    expect(store.deleteSession(key("s1"))).toBe(false);
    store.append(key("s2"), [user("m1", "an ordinary sprocket")]);
    expect((await home.search({ query: "zarf" })).results).toEqual([]);
    expect((await home.search({ query: "sprocket" })).results.length).toBe(1);
    expect(JSON.stringify(await home.sessions())).not.toMatch(/zarf/i);
    const left = ["entries", "messages", "transcripts", "sessions", "aliases"].map(
      (table) => store.db.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n,
    );
    expect(left).toEqual([1, 1, 1, 1, 0]);
    await expect(home.history({ sessionKey: key("s1") })).rejects.toMatchObject({ code: "unknown_session" });
  });

  test("a rewound anchor opens the branch that it was on, with a note (SPEC 7.2)", async () => {
    const home = temporaryHome();
    const store = home.store("main");
    store.append(key("a"), [user("m1", "Plan the pond."), assistant("m2", "gravel liner"), user("m3", "cheaper?")]);
    store.setLeaf(key("a"), toEntryId("m1"));
    store.append(key("a"), [assistant("m4", "clay liner")]);
    const page = await home.history({ sessionKey: key("a"), messageId: "m3" });
    expect(page.messages.map(({ messageId }) => messageId)).toEqual(["m1", "m2", "m3"]);
    expect(page.note).toMatch(/rewound/);
  });
});
