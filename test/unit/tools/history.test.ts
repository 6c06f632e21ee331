import { describe, expect, test } from "vitest";
import { type Caller, type HistoryAnswer, limits } from "../../../src/index.ts";
import { assistant, key, message, user } from "../../helpers/entries.ts";
import { temporaryHome } from "../../helpers/temporary.ts";

const texts = (page: HistoryAnswer) => page.messages.flatMap(({ content }) => content.map(({ text }) => text));

describe("sessions_history", () => {
  test("paging from end to end yields each message once, while new ones arrive (SPEC 7.2)", async () => {
    const home = temporaryHome();
    const store = home.store("main");
    // All at one moment, with ids that sort the other way: position is what counts.
    store.append(
      key("a"),
      Array.from({ length: 83 }, (_, at) => user(`z${99 - at}`, `note ${at}`)),
    );
    const seen: unknown[] = [];
    let late = 0;
    for (let page = await home.history({ sessionKey: key("a"), limit: 10 }); ; ) {
      expect(page.totalMessages).toBe(83 + late);
      seen.unshift(...texts(page));
      if (page.older === undefined) break;
      store.append(key("a"), [user(`late${late++}`, "late")]);
      page = await home.history({ sessionKey: key("a"), limit: 10, cursor: page.older });
    }
    expect(seen).toEqual(Array.from({ length: 83 }, (_, at) => `note ${at}`));
    // And back again to the newest.
    const first = await home.history({ sessionKey: key("a"), messageId: "z99", limit: 1 });
    const forth: unknown[] = [...texts(first)];
    for (let { newer } = first; newer !== undefined; ) {
      const page: HistoryAnswer = await home.history({ sessionKey: key("a"), limit: 7, cursor: newer });
      forth.push(...texts(page));
      newer = page.newer;
    }
    expect(forth).toEqual([...seen, ...Array.from({ length: late }, () => "late")]);
  });

  test("opens around a message, with as many on both sides as there are (SPEC 7.2)", async () => {
    const home = temporaryHome();
    const store = home.store("main");
    store.append(
      key("a"),
      Array.from({ length: 20 }, (_, at) => user(`m${at}`, `plank ${at}`)),
    );
    store.append(key("b"), [user("x", "private aside")]);
    const around = async (messageId: string, limit: number) =>
      texts(await home.history({ sessionKey: key("a"), messageId, limit }));
    expect(await around("m7", 3)).toEqual(["plank 6", "plank 7", "plank 8"]);
    expect(await around("m0", 3)).toEqual(["plank 0", "plank 1", "plank 2"]);
    expect(await around("m19", 3)).toEqual(["plank 17", "plank 18", "plank 19"]);
    expect(await around("m7", 1)).toEqual(["plank 7"]);
    expect(await around("m7", 1000)).toHaveLength(20);
    const page = await home.history({ sessionKey: key("a"), messageId: "m7", limit: 3 });
    expect(page.messages.map(({ anchor }) => anchor ?? false)).toEqual([false, true, false]);
    await expect(home.history({ sessionKey: key("a"), messageId: "x" })).rejects.toMatchObject({
      code: "unknown_message",
    });
  });

  test("shows what was said; tools, thinking and injected text on request; never image data (SPEC 1.4)", async () => {
    const home = temporaryHome();
    home.store("main").append(key("a"), [
      user("m1", "", {
        parts: [
          { type: "text", text: "<reminder>", injected: true },
          { type: "text", text: "look" },
          { type: "image", mime: "image/png", data: "QUJD".repeat(2000) },
        ],
      }),
      assistant("m2", "", {
        parts: [
          { type: "thinking", text: "hm" },
          { type: "toolCall", name: "ls", arguments: { path: "." } },
        ],
      }),
      message("m3", "toolResult", "", { parts: [{ type: "toolResult", text: "a.txt", isError: true }] }),
      assistant("m4", ""),
      assistant("m5", "a bittern"),
    ]);
    const page = await home.history({ sessionKey: key("a") });
    expect(page.messages.map(({ messageId }) => messageId)).toEqual(["m1", "m5"]);
    expect(page.messages[0]?.content).toEqual([
      { type: "text", text: "look" },
      { type: "image", mime: "image/png", bytes: 6000 },
    ]);
    expect(page.totalMessages).toBe(2);
    const all = await home.history({ sessionKey: key("a"), includeTools: true, includeThinking: true });
    expect(all.messages.flatMap(({ content }) => content.map(({ type }) => type))).toEqual([
      "text",
      "text",
      "image",
      "thinking",
      "toolCall",
      "toolResult",
      "text",
    ]);
    expect(JSON.stringify(all)).not.toContain("QUJDQUJD");
  });

  test("texts are cut, bytes are bounded, and what was left out is said; textOffset reads on (SPEC 7.2)", async () => {
    const home = temporaryHome();
    const long = Array.from({ length: 12_000 }, (_, at) => `word${at}`).join(" ");
    home.store("main").append(
      key("a"),
      Array.from({ length: 60 }, (_, at) => user(`m${at}`, at === 30 ? long : "行".repeat(3000))),
    );
    const page = await home.history({ sessionKey: key("a"), messageId: "m30" });
    expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThanOrEqual(limits.historyBytes.default);
    expect(page).toMatchObject({ truncated: true, contentTruncated: true, hasOlder: true, hasNewer: true });
    expect(page.droppedMessages).toBe(50 - page.messages.length);
    const anchor = page.messages.find(({ anchor }) => anchor)?.content[0];
    expect(anchor).toMatchObject({ textOffset: 0, textLength: long.length });
    let read = anchor?.text ?? "";
    while (read.length < long.length) {
      const next = await home.history({ sessionKey: key("a"), messageId: "m30", limit: 1, textOffset: read.length });
      const part = next.messages[0]?.content[0];
      expect(part?.text?.length).toBeLessThanOrEqual(limits.historyTextLength.default);
      read += part?.text ?? "";
    }
    expect(read).toBe(long);
    // Pages that were cut for their size still join without a gap.
    const before = await home.history({ sessionKey: key("a"), cursor: page.older ?? "" });
    expect(before.messages.at(-1)?.messageId).toBe(`m${30 - page.messages.findIndex(({ anchor }) => anchor) - 1}`);
  });

  test("a cursor of another kind, or anyone's invention, is refused", async () => {
    const home = temporaryHome();
    home.store("main").append(key("a"), [user("m1", "x")]);
    for (const cursor of [
      "nonsense",
      Buffer.from('["list",1,"a"]').toString("base64url"),
      Buffer.from('["history","a","older",1.5]').toString("base64url"),
    ]) {
      await expect(home.history({ sessionKey: key("a"), cursor })).rejects.toMatchObject({ code: "bad_input" });
    }
    const gone = Buffer.from('["history","no such transcript","older",3]').toString("base64url");
    await expect(home.history({ sessionKey: key("a"), cursor: gone })).rejects.toMatchObject({
      code: "unknown_session",
    });
  });
});

test("a forged cursor reads nothing but its own transcript (SPEC 6.1)", async () => {
  const home = temporaryHome();
  const store = home.store("main");
  store.append(key("private"), [user("p1", "the vault is under the oak")]);
  store.append(key("sandbox"), [user("s1", "hello"), user("s2", "again")]);
  const me: Caller = { kind: "session", sessionKey: key("sandbox"), visibility: "self" };
  for (const direction of ["newer", "older"]) {
    for (const position of [-1, -(2 ** 24) - 1, -(2 ** 50), 2 ** 24, 2 ** 24 + 5, 2 ** 50]) {
      const cursor = Buffer.from(JSON.stringify(["history", "sandbox", direction, position])).toString("base64url");
      const page = await home.history({ sessionKey: "current", cursor }, me).catch(() => ({ messages: [] }));
      expect(JSON.stringify(page.messages), `${direction} ${position}`).not.toContain("vault");
    }
  }
});

describe("sessions_list", () => {
  test("newest first, with titles, counts, lineage and pages (SPEC 7.3)", async () => {
    const home = temporaryHome();
    const t = 1_760_000_000_000;
    for (let at = 0; at < 12; at++) {
      const agent = at % 2 === 0 ? "shed" : "barn";
      home
        .store(agent)
        .append(key(`s${at}`, agent), [
          user("m1", `hello  from\n${at}`, { timestamp: t + at, typed: true }),
          assistant("m2", "hi", { timestamp: t + at }),
        ]);
    }
    const seen: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await home.sessions({ limit: 5, ...(cursor !== undefined && { cursor }) });
      expect(page.totalSessions).toBe(12);
      seen.push(...page.sessions.map(({ title }) => title ?? ""));
      cursor = page.cursor;
      if (cursor === undefined) break;
    }
    expect(seen).toEqual(Array.from({ length: 12 }, (_, at) => `hello from ${11 - at}`));
    const [first] = (await home.sessions({ limit: 1 })).sessions;
    expect(first).toMatchObject({ messages: 2, lastMessage: { role: "assistant", text: "hi" }, updatedAt: t + 11 });
    expect((await home.sessions({ after: "2030-01-01" })).sessions).toEqual([]);
    await expect(home.sessions({ limit: 0 })).rejects.toMatchObject({ code: "bad_input" });
  });
});
