import { describe, expect, test } from "vitest";
import type { Scope } from "../../../src/model/caller.ts";
import { agentOf, toAgentId } from "../../../src/model/ids.ts";
import type { AgentStore } from "../../../src/store/agent-store.ts";
import { factsOf, neighboursOf, totalsOf, transcriptFactsOf, VisibleMessages } from "../../../src/store/postings.ts";
import { passageTokens } from "../../../src/text/passage.ts";
import { assistant, key, user } from "../../helpers/entries.ts";
import { memoryStore } from "../../helpers/temporary.ts";

const all: Scope = { sees: "everything" };
const only = (rest: string): Scope => ({ sees: "session", agentId: toAgentId("main"), sessionKey: key(rest) });
const week = 7 * 86_400_000;
const now = 1_760_000_000_000;

/** Ids of entries, by their numbers. */
function ids(store: AgentStore, numbers: Iterable<number>): string[] {
  return [...numbers]
    .map((no) => String(store.db.prepare("SELECT id FROM entries WHERE no = :no").get({ no })?.id))
    .sort();
}

function sample(): AgentStore {
  const store = memoryStore();
  store.append(
    key("a"),
    [
      user("a1", "kettle lid", { timestamp: now }),
      assistant("a2", "the lid of the kettle, kettle again", { timestamp: now + 1 }),
      user("a3", "maxKettleCount", { timestamp: now + 2 }),
    ],
    { project: "/srv/shop" },
  );
  store.append(key("b"), [
    user("b1", "kettles", { timestamp: now - 5 * week }),
    user("b2", "nothing of it", { timestamp: now - 5 * week + 1 }),
  ]);
  return store;
}

describe("what matches", () => {
  test("words, phrases, beginnings, parts and forms of all messages (SPEC 3.2, 3.5, 3.6)", () => {
    const store = sample();
    const messages = new VisibleMessages(store.db, all, {});
    const found = (expression: string) => ids(store, messages.matching(expression));
    expect(found('"kettle"')).toEqual(["a1", "a2", "a3"]);
    expect(found('"kettle lid"')).toEqual(["a1"]);
    expect(found('"kett" *')).toEqual(["a1", "a2", "a3", "b1"]);
    expect(found('("kettle" OR "·kettl")')).toEqual(["a1", "a2", "a3", "b1"]);
    expect(messages.isEverything).toBe(true);
  });

  test("of the sessions and messages that scope and filters leave (SPEC 4.6)", () => {
    const store = sample();
    const found = (scope: Scope, filter: object) =>
      ids(store, new VisibleMessages(store.db, scope, filter).matching('"kett" *'));
    expect(found(only("b"), {})).toEqual(["b1"]);
    expect(found(only("nobody"), {})).toEqual([]);
    expect(found(all, { role: "assistant" })).toEqual(["a2"]);
    expect(found(all, { project: "shop", role: "user" })).toEqual(["a1", "a3"]);
    expect(found(all, { after: now + 1 })).toEqual(["a2", "a3"]);
    expect(found(all, { before: now + 1 })).toEqual(["a1", "b1"]);
    expect(found(only("a"), { before: now + 1 })).toEqual(["a1"]);
  });

  test("counted up to a bound, and listed or not at all", () => {
    const store = sample();
    const messages = new VisibleMessages(store.db, all, {});
    expect([messages.count('"kett" *'), messages.count('"kett" *', 2), messages.count('"absent"', 2)]).toEqual([
      4, 2, 0,
    ]);
    expect(messages.matchingUpTo('"kett" *', 4)).toHaveLength(4);
    expect(messages.matchingUpTo('"kett" *', 3)).toBeNull();
  });

  test("the same by few sessions as by many: terms of transcripts, or a table of them", () => {
    const store = memoryStore();
    for (let at = 0; at < 120; at++)
      store.append(key(`s${at}`), [user("m", at % 2 === 0 ? "kettle lid" : "lid")], {
        project: at < 100 ? "/srv/many" : "/srv/few",
      });
    const found = (project: string) =>
      new VisibleMessages(store.db, all, { project }).matching('"kettle" AND "lid"').length;
    expect([found("many"), found("few"), found("none")]).toEqual([50, 10, 0]);
  });
});

function placesOf(store: AgentStore, term: string) {
  const places: { no: number; passage: number; count: number; isPart: boolean }[] = [];
  new VisibleMessages(store.db, all, {}).eachPlace(term, [], (no, passage, count, isPart) => {
    places.push({ no, passage, count, isPart });
  });
  return places;
}

describe("where a term stands", () => {
  test("for a caller who sees few sessions it is read from the messages, and is the same", () => {
    const store = memoryStore();
    const gap = Array.from({ length: passageTokens }, (_, at) => `word${at}`).join(" ");
    const said = [
      `kettle kettles ${gap} ${gap} kettle`,
      "maxKettleCount and a KETTLE",
      "none",
      `hot ${gap} kettles boiling`,
    ];
    store.append(
      key("a"),
      said.map((text, at) => user(`m${at}`, text)),
    );
    store.append(key("b"), [user("n1", "a kettle of others")]);
    const few = { sees: "session", agentId: agentOf(key("a")), sessionKey: key("a") } as const;
    const docs = new VisibleMessages(store.db, few, {}).matching('"kettle" OR "·kettl"');
    expect(docs).toHaveLength(3);
    for (const term of ["kettle", "kettles", "·kettl", "boiling"]) {
      const own: unknown[] = [];
      new VisibleMessages(store.db, few, {}).eachPlace(term, docs, (...place) => own.push(place));
      const all = placesOf(store, term).filter(({ no }) => docs.includes(no));
      expect(own, term).toEqual(all.map(({ no, passage, count, isPart }) => [no, passage, count, isPart]));
    }
  });

  test("how often in which passage; in a part of a name it has no place", () => {
    const store = memoryStore();
    const gap = Array.from({ length: passageTokens }, (_, at) => `word${at}`).join(" ");
    store.append(key("a"), [user("m1", `kettle kettle ${gap} ${gap} kettle`), user("m2", "maxKettleCount")]);
    const places = placesOf(store, "kettle");
    expect(places.filter(({ isPart }) => !isPart).map(({ passage, count }) => [passage, count])).toEqual([
      [0, 2],
      [2, 1],
    ]);
    expect(ids(store, new Set(places.filter(({ isPart }) => isPart).map(({ no }) => no)))).toEqual(["m2"]);
  });

  test("a stem stands in the passage of its word (SPEC 4.1)", () => {
    const store = memoryStore();
    const gap = Array.from({ length: 2 * passageTokens }, () => "the").join(" ");
    store.append(key("a"), [user("m1", `hot ${gap} kettles are there`)]);
    expect(placesOf(store, "·kettl").map(({ passage }) => passage)).toEqual([2]);
  });
});

describe("the messages at one end of time (SPEC 4.5)", () => {
  const spread = () => {
    const store = memoryStore();
    // Two a week in the last weeks, then a gap of years, then some more, one of them from before 1970.
    for (const weeks of [0, 1, 2, 150, 151, 2_000])
      store.append(key(`s${weeks}`), [
        user(`w${weeks}a`, "kettle", { timestamp: now - weeks * week }),
        user(`w${weeks}b`, "kettle lid", { timestamp: now - weeks * week + 1 }),
      ]);
    store.append(key("ancient"), [user("ancient", "kettle", { timestamp: -5 * week })]);
    return store;
  };

  test("whole weeks, until there are as many as asked for, whatever gaps lie between", () => {
    const store = spread();
    const newest = (messages: number, expression = '"kettle"') =>
      ids(store, new VisibleMessages(store.db, all, {}).matchingAt("newest", expression, messages));
    expect(newest(1)).toEqual(["w0a", "w0b"]);
    expect(newest(3)).toEqual(["w0a", "w0b", "w1a", "w1b"]);
    expect(newest(8, '"lid"')).toEqual(["w0b", "w150b", "w1b", "w2b"]);
    expect(newest(100)).toHaveLength(13);
  });

  test("from the other end", () => {
    const store = spread();
    const oldest = (messages: number) =>
      ids(store, new VisibleMessages(store.db, all, {}).matchingAt("oldest", '"kettle"', messages));
    expect(oldest(1)).toEqual(["ancient"]);
    expect(oldest(2)).toEqual(["ancient", "w2000a", "w2000b"]);
    expect(oldest(100)).toHaveLength(13);
  });

  test("of one session that goes over years, and of what a caller sees alone (SPEC 4.4)", () => {
    const store = memoryStore();
    const years = [0, 60, 120, 180]
      .map((weeks) => user(`y${weeks}`, "kettle", { timestamp: now - weeks * week }))
      .reverse();
    store.append(key("years"), years);
    store.append(key("others"), [user("o", "kettle", { timestamp: now + 20 * week })]);
    const messages = new VisibleMessages(store.db, only("years"), {});
    expect(ids(store, messages.matchingAt("newest", '"kettle"', 3))).toEqual(["y0", "y120", "y60"]);
    expect(new VisibleMessages(store.db, only("nobody"), {}).matchingAt("newest", '"kettle"', 3)).toEqual([]);
  });
});

test("totals, facts and neighbours are those of indexed messages", () => {
  const store = sample();
  expect(totalsOf(store.db, all)).toEqual({ messages: 5, tokens: 2 + 7 + 1 + 1 + 3, transcripts: 2 });
  expect(totalsOf(store.db, only("b"))).toEqual({ messages: 2, tokens: 4, transcripts: 1 });
  expect(totalsOf(store.db, only("nobody"))).toEqual({ messages: 0, tokens: 0, transcripts: 0 });
  const [a1 = 0, a2 = 0, a3 = 0] = new VisibleMessages(store.db, only("a"), {}).matching('"kettle"');
  expect(factsOf(store.db, [a2, 12345, a1]).map(({ no, length, isUser }) => [no, length, isUser])).toEqual([
    [a2, 7, false],
    [a1, 2, true],
  ]);
  expect(neighboursOf(store.db, a2, 3)).toEqual({ before: [a1], behind: [a3] });
  expect(neighboursOf(store.db, a3, 1)).toEqual({ before: [a2], behind: [] });
  expect([...transcriptFactsOf(store.db, [Math.floor(a1 / 2 ** 24)]).values()]).toEqual([
    { tokens: 10, title: null, sessionKey: key("a"), kind: "other" },
  ]);
});
