/** Files of every released schema still open, migrate and answer (SPEC 2.9). */
import { copyFileSync, mkdirSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { open } from "../../../src/index.ts";
import { schemaVersion } from "../../../src/store/migrate.ts";
import { key } from "../../helpers/entries.ts";
import { temporaryFolder, temporaryHome } from "../../helpers/temporary.ts";

const folder = resolve(import.meta.dirname, "../../fixtures/databases");
const frozen = readdirSync(folder).filter((name) => name.endsWith(".sqlite"));

test("the newest schema is among them", () => {
  expect(frozen).toContain(`schema-${schemaVersion}.sqlite`);
});

test.each(frozen)("%s", async (name) => {
  const home = temporaryFolder();
  mkdirSync(join(home, "agents", "main"), { recursive: true });
  copyFileSync(join(folder, name), join(home, "agents", "main", "transcripts.sqlite"));
  const store = open({ home });
  const found = async (query: string) =>
    (await store.search({ query })).results.map(({ messageId }) => messageId).sort();
  expect(await found("heron")).toEqual(["m1", "n1"]);
  expect(await found("堰")).toEqual(["m2"]);
  expect(await found("told wrong")).toEqual([]);
  const page = await store.history({ sessionKey: key("frozen"), messageId: "m1", includeTools: true });
  expect(page.messages.map(({ messageId }) => messageId)).toEqual(["m1", "m2", "m4"]);
  expect(page).toMatchObject({ title: "Herons", project: "/srv/birds" });
  const { db } = store.store("main");
  expect(db.prepare("PRAGMA user_version").get()?.user_version).toBe(schemaVersion);
  expect(db.prepare("PRAGMA integrity_check").get()?.integrity_check).toBe("ok");

  // Migrated, it has the schema that a new store has, object by object.
  const fresh = temporaryHome().store("main").db;
  const schema = (of: typeof db) => of.prepare("SELECT type, name, sql FROM sqlite_schema ORDER BY type, name").all();
  expect(schema(db)).toEqual(schema(fresh));
  store.close();
});
