/** `backscroll forget`: shows what would go, and with --yes removes it and prints the receipt. */
import type { Command } from "commander";
import {
  type Backscroll,
  BackscrollError,
  type ForgetPreview,
  type ForgetReceipt,
  type ForgetRequest,
} from "../../index.ts";
import { type CliContext, type Common, command, type FilterFlags, filters, print, run } from "./command.ts";
import { bytes, localTime, number, type Output, paint, plain } from "./terminal.ts";

interface ForgetFlags extends FilterFlags {
  readonly yes?: boolean;
  readonly message?: string;
  readonly mentions?: string;
  readonly wholeSessions?: boolean;
  readonly undoTombstone?: string;
  readonly role?: string;
  readonly session?: string;
}

export function addForget(program: Command, context: CliContext): void {
  filters(
    command(program, "forget", "Remove sessions or messages for good, and prove that their words are gone.")
      .argument("[sessionKeys...]", "session keys or session ids")
      .option("--yes", "do it; without this, only show what would go")
      .option("--message <messageId>", "one message of the session")
      .option("--mentions <words>", "every message, tool result and title that has these words; filters narrow it down")
      .option("--whole-sessions", "with --mentions: the whole sessions that they stand in")
      .option("--session <key>", "with --mentions: in one session only")
      .option("--role <role>", "with --mentions: said by user or assistant")
      .option("--undo-tombstone <key>", "let the next sync bring back what was forgotten of a session"),
  ).action((keys: string[], options: Common & ForgetFlags) =>
    run(context, options, (store) => forget(context, store, keys, options)),
  );
}

async function forget(
  context: CliContext,
  store: Backscroll,
  keys: readonly string[],
  options: Common & ForgetFlags,
): Promise<number> {
  const { undoTombstone } = options;
  if (undoTombstone !== undefined) {
    const others = [options.mentions, options.message, ...narrowing.map((name) => options[name])];
    if (keys.length > 0 || others.some((value) => value !== undefined))
      throw wrong("--undo-tombstone <key> goes alone");
    const undone = store.undoForget(undoTombstone);
    const count = undone.transcripts + undone.entries;
    print(context, options, undone, () =>
      count === 0
        ? `Nothing of ${plain(undoTombstone)} was forgotten here.`
        : `${number(undone.transcripts)} transcripts and ${number(undone.entries)} entries may come back: backscroll sync reads the sources again.`,
    );
    return count > 0 ? 0 : 1;
  }
  const request = requestOf(keys, options);
  if (!options.yes) {
    const preview = store.previewForget(request);
    print(context, options, preview, () => formatPreview(preview, context.out));
    return preview.sessions.length > 0 ? 0 : 1;
  }
  const receipt = await store.forget(request);
  print(context, options, receipt, () => formatReceipt(receipt, context.out));
  if (receipt.sessions.length + receipt.changed.length === 0) return 1;
  return receipt.proven ? 0 : 2;
}

/** Flags that say something about --mentions. */
const narrowing = [
  "wholeSessions",
  "session",
  "role",
  "agent",
  "project",
  "source",
  "kind",
  "branch",
  "after",
  "before",
] as const satisfies (keyof ForgetFlags)[];

const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

function wrong(text: string): BackscrollError {
  return new BackscrollError(
    "bad_input",
    text,
    "Give session keys, or one session key with --message, or --mentions with words.",
  );
}

/** @throws {BackscrollError} `bad_input`. */
function requestOf(keys: readonly string[], options: Common & ForgetFlags): ForgetRequest {
  const { message, mentions, wholeSessions, session } = options;
  if (mentions !== undefined) {
    if (keys.length > 0 || message !== undefined)
      throw wrong("--mentions goes with filters, not with session keys or --message");
    const { agent, project, source, kind, branch, after, before, role } = options;
    const given = { agent, project, source, kind, branch, after, before, role, sessionKey: session };
    const set = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    return { what: "mentions", search: { query: mentions, ...set }, ...(wholeSessions && { wholeSessions: true }) };
  }
  // Left aside, a filter would have more deleted than was asked for.
  const filter = narrowing.find((name) => options[name] !== undefined);
  if (filter !== undefined) throw wrong(`--${kebab(filter)} goes with --mentions only`);
  const [key, ...others] = keys;
  if (key === undefined) throw wrong("there is nothing named to forget");
  if (message === undefined) return { what: "sessions", sessions: keys };
  if (others.length > 0) throw wrong("--message is of one session");
  return { what: "message", sessionKey: key, messageId: message };
}

/** Sessions listed; --json lists all. */
const mostListed = 20;

function formatPreview(preview: ForgetPreview, output: Output): string {
  if (preview.sessions.length === 0) return "Nothing that is stored has all of that.";
  const shown = preview.sessions.slice(0, mostListed);
  const lines = shown.flatMap(({ sessionKey, whole, entries, bytes: size, title, begins }) => {
    const what = `${whole ? "whole: " : ""}${number(entries)} entries, ${bytes(size)}`;
    return [
      `  ${plain(sessionKey)}  ${paint(output, "dim", `${what}${title && !whole ? ", and its title, which says it" : ""}`)}`,
      ...begins.map((begin) => `      ${paint(output, "dim", plain(begin))}`),
    ];
  });
  const more = preview.sessions.length - shown.length;
  return [
    `This would go: ${number(preview.entries)} entries of ${number(preview.sessions.length)} sessions, ${bytes(preview.bytes)}.`,
    ...lines,
    ...(more > 0 ? [`  and ${number(more)} more sessions; --json lists all`] : []),
    ...sourceNote(preview.sourceFiles),
    paint(output, "bold", "Nothing was removed. Repeat it with --yes."),
  ].join("\n");
}

function formatReceipt(receipt: ForgetReceipt, output: Output): string {
  const { removed, scan } = receipt;
  if (receipt.sessions.length + receipt.changed.length === 0) return "Nothing that is stored has all of that.";
  return [
    `Forgotten ${localTime(receipt.at)}: ${number(receipt.sessions.length)} sessions, and entries of ${number(receipt.changed.length)} more.`,
    `  removed: sessions ${number(removed.sessions)}, transcripts ${number(removed.transcripts)}, entries ${number(removed.entries)}, index rows ${number(removed.messages)}, aliases ${number(removed.aliases)}, titles ${number(removed.titles + receipt.titlesCleared)}`,
    receipt.sessions.length > 0
      ? `  tombstones: ${number(receipt.tombstones)} transcripts that no sync brings back`
      : "  no sync brings these entries back",
    `  searched afterwards: ${number(scan.files)} files, ${bytes(scan.bytes)}, for ${number(scan.wordsChecked)} words and ${number(scan.stretchesChecked)} longer stretches`,
    `  of these: not found ${number(scan.notFound)}, also said by what stays ${number(scan.saidElsewhere)}, left ${number(scan.left)}`,
    ...(scan.notChecked > 0 ? [`  too many to look for: ${number(scan.notChecked)} words`] : []),
    ...(receipt.logHeld ? ["  another process reads the write-ahead log: the next search or sync cuts it"] : []),
    ...(receipt.mirrorProblems ?? []).map(
      (problem) =>
        `  not noted beside the store, in case that is lost: ${plain(problem)}; backscroll doctor --fix does it`,
    ),
    ...scan.leftIn.map((path) => `  left in ${plain(path)}`),
    ...receipt.backups.map((path) => `  also removed from ${plain(path)}`),
    ...(receipt.backupProblems ?? []).map(({ file, reason }) => `  not removed from ${plain(file)}: ${plain(reason)}`),
    ...receipt.damagedCopiesRemoved.map((path) => `  removed whole, as it could not be cleaned: ${plain(path)}`),
    ...receipt.copiesElsewhere.map((path) => `  a backup was made to ${plain(path)}: not touched`),
    ...sourceNote(receipt.sourceFiles),
    receipt.proven
      ? paint(output, "green", "Proven: nothing of it is left in the files of this home.")
      : paint(output, "yellow", "Not proven: see above. Mend what is named there, then repeat it."),
  ].join("\n");
}

function sourceNote(files: readonly string[]): string[] {
  if (files.length === 0) return [];
  return [
    "The agents' own files are not touched:",
    ...files.slice(0, mostListed).map((path) => `  ${plain(path)}`),
    ...(files.length > mostListed ? [`  and ${number(files.length - mostListed)} more`] : []),
  ];
}
