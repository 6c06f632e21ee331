/** One suite over every source and every shape of its files (SPEC 8.1): fixtures go through the real import and store. */
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { builtInSources, type Source } from "../../src/index.ts";
import { searchableText } from "../../src/text/searchable.ts";
import { type SnapshotSession, snapshot } from "../helpers/snapshot.ts";
import { temporaryFolder, temporaryHome } from "../helpers/temporary.ts";

const fixtures = resolve(import.meta.dirname, "../fixtures/sources");

interface Expected {
  readonly about: string;
  readonly sessions: readonly ({
    readonly sessionKey: string;
    readonly sessionId: string;
    readonly messages: readonly [string, string][];
  } & Record<string, unknown>)[];
  /** Absent: nothing of the kind. */
  readonly notSearchable?: readonly string[];
  readonly ignored?: Record<string, number>;
  readonly problems?: Record<string, number>;
  readonly skipped?: number;
}

interface Shape {
  readonly name: string;
  readonly source: Source;
  readonly root: string;
  readonly expected: Expected;
}

const shapes: Shape[] = builtInSources.flatMap((source) =>
  readdirSync(join(fixtures, source.id), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => ({
      name: `${source.id}/${entry.name}`,
      source,
      root: join(fixtures, source.id, entry.name, "root"),
      expected: JSON.parse(readFileSync(join(fixtures, source.id, entry.name, "expect.json"), "utf8")) as Expected,
    })),
);

/** One time for every file, so that fallback times don't depend on when the checkout was made. */
const fixedTime = new Date("2026-01-15T12:00:00Z");

function copyRoot(root: string): string {
  const copy = join(temporaryFolder(), "root");
  cpSync(root, copy, { recursive: true, verbatimSymlinks: true });
  for (const file of filesBelow(copy)) utimesSync(file, fixedTime, fixedTime);
  return copy;
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** Searchable messages on the active branches of a snapshot session, oldest generation first. */
function spoken(transcript: SnapshotSession["transcripts"][number]): [string, string][] {
  return (transcript.entries as { type: string; role: never; parts: never; active: boolean }[]).flatMap(
    (entry): [string, string][] => {
      const text = entry.active ? searchableText(entry) : null;
      return text === null ? [] : [[entry.role, text]];
    },
  );
}

describe.each(shapes)("$name", ({ source, root, expected }) => {
  test(expected.about, async () => {
    const folder = copyRoot(root);
    const home = temporaryHome();
    const report = await home.import([{ source, folder }]);
    expect.soft(report.problemCounts, JSON.stringify(report.problems)).toEqual(expected.problems ?? {});
    expect.soft({ ...report.ignored }).toEqual(expected.ignored ?? {});
    expect.soft(report.files.skipped).toBe(expected.skipped ?? 0);
    expect.soft(report.files.failed).toBe(0);

    const stored = home.agents().flatMap((agent) => snapshot(home.store(agent)));
    const transcripts = stored.flatMap((session) => session.transcripts.map((transcript) => ({ session, transcript })));
    // SPEC 8.2, 8.5, 8.6: the sessions, and in each what was said, once and in order.
    for (const want of expected.sessions) {
      const found = transcripts.find(({ transcript }) => transcript.sessionId === want.sessionId);
      expect.soft(found?.session.key, want.sessionId).toBe(want.sessionKey);
      if (!found) continue;
      expect.soft(spoken(found.transcript), want.sessionKey).toEqual(want.messages);
      // The index holds the active branch's searchable messages, no more and no fewer (SPEC 1.4).
      expect.soft(found.transcript.indexed.length, want.sessionKey).toBe(want.messages.length);
      const { sessionKey: _key, sessionId: _id, messages: _messages, parentSessionKey, ...facts } = want;
      for (const [name, value] of Object.entries(facts))
        expect.soft(found.session[name], `${want.sessionKey} ${name}`).toEqual(value);
      if (parentSessionKey !== undefined) expect.soft(found.session.parentKey).toBe(parentSessionKey);
    }
    const withEntries = transcripts.filter(({ transcript }) => transcript.entries.length > 0);
    const wanted = expected.sessions.map(({ sessionId }) => sessionId);
    expect
      .soft(withEntries.map(({ transcript }) => transcript.sessionId).filter((id) => !wanted.includes(id)))
      .toEqual([]);

    // SPEC 1.4: tool traffic, thinking, injected text and dead branches are not found.
    for (const phrase of expected.notSearchable ?? []) {
      const { results } = await home.search({ query: `"${phrase.replaceAll('"', " ")}"`, limit: 25 });
      expect
        .soft(
          results.map(({ snippet }) => snippet),
          phrase,
        )
        .toEqual([]);
    }
  });

  test("a second import reads nothing and changes nothing (SPEC 8.3)", async () => {
    const folder = copyRoot(root);
    const home = temporaryHome();
    await home.import([{ source, folder }]);
    const before = home.agents().map((agent) => snapshot(home.store(agent)));
    const again = await home.import([{ source, folder }]);
    expect(again.bytes).toBe(0);
    expect(again.files.imported + again.files.grown + again.files.reread).toBe(0);
    expect(home.agents().map((agent) => snapshot(home.store(agent)))).toEqual(before);
  });

  test("a file that grows piece by piece gives the same store as the whole file (SPEC 8.3, 8.4)", async () => {
    const folder = copyRoot(root);
    const whole = temporaryHome();
    await whole.import([{ source, folder }]);
    const want = whole.agents().map((agent) => snapshot(whole.store(agent)));

    const growing = temporaryHome();
    const parts = join(temporaryFolder(), "root");
    cpSync(folder, parts, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
    const jsonl = filesBelow(parts).filter((file) => /\.(?:jsonl|ndjson)(?:$|\.(?!zst))/.test(file));
    for (const file of jsonl) truncateSync(file, 0);
    for (const step of [0.3, 0.55, 0.8, 1]) {
      for (const file of jsonl) {
        const bytes = readFileSync(join(folder, file.slice(parts.length + 1)));
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, bytes.subarray(0, Math.floor(bytes.length * step)));
        utimesSync(file, fixedTime, fixedTime);
        expect(statSync(file).size).toBe(Math.floor(bytes.length * step));
      }
      await growing.import([{ source, folder: parts }]);
    }
    expect(growing.agents().map((agent) => snapshot(growing.store(agent)))).toEqual(want);
  });
});
