/**
 * A store with something of everything, and ways to damage it: several sessions and generations, branches, a rewind, an
 * edit, deletions, bodies that overflow a page or are packed, aliases, source files.
 */
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Backscroll, type EntryDraft, open, toEntryId } from "../../src/index.ts";
import type { Database } from "../../src/store/driver.ts";
import { openNodeDriver } from "../../src/store/driver-node.ts";
import { assistant, key, message, user } from "./entries.ts";

export const file = (home: string): string => join(home, "agents", "main", "transcripts.sqlite");

const nouns = "heron weir lantern orchard ferry slate kiln otter barley quarry spindle harbour thistle anvil".split(
  " ",
);
const word = (at: number) => `${nouns[at % nouns.length]}${Math.floor(at / nouns.length)}`;

function talk(prefix: string, count: number, below?: string): EntryDraft[] {
  return Array.from({ length: count }, (_, at) => {
    const text = `${prefix} message ${at}: the ${word(at)} by the ${word(at * 7 + 3)}, in maxRetryCount${at % 5} v2.${at}`;
    const parent = at === 0 && below !== undefined ? { parentId: toEntryId(below) } : {};
    return at % 2 === 0 ? user(`${prefix}${at}`, text, parent) : assistant(`${prefix}${at}`, text, parent);
  });
}

/** Fills a home with agent `main`; everything is in the main file afterwards. */
export async function fillStore(home: string): Promise<void> {
  const backscroll = open({ home, durability: "normal", timeZone: "UTC", now: () => 1_760_000_000_000 });
  const store = backscroll.store("main");
  for (const [at, name] of ["brook", "cliff", "dune", "estuary"].entries()) {
    store.append(key(name), talk(name, 150), {
      title: { text: `About the ${name}`, rank: "given" },
      project: `/srv/Waters/${name}`,
      kind: "direct",
      createdAt: 1_760_000_000_000 + at,
    });
  }
  // A branch that was left, and one that replaced it.
  store.setLeaf(key("brook"), toEntryId("brook99"));
  store.append(key("brook"), talk("meadow", 60));
  // Long texts go over to other pages, tool results are packed, an image is binary in the end.
  store.append(key("cliff"), [
    user("long", `a long letter: ${Array.from({ length: 3000 }, (_, at) => word(at * 3)).join(" ")}`),
    message("tool", "toolResult", "", {
      parts: [
        { type: "toolResult", text: Array.from({ length: 9000 }, (_, at) => word(at * 11 + (at % 13))).join(" ") },
      ],
    }),
    message("image", "assistant", "", {
      parts: [
        {
          type: "image",
          mime: "image/png",
          data: Buffer.from(
            talk("noise", 90)
              .map(({ id }) => id)
              .join(),
          ).toString("base64"),
        },
      ],
    }),
  ]);
  store.reset(key("dune"), 1_760_000_200_000);
  store.append(key("dune"), talk("dunes", 40));
  store.upsert(key("dune"), user("dunes3", "edited: the samphire grows here now"));
  store.append(key("estuary"), [
    assistant("piece1", "first piece", { pieceOf: "whole" }),
    assistant("piece2", "second piece", { pieceOf: "whole" }),
  ]);
  store.append(key("gone"), talk("gone", 80));
  store.deleteSession(key("gone"));
  store.deleteEntry(key("estuary"), toEntryId("estuary20"));
  await backscroll.settle();
  // Something for the free list.
  store.append(key("gone2"), talk("gone2", 120));
  store.db.exec("DELETE FROM index_state WHERE name = 'purge'");
  store.db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  backscroll.close();
}

/** A copy of a home's store, in another home. */
export function copyStore(from: string, to: string): string {
  mkdirSync(dirname(file(to)), { recursive: true, mode: 0o700 });
  for (const suffix of ["", "-wal"]) {
    if (existsSync(file(from) + suffix)) copyFileSync(file(from) + suffix, file(to) + suffix);
  }
  // The tombstones once more; a test that damages the database leaves them whole.
  const [mirror, copy] = [from, to].map((home) => join(dirname(file(home)), "tombstones.txt"));
  if (mirror && copy && existsSync(mirror)) copyFileSync(mirror, copy);
  return file(to);
}

/** Turns bits of one byte over. */
export function flip(path: string, offset: number, bits = 0x15): void {
  const bytes = readFileSync(path);
  bytes[offset] = (bytes[offset] ?? 0) ^ bits;
  writeFileSync(path, bytes);
}

/** Runs statements that no program of ours would, FTS5's own tables included. */
export function tamper(path: string, work: (db: Database) => void): void {
  const db = openNodeDriver(path, { busyWait: 1000, shadowWrites: true });
  db.exec("PRAGMA foreign_keys = OFF");
  try {
    work(db);
  } finally {
    db.close();
  }
}

/** What was said and what is found: equal for two stores that are worth the same. */
export async function worth(backscroll: Backscroll): Promise<{ said: string[]; found: string[][] }> {
  const queries = [
    "heron0",
    "samphire",
    "meadow message 12",
    "max retry count",
    "first piece",
    '"the ferry0"',
    "letter",
    "gone2",
  ];
  const found: string[][] = [];
  for (const query of queries) {
    const { results } = await backscroll.search({ query, limit: 25, perSession: 25, sort: "oldest", waitMs: 60_000 });
    found.push(results.map((hit) => `${hit.sessionKey} ${hit.messageId} ${hit.role} ${hit.timestamp} ${hit.snippet}`));
  }
  return { said: [...backscroll.export({ reveal: true })].map(withoutFacts), found };
}

/** Facts about sessions have no checksum: a damaged letter in a title can only be seen by eye (docs/doctor.md). */
function withoutFacts(line: string): string {
  const record = JSON.parse(line) as Record<string, unknown>;
  return record.type === "session" ? `session ${record.sessionKey} ${record.sessionId}` : line;
}
