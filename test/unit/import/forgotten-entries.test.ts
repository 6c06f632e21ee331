/**
 * What was forgotten comes again under another id, as its file has a line more or less above it: it stays forgotten, and
 * everything else is there (SPEC 2.19). Formats whose ids are made from places in the file.
 */
import { mkdirSync, renameSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { builtInSources, type HistoryAnswer, type ImportReport } from "../../../src/index.ts";
import { bytesOf } from "../../helpers/bytes-of.ts";
import { key, user } from "../../helpers/entries.ts";
import { temporaryFolder, temporaryHome } from "../../helpers/temporary.ts";

/** A line of a talk: who, what, and the minute at which it was said. */
type Line = readonly [role: "user" | "assistant", text: string, minute: number];

interface Format {
  readonly source: string;
  /** Path below the root. */
  readonly file: (name: string) => string;
  /** Records, oldest first; `time: false` leaves out those of messages. */
  readonly records: (name: string, lines: readonly Line[], time: boolean) => object[];
}

const moment = (minute: number) => new Date(Date.UTC(2026, 1, 3, 8, minute)).toISOString();
const timed = (minute: number, time: boolean) => (time ? { timestamp: moment(minute) } : {});
const uuid = (name: string) => `0199c0de-1111-7aaa-8bbb-00000000000${name === "one" ? 1 : 2}`;

const formats: Format[] = [
  {
    source: "claude-code",
    file: (name) => `${name}/chat.jsonl`,
    records: (name, lines, time) =>
      lines.map(([role, text, minute]) => ({
        type: role,
        sessionId: uuid(name),
        ...timed(minute, time),
        message: { content: role === "user" ? text : [{ type: "text", text }] },
        cwd: "/srv/kiln",
      })),
  },
  {
    source: "codex",
    file: (name) => `sessions/2026/02/03/rollout-2026-02-03T08-00-00-${uuid(name)}.jsonl`,
    records: (name, lines, time) => [
      {
        timestamp: moment(0),
        type: "session_meta",
        payload: { id: uuid(name), timestamp: moment(0), cwd: "/srv/kiln", originator: "codex_exec", source: "exec" },
      },
      ...lines.map(([role, text, minute]) => ({
        ...timed(minute, time),
        type: "response_item",
        payload: {
          type: "message",
          role,
          content: [{ type: role === "user" ? "input_text" : "output_text", text }],
        },
      })),
    ],
  },
  {
    source: "pi",
    file: (name) => `--srv-kiln--/2026-02-03T08-00-00-000Z_${uuid(name)}.jsonl`,
    records: (name, lines, time) => [
      { type: "session", id: uuid(name), timestamp: moment(0), cwd: "/srv/kiln", provider: "acme", modelId: "small" },
      ...lines.map(([role, text, minute]) => ({
        type: "message",
        ...timed(minute, time),
        message: { role, content: [{ type: "text", text }] },
      })),
    ],
  },
];

const talk: Line[] = [
  ["user", "is the kiln cold", 1],
  ["assistant", "cold since noon", 2],
  ["user", "the zyxquagga password", 3],
  ["assistant", "noted for later", 4],
  ["user", "unload it", 5],
  ["user", "the bowls first", 6],
];
const secret = talk[2]?.[1] ?? "";
const others = talk.flatMap(([, text]) => (text === secret ? [] : [text]));

function bench({ source, file, records }: Format, time = true) {
  const root = temporaryFolder();
  const home = temporaryHome();
  const roots = builtInSources.filter(({ id }) => id === source).map((each) => ({ source: each, folder: root }));
  let writes = 0;
  const write = (lines: readonly Line[], name = "one") => {
    const path = join(root, file(name));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(
      path,
      records(name, lines, time)
        .map((record) => `${JSON.stringify(record)}\n`)
        .join(""),
    );
    // Another time, also where two writes fall into one tick.
    writes += 1;
    utimesSync(path, 1_780_000_000 + writes, 1_780_000_000 + writes);
    return path;
  };
  const said = async () => {
    const { sessions } = await home.sessions({});
    const pages = await Promise.all(sessions.map(({ sessionKey }) => home.history({ sessionKey })));
    return pages.flatMap(({ messages }) => messages.map(words));
  };
  const found = async (query: string) =>
    (await home.search({ query, limit: 25, perSession: 25, sort: "oldest" })).results;
  const sync = (): Promise<ImportReport> => home.import(roots);
  return { home, root, write, said, found, sync, file };
}

const words = ({ content }: HistoryAnswer["messages"][number]) =>
  content.map((part) => ("text" in part ? part.text : "")).join("");

/** What it is forgotten by. */
const ways = {
  message: async ({ home, found }: ReturnType<typeof bench>) => {
    const [hit] = await found("zyxquagga");
    await home.forget({ what: "message", sessionKey: hit?.sessionKey ?? "", messageId: hit?.messageId ?? "" });
  },
  search: async ({ home }: ReturnType<typeof bench>) => {
    await home.forget({ what: "mentions", search: { query: "zyxquagga" } });
  },
};

const inserted: Line = ["user", "good morning", 0];

/** What becomes of the file. */
const changes: Record<string, (b: ReturnType<typeof bench>) => Promise<unknown>> = {
  "a line inserted above": async ({ write, sync }) => {
    write([inserted, ...talk]);
    return sync();
  },
  "a line inserted above, and taken away again": async ({ write, sync }) => {
    write([inserted, ...talk]);
    await sync();
    write(talk);
    return sync();
  },
  "a line removed above": async ({ write, sync }) => {
    write(talk.slice(1));
    return sync();
  },
  "truncated, and grown again": async ({ write, sync }) => {
    write(talk.slice(0, 2));
    await sync();
    write([inserted, ...talk, ["user", "and sweep the floor", 7]]);
    return sync();
  },
  "moved, with lines above": async ({ write, sync, root, file }) => {
    const from = write([inserted, inserted, ...talk]);
    const to = join(root, file("one").replace(/([^/]+)$/, "moved/$1"));
    mkdirSync(dirname(to), { recursive: true });
    renameSync(from, to);
    expect(statSync(to).size).toBeGreaterThan(0);
    return sync();
  },
};

describe.each(formats)("$source (SPEC 2.19)", (format) => {
  describe.each(Object.keys(ways) as (keyof typeof ways)[])("forgotten by %s", (way) => {
    test.each(Object.keys(changes))("%s", async (change) => {
      const b = bench(format);
      b.write(talk);
      await b.sync();
      await ways[way](b);
      await changes[change]?.(b);
      expect(await b.found("zyxquagga")).toEqual([]);
      expect((await b.said()).join("\n")).not.toContain("zyxquagga");
      expect(bytesOf(b.home.folder).includes("zyxquagga")).toBe(false);
      // Nobody else is lost by it.
      const there = new Set(await b.said());
      for (const text of others.slice(change.includes("removed") ? 1 : 0)) expect(there, text).toContain(text);
      // Nor does it come with the next import.
      await b.sync();
      expect(await b.found("zyxquagga")).toEqual([]);
    });
  });

  test("it is counted as passed over, and what is below it keeps its place", async () => {
    const b = bench(format);
    b.write(talk);
    await b.sync();
    await ways.message(b);
    b.write([inserted, ...talk]);
    const report = await b.sync();
    expect(report.forgottenEntries).toBe(1);
    const texts = await b.said();
    expect(texts.indexOf("noted for later")).toBeGreaterThan(texts.indexOf("cold since noon"));
    // Its place is known from then on.
    b.write([inserted, ...talk, ["user", "and sweep the floor", 7]]);
    expect((await b.sync()).forgottenEntries).toBe(0);
    expect(await b.found("zyxquagga")).toEqual([]);
  });

  test("undone, an import brings it back", async () => {
    const b = bench(format);
    b.write(talk);
    await b.sync();
    await ways.search(b);
    b.write([inserted, ...talk]);
    await b.sync();
    const [session] = (await b.home.sessions({})).sessions;
    expect(b.home.undoForget(session?.sessionKey ?? "").entries).toBeGreaterThan(0);
    await b.sync();
    expect(await b.found("zyxquagga")).toHaveLength(1);
    // Nothing of it is left that an undo would have to take away.
    expect(b.home.undoForget(session?.sessionKey ?? "")).toEqual({ transcripts: 0, entries: 0 });
  });

  test("the same words by the same role at another time stay, and in another session", async () => {
    const b = bench(format);
    const twins: Line[] = [...talk, ["assistant", secret, 8], ["user", secret, 9]];
    b.write(twins);
    b.write(talk, "two");
    await b.sync();
    const of = async () => (await b.home.sessions({})).sessions.map(({ sessionKey }) => sessionKey);
    const hits = async (sessionKey: string) =>
      (await b.home.history({ sessionKey })).messages.filter((each) => words(each) === secret);
    const [one = "", two = ""] = (await of()).sort();
    const [first] = await hits(one);
    await b.home.forget({ what: "message", sessionKey: one, messageId: first?.messageId ?? "" });
    b.write([inserted, ...twins]);
    b.write([inserted, ...talk], "two");
    await b.sync();
    const left = new Set((await hits(one)).map(({ timestamp }) => timestamp));
    expect(left).toEqual(new Set([Date.UTC(2026, 1, 3, 8, 8), Date.UTC(2026, 1, 3, 8, 9)]));
    expect((await hits(two)).length).toBeGreaterThan(0);
  });

  test("records without a time of their own", async () => {
    const b = bench(format, false);
    b.write(talk);
    await b.sync();
    await ways.search(b);
    for (const lines of [talk, [inserted, ...talk], talk.slice(1), [inserted, ...talk, ...talk.slice(3)]]) {
      b.write(lines);
      await b.sync();
      expect(await b.found("zyxquagga")).toEqual([]);
    }
  });
});

describe("whoever writes live says what is there (SPEC 2.19)", () => {
  test("an append and an upsert are taken in, an import of the same is not", async () => {
    const home = temporaryHome();
    const root = temporaryFolder();
    const store = home.store("main");
    store.append(key("talk"), [user("m1", "the zyxquagga plan"), user("m2", "an answer")]);
    store.deleteEntry(key("talk"), user("m1", "").id);
    const line = { type: "message", sessionKey: key("talk"), role: "user", timestamp: 1_760_000_000_000 };
    writeFileSync(
      join(root, "a.jsonl"),
      ["n1", "n2"]
        .map((id, at) => `${JSON.stringify({ ...line, id, text: at === 0 ? "the zyxquagga plan" : "else" })}\n`)
        .join(""),
    );
    const roots = builtInSources.filter(({ id }) => id === "jsonl").map((source) => ({ source, folder: root }));
    const report = await home.import(roots);
    expect([report.forgottenEntries, report.entries.added]).toEqual([1, 1]);
    expect((await home.search({ query: "zyxquagga" })).results).toEqual([]);
    expect(store.append(key("talk"), [user("m5", "the zyxquagga plan")])).toEqual(["added"]);
    expect((await home.search({ query: "zyxquagga" })).results).toHaveLength(1);
  });

  test("later pieces of a message do not fill what is left of it, and a first one without words is known by the next", async () => {
    const home = temporaryHome();
    const root = temporaryFolder();
    const roots = builtInSources.filter(({ id }) => id === "claude-code").map((source) => ({ source, folder: root }));
    const piece = (id: string, parts: object[]) => ({
      type: "assistant",
      uuid: id,
      sessionId: "talk",
      timestamp: moment(1),
      message: { id: "whole", role: "assistant", content: parts },
    });
    const text = (words: string) => ({ type: "text", text: words });
    const write = (records: object[]) => {
      mkdirSync(join(root, "-srv-kiln"), { recursive: true });
      writeFileSync(
        join(root, "-srv-kiln", "talk.jsonl"),
        records.map((record) => `${JSON.stringify(record)}\n`).join(""),
      );
    };
    write([piece("a1", [text("the zyxquagga plan")]), piece("a2", [text("and more zyxquagga")])]);
    await home.import(roots);
    await home.forget({ what: "mentions", search: { query: "zyxquagga" } });
    const other = temporaryHome();
    // Another store of the same agent that has the tombstones and nothing else, as after the loss of the first.
    const rows = home.store("claude-code").db.prepare("SELECT * FROM tombstones").all();
    const { db } = other.store("claude-code");
    for (const { hash = "", session = "", at = 0 } of rows)
      db.prepare("INSERT INTO tombstones VALUES (:hash, :session, :at)").run({ hash, session, at });
    write([piece("b0", []), piece("b1", [text("the zyxquagga plan")]), piece("b2", [text("and more zyxquagga")])]);
    for (const each of [home, other]) {
      await each.import(roots);
      expect((await each.search({ query: "zyxquagga" })).results).toEqual([]);
      expect(bytesOf(each.folder).includes("zyxquagga")).toBe(false);
    }
  });

  test("entries without a role: summaries, and records kept as they are", async () => {
    const home = temporaryHome();
    const root = temporaryFolder();
    const roots = builtInSources.filter(({ id }) => id === "jsonl").map((source) => ({ source, folder: root }));
    const entries = (prefix: string) =>
      [
        {
          type: "entry",
          entryType: "compaction",
          content: [{ type: "text", text: "a summary of the zyxquagga", injected: true }],
        },
        { type: "entry", entryType: "custom", data: { tool: "zyxquagga" } },
        { type: "entry", entryType: "custom", data: { tool: "heron" } },
      ].map((record, at) => ({
        ...record,
        id: `${prefix}${at}`,
        sessionKey: key("talk"),
        timestamp: 1_760_000_000_000 + at,
      }));
    const write = (prefix: string) =>
      writeFileSync(
        join(root, "a.jsonl"),
        entries(prefix)
          .map((record) => `${JSON.stringify(record)}\n`)
          .join(""),
      );
    write("one");
    await home.import(roots);
    await home.forget({ what: "mentions", search: { query: "zyxquagga" } });
    write("two");
    expect(await home.import(roots)).toMatchObject({ forgottenEntries: 2, entries: { added: 1 } });
    expect(bytesOf(home.folder).includes("zyxquagga")).toBe(false);
    expect(bytesOf(home.folder).includes("heron")).toBe(true);
  });
});
