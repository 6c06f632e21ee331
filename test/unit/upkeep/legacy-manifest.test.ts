/** A manifest is a file that anyone may have written: whatever it says, nothing outside the state folder moves (SPEC 8.10). */
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isNameBelow, pathBelow } from "../../../src/upkeep/legacy/legacy-path.ts";
import { legacyOf, line, stateFolder, transcript, tree } from "../../helpers/legacy-store.ts";
import { temporaryFolder, temporaryHome } from "../../helpers/temporary.ts";

interface Manifest {
  run: string;
  folder: string;
  status: string;
  files: { from: string; to: string; [more: string]: unknown }[];
  [more: string]: unknown;
}

/** A store that was taken over, and something beside it that a hostile manifest could want. */
async function takenOver() {
  const around = temporaryFolder();
  const folder = join(around, "state");
  cpSync(stateFolder(), folder, { recursive: true });
  transcript(folder, "desk", "s1", [line("m1", "oak plank")]);
  mkdirSync(join(around, "precious"));
  writeFileSync(join(around, "precious", "s1.jsonl"), line("m9", "precious plank"));
  const home = temporaryHome();
  const { run } = await legacyOf(home, folder).import();
  const path = join(home.folder, "legacy", `${run}.json`);
  const manifest = JSON.parse(readFileSync(path, "utf8")) as Manifest;
  const rewrite = (change: (manifest: Manifest) => void) => {
    const changed = structuredClone(manifest);
    change(changed);
    writeFileSync(path, JSON.stringify(changed));
  };
  return { around, folder, home, run: run ?? "", path, rewrite };
}

const first = (manifest: Manifest) => manifest.files[0] ?? { from: "", to: "" };

const attacks: Record<string, (manifest: Manifest, around: string) => void> = {
  "a source that climbs out": (manifest) => {
    first(manifest).from = "agents/../../precious/s1.jsonl";
  },
  "an absolute source": (manifest, around) => {
    first(manifest).from = join(around, "precious", "s1.jsonl");
  },
  "an archived name that climbs out": (manifest) => {
    first(manifest).to = "backscroll-archive/../../precious/s1.jsonl";
  },
  "an absolute archived name": (manifest, around) => {
    first(manifest).to = join(around, "precious", "s1.jsonl");
  },
  "both, matching one another": (manifest) => {
    first(manifest).from = "../precious/s1.jsonl";
    first(manifest).to = `backscroll-archive/${manifest.run}/../precious/s1.jsonl`;
  },
  "a file that is none of the sessions": (manifest) => {
    first(manifest).from = "openclaw.json";
    first(manifest).to = `backscroll-archive/${manifest.run}/openclaw.json`;
  },
  "another run's archive": (manifest) => {
    first(manifest).to = first(manifest).to.replace(manifest.run, "20260101T000000Z-000000");
  },
  "a zero byte in a name": (manifest) => {
    first(manifest).from = "agents/desk\0/s1.jsonl";
    first(manifest).to = `backscroll-archive/${manifest.run}/agents/desk\0/s1.jsonl`;
  },
  "a file twice": (manifest) => {
    manifest.files.push({ ...first(manifest) });
  },
  "another run's name": (manifest) => {
    manifest.run = "20260101T000000Z-000000";
  },
  "a folder that is not absolute": (manifest) => {
    manifest.folder = "../state";
  },
  "fields of its own": (manifest) => {
    manifest.command = "rm -r /";
  },
  "a version of its own": (manifest) => {
    manifest.version = 2;
  },
};

describe("refused before anything moves", () => {
  test.each(Object.entries(attacks))("%s", async (_name, change) => {
    const { around, folder, home, run, path, rewrite } = await takenOver();
    for (const status of ["moving", "moved"]) {
      rewrite((manifest) => {
        manifest.status = status;
        change(manifest, around);
      });
      const before = tree(around);
      await expect(legacyOf(home, folder).restore({ run })).rejects.toMatchObject({
        code: "bad_input",
        message: expect.stringContaining(path),
      });
      await expect(legacyOf(home, folder).restore()).rejects.toMatchObject({ code: "bad_input" });
      await expect(legacyOf(home, folder).validate({ run })).rejects.toMatchObject({ code: "bad_input" });
      // An import names it and goes its own way.
      const report = await legacyOf(home, folder).import();
      expect(report.problems.map(({ reason }) => reason)).toEqual([expect.stringContaining(path)]);
      expect(tree(around)).toEqual(before);
    }
  });

  test("text that is no manifest at all", async () => {
    const { around, folder, home, run, path } = await takenOver();
    const before = tree(around);
    for (const text of ["", "{", "[]", "null", '"text"']) {
      writeFileSync(path, text);
      await expect(legacyOf(home, folder).restore({ run })).rejects.toMatchObject({ code: "bad_input" });
    }
    for (const name of ["../../etc/passwd", "..", "", "20260101T000000Z-000000", "x/../y"]) {
      await expect(legacyOf(home, folder).restore({ run: name }), name).rejects.toMatchObject({ code: "bad_input" });
    }
    expect(tree(around)).toEqual(before);
  });

  test("a manifest of another state folder is not this one's", async () => {
    const { around, folder, home, run, rewrite } = await takenOver();
    const other = stateFolder();
    transcript(other, "desk", "s2", [line("m2", "elm plank")]);
    rewrite((manifest) => {
      manifest.folder = other;
      manifest.status = "moving";
    });
    const before = [tree(around), tree(other)];
    await expect(legacyOf(home, folder).restore({ run })).rejects.toMatchObject({
      message: expect.stringContaining("no run"),
    });
    expect(await legacyOf(home, folder).restore()).toMatchObject({ run: null });
    expect([tree(around), tree(other)]).toEqual(before);
  });
});

describe("folders that became links", () => {
  test("on the way back: refused, and nothing is written where the link leads", async () => {
    const { around, folder, home, run } = await takenOver();
    const outside = temporaryFolder();
    for (const name of ["agents", "agents/desk", "agents/desk/sessions"]) {
      renameSync(join(folder, name), join(around, "aside"));
      symlinkSync(outside, join(folder, name));
      await expect(legacyOf(home, folder).restore({ run }), name).rejects.toMatchObject({
        message: expect.stringContaining("leads out of"),
      });
      expect(readdirSync(outside), name).toEqual([]);
      rmSync(join(folder, name));
      renameSync(join(around, "aside"), join(folder, name));
    }
    expect(await legacyOf(home, folder).restore({ run })).toMatchObject({ restored: 1 });
  });

  test("the archive is one: nothing is taken out of it, nothing put into it", async () => {
    const { around, folder, home, run } = await takenOver();
    const outside = temporaryFolder();
    transcript(folder, "desk", "s2", [line("m2", "elm plank")]);
    cpSync(join(folder, "backscroll-archive"), outside, { recursive: true });
    renameSync(join(folder, "backscroll-archive"), join(around, "aside"));
    symlinkSync(outside, join(folder, "backscroll-archive"));
    const before = [tree(outside), tree(join(folder, "agents"))];
    await expect(legacyOf(home, folder).restore({ run })).rejects.toMatchObject({
      message: expect.stringContaining("leads out of"),
    });
    const report = await legacyOf(home, folder).import();
    expect(report).toMatchObject({ moved: 0, stays: [{ reason: expect.stringContaining("leads out of") }] });
    expect([tree(outside), tree(join(folder, "agents"))]).toEqual(before);
  });
});

test("names below a folder", () => {
  for (const name of ["a", "a/b.jsonl", "agents/..x/y", "a/b c/ü"]) expect(isNameBelow(name), name).toBe(true);
  for (const name of ["", "/", "/a", "a/", "a//b", ".", "..", "a/..", "../a", "a/./b", "a\0b"]) {
    expect(isNameBelow(name), name).toBe(false);
    expect(() => pathBelow("/nowhere", name), name).toThrow(/leads out/);
  }
});
