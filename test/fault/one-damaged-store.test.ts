import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { open } from "../../src/index.ts";
import { key, user } from "../helpers/entries.ts";
import { temporaryHome } from "../helpers/temporary.ts";

const fileOf = (folder: string, agent: string) => join(folder, "agents", agent, "transcripts.sqlite");

function damagedHome(damage: (file: string) => void): string {
  const home = temporaryHome();
  home.store("good").append(key("a", "good"), [user("m1", "the heron waits")]);
  home.store("hurt").append(key("b", "hurt"), [user("m1", "the heron left")]);
  home.close();
  damage(fileOf(home.folder, "hurt"));
  return home.folder;
}

const damages: [string, (file: string) => void][] = [
  ["a file of noise", (file) => writeFileSync(file, Buffer.alloc(8192, "noise"))],
  [
    "a damaged index",
    (file) => {
      const raw = new DatabaseSync(file, { defensive: false });
      raw.exec("UPDATE message_index_data SET block = x'00000000ff00000105ff' WHERE id = 10");
      raw.close();
    },
  ],
];

describe("one damaged store among several (SPEC 7.6)", () => {
  test.each(damages)("%s: the others answer, and the answer names what it is without", async (_, damage) => {
    const folder = damagedHome(damage);
    const home = open({ home: folder });
    const answer = await home.search({ query: "heron" });
    expect(answer.results.map(({ sessionKey }) => sessionKey)).toEqual([key("a", "good")]);
    expect(answer.warning).toContain("hurt");
    expect(answer.indexing).toBeUndefined();
    const list = await home.sessions();
    expect(list.sessions.map(({ sessionKey }) => sessionKey)).toContain(key("a", "good"));
    await expect(home.search({ query: "heron", agent: "hurt" })).rejects.toMatchObject({ code: "bad_store" });
    home.close();
  });

  test("a file of noise: the list says what it is without, and its sessions are not called unknown", async () => {
    const folder = damagedHome((file) => writeFileSync(file, Buffer.alloc(8192, "noise")));
    const home = open({ home: folder });
    const list = await home.sessions();
    expect(list.sessions.map(({ sessionKey }) => sessionKey)).toEqual([key("a", "good")]);
    expect(list.warning).toContain("hurt");
    await expect(home.history({ sessionKey: key("b", "hurt") })).rejects.toMatchObject({ code: "bad_store" });
    await expect(home.history({ sessionKey: key("c", "good") })).rejects.toMatchObject({ code: "unknown_session" });
    home.close();
  });
});
