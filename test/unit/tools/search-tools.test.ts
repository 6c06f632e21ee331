/** Search in tool calls and results, on request and by an opt-in (SPEC 3.7, 1.4). */
import { expect, test } from "vitest";
import { type Caller, owner } from "../../../src/index.ts";
import { assistant, call, key, result, user } from "../../helpers/entries.ts";
import { temporaryHome } from "../../helpers/temporary.ts";

const on = { index: { tools: true } } as const;

test("without includeTools nothing of tools is found, opted in or not (SPEC 1.4)", async () => {
  const home = temporaryHome(on);
  home.store("main").append(key("a"), [call("m1", { command: "make weir" }), result("m2", "sluice gate stuck")]);
  for (const query of ["weir", "sluice"]) {
    const { results, warning } = await home.search({ query });
    expect([results, warning]).toEqual([[], undefined]);
  }
});

test("a hit says that it stands in tools, whose it is, and shows the place (SPEC 3.7, 5.1)", async () => {
  const home = temporaryHome(on);
  home
    .store("main")
    .append(key("a"), [
      call("m1", { command: "make -C src/weir", description: "build it" }),
      result("m2", `${"noise and more\n".repeat(400)}src/weir/gate.c:41: error: unknown type 'sluice_t'`),
    ]);
  const [hit] = (await home.search({ query: "sluice_t", includeTools: true })).results;
  expect(hit).toMatchObject({ messageId: "m2", role: "toolResult", part: "tool", tier: "words" });
  const shown = hit?.highlights.map(({ start, end }) => hit.snippet.slice(start, end));
  expect(shown).toContain("sluice_t");
  const { results } = await home.search({ query: "src/weir", includeTools: true });
  expect(results.map(({ messageId, role, part }) => [messageId, role, part])).toContainEqual([
    "m1",
    "assistant",
    "tool",
  ]);
});

test("of equal tier and words what was said comes first; an entry found both ways is one hit (SPEC 3.7)", async () => {
  const home = temporaryHome(on);
  home.store("main").append(key("a"), [result("m1", "sluice gate"), result("m2", "other")]);
  home.store("main").append(key("b"), [user("m1", "sluice gate")]);
  home.store("main").append(key("c"), [
    assistant("m1", "", {
      parts: [
        { type: "text", text: "the sluice gate, then" },
        { type: "toolCall", name: "open", arguments: { what: "sluice gate" } },
      ],
    }),
  ]);
  const { results } = await home.search({ query: "sluice gate", includeTools: true });
  const order = results.map(({ sessionKey, part }) => `${sessionKey} ${part ?? "said"}`);
  expect(order.indexOf("agent:main:b said")).toBeLessThan(order.indexOf("agent:main:a tool"));
  expect(order.filter((each) => each.startsWith("agent:main:c"))).toHaveLength(1);
});

test("where tools are not indexed the answer says so, and how to turn it on", async () => {
  const home = temporaryHome();
  home.store("main").append(key("a"), [result("m1", "sluice gate stuck")]);
  const answer = await home.search({ query: "sluice", includeTools: true });
  expect(answer.results).toEqual([]);
  expect(answer.warning).toMatch(/main.*not indexed.*backscroll index --tools on/);
});

test("visibility, filters, caps and limits hold as for messages (SPEC 3.7, 4.2, 4.6, 6.2)", async () => {
  const home = temporaryHome(on);
  const store = home.store("main");
  const many = (session: string) =>
    store.append(
      key(session),
      Array.from({ length: 8 }, (_, at) => result(`m${at}`, `sluice gate ${session} number ${at}`)),
      { project: `/srv/${session}` },
    );
  many("a");
  many("b");
  const ask = (input: object, caller: Caller = owner) =>
    home.search({ query: "sluice", includeTools: true, ...input }, caller);
  const sessions = (answer: Awaited<ReturnType<typeof ask>>) => answer.results.map(({ sessionKey }) => sessionKey);
  expect(sessions(await ask({ project: "/srv/a", perSession: 25 }))).toEqual(Array(8).fill(key("a")));
  const capped = await ask({ limit: 25 });
  expect(sessions(capped)).toHaveLength(6);
  expect(capped.results.at(0)?.moreInSession).toBe(5);
  expect((await ask({ limit: 2 })).truncated).toBe(true);
  expect((await ask({ role: "user" })).results).toEqual([]);
  expect((await ask({ after: "2026-01-01" })).results).toEqual([]);
  const self = { kind: "session", sessionKey: key("b"), visibility: "self" } as const;
  expect(new Set(sessions(await ask({ limit: 25 }, self)))).toEqual(new Set([key("b")]));
});

test("copies collapse: a fork's tool traffic is one hit (SPEC 4.3)", async () => {
  const home = temporaryHome(on);
  home.store("main").append(key("a"), [user("m1", "go"), result("m2", "sluice gate stuck")]);
  home.store("main").fork(key("a"), key("b"));
  const { results } = await home.search({ query: "sluice", includeTools: true });
  expect(results.map(({ copies }) => copies)).toEqual([2]);
});

test("few hits are explained with both counts (SPEC 3.8)", async () => {
  const home = temporaryHome(on);
  home.store("main").append(key("a"), [user("m1", "the gate"), result("m2", "sluice gate"), result("m3", "no gate")]);
  const answer = await home.search({ query: "sluice gate otter", includeTools: true, match: "all" });
  expect(answer.explain?.terms).toEqual([
    { term: "sluice", messages: 0, tools: 1 },
    { term: "gate", messages: 1, tools: 2 },
    { term: "otter", messages: 0, tools: 0 },
  ]);
  expect(answer.explain?.hint).toContain("otter");
  expect(answer.explain?.hint).not.toMatch(/No message that you can see has sluice/);
});
