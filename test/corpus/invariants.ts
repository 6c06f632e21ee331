/** What must hold after an import of any files, told as sentences about what doesn't. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { type Backscroll, builtInSources, type ImportReport, type ImportRoot, limits, open } from "../../src/index.ts";
import { pathToRoot } from "../../src/model/branch.ts";
import { redact } from "../../src/redaction/redact.ts";
import { dumpEntries, dumpSessions } from "../../src/store/dump.ts";
import { searchableText } from "../../src/text/searchable.ts";
import { tokenize } from "../../src/text/tokens.ts";
import { snapshot } from "../helpers/snapshot.ts";

export async function checkInvariants(
  store: Backscroll,
  roots: readonly ImportRoot[],
  report: ImportReport,
): Promise<string[]> {
  const failures: string[] = [];
  if (report.files.failed > 0) failures.push(`${report.files.failed} files could not be read`);
  const sum =
    report.files.imported +
    report.files.skipped +
    report.files.foreign +
    report.files.failed +
    report.files.reread +
    report.files.unchanged;
  if (sum !== report.files.found) failures.push(`${report.files.found} files found, ${sum} accounted for`);
  for (const problem of report.problems)
    if (problem.reason === "" || problem.path === "")
      failures.push(`a ${problem.code} problem without place or reason`);

  const before = everything(store);
  const again = await store.import(roots);
  if (again.bytes !== 0) failures.push(`a second import read ${again.bytes} bytes`);
  if (!isDeepStrictEqual(everything(store), before)) failures.push("a second import changed the store");

  for (const agent of store.agents()) failures.push(...checkStore(store, agent));
  failures.push(...(await checkFinds(store)), ...(await checkExport(store, before)));
  return failures;
}

function everything(store: Backscroll) {
  return store.agents().map((agent) => snapshot(store.store(agent)));
}

/** SQLite, FTS5, the tree, and the index against the transcripts, message by message (SPEC 1.4). */
function checkStore(store: Backscroll, agent: string): string[] {
  const failures: string[] = [];
  const { db } = store.store(agent);
  const integrity = db.prepare("PRAGMA integrity_check").get()?.integrity_check;
  if (integrity !== "ok") failures.push(`${agent}: integrity_check says ${integrity}`);
  db.exec("INSERT INTO message_index (message_index, rank) VALUES ('integrity-check', 1)");
  for (const session of dumpSessions(db)) {
    for (const { no, leafId } of session.transcripts) {
      const entries = [...dumpEntries(db, no)];
      const parents = new Map(entries.map((entry) => [entry.id as string, entry.parentId as string | null]));
      const branch = new Set(pathToRoot<string>(leafId, (id) => parents.get(id) ?? null));
      const wrong = entries.filter((entry) => entry.active !== branch.has(entry.id));
      if (wrong.length > 0) failures.push(`${session.key}: ${wrong.length} entries with a wrong active flag`);
      const spoken = entries.filter((entry) => entry.active && searchableText(entry) !== null).length;
      const indexed = Number(db.prepare("SELECT count(*) AS n FROM messages WHERE no >> 24 = :no").get({ no })?.n);
      if (spoken !== indexed) failures.push(`${session.key}: ${spoken} searchable messages, ${indexed} indexed`);
    }
  }
  return failures;
}

/** Every message is found by words of its own, in its session; and history opens around it. */
async function checkFinds(store: Backscroll): Promise<string[]> {
  const failures: string[] = [];
  for (const agent of store.agents()) {
    const { db } = store.store(agent);
    for (const session of dumpSessions(db)) {
      for (const { no } of session.transcripts) {
        for (const entry of dumpEntries(db, no)) {
          const text = entry.active ? searchableText(entry) : null;
          const phrase = text === null ? null : phraseOf(text);
          if (text === null || phrase === null) continue;
          const { results } = await store.search({
            query: `"${phrase}"`,
            sessionKey: session.key,
            limit: limits.searchLimit.max,
          });
          // Where many messages have the phrase, the one meant may be beyond the limit or stand behind its copy.
          if (results.length === 0) failures.push(`${session.key} ${entry.id}: not found by its own words`);
          const page = await store.history({ sessionKey: session.key, messageId: entry.id, limit: 1 });
          if (page.messages[0]?.messageId !== entry.id)
            failures.push(`${session.key} ${entry.id}: history does not open there`);
        }
      }
    }
  }
  return failures;
}

/** Up to six words from the middle of a text, without quotes or what a mask covers; null when it has none. */
function phraseOf(text: string): string | null {
  const { text: masked, masks } = redact(text);
  const tokens = tokenize(masked).filter(
    ({ start, end }) => !masks.some((mask) => start < mask.end && mask.start < end),
  );
  const from = Math.floor(Math.max(0, tokens.length - 6) / 2);
  const [first, last] = [tokens[from], tokens[Math.min(tokens.length, from + 6) - 1]];
  if (!first || !last) return null;
  const words = masked.slice(first.start, last.end).replace(/["“”]/g, " ").trim();
  return words.length > 2000 || masks.some((mask) => first.start < mask.end && mask.start < last.end) ? null : words;
}

/** Exported unmasked and imported again, the store is the same but for where it was read (SPEC 8.11). */
async function checkExport(store: Backscroll, before: unknown): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "backscroll-export-"));
  const copy = open({ home: join(folder, "home"), durability: "normal" });
  try {
    writeFileSync(
      join(folder, "export.jsonl"),
      [...store.export({ reveal: true })].map((line) => `${line}\n`).join(""),
    );
    const neutral = builtInSources.filter(({ id }) => id === "jsonl");
    await copy.import(neutral.map((source) => ({ source, folder })));
    return isDeepStrictEqual(everything(copy), before) ? [] : ["exporting and importing again gives another store"];
  } finally {
    copy.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
