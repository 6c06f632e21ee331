/**
 * Every check of one agent's database, from the outside in: its files, its log, the file's marks, SQLite's and FTS5's own
 * checks, rows, index. Reads one snapshot and changes nothing; an older schema is migrated first, as any command would.
 */
import { existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { setImmediate } from "node:timers/promises";
import { BackscrollError, toIoError } from "../../errors.ts";
import type { AgentId } from "../../model/ids.ts";
import { attempt, type CheckContext, emptyWork, type RepairWork } from "../../store/check/check-context.ts";
import { checkAgentFiles } from "../../store/check/check-files.ts";
import { checkHeader, isMarked } from "../../store/check/check-header.ts";
import { checkIndexedMessages, checkTerms, checkTombstones, compareIndex } from "../../store/check/check-index.ts";
import { checkIntegrity, checkMatch } from "../../store/check/check-integrity.ts";
import { checkLog } from "../../store/check/check-log.ts";
import { checkMirror } from "../../store/check/check-mirror.ts";
import { checkSchema, checkSettings, ownership } from "../../store/check/check-schema.ts";
import {
  checkAliases,
  checkForeignKeys,
  checkNumbers,
  checkSequences,
  checkSessions,
  checkSourceFiles,
} from "../../store/check/check-tables.ts";
import { checkTools } from "../../store/check/check-tools.ts";
import { checkTranscripts } from "../../store/check/check-transcripts.ts";
import { ExpectedIndex } from "../../store/check/expected-index.ts";
import { Findings } from "../../store/check/findings.ts";
import { foreignLog, isSoundAlone } from "../../store/check/log-against-file.ts";
import { refuseNoFile } from "../../store/database-file.ts";
import type { Database } from "../../store/driver.ts";
import { openNodeDriver } from "../../store/driver-node.ts";
import { type IndexTables, messageTables, toolTables } from "../../store/index-tables.ts";
import { checkIndexVersion } from "../../store/index-version.ts";
import { openDatabase } from "../../store/open-database.ts";
import { translate } from "../../store/sqlite-error.ts";
import { countRows } from "../../store/stats.ts";
import { hasToolIndex } from "../../store/tool-choice.ts";
import type { Checked } from "./doctor-report.ts";

export interface AgentCheck {
  readonly findings: Findings;
  readonly work: RepairWork;
  readonly checked: Checked;
  /** Whether the file is ours to mend. */
  readonly isOurs: boolean;
  /** Whether a process may open it for writing: opening applies the log, whatever is in it. */
  readonly mayOpen: boolean;
  /** Whether the store indexes tool calls and results, as far as that could be read. */
  readonly hasTools?: boolean;
  /** What kept it from being checked to the end: a lock, a right that is missing. */
  readonly failed?: BackscrollError;
}

const nothingChecked: Checked = {
  sessions: 0,
  transcripts: 0,
  entries: 0,
  messages: 0,
  terms: 0,
  searches: 0,
};

/** Says what was found also where it could not be checked to the end. */
export async function checkAgent(
  path: string,
  agentId: AgentId,
  tick: (rows: number) => Promise<void>,
): Promise<AgentCheck> {
  const findings = new Findings(agentId);
  try {
    return await checkInto(findings, path, agentId, tick);
  } catch (failed) {
    if (!(failed instanceof BackscrollError)) throw failed;
    return { findings, work: emptyWork(), checked: nothingChecked, isOurs: false, mayOpen: false, failed };
  }
}

/** @throws {BackscrollError} `busy`, `io`; `bad_store` for what is no file. */
async function checkInto(
  findings: Findings,
  path: string,
  agentId: AgentId,
  tick: (rows: number) => Promise<void>,
): Promise<AgentCheck> {
  const work = emptyWork();
  refuseNoFile(path);
  checkAgentFiles(dirname(path), findings);
  // What was in the log is all that is left; opening would make a new file and remove it.
  if (!existsSync(path)) {
    findings.add("wal-damaged", `${path} is not there, and its log is`);
    return { findings, work, checked: nothingChecked, isOurs: true, mayOpen: false };
  }
  const logged = await checkLog(path, agentId, findings);
  if (logged && !findings.has("wal-damaged", "wal-foreign")) {
    const reason = await foreignLog(path);
    if (reason !== null) findings.add("wal-foreign", `${path}-wal: ${reason}`);
  }
  let mayOpen = !findings.has("wal-damaged", "wal-foreign");
  // Opened, it would be read as that other database.
  if (findings.has("wal-foreign")) return { findings, work, checked: nothingChecked, isOurs: isMarked(path), mayOpen };
  // SQLite removes the log of a file of no bytes, and it is all that is left.
  if (!mayOpen && statSync(path).size === 0) return { findings, work, checked: nothingChecked, isOurs: true, mayOpen };
  // What the file alone has whole was not damaged in it.
  const blameLog = (): void => {
    if (logged && findings.has("damaged-pages", "damaged-index", "check-failed") && isSoundAlone(path))
      findings.add("wal-foreign", `${path}-wal: with it, pages are damaged; the file alone is sound`);
  };
  const stopped = (error: unknown): AgentCheck => {
    failed(findings, path, error);
    blameLog();
    return { findings, work, checked: nothingChecked, isOurs: true, mayOpen: mayOpen && !logged };
  };
  let db: Database;
  try {
    checkHeader(path, findings);
    db = openNodeDriver(path, { readOnly: true, busyWait: 10_000 });
  } catch (error) {
    return stopped(error);
  }
  try {
    const whose = ownership(db);
    if (whose === "foreign" || whose === "newer") {
      findings.add(whose === "foreign" ? "foreign-file" : "newer-schema", path);
      return { findings, work, checked: nothingChecked, isOurs: false, mayOpen: false };
    }
    if (whose === "ours-mismarked") findings.add("wrong-version", path);
    if (whose === "older" && mayOpen) {
      db.close();
      const migrated = openDatabase(path);
      // What the new schema has indexed anew waits for it, and is not missing.
      checkIndexVersion(migrated);
      migrated.close();
      db = openNodeDriver(path, { readOnly: true, busyWait: 10_000 });
    }
    const hasTools = readChoice(db);
    const checked = await checkAll({ db, agentId, findings, work, tick });
    blameLog();
    // Opening makes a missing index again: that is the repair's to do.
    mayOpen &&= !findings.has("schema-object");
    // It may be the log that damages the file, one of an earlier time for instance; opening would make that final.
    if (logged) mayOpen &&= !findings.list().some(({ code, severity }) => severity === "fault" && code !== "open-mode");
    return { findings, work, checked, isOurs: true, mayOpen, hasTools };
  } catch (error) {
    return stopped(error);
  } finally {
    db.close();
  }
}

function readChoice(db: Database): boolean {
  try {
    return hasToolIndex(db);
  } catch {
    // Damage that the checks name.
    return false;
  }
}

function failed(findings: Findings, path: string, error: unknown): void {
  const told = translate(toIoError(error, path), path);
  if (!(told instanceof BackscrollError)) throw told;
  if (told.code !== "bad_store") throw told;
  findings.add("check-failed", `opening it: ${told.message}`);
}

async function checkAll(context: CheckContext): Promise<Checked> {
  const { db, findings } = context;
  await attempt(context, "the mirror of the tombstones", () => checkMirror(context));
  // One snapshot: others may write meanwhile.
  db.exec("BEGIN");
  await attempt(context, "integrity_check", () => checkIntegrity(context), "damaged-pages");
  await setImmediate();
  await attempt(context, "foreign_key_check", () => checkForeignKeys(context));
  await attempt(context, "the schema", () => checkSchema(context));
  await attempt(context, "settings of the index", () => checkSettings(context), "damaged-search-index");
  await attempt(context, "numbers", () => checkNumbers(context));
  await attempt(context, "sequences", () => checkSequences(context));
  await attempt(context, "sessions", () => checkSessions(context));
  await attempt(context, "aliases", () => checkAliases(context));
  await attempt(context, "source files", () => checkSourceFiles(context));
  let expected = new ExpectedIndex();
  await attempt(context, "transcripts", async () => {
    expected = await checkTranscripts(context);
  });
  const readable = !findings.has("check-failed");
  await attempt(context, "a real MATCH", () => checkMatch(context), "search-failed");
  let terms = 0;
  if (readable) {
    terms += await checkIndex(expected, context, messageTables);
    let traffic = new ExpectedIndex();
    let isRead = false;
    await attempt(context, "tool calls and results", async () => {
      traffic = await checkTools(context);
      isRead = true;
    });
    if (isRead) terms += await checkIndex(traffic, context, toolTables);
  }
  await attempt(context, "deleted rows of the index", () => checkTombstones(context), "damaged-search-index");
  return { ...countRows(db), terms, searches: 0 };
}

/** A full-text table, row by row and term by term. Returns how many terms it has. */
async function checkIndex(expected: ExpectedIndex, context: CheckContext, tables: IndexTables): Promise<number> {
  let terms = 0;
  let docsRead = false;
  let termsRead = false;
  await attempt(
    context,
    "the messages of the index",
    async () => {
      await checkIndexedMessages(expected, context, tables);
      docsRead = true;
    },
    "damaged-search-index",
  );
  await attempt(
    context,
    "the terms of the index",
    async () => {
      terms = await checkTerms(expected, context, tables);
      termsRead = true;
    },
    "damaged-search-index",
  );
  if (docsRead) compareIndex(expected, termsRead, context);
  return terms;
}
