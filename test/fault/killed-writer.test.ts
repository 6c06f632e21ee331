/** The crash test in short, and whether it would notice: `npm run crash` kills five hundred (SPEC 1.6, 2.1, 2.2, 2.4, 2.9). */
import { expect, test } from "vitest";
import { open } from "../../src/index.ts";
import { Mismatch, readHome, settle } from "../crash/check.ts";
import { crash } from "../crash/crash.ts";
import { plan } from "../crash/plan.ts";
import { temporaryFolder } from "../helpers/temporary.ts";
import { Oracle } from "../model/oracle.ts";
import { perform } from "../model/perform.ts";
import { agent } from "../model/program.ts";

test("writers killed at any moment lose nothing that they acknowledged, and leave nothing half-written", async () => {
  const figures = await crash({ disk: temporaryFolder(), memory: temporaryFolder() }, 12, 20_260_301);
  expect(figures.failures).toEqual([]);
  expect(figures).toMatchObject({ kills: 12, lost: 0, mismatches: 0, pairs: 1, migrations: 1 });
  expect(figures.acknowledged).toBeGreaterThan(20);
}, 300_000);

test("an operation that is not there, and one that is there by half, are noticed", async () => {
  const home = temporaryFolder();
  const { operations } = plan(new Oracle(), 7, 40);
  const done = operations.slice(0, 30);
  const store = open({ home, durability: "normal" });
  for (const operation of done) perform(store, agent, operation);
  store.close();
  const found = await readHome(home);
  const check = (acknowledged: number) => settle(found, new Oracle(), operations, acknowledged);
  expect(() => check(done.length)).not.toThrow();
  // The one in flight may be there.
  expect(() => check(done.length - 1)).not.toThrow();
  const error = (work: () => unknown) => {
    try {
      work();
    } catch (thrown) {
      return thrown;
    }
    return null;
  };
  const later = error(() => check(operations.length));
  expect(later).toBeInstanceOf(Mismatch);
  expect((later as Mismatch).lost).toBeGreaterThan(0);

  const again = open({ home, durability: "normal" });
  again.store(agent).db.exec("DELETE FROM entries WHERE no = (SELECT max(leaf) FROM transcripts)");
  again.close();
  await expect(readHome(home).then((half) => settle(half, new Oracle(), operations, done.length))).rejects.toThrow();
});
