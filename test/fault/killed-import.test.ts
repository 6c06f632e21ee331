/** An import that is killed at any moment loses nothing and doubles nothing (SPEC 8.8, 8.13). */
import { fork } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { builtInSources, open } from "../../src/index.ts";
import { snapshot } from "../helpers/snapshot.ts";
import { temporaryFolder, temporaryHome } from "../helpers/temporary.ts";

const worker = join(import.meta.dirname, "../helpers/import-folder.ts");

function sample(folder: string): void {
  for (const name of ["a", "b"]) {
    const lines = Array.from({ length: 6000 }, (_, at) =>
      JSON.stringify({
        type: "message",
        sessionKey: `agent:shed:${name}`,
        id: `${name}${at}`,
        role: at % 2 === 0 ? "user" : "assistant",
        text: `plank ${at} of pile ${name}, ${"sawn and stacked ".repeat(20)}`,
        timestamp: 1_760_000_000_000 + at * 1000,
      }),
    );
    writeFileSync(join(folder, `${name}.jsonl`), `${lines.join("\n")}\n`);
  }
}

test("killed again and again, then finished: the same store as in one go", async () => {
  const folder = temporaryFolder();
  sample(folder);
  const home = temporaryFolder();
  let kills = 0;
  for (const delay of [250, 400, 500, 600, 700, 900]) {
    const child = fork(worker, [home, folder], { stdio: "ignore" });
    const exit = new Promise<number | null>((done) => child.on("exit", done));
    await Promise.race([setTimeout(delay), exit]);
    child.kill("SIGKILL");
    if ((await exit) === null) kills += 1;
    const store = open({ home, durability: "normal" });
    for (const agent of store.agents()) {
      const { db } = store.store(agent);
      expect(db.prepare("PRAGMA integrity_check").get()?.integrity_check).toBe("ok");
      // Everything that is stored is indexed, whatever the moment of the kill.
      expect(
        db
          .prepare(
            "SELECT count(*) AS n FROM entries WHERE NOT EXISTS (SELECT 1 FROM messages m WHERE m.no = entries.no)",
          )
          .get()?.n,
      ).toBe(0);
      expect(db.prepare("SELECT count(*) AS n FROM message_index WHERE message_index MATCH 'plank'").get()?.n).toBe(
        db.prepare("SELECT count(*) AS n FROM entries").get()?.n,
      );
    }
    store.close();
  }
  expect(kills).toBeGreaterThan(0);
  const finished = open({ home, durability: "normal" });
  const [source] = builtInSources.filter(({ id }) => id === "jsonl");
  if (!source) throw new Error("no neutral source");
  await finished.import([{ source, folder }]);
  const inOneGo = temporaryHome();
  await inOneGo.import([{ source, folder }]);
  expect(snapshot(finished.store("shed"))).toEqual(snapshot(inOneGo.store("shed")));
  finished.close();
}, 120_000);

test("two processes that import the same folder at once store everything once", async () => {
  const folder = temporaryFolder();
  sample(folder);
  const home = temporaryFolder();
  const outcomes = await Promise.all(
    [1, 2].map(async () => {
      const child = fork(worker, [home, folder], { stdio: ["ignore", "ignore", "pipe", "ipc"] });
      let said = "";
      child.stderr?.on("data", (chunk) => {
        said += chunk;
      });
      const code = await new Promise<number | null>((done) => child.on("close", done));
      return { code, said };
    }),
  );
  expect(outcomes).toEqual([
    { code: 0, said: "" },
    { code: 0, said: "" },
  ]);
  const store = open({ home, durability: "normal" });
  const { db } = store.store("shed");
  expect(db.prepare("SELECT count(*) AS n, count(DISTINCT id) AS ids FROM entries").get()).toEqual({
    n: 12_000,
    ids: 12_000,
  });
  expect(db.prepare("SELECT count(*) AS n FROM message_index WHERE message_index MATCH 'plank'").get()?.n).toBe(12_000);
  store.close();
}, 120_000);
