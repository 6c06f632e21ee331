/** The look past the library sees damage that was done on purpose. */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { integrityProblems, orphanIndexRows } from "./inspect-store.ts";
import { user } from "./own-case.ts";
import { parseSteps, runStep } from "./step.ts";
import { World } from "./world.ts";

describe("the look into the store", () => {
  /** Breaks the database of agent `main` and gives the home to look at. */
  async function broken(sql: string): Promise<{ integrity: string[]; orphans: number }> {
    const world = new World();
    try {
      for (const step of parseSteps(user("a", "plum {i}", { repeat: 20 }), "setup")) await runStep(step, world);
      world.store.close();
      const db = new DatabaseSync(join(world.home, "agents", "main", "transcripts.sqlite"), {
        enableForeignKeyConstraints: false,
        defensive: false,
      });
      db.exec(sql);
      db.close();
      return { integrity: integrityProblems(world.home), orphans: orphanIndexRows(world.home) };
    } finally {
      world.end();
    }
  }

  test("a sound store has nothing wrong", async () => {
    expect(await broken("")).toEqual({ integrity: [], orphans: 0 });
  });

  test("index rows whose message is gone are counted", async () => {
    // A row of the index and one of the map beside it, for each of two messages.
    const two = "DELETE FROM entries WHERE no IN (SELECT no FROM entries ORDER BY no LIMIT 2)";
    expect((await broken(two)).orphans).toBe(4);
    expect((await broken("DELETE FROM messages WHERE no = (SELECT min(no) FROM messages)")).orphans).toBe(1);
  });

  test("a damaged index and a row without its parent are found", async () => {
    const zeroes = "UPDATE message_index_data SET block = zeroblob(length(block)) WHERE id > 10";
    expect((await broken(zeroes)).integrity.join()).toContain("message_index");
    expect((await broken("DELETE FROM sessions")).integrity.join()).toContain("transcripts row without sessions");
  });
});
