/** What every command shares: its flags, the opened home, and how an answer is printed. */
import type { Writable } from "node:stream";
import type { Command } from "commander";
import { type Backscroll, limits, open } from "../../index.ts";
import { homeFolder, scratchFolder } from "../settings.ts";
import { type Output, safeJson } from "./terminal.ts";

export interface CliContext {
  /** What was typed. */
  readonly argv: readonly string[];
  readonly out: Output;
  /** Notes beside the answer. */
  readonly err: Output;
  readonly stdout: Writable;
  readonly stderr: NodeJS.WriteStream;
  /** Set by the command that ran. */
  exitCode: number;
}

export interface Common {
  readonly home?: string;
  readonly json?: boolean;
  readonly root?: readonly { source: string; folder: string }[];
}

/** What {@link filters} takes. */
export interface FilterFlags {
  readonly agent?: string;
  readonly project?: string;
  readonly source?: string;
  readonly kind?: string;
  readonly branch?: string;
  readonly after?: string;
  readonly before?: string;
}

export function command(program: Command, name: string, description: string): Command {
  return program
    .command(name)
    .description(description)
    .option(
      "--home <folder>",
      "where Backscroll keeps its databases (BACKSCROLL_HOME, else the data folder of this user)",
    )
    .option("--json", "one JSON answer, for programs");
}

export function filters(command: Command): Command {
  return command
    .option("--agent <id>", "one agent only")
    .option("--project <folder>", "folder that the work was in: its path, its last parts, or a folder above it")
    .option("--source <source>", "program: claude-code, codex, openclaw, pi, jsonl")
    .option("--kind <kind>", "kind of session: direct, main, group, subagent, cron …")
    .option("--branch <branch>", "git branch")
    .option("--after <time>", "since: 2026-03-01, 2026-03-01T14:00, 7d, 12h, today, yesterday")
    .option("--before <time>", "until, that moment itself left out");
}

export async function run(
  context: CliContext,
  options: Common,
  work: (store: Backscroll) => Promise<number>,
  busyWait: number = limits.busyWait.default,
): Promise<void> {
  const store = open({
    home: homeFolder(options.home),
    durability: "normal",
    scratch: scratchFolder(),
    busyWait,
  });
  try {
    context.exitCode = await work(store);
  } finally {
    store.close();
  }
}

export function print(context: CliContext, options: Common, answer: unknown, text: () => string): void {
  context.out.write(options.json ? `${safeJson(JSON.stringify(answer))}\n` : `${text()}\n`);
}
