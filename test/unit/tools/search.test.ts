import { describe, expect, test } from "vitest";
import { type Caller, limits, toEntryId, toSessionId } from "../../../src/index.ts";
import { assistant, key, message, user } from "../../helpers/entries.ts";
import { temporaryHome } from "../../helpers/temporary.ts";

const keysOf = (answer: { results: readonly { sessionKey: string }[] }) =>
  answer.results.map(({ sessionKey }) => sessionKey.replace(/^agent:[^:]+:/, ""));

describe("sessions_search", () => {
  test("finds across agents, and names where (SPEC 7.1)", async () => {
    const home = temporaryHome();
    home.store("shed").append(key("a", "shed"), [user("m1", "The coracle is patched.")], {
      project: "/srv/shed",
      title: { text: "Boats", rank: "given" },
      kind: "direct",
    });
    home.store("barn").append(key("b", "barn"), [assistant("m1", "A coracle needs tar.")]);
    const { results, truncated, indexing } = await home.search({ query: "coracle" });
    expect(keysOf({ results }).sort()).toEqual(["a", "b"]);
    const hit = results.find(({ agentId }) => agentId === "shed");
    expect(hit).toMatchObject({
      sessionKey: "agent:shed:a",
      sessionId: "a",
      messageId: "m1",
      role: "user",
      title: "Boats",
      project: "/srv/shed",
      kind: "direct",
    });
    expect(hit?.snippet.slice(hit.highlights[0]?.start, hit.highlights[0]?.end)).toBe("coracle");
    expect([truncated, indexing]).toEqual([undefined, undefined]);
  });

  test.each([
    ["blank", { query: " \t " }, /query: must hold at least one word/],
    ["too long", { query: "kettle ".repeat(600) }, /query: use at most 4096 characters/],
    ["limit over", { query: "x", limit: 26 }, /limit: use a whole number of hits from 1 to 25 \(got 26\)/],
    ["limit text", { query: "x", limit: "7" }, /limit: .*got "7"/],
    ["limit fraction", { query: "x", limit: 2.5 }, /limit: /],
    ["limit null", { query: "x", limit: null }, /limit: .*got null/],
    ["misspelt parameter", { query: "x", agnet: "a" }, /agnet/],
    ["no object", "x", /sessions_search/],
    ["bad time", { query: "x", after: "the other day" }, /after: "the other day"/],
    ["a date that does not exist", { query: "x", before: "2026-02-30" }, /before: "2026-02-30"/],
    ["bad zone", { query: "x", timeZone: "Mars/Olympus" }, /Mars\/Olympus/],
    ["bad agent", { query: "x", agent: "a:b" }, /agent: "a:b"/],
  ])(
    "input out of range is an error that names parameter and value: %s (SPEC 3.1, 7.1)",
    async (_name, input, wanted) => {
      await expect(temporaryHome().search(input)).rejects.toMatchObject({
        code: "bad_input",
        message: expect.stringMatching(wanted),
      });
    },
  );

  test("filters narrow, in the query and as parameters; the parameter wins (SPEC 3.2, 3.9)", async () => {
    const now = Date.UTC(2026, 3, 10, 12);
    const home = temporaryHome({ now: () => now, timeZone: "America/Los_Angeles" });
    const shed = home.store("shed");
    const at = (iso: string) => ({ timestamp: Date.parse(iso) });
    shed.append(key("old", "shed"), [user("m1", "heath walk", at("2026-02-12T05:30:00Z"))], {
      project: "/home/mira/heath",
      gitBranch: "main",
    });
    shed.append(key("new", "shed"), [assistant("m2", "heath walk", at("2026-04-09T12:00:00Z"))], {
      project: "/home/mira/moor",
      kind: "cron",
    });
    const found = async (input: object) => keysOf(await home.search(input)).sort();
    // 05:30 UTC is still the evening of the 11th there.
    expect(await found({ query: "heath after:2026-02-11 before:2026-02-12" })).toEqual(["old"]);
    expect(await found({ query: "heath", after: "2026-02-12" })).toEqual(["new"]);
    expect(await found({ query: "heath after:2d" })).toEqual(["new"]);
    expect(await found({ query: "heath", after: "yesterday" })).toEqual(["new"]);
    expect(await found({ query: "heath", before: "today" })).toEqual(["new", "old"]);
    expect(await found({ query: "heath role:assistant" })).toEqual(["new"]);
    expect(await found({ query: "heath role:assistant", role: "user" })).toEqual(["old"]);
    expect(await found({ query: "heath kind:cron" })).toEqual(["new"]);
    expect(await found({ query: "heath branch:main" })).toEqual(["old"]);
    expect(await found({ query: "heath agent:shed" })).toEqual(["new", "old"]);
    expect(await found({ query: "heath", agent: "barn" })).toEqual([]);
    expect(await found({ query: "heath session:old" })).toEqual(["old"]);
    expect(await found({ query: "heath", sessionKey: "agent:shed:new" })).toEqual(["new"]);
  });

  test("project is the whole path, its last segments, or a folder above it (SPEC 3.10)", async () => {
    const home = temporaryHome();
    const store = home.store("main");
    for (const [at, project] of [
      "/home/mira/oat-mill",
      "/home/mira/oat/mill",
      "C:\\work\\Oat\\Mill",
      "/home/mira/oat%mill",
      "/srv/Ähre/Öl",
    ].entries()) {
      store.append(key(`p${at}`), [user("m1", `teal note ${at}`)], { project });
    }
    const found = async (project: string) => keysOf(await home.search({ query: "teal", project })).sort();
    expect(await found("/home/mira/oat-mill")).toEqual(["p0"]);
    expect(await found("oat/mill")).toEqual(["p1", "p2"]);
    expect(await found("mill")).toEqual(["p1", "p2"]);
    expect(await found("/home/mira/")).toEqual(["p0", "p1", "p3"]);
    expect(await found("c:/work")).toEqual(["p2"]);
    expect(await found("ähre/öl")).toEqual(["p4"]);
    expect(await found("Ähre/ÖL".normalize("NFD"))).toEqual(["p4"]);
    expect(await found("%")).toEqual([]);
    expect(await found("at-mill")).toEqual([]);
  });

  test("one session gives at most three hits, and says how many more it has (SPEC 4.2, 4.6)", async () => {
    const home = temporaryHome();
    const store = home.store("main");
    store.append(
      key("chatty"),
      Array.from({ length: 60 }, (_, at) => user(`m${at}`, `thistle thought number ${at}`)),
    );
    for (const at of [1, 2, 3])
      store.append(key(`past${at}`), [
        user(
          `p${at}`,
          `a long story in which, by the way, the thistle ledger of part ${at} comes up somewhere near the end`,
        ),
      ]);
    const answer = await home.search({ query: "thistle" });
    expect(keysOf(answer).sort()).toEqual(["chatty", "chatty", "chatty", "past1", "past2", "past3"]);
    expect(answer.results.find(({ sessionKey }) => sessionKey.endsWith("chatty"))?.moreInSession).toBe(57);
    expect(answer.truncated).toBe(true);
    expect(keysOf(await home.search({ query: "thistle", sessionKey: key("chatty"), limit: 25 }))).toHaveLength(25);
  });

  test("an answer is short only when there is no more, however many copies and full sessions stand in front (SPEC 4.3, 4.6)", async () => {
    const home = temporaryHome();
    const store = home.store("main");
    // More than the candidates fetched at first, all of one session and all better matches than the one that is wanted.
    const many = limits.candidates.default + 200;
    store.append(
      key("loud"),
      Array.from({ length: many }, (_, at) => user(`m${at}`, at % 2 === 0 ? "dunlin dunlin" : `dunlin dunlin ${at}`)),
    );
    store.append(key("quiet"), [user("q1", `${"many other words ".repeat(40)} dunlin`)]);
    const answer = await home.search({ query: "dunlin" });
    expect(new Set(keysOf(answer))).toEqual(new Set(["loud", "quiet"]));
    expect(answer.results.find(({ snippet }) => snippet === "dunlin dunlin")?.copies).toBe(many / 2);
  });

  test("copies collapse when they are the same record, moment or family; said anew they don't (SPEC 4.3)", async () => {
    const home = temporaryHome();
    const store = home.store("main");
    const t = 1_760_000_000_000;
    store.append(key("one"), [user("u1", "the millrace is frozen", { timestamp: t })]);
    store.append(key("two"), [user("u1", "the millrace is frozen", { timestamp: t + 5 })]);
    store.append(key("three"), [user("u3", "the millrace is frozen", { timestamp: t })]);
    store.append(key("four"), [user("u4", "the millrace is frozen", { timestamp: t + 9 })], { forkedFrom: key("one") });
    store.append(key("anew"), [user("u5", "the millrace is frozen", { timestamp: t + 86_400_000 })]);
    store.append(key("answer"), [assistant("u6", "the millrace is frozen", { timestamp: t })]);
    const { results } = await home.search({ query: "millrace" });
    expect(results.map(({ copies }) => copies ?? 1).sort()).toEqual([1, 1, 4]);
  });

  test("scores are comparable across agents and tell nothing of what can't be seen (SPEC 4.4, 6.1)", async () => {
    const alone = temporaryHome();
    alone.store("main").append(key("mine"), [user("m1", "the quagga sketch"), user("m2", "another sketch")]);
    const crowded = temporaryHome();
    crowded.store("main").append(key("mine"), [user("m1", "the quagga sketch"), user("m2", "another sketch")]);
    for (let at = 0; at < 40; at++)
      crowded.store("main").append(key(`other${at}`), [user("m1", "quagga quagga sketch")]);
    crowded.store("else").append(key("far", "else"), [user("m1", "quagga")]);
    const me: Caller = { kind: "session", sessionKey: key("mine"), visibility: "self" };
    const input = { query: "quagga sketch" };
    expect(await crowded.search(input, me)).toEqual(await alone.search(input));
  });

  test("order is stable: recency, then key, then id break ties; automatic sessions come last (SPEC 4.1, 4.7)", async () => {
    const home = temporaryHome();
    const store = home.store("main");
    const t = 1_760_000_000_000;
    // Each session says the same in the same words, so that all scores are equal.
    const pair = (id: string, timestamp: number) => [
      user(`${id}1`, `plover ${id}`, { timestamp }),
      user(`${id}2`, `plover ${id}`, { timestamp, role: "assistant" }),
    ];
    store.append(key("auto"), pair("m", t + 9), { kind: "cron" });
    store.append(key("b"), pair("n", t));
    store.append(key("c"), pair("o", t + 1));
    store.append(key("a"), pair("p", t));
    const ids = async (sort?: string) =>
      (await home.search({ query: "plover", ...(sort && { sort }) })).results.map(({ messageId }) => messageId);
    expect(await ids()).toEqual(["o1", "o2", "p1", "p2", "n1", "n2", "m1", "m2"]);
    expect(await ids("newest")).toEqual(["m1", "m2", "o1", "o2", "p1", "p2", "n1", "n2"]);
    expect(await ids("oldest")).toEqual(["p1", "p2", "n1", "n2", "o1", "o2", "m1", "m2"]);
  });

  test("a short answer explains itself (SPEC 3.8)", async () => {
    const home = temporaryHome();
    expect((await home.search({ query: "anything" })).explain).toMatchObject({ emptyStore: true });
    home.store("main").append(key("a"), [user("m1", "the smew waits"), user("m2", "the heron hunts")]);
    const explain = async (query: string, more: object = {}) => (await home.search({ query, ...more })).explain;
    expect(await explain("smew absentword")).toMatchObject({
      terms: [
        { term: "smew", messages: 1 },
        { term: "absentword", messages: 0 },
      ],
      hint: expect.stringContaining("none of these has absentword"),
    });
    expect((await explain("smew heron"))?.hint).toMatch(/each of these has some of them/);
    expect((await explain("smew heron", { match: "all" }))?.hint).toMatch(/No message that you can see has all of/);
    expect(await explain("smew role:assistant")).toMatchObject({
      removed: { role: 1 },
      nearest: { query: "smew", messages: 1 },
      hint: expect.stringContaining("The filter role keeps out 1 message"),
    });
    expect(await explain(":) ^")).toMatchObject({ terms: [], ignored: [":)", "^"] });
  });

  test("the whole answer stays within its bytes (SPEC 7.1)", async () => {
    const home = temporaryHome();
    for (let at = 0; at < 30; at++) {
      home
        .store("main")
        .append(
          key(`s${at}-${"k".repeat(300)}`),
          [user("m".repeat(300), `permission ${"进入院子 ".repeat(200)} ${at}`)],
          {
            project: `/${"p".repeat(900)}`,
            title: { text: "标题".repeat(200), rank: "given" },
          },
        );
    }
    const answer = await home.search({ query: "permission", limit: 25 });
    expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThanOrEqual(limits.searchBytes.default);
    expect(answer.results.length).toBeGreaterThanOrEqual(5);
    expect(answer.truncated).toBe(true);
    for (const hit of answer.results) expect(hit.snippet.length).toBeLessThanOrEqual(limits.snippetLength.default);
  });

  test("nothing comes out unmasked, wherever a secret stands (SPEC 5.2, 5.3)", async () => {
    const home = temporaryHome();
    const secret = `ghp_${"a1B2".repeat(9)}`;
    home
      .store("main")
      .append(
        key("a"),
        [
          user("m1", `${"padding ".repeat(34)}kiln ${secret} ${"more ".repeat(80)}`),
          assistant("m2", `${secret} is the kiln's`),
        ],
        {
          title: { text: `kiln ${secret}`, rank: "given" },
          project: `/srv/${secret}`,
        },
      );
    const middle = secret.slice(6, -4);
    const pieces = Array.from({ length: middle.length - 5 }, (_, at) => middle.slice(at, at + 6));
    const outputs = [
      await home.search({ query: "kiln" }),
      await home.sessions(),
      await home.history({ sessionKey: key("a") }),
      [...home.export({ reveal: false })],
    ];
    for (const output of outputs) {
      const text = JSON.stringify(output);
      expect(text).toContain("kiln");
      expect(pieces.filter((piece) => text.includes(piece))).toEqual([]);
    }
    for (const piece of pieces) expect((await home.search({ query: piece })).results, piece).toEqual([]);
  });

  test("what is said while a caller may only see its own is neither found nor counted (SPEC 6.2, 6.3)", async () => {
    const home = temporaryHome();
    const store = home.store("a");
    store.append(key("main", "a"), [user("m1", "hello tern")]);
    store.append(key("kid", "a"), [assistant("m2", "the tern colony")], { spawnedBy: key("main", "a") });
    store.append(key("grandkid", "a"), [assistant("m3", "a tern chick")], { spawnedBy: key("kid", "a") });
    store.append(key("other", "a"), [user("m4", "the tern book")]);
    home.store("b").append(key("main", "b"), [user("m5", "tern secrets")]);
    const seen = async (visibility: "self" | "tree" | "agent" | "all") =>
      (await home.search({ query: "tern" }, { kind: "session", sessionKey: key("main", "a"), visibility })).results
        .map(({ messageId }) => messageId)
        .sort();
    expect(await seen("self")).toEqual(["m1"]);
    expect(await seen("tree")).toEqual(["m1", "m2", "m3"]);
    expect(await seen("agent")).toEqual(["m1", "m2", "m3", "m4"]);
    expect(await seen("all")).toEqual(["m1", "m2", "m3", "m4"]);
    const me: Caller = { kind: "session", sessionKey: key("main", "a"), visibility: "tree" };
    const refused = await home.history({ sessionKey: key("other", "a") }, me).catch((error: unknown) => error);
    const absent = await home.history({ sessionKey: key("nobody", "a") }, me).catch((error: unknown) => error);
    // The same words, but for the name that was asked for (SPEC 6.6).
    const words = (error: unknown, name: string) => (error instanceof Error ? error.message.replace(name, "…") : "");
    expect(words(refused, "other")).toBe(words(absent, "nobody"));
    expect((await home.sessions({}, me)).sessions.map(({ sessionKey }) => sessionKey).sort()).toEqual([
      key("grandkid", "a"),
      key("kid", "a"),
      key("main", "a"),
    ]);
  });

  test("an unknown session is an error, a session without the word is not", async () => {
    const home = temporaryHome();
    home.store("main").append(key("s1"), [user("m1", "the smew")]);
    await expect(home.search({ query: "smew", sessionKey: "no-such" })).rejects.toMatchObject({
      code: "unknown_session",
    });
    expect((await home.search({ query: "absentword", sessionKey: "s1" })).results).toEqual([]);
    home.store("main").setFacts({ sessionId: toSessionId("s1"), archived: true });
    expect((await home.search({ query: "smew" })).results).toHaveLength(1);
  });

  test("reading changes nothing", async () => {
    const home = temporaryHome();
    home.store("main").append(key("s1"), [user("m1", "the sorrel is sour"), message("m2", "toolResult", "x")]);
    const first = await home.search({ query: "sorrel" });
    for (let at = 0; at < 5; at++) expect(await home.search({ query: "sorrel" })).toEqual(first);
    expect(first.results[0]?.messageId).toBe(toEntryId("m1"));
  });
});
