/** argv → command → exit code. */
import { readFileSync } from "node:fs";
import { CommanderError } from "commander";
import { BackscrollError, toFailure } from "../../index.ts";
import type { CliContext } from "./command.ts";
import { buildProgram } from "./commands.ts";
import { type Output, plain, plainLines, safeJson } from "./terminal.ts";

const version = packageVersion();

/** Runs one command. Never throws for what a user can cause; anything else is a bug and shows its stack. */
export async function main(argv: readonly string[]): Promise<number> {
  const context: CliContext = {
    argv,
    out: output(process.stdout),
    err: output(process.stderr),
    stdout: process.stdout,
    stderr: process.stderr,
    exitCode: 0,
  };
  // The reader of a pipe went away (head, a pager that was quit): nothing is wrong and nobody is left to tell.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(0);
    process.stderr.write(`backscroll: writing failed: ${plain(error.message)}\n`);
    process.exit(2);
  });
  try {
    await buildProgram(context, version).parseAsync([...argv], { from: "user" });
    return context.exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (!(error instanceof BackscrollError)) {
      // A fault of ours: the stack helps whoever mends it. Never 1, which means that nothing was found.
      context.err.write(`${plainLines(error instanceof Error ? (error.stack ?? error.message) : String(error))}\n`);
      return 2;
    }
    if (argv.includes("--json")) context.out.write(`${safeJson(JSON.stringify(toFailure(error)))}\n`);
    else context.err.write(`backscroll: ${plain(error.message)}\n${plain(error.hint)}\n`);
    return 2;
  }
}

function output(stream: NodeJS.WriteStream): Output {
  return {
    write: (text) => {
      stream.write(text);
    },
    colour: stream.isTTY === true && stream.hasColors(),
  };
}

function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8")) as {
    version: string;
  };
  return version;
}
