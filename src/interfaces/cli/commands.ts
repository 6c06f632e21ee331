/** The commands: flags, help, and what each does with the library. Returns exit codes as grep's: 0 found, 1 nothing, 2 error. */

import { once } from "node:events";
import { createWriteStream, statSync } from "node:fs";
import { resolve } from "node:path";
import type { Writable } from "node:stream";
import { Command, InvalidArgumentError } from "commander";
import { type Backscroll, BackscrollError, type ImportReport, limits } from "../../index.ts";
import { folderNamed, homeFolder, thisMachine } from "../settings.ts";
import { addBackup } from "./backup-command.ts";
import { type CliContext, type Common, command, type FilterFlags, filters, print, run } from "./command.ts";
import { addDoctor } from "./doctor-command.ts";
import { addForget } from "./forget-command.ts";
import { formatHistory } from "./format-history.ts";
import { formatSearch } from "./format-search.ts";
import { formatReport, formatSessions, formatStats } from "./format-tables.ts";
import { addIndex } from "./index-command.ts";
import { progressBar } from "./progress.ts";
import { plainLines, safeJson } from "./terminal.ts";

export function buildProgram(context: CliContext, version: string): Command {
  const program = new Command("backscroll")
    .description("Searches everything said in earlier agent sessions, and reopens the conversation around a hit.")
    .version(version)
    .showHelpAfterError("(backscroll --help shows the commands)")
    .configureOutput({
      writeOut: (text) => context.out.write(text),
      writeErr: (text) => context.err.write(plainLines(text)),
    })
    .exitOverride();

  command(program, "sync", "Take in what is new in the transcripts of Claude Code, Codex, OpenClaw and pi.")
    .option("--root <source=folder>", "import from this folder, now and from now on (repeatable)", collectRoot)
    .action((options: Common) => run(context, options, (store) => sync(context, store, options)));

  filters(command(program, "search", "Find what was said, by some of its words or by a question."))
    .argument("<words...>", 'words, "an exact phrase", word*, -word, OR, role:user, after:7d …')
    // `-word` leaves a word out; commander takes it for a flag that it doesn't know and passes it on.
    .allowUnknownOption()
    .option("--limit <n>", `most hits, ${limits.searchLimit.min} to ${limits.searchLimit.max}`, whole)
    .option("--per-session <n>", "most hits of one session", whole)
    .option("--session <key>", "in one session only: its key or session id")
    .option("--role <role>", "who said it: user or assistant")
    .option("--sort <order>", "relevance, newest or oldest")
    .option("--include-tools", "also tool calls and results, where they are indexed (backscroll index --tools on)")
    .option("--no-sync", "don't look for new transcripts first")
    .option("--root <source=folder>", "import from this folder, now and from now on (repeatable)", collectRoot)
    .action((words: string[], options: Common & SearchFlags) =>
      run(
        context,
        options,
        (store) => search(context, store, queryOf(words, context.argv), options),
        limits.searchBusyWait.default,
      ),
    );

  command(program, "history", "Read a session: its end, a page, or the conversation around a hit.")
    .argument("<sessionKey>", "session key or session id")
    .argument("[messageId]", "open the page around this message, as --around does")
    .option("--around <messageId>", "open the page around this message")
    .option("--session-id <id>", "one generation of the session")
    .option("--limit <n>", `most messages, ${limits.historyLimit.min} to ${limits.historyLimit.max}`, whole)
    .option("--cursor <cursor>", "older or newer page, as the last answer named it")
    .option("--text-offset <n>", "begin at this character of the message that --around names", whole)
    .option("--tools", "also tool calls and results, summaries and injected text")
    .option("--thinking", "also the assistant's thinking")
    .action((sessionKey: string, messageId: string | undefined, options: Common & HistoryFlags) =>
      run(context, options, (store) =>
        history(context, store, sessionKey, messageId === undefined ? options : { around: messageId, ...options }),
      ),
    );

  filters(command(program, "sessions", "List sessions, newest first."))
    .option("--limit <n>", `most sessions, ${limits.listLimit.min} to ${limits.listLimit.max}`, whole)
    .option("--cursor <cursor>", "next page, as the last answer named it")
    .option("--title <text>", "part of the title")
    .action((options: Common & ListFlags) => run(context, options, (store) => sessions(context, store, options)));

  command(program, "stats", "Counts and sizes of what is stored.").action((options: Common) =>
    run(context, options, (store) => stats(context, store, options)),
  );

  command(program, "export", "Write everything as neutral JSONL, which sync reads back.")
    .option("--format <format>", "jsonl", oneOf(["jsonl"]), "jsonl")
    .option("--agent <id>", "one agent only")
    .option("--out <file>", "write to a file instead of the terminal")
    .option("--reveal", "unmasked, as said; noted in the store's audit table")
    .action((options: Common & ExportFlags) => run(context, options, (store) => exportAll(context, store, options)));

  addBackup(program, context);
  addForget(program, context);
  addDoctor(program, context);
  addIndex(program, context);

  return program;
}

/** @throws {BackscrollError} for a flag that search does not have, unless `--` says that everything behind it is text. */
function queryOf(words: readonly string[], argv: readonly string[]): string {
  const [flag] = words.filter((word) => /^--\S+$/.test(word));
  if (flag === undefined || argv.includes("--")) return words.join(" ");
  throw new BackscrollError(
    "bad_input",
    `search has no flag ${flag}`,
    `backscroll search --help lists them. To search for that text: backscroll search -- ${flag}`,
  );
}

interface SearchFlags extends FilterFlags {
  readonly limit?: number;
  readonly perSession?: number;
  readonly session?: string;
  readonly role?: string;
  readonly sort?: string;
  readonly includeTools?: boolean;
  readonly sync: boolean;
}
interface HistoryFlags {
  readonly around?: string;
  readonly sessionId?: string;
  readonly limit?: number;
  readonly cursor?: string;
  readonly textOffset?: number;
  readonly tools?: boolean;
  readonly thinking?: boolean;
}
interface ListFlags extends FilterFlags {
  readonly limit?: number;
  readonly cursor?: string;
  readonly title?: string;
}
interface ExportFlags {
  readonly agent?: string;
  readonly out?: string;
  readonly reveal?: boolean;
}

async function takeIn(context: CliContext, store: Backscroll, options: Common): Promise<ImportReport> {
  for (const { folder } of options.root ?? []) {
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
      throw new BackscrollError("bad_input", `there is no folder ${folder}`, "Give --root an existing folder.");
    }
  }
  if (options.root && options.root.length > 0) store.addRoots(options.root);
  const bar = progressBar(context.stderr, Date.now);
  try {
    return await store.import(store.roots(thisMachine()), { onProgress: (progress) => bar.update(progress) });
  } finally {
    bar.stop();
  }
}

async function sync(context: CliContext, store: Backscroll, options: Common): Promise<number> {
  const report = await takeIn(context, store, options);
  // What is dirty, and what deletions left to purge: a command that takes its time anyway is the one to do it.
  await store.settle();
  print(context, options, report, () => formatReport(report, context.out));
  return report.files.failed + report.files.rootsFailed > 0 ? 2 : 0;
}

async function search(
  context: CliContext,
  store: Backscroll,
  query: string,
  options: Common & SearchFlags,
): Promise<number> {
  if (options.sync) {
    const unread = await takeIn(context, store, options).then(unreadOf, notTakenIn);
    if (unread !== "") context.err.write(`${plainLines(unread)}\n`);
  }
  const { home: _home, json: _json, root: _root, sync: _sync, session, ...rest } = options;
  const answer = await store.search({
    query,
    ...rest,
    ...(session !== undefined && { sessionKey: session }),
    waitMs: limits.waitMs.max,
  });
  print(context, options, answer, () => formatSearch(answer, context.out));
  if (answer.explain?.emptyStore && !options.json) {
    const places = store.roots(thisMachine()).map(({ folder }) => `  ${folder}`);
    context.err.write(
      `No transcripts in:\n${places.join("\n")}\nElsewhere? Name the folder: --root claude-code=<folder>\n`,
    );
  }
  return answer.results.length > 0 ? 0 : 1;
}

function unreadOf({ files }: ImportReport): string {
  const unread = [
    ...(files.failed > 0 ? [`${files.failed} files`] : []),
    ...(files.rootsFailed > 0 ? [`${files.rootsFailed} folders`] : []),
  ];
  return unread.length > 0 ? `${unread.join(" and ")} could not be read; backscroll sync names them` : "";
}

/** What is stored can be searched all the same: a home that can't be written, is being written, or has one damaged store. */
function notTakenIn(error: unknown): string {
  if (!(error instanceof BackscrollError) || !["io", "busy", "bad_store"].includes(error.code)) throw error;
  return `New transcripts were not taken in: ${error.message}`;
}

async function history(
  context: CliContext,
  store: Backscroll,
  sessionKey: string,
  options: Common & HistoryFlags,
): Promise<number> {
  const { around, sessionId, limit, cursor, textOffset, tools, thinking } = options;
  const answer = await store.history({
    sessionKey,
    ...(around !== undefined && { messageId: around }),
    ...(sessionId !== undefined && { sessionId }),
    ...(limit !== undefined && { limit }),
    ...(cursor !== undefined && { cursor }),
    ...(textOffset !== undefined && { textOffset }),
    ...(tools && { includeTools: true }),
    ...(thinking && { includeThinking: true }),
  });
  print(context, options, answer, () => formatHistory(answer, context.out));
  return answer.messages.length > 0 ? 0 : 1;
}

async function sessions(context: CliContext, store: Backscroll, options: Common & ListFlags): Promise<number> {
  const { home: _home, json: _json, root: _root, ...input } = options;
  const answer = await store.sessions(input);
  print(context, options, answer, () => formatSessions(answer, context.out));
  return answer.sessions.length > 0 ? 0 : 1;
}

async function stats(context: CliContext, store: Backscroll, options: Common): Promise<number> {
  const home = homeFolder(options.home);
  const all = store.stats();
  print(context, options, { home, agents: all.map(({ agentId, stats: each }) => ({ agentId, ...each })) }, () =>
    formatStats(home, all, context.out),
  );
  return 0;
}

async function exportAll(context: CliContext, store: Backscroll, options: Common & ExportFlags): Promise<number> {
  const target: Writable =
    options.out === undefined ? context.stdout : createWriteStream(resolve(options.out), { mode: 0o600, flags: "wx" });
  if (options.out !== undefined) await once(target, "open").catch((error: unknown) => refuse(options.out ?? "", error));
  let lines = 0;
  for (const line of store.export({
    reveal: options.reveal ?? false,
    ...(options.agent !== undefined && { agent: options.agent }),
  })) {
    lines += 1;
    if (!target.write(`${safeJson(line)}\n`)) await once(target, "drain");
  }
  if (options.out !== undefined) {
    target.end();
    await once(target, "close");
    context.err.write(`${lines} lines written to ${options.out}\n`);
  }
  return 0;
}

function refuse(file: string, error: unknown): never {
  throw new BackscrollError(
    "io",
    `can't write ${file}: ${error instanceof Error ? error.message : error}`,
    "Choose a file that does not exist yet.",
    { cause: error },
  );
}

function whole(value: string): number {
  const parsed = Number(value);
  if (value.trim() === "" || !Number.isInteger(parsed)) throw new InvalidArgumentError("a whole number is wanted.");
  return parsed;
}

function oneOf(allowed: readonly string[]): (value: string) => string {
  return (value) => {
    if (!allowed.includes(value)) throw new InvalidArgumentError(`use ${allowed.join(" or ")}.`);
    return value;
  };
}

function collectRoot(value: string, before: readonly { source: string; folder: string }[] = []) {
  const at = value.indexOf("=");
  if (at <= 0 || at === value.length - 1)
    throw new InvalidArgumentError("write it as source=folder, for instance claude-code=/home/me/.claude/projects.");
  return [...before, { source: value.slice(0, at), folder: folderNamed(value.slice(at + 1)) }];
}
