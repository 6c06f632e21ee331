/**
 * Forgets, and proves it (SPEC 2.2): what is deleted is read first, then removed in one transaction per session, purged from
 * index, file and log, and from the backups of the home; then every file of the home is read for its words.
 */
import { sep } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { BackscrollError } from "../../errors.ts";
import type { EntryId, SessionKey } from "../../model/ids.ts";
import type { Json } from "../../model/transcript.ts";
import { redact } from "../../redaction/redact.ts";
import type { AgentStore } from "../../store/agent-store.ts";
import { notedBackups } from "../../store/audit.ts";
import { readDeletions } from "../../store/backup/carry-deletions.ts";
import { decodeBody } from "../../store/body.ts";
import { clearTitle, type StoredBody, storedBodies, storedTitle } from "../../store/contents.ts";
import { deleteEntry, undelete } from "../../store/delete-entry.ts";
import { addRemoved, deleteSession, nothingRemoved, type Removed } from "../../store/delete-session.ts";
import type { Database } from "../../store/driver.ts";
import { transcriptOf } from "../../store/entry-no.ts";
import type { Home } from "../../store/home.ts";
import { isPurgeWanted, purgeAll, wantPurge } from "../../store/purge.ts";
import { transcriptById, transcriptsOf } from "../../store/sessions.ts";
import { forgetReaders, sourcePathsOf } from "../../store/source-files.ts";
import {
  addTitleTombstone,
  catchUpMirror,
  readSourcesAsNew,
  removeTombstones,
  tombstonesOf,
} from "../../store/tombstones.ts";
import { transaction } from "../../store/transaction.ts";
import { cutText } from "../../text/cut.ts";
import { dropDamaged } from "./damaged-copies.ts";
import { type CleanedCopies, cleanCopies, eachCopy, type Forgotten } from "./forget-copies.ts";
import type { ForgetTarget } from "./forget-plan.ts";
import { Living, scanFolder } from "./forget-scan.ts";
import { Probes } from "./probes.ts";

/** What a request would remove; nothing is changed yet. */
export interface ForgetPreview {
  readonly sessions: readonly {
    readonly sessionKey: SessionKey;
    /** The whole session, or single entries of it. */
    readonly whole: boolean;
    readonly entries: number;
    /** Bytes as they are stored. */
    readonly bytes: number;
    readonly messageIds?: readonly EntryId[];
    readonly title?: true;
    /** How the first few of what goes begin, masked. */
    readonly begins: readonly string[];
  }[];
  readonly entries: number;
  readonly bytes: number;
  /** Files of the agents themselves, named after these sessions: they are not touched. */
  readonly sourceFiles: readonly string[];
}

export interface ForgetReceipt {
  readonly at: number;
  /** Sessions that are gone whole, and those that lost entries. */
  readonly sessions: readonly SessionKey[];
  readonly changed: readonly SessionKey[];
  /** Rows by table; `messages` are those of the index. */
  readonly removed: Removed;
  /** Titles taken away, as they said what was forgotten. */
  readonly titlesCleared: number;
  /** Transcripts that no import brings back. */
  readonly tombstones: number;
  readonly scan: {
    readonly files: number;
    readonly bytes: number;
    /** Words, and longer stretches of bytes, that were looked for. */
    readonly wordsChecked: number;
    readonly stretchesChecked: number;
    /** Words too many to look for. */
    readonly notChecked: number;
    readonly notFound: number;
    /** Words that other messages say, too. */
    readonly saidElsewhere: number;
    /** Words found for which nothing that is stored accounts. None: it is proven. */
    readonly left: number;
    /** Files in which such a word stands. */
    readonly leftIn: readonly string[];
  };
  /** Backups, and stores set aside by a restore or a repair, that it was removed from. */
  readonly backups: readonly string[];
  readonly backupProblems?: CleanedCopies["problems"];
  /** Folders with what a repair put aside, removed whole: they could not be cleaned. */
  readonly damagedCopiesRemoved: readonly string[];
  /** Backups that were made outside of the home: they are not touched, and may be gone. */
  readonly copiesElsewhere: readonly string[];
  /** Nothing that was forgotten is left in the files of this home. */
  readonly proven: boolean;
  /** Another process reads the log: it is cut by the next who comes. */
  readonly logHeld?: true;
  /** Why the file beside a store does not name what was forgotten: only damage to that store, or its loss, could bring it back. */
  readonly mirrorProblems?: readonly string[];
  readonly sourceFiles: readonly string[];
}

export function previewForget(targets: readonly ForgetTarget[]): ForgetPreview {
  const sessions = targets.map(({ store, sessionKey, entries, title }) => {
    const bodies = bodiesOf({ store, sessionKey, entries, title });
    return {
      sessionKey,
      whole: entries === null,
      entries: bodies.count,
      bytes: bodies.bytes,
      ...(entries !== null && { messageIds: entries.map(({ id }) => id) }),
      ...(title && storedTitle(store.db, sessionKey) !== null && { title: true as const }),
      begins: bodies.begins,
    };
  });
  return {
    sessions,
    entries: sessions.reduce((sum, each) => sum + each.entries, 0),
    bytes: sessions.reduce((sum, each) => sum + each.bytes, 0),
    sourceFiles: sourceFilesOf(targets),
  };
}

export interface ForgetContext {
  readonly home: Home;
  readonly now: () => number;
  /** Called with what is being done. */
  readonly onProgress?: (step: "reading" | "deleting" | "purging" | "backups" | "scanning") => void;
}

export async function forget(targets: readonly ForgetTarget[], context: ForgetContext): Promise<ForgetReceipt> {
  const { home, now } = context;
  const say = context.onProgress ?? (() => undefined);
  const at = now();
  say("reading");
  const probes = new Probes();
  for (const target of targets) collect(target, probes);
  const sourceFiles = sourceFilesOf(targets);
  const stores = [...new Set(targets.map(({ store }) => store))];
  const forgotten = targets.map(namesOf);

  say("deleting");
  let removed = nothingRemoved;
  let titlesCleared = 0;
  for (const target of targets) {
    const outcome = transaction(target.store.db, () => remove(target, at));
    removed = addRemoved(removed, outcome.removed);
    titlesCleared += outcome.title ? 1 : 0;
  }

  say("purging");
  for (const store of stores) await purge(store);
  const mirrorProblems = stores.flatMap(({ db }) => catchUpMirror(db)?.message ?? []);
  const logHeld = stores.some(({ db }) => isPurgeWanted(db));
  const tombstones = targets.reduce(
    (sum, { store, sessionKey, entries }) => (entries === null ? sum + tombstonesOf(store.db, sessionKey) : sum),
    0,
  );

  say("backups");
  const deletions = new Map(home.agents().map((agentId) => [agentId, readDeletions(home.store(agentId).db)]));
  const copies = await cleanCopies(home.path, forgotten, deletions, at, (db, sessionKey, entries) =>
    collectFrom(db, sessionKey, entries, probes),
  );

  const dropped = dropDamaged(copies.problems.map(({ file }) => file));
  const problems = copies.problems.filter(({ file }) => !dropped.some((folder) => file.startsWith(folder + sep)));

  say("scanning");
  let scan = await prove(home, probes);
  const droppedToo = dropDamaged(scan.leftIn);
  if (droppedToo.length > 0) scan = await prove(home, probes);
  return {
    at,
    sessions: targets.filter(({ entries }) => entries === null).map(({ sessionKey }) => sessionKey),
    changed: targets.filter(({ entries }) => entries !== null).map(({ sessionKey }) => sessionKey),
    removed,
    titlesCleared,
    tombstones,
    scan,
    backups: copies.cleaned,
    ...(problems.length > 0 && { backupProblems: problems }),
    damagedCopiesRemoved: [...dropped, ...droppedToo],
    copiesElsewhere: copiesElsewhere(home, stores),
    proven: scan.left === 0 && scan.notChecked === 0 && !logHeld && problems.length === 0,
    ...(logHeld && { logHeld: true as const }),
    ...(mirrorProblems.length > 0 && { mirrorProblems }),
    sourceFiles,
  };
}

/** Waits for others who write: what was removed is to be proven gone. What they don't let it do, the receipt says. */
async function purge({ db, reconciler }: AgentStore): Promise<void> {
  const until = performance.now() + db.busyWait;
  transaction(db, () => wantPurge(db));
  for (;;) {
    try {
      await reconciler.finish();
      purgeAll(db);
      return;
    } catch (error) {
      if (!(error instanceof BackscrollError) || error.code !== "busy") throw error;
      if (performance.now() >= until) return;
      await sleep(20);
    }
  }
}

function remove({ store, sessionKey, entries, title, gone }: ForgetTarget, at: number) {
  const { db } = store;
  if (entries === null) {
    const removed = deleteSession(db, sessionKey, at);
    if (removed.sessions > 0 || gone) return { removed, title: false };
    throw new BackscrollError(
      "unknown_session",
      `session ${sessionKey} was renamed or deleted meanwhile`,
      "Nothing of it was removed. Look it up again and repeat.",
    );
  }
  let removed = nothingRemoved;
  for (const { no } of entries) removed = addRemoved(removed, deleteEntry(db, no, at));
  // A reader's memory can hold a title.
  for (const { sessionId } of transcriptsOf(db, sessionKey)) forgetReaders(db, sessionId);
  const cleared = title && storedTitle(db, sessionKey) !== null;
  if (cleared) {
    clearTitle(db, sessionKey);
    addTitleTombstone(db, sessionKey, at);
  }
  return { removed, title: cleared };
}

/** Everything that is said by what goes. */
function collect({ store, sessionKey, entries, title }: ForgetTarget, probes: Probes): void {
  collectFrom(store.db, sessionKey, entries === null ? null : entries.map(({ no }) => no), probes);
  const name = title && entries !== null ? storedTitle(store.db, sessionKey) : null;
  if (name !== null) probes.addText(name);
}

/** @param entries Null: the whole session, its title included. */
function collectFrom(db: Database, sessionKey: SessionKey, entries: readonly number[] | null, probes: Probes): void {
  const going = entries === null ? null : new Set(entries);
  for (const stored of storedBodies(db, sessionKey)) {
    if (going === null || going.has(stored.no)) addBody(stored, probes);
  }
  const name = entries === null ? storedTitle(db, sessionKey) : null;
  if (name !== null) probes.addText(name);
}

/** Where the JSON of every body begins alike. */
const bodyHead = 40;

function addBody({ body }: StoredBody, probes: Probes): void {
  if (typeof body === "string") probes.addBytes(Buffer.from(body), bodyHead);
  else if (body instanceof Uint8Array) probes.addBytes(body, bodyHead);
  try {
    const { parts, data } = decodeBody(body ?? undefined);
    probes.addJson(parts as unknown as Json);
    if (data !== undefined) probes.addJson(data);
  } catch {
    // A damaged body: what can be read of it are its bytes.
  }
}

/** Beginnings shown of a session, and their length in UTF-16 units. */
const mostBegins = 3;
const longestBegin = 80;

function bodiesOf({ store, sessionKey, entries }: ForgetTarget): { count: number; bytes: number; begins: string[] } {
  const going = entries === null ? null : new Set(entries.map(({ no }) => no));
  const begins: string[] = [];
  let count = 0;
  let bytes = 0;
  for (const { no, body } of storedBodies(store.db, sessionKey)) {
    if (going !== null && !going.has(no)) continue;
    count += 1;
    bytes += typeof body === "string" ? Buffer.byteLength(body) : body instanceof Uint8Array ? body.length : 0;
    const begin = begins.length < mostBegins ? beginOf(body) : "";
    if (begin !== "") begins.push(begin);
  }
  return { count, bytes, begins };
}

/** Masked whole, and cut afterwards. */
function beginOf(body: StoredBody["body"]): string {
  try {
    const { parts } = decodeBody(body ?? undefined);
    const text = parts.flatMap((part) => ("text" in part ? [part.text] : [])).join(" ");
    const shown = redact(text).text.replace(/\s+/g, " ").trim();
    return shown.length <= longestBegin ? shown : `${cutText(shown, longestBegin - 1)}…`;
  } catch {
    // A damaged body shows nothing.
    return "";
  }
}

async function prove(home: Home, probes: Probes): Promise<ForgetReceipt["scan"]> {
  const all = probes.all();
  const living = new Living(all);
  const { files, bytes, found, paths } = await scanFolder(home.path, all);
  const isLeft = () => found.some((probe) => !living.has(probe));
  if (isLeft()) {
    await living.addLists(home.path);
    living.addMirrors(paths.map(({ path }) => path));
    for (const agentId of home.agents()) living.addDatabase(home.store(agentId).db);
  }
  if (isLeft()) await eachCopy(home.path, home.agents(), (db) => living.addDatabase(db));
  const left = new Set(found.filter((probe) => !living.has(probe)));
  return {
    files,
    bytes,
    wordsChecked: probes.words.size,
    stretchesChecked: probes.stretches.size,
    notChecked: probes.skipped,
    notFound: all.length - found.length,
    saidElsewhere: found.length - left.size,
    left: left.size,
    leftIn: paths.filter((each) => each.found.some((probe) => left.has(probe))).map(({ path }) => path),
  };
}

function namesOf({ store, sessionKey, entries, title }: ForgetTarget): Forgotten {
  const transcripts = transcriptsOf(store.db, sessionKey);
  const sessionIdOf = new Map(transcripts.map(({ no, sessionId }) => [no, sessionId]));
  return {
    agentId: store.agentId,
    sessionIds: transcripts.map(({ sessionId }) => sessionId),
    entries:
      entries === null
        ? null
        : entries.flatMap(({ no, id }) => {
            const sessionId = sessionIdOf.get(transcriptOf(no));
            return sessionId === undefined ? [] : [{ sessionId, id }];
          }),
    title,
  };
}

function copiesElsewhere(home: Home, stores: readonly AgentStore[]): string[] {
  const paths = new Set(stores.flatMap(({ db }) => notedBackups(db)));
  return [...paths].filter((path) => !path.startsWith(home.path + sep)).sort();
}

function sourceFilesOf(targets: readonly ForgetTarget[]): string[] {
  const paths = targets.flatMap(({ store, sessionKey }) =>
    transcriptsOf(store.db, sessionKey).flatMap(({ sessionId }) => sourcePathsOf(store.db, sessionId)),
  );
  return [...new Set(paths)].sort();
}

/** What may come back with the next import. */
export interface Unforgotten {
  readonly transcripts: number;
  readonly entries: number;
}

/** Takes back that a session, or single entries of one, stay forgotten: the next import brings what the sources still say. */
export function undoForget(reference: string, home: Home): Unforgotten {
  let transcripts = 0;
  let entries = 0;
  for (const agentId of home.agents()) {
    const { db } = home.store(agentId);
    transaction(db, () => {
      const key = transcriptById(db, reference)?.sessionKey ?? reference;
      let undeleted = 0;
      for (const row of transcriptsOf(db, key)) undeleted += undelete(db, row);
      const removed = removeTombstones(db, key === reference || tombstonesOf(db, reference) > 0 ? reference : key);
      transcripts += removed.transcripts;
      if (undeleted > 0) readSourcesAsNew(db);
      entries += undeleted + removed.entries;
    });
  }
  return { transcripts, entries };
}
