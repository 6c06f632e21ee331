import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { toAgentId } from "../../../src/model/ids.ts";
import { AgentStore } from "../../../src/store/agent-store.ts";
import { applicationId, schemaVersion } from "../../../src/store/migrate.ts";
import { key, user } from "../../helpers/entries.ts";
import { temporaryFolder, temporaryHome } from "../../helpers/temporary.ts";

const agent = toAgentId("main");

function pragma(path: string, name: string): unknown {
  const db = new DatabaseSync(path, { readOnly: true });
  const value = db.prepare(`PRAGMA ${name}`).get()?.[name];
  db.close();
  return value;
}

describe("the database file", () => {
  test("lies under its agent, in WAL, with our marks, for the owner alone (SPEC 1.1)", () => {
    const home = temporaryHome();
    home.store("main").append(key("a"), [user("m1", "hello")]);
    const path = join(home.folder, "agents", "main", "transcripts.sqlite");
    for (const file of [path, `${path}-wal`, `${path}-shm`]) expect(statSync(file).mode & 0o777, file).toBe(0o600);
    for (const folder of ["agents", "agents/main"])
      expect(statSync(join(home.folder, folder)).mode & 0o777).toBe(0o700);
    home.close();
    expect(pragma(path, "journal_mode")).toBe("wal");
    expect(pragma(path, "application_id")).toBe(applicationId);
    expect(pragma(path, "user_version")).toBe(schemaVersion);
    const db = new DatabaseSync(path, { readOnly: true });
    const loose = db
      .prepare("SELECT name FROM pragma_table_list WHERE type = 'table' AND strict = 0 AND name NOT LIKE 'sqlite_%'")
      .all();
    db.close();
    expect(loose).toEqual([]);
  });

  test("of a newer schema is refused and left untouched (SPEC 2.9)", () => {
    const path = join(temporaryFolder(), "transcripts.sqlite");
    new AgentStore(path, agent).close();
    const db = new DatabaseSync(path);
    db.exec(`PRAGMA user_version = ${schemaVersion + 1}; PRAGMA wal_checkpoint(TRUNCATE)`);
    db.close();
    const before = readFileSync(path);
    expect(() => new AgentStore(path, agent)).toThrow(
      expect.objectContaining({ code: "bad_store", message: expect.stringContaining(`schema ${schemaVersion + 1}`) }),
    );
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test("of another program is refused (SPEC 2.9)", () => {
    const path = join(temporaryFolder(), "transcripts.sqlite");
    const db = new DatabaseSync(path);
    db.exec("CREATE TABLE theirs (x)");
    db.close();
    const before = readFileSync(path);
    expect(() => new AgentStore(path, agent)).toThrow(
      expect.objectContaining({ code: "bad_store", message: expect.stringContaining("another program") }),
    );
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test("that is no database is refused, and not overwritten (SPEC 2.9)", () => {
    const path = join(temporaryFolder(), "transcripts.sqlite");
    writeFileSync(path, "not a database, but someone's notes\n".repeat(100));
    expect(() => new AgentStore(path, agent)).toThrow(expect.objectContaining({ code: "bad_store" }));
    expect(readFileSync(path, "utf8")).toContain("someone's notes");
  });

  test("in a folder that can't be made says so", () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "agents"), "a file where a folder should be");
    expect(() => new AgentStore(join(folder, "agents", "main", "t.sqlite"), agent)).toThrow(
      expect.objectContaining({ code: "io", hint: expect.stringContaining("home folder") }),
    );
  });

  test("is opened by many at once while it is new: one schema, nobody refused", async () => {
    const path = join(temporaryFolder(), "transcripts.sqlite");
    const { fork } = await import("node:child_process");
    const worker = join(import.meta.dirname, "../../helpers/open-and-append.ts");
    const codes = await Promise.all(
      Array.from(
        { length: 4 },
        (_, at) => new Promise<number | null>((done) => fork(worker, [path, String(at)]).on("exit", done)),
      ),
    );
    expect(codes).toEqual([0, 0, 0, 0]);
    const store = new AgentStore(path, agent);
    expect(store.db.prepare("SELECT count(*) AS n FROM messages").get()?.n).toBe(4 * 25);
    store.close();
  });

  test("opening a settled store takes no write lock", () => {
    const path = join(temporaryFolder(), "transcripts.sqlite");
    const writer = new AgentStore(path, agent);
    writer.append(key("a"), [user("m1", "hello")]);
    writer.db.exec("BEGIN IMMEDIATE");
    const reader = new AgentStore(path, agent);
    expect(reader.db.prepare("SELECT count(*) AS n FROM messages").get()?.n).toBe(1);
    reader.close();
    writer.db.exec("ROLLBACK");
    writer.close();
  });

  test("a home is only made when something is written (SPEC 1.1)", async () => {
    const folder = join(temporaryFolder(), "not", "yet");
    const { open } = await import("../../../src/index.ts");
    const home = open({ home: folder });
    expect((await home.search({ query: "anything" })).explain?.emptyStore).toBe(true);
    expect(existsSync(folder)).toBe(false);
    mkdirSync(folder, { recursive: true });
    home.close();
  });
});
