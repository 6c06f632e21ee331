/** Export and import again: the same store (SPEC 8.11). */
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { type Backscroll, builtInSources, toEntryId } from "../../src/index.ts";
import { assistant, key, message, user } from "../helpers/entries.ts";
import { snapshot } from "../helpers/snapshot.ts";
import { temporaryFolder, temporaryHome } from "../helpers/temporary.ts";

async function again(home: Backscroll): Promise<Backscroll> {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "export.jsonl"), [...home.export({ reveal: true })].map((line) => `${line}\n`).join(""));
  const copy = temporaryHome();
  const report = await copy.import(
    builtInSources.filter(({ id }) => id === "jsonl").map((source) => ({ source, folder })),
  );
  expect(report.problems).toEqual([]);
  return copy;
}

/** A session that no program wrote (source null) comes back as one of the neutral JSONL: that is where it was read. */
function everything(home: Backscroll) {
  return home
    .agents()
    .map((agent) => [
      agent,
      snapshot(home.store(agent)).map((session) => ({ ...session, source: session.source ?? "jsonl" })),
    ]);
}

describe("export and import", () => {
  test("the sample week of all four programs", async () => {
    const home = temporaryHome();
    const sample = resolve(import.meta.dirname, "../../demo/sample");
    await home.import(
      builtInSources.filter(({ id }) => id !== "jsonl").map((source) => ({ source, folder: join(sample, source.id) })),
    );
    const copy = await again(home);
    expect(home.agents().length).toBeGreaterThanOrEqual(4);
    expect(everything(copy)).toEqual(everything(home));
    expect(await copy.search({ query: "tide table" })).toEqual(await home.search({ query: "tide table" }));
  });

  test("branches, leaves, generations, side entries, every part, unknown types, secrets", async () => {
    const home = temporaryHome();
    const store = home.store("main");
    const secret = `ghp_${"a1B2".repeat(9)}`;
    store.append(key("a"), [
      user("m1", `plan with ${secret}`, { typed: true }),
      assistant("m2", "gravel", { model: "some-model", data: { usage: { tokens: 7 }, list: [1, null, "x"] } }),
      assistant("side", "aside", { attach: "side" }),
      { id: toEntryId("leaf1"), type: "leaf", targetId: toEntryId("m1"), timestamp: 1_760_000_000_005, parts: [] },
      assistant("m3", "clay"),
      { id: toEntryId("odd"), type: "weather-latch", timestamp: 1_760_000_000_006, parts: [], data: { kept: true } },
      message("m4", "toolResult", "", {
        parts: [{ type: "toolResult", id: "c1", name: "ls", text: "x".repeat(9000), isError: true }],
      }),
      assistant("m5", "", {
        parts: [
          { type: "text", text: "inj", injected: true },
          { type: "thinking", text: "hm" },
          { type: "toolCall", id: "c2", name: "rm", arguments: { force: true } },
          { type: "image", mime: "image/png", data: "QUJD", url: "https://quince.example/x.png" },
          { type: "other", value: [1, { two: null }] },
        ],
      }),
    ]);
    store.setLeaf(key("a"), toEntryId("m2"));
    store.reset(key("a"), 1_760_000_000_099);
    store.append(key("a"), [user("n1", "again")]);
    store.append(key("empty-branch"), [user("e1", "gone")]);
    store.setLeaf(key("empty-branch"), null);
    store.append(key("barrier"), [
      user("b1", "before the reset"),
      assistant("b2", "rewound"),
      { id: toEntryId("l1"), type: "leaf", targetId: toEntryId("b1"), timestamp: 1_760_000_000_001, parts: [] },
      { id: toEntryId("r1"), type: "reset", timestamp: 1_760_000_000_002, parts: [] },
      user("b3", "behind it"),
      { id: toEntryId("l2"), type: "leaf", targetId: toEntryId("b1"), timestamp: 1_760_000_000_003, parts: [] },
      assistant("b4", "in front, at the side", { attach: "side", parentId: toEntryId("b1") }),
    ]);
    store.append(key("append"), [user("a1", "one"), assistant("a2", "two")]);
    store.append(key("append"), [
      {
        id: toEntryId("l1"),
        type: "leaf",
        targetId: toEntryId("a1"),
        appendParentId: toEntryId("a2"),
        timestamp: 1_760_000_000_001,
        parts: [],
      },
    ]);
    store.append(key("kid"), [user("k1", "small")], {
      spawnedBy: key("a"),
      parentSessionKey: key("a"),
      forkedFrom: key("a"),
      archived: true,
      kind: "subagent",
      gitBranch: "main",
    });
    const copy = await again(home);
    expect(everything(copy)).toEqual(everything(home));
    expect(JSON.stringify(everything(copy))).toContain(secret);
  });

  test("is masked unless the owner asks, and asking is noted (SPEC 5.7)", () => {
    const now = 1_760_000_000_123;
    const home = temporaryHome({ now: () => now });
    const store = home.store("main");
    const secret = `ghp_${"a1B2".repeat(9)}`;
    store.append(key("a"), [
      user("m1", `use ${secret}`, { data: { password: "plum-7777777777" } }),
      assistant("m2", "", { parts: [{ type: "toolCall", name: "x", arguments: { token: secret } }] }),
    ]);
    const audit = () =>
      store.db
        .prepare("SELECT at, what FROM audit")
        .all()
        .map((row) => ({ ...row }));
    const masked = [...home.export({ reveal: false })].join("\n");
    expect(masked).not.toContain(secret);
    expect(masked).not.toContain("plum-7777777777");
    for (const line of masked.split("\n")) expect(() => JSON.parse(line)).not.toThrow();
    expect(audit()).toEqual([]);
    expect([...home.export({ reveal: true })].join("\n")).toContain(secret);
    expect(audit()).toEqual([{ at: now, what: "export" }]);
  });
});
