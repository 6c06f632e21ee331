/** Fills a home with a corpus through the public surface, once per folder. */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type EntryDraft, open, type SessionKey, sessionKeyOf, toAgentId, toEntryId } from "../src/index.ts";
import { type Corpus, type CorpusMessage, corpusMessages, sessionsOf } from "./corpus.ts";

export interface FilledStore {
  readonly corpus: Corpus;
  /** Home folder; the sessions are those of {@link agent}. */
  readonly home: string;
  readonly sessions: number;
  /** UTF-8 bytes of all messages. */
  readonly textBytes: number;
  /** A session that spawned nine others: as a caller with `tree` visibility it sees ten sessions. */
  readonly caller: SessionKey;
  /** Time that filling took, ms. */
  readonly ms: number;
}

export const agent = toAgentId("bench");

/** Entries of one append: a turn or two in the corpus of many sessions, a page in the one of a single session. */
const batch = { mixed: 6, chinese: 6, long: 500 } as const;
const projects = 40;

export function keyOf(session: number): SessionKey {
  return sessionKeyOf(agent, `s${session}`);
}

export function messageId(no: number): string {
  return `m${no}`;
}

export function projectOf(session: number): string {
  return `/home/ines/src/project-${session % projects}`;
}

/** Fills the folder, or finds it filled. Called in a process of its own. */
export function fillStore({ corpus, folder }: { corpus: Corpus; folder: string }): FilledStore {
  const home = join(folder, `${corpus.kind}-${corpus.messages}-${corpus.seed}-${schema()}`);
  const done = join(home, "filled.json");
  if (existsSync(done)) return JSON.parse(readFileSync(done, "utf8")) as FilledStore;
  rmSync(home, { recursive: true, force: true });
  const filled = fill(corpus, home);
  writeFileSync(done, JSON.stringify(filled));
  return filled;
}

/** Names the version of the code that stores and indexes, so that a store kept from an older one is not taken. */
function schema(): string {
  const source = new URL("../src/", import.meta.url);
  const hash = createHash("sha256");
  for (const part of ["redaction", "store", "text"]) {
    const files = readdirSync(new URL(part, source), { recursive: true, withFileTypes: true }).filter((file) =>
      file.isFile(),
    );
    for (const path of files.map((file) => join(file.parentPath, file.name)).sort()) hash.update(readFileSync(path));
  }
  return hash.digest("hex").slice(0, 8);
}

function fill(corpus: Corpus, home: string): FilledStore {
  const start = performance.now();
  const backscroll = open({ home, durability: "normal" });
  const store = backscroll.store(agent);
  const waiting = new Map<number, EntryDraft[]>();
  const seen = new Set<number>();
  // Ten sessions spread over the whole time; the first spawned the others.
  const stride = Math.max(1, Math.floor(sessionsOf(corpus) / 11));
  const caller = keyOf(0);
  let textBytes = 0;

  const append = (session: number, entries: readonly EntryDraft[]) => {
    const isNew = !seen.has(session);
    seen.add(session);
    const spawned = session > 0 && session % stride === 0 && session / stride < 10;
    store.append(
      keyOf(session),
      entries,
      isNew ? { kind: "direct", project: projectOf(session), ...(spawned && { spawnedBy: caller }) } : {},
    );
  };

  for (const message of corpusMessages(corpus)) {
    textBytes += Buffer.byteLength(message.text);
    const entries = waiting.get(message.session) ?? [];
    entries.push(toEntry(message));
    waiting.set(message.session, entries);
    if (entries.length < batch[corpus.kind]) continue;
    append(message.session, entries);
    waiting.delete(message.session);
  }
  for (const [session, entries] of waiting) append(session, entries);
  backscroll.close();
  return { corpus, home, sessions: seen.size, textBytes, caller, ms: performance.now() - start };
}

export function toEntry({ no, role, timestamp, text }: CorpusMessage): EntryDraft {
  return {
    id: toEntryId(messageId(no)),
    type: "message",
    role,
    timestamp,
    parts: [{ type: "text", text }],
    attach: "tree",
  };
}
