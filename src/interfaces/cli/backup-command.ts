/** `backup` and `restore`. */
import { resolve } from "node:path";
import type { Command } from "commander";
import type { BackupReport, RestoredAgent, RestoreReport, UpkeepProgress } from "../../index.ts";
import { type CliContext, type Common, command, print, run } from "./command.ts";
import { progressBar } from "./progress.ts";
import { bytes, localTime, number, type Output, paint, plain } from "./terminal.ts";

interface BackupFlags extends Common {
  readonly agent?: string;
  readonly force?: boolean;
}
interface RestoreFlags extends Common {
  readonly agent?: string;
  readonly into?: string;
  readonly replace?: boolean;
}

export function addBackup(program: Command, context: CliContext): void {
  const { out, err } = context;
  command(
    program,
    "backup",
    "Copy every store into one file, while agents go on writing. It holds everything unmasked.",
  )
    .argument("[file]", "the backup; unless given, one with the time in the home's folder backups")
    .option("--agent <id>", "one agent only")
    .option("--force", "take the place of a backup that has this name")
    .action((file: string | undefined, options: BackupFlags) =>
      run(context, options, async (store) => {
        const { agent, force } = options;
        const report = await withProgress(context, (onProgress) =>
          store.backup(file, { ...(agent !== undefined && { agent }), ...(force && { force }), onProgress }),
        );
        print(context, options, report, () => formatBackup(report, out));
        for (const warning of report.warnings) err.write(`${plain(warning)}\n`);
        err.write("It holds everything as it was said, secrets too: keep it as safe as the home.\n");
        return 0;
      }),
    );

  command(program, "restore", "Bring stores back from a backup, after checking all of it.")
    .argument("<file>", "a file that backup made")
    .option("--agent <id>", "one agent only")
    .option("--into <home>", "the home to restore into; unless given, that of --home")
    .option("--replace", "put aside the stores that are there")
    .action((file: string, options: RestoreFlags) => {
      const { agent, replace, into } = options;
      return run(context, into === undefined ? options : { ...options, home: resolve(into) }, async (store) => {
        const report = await withProgress(context, (onProgress) =>
          store.restore(file, { ...(agent !== undefined && { agent }), ...(replace && { replace }), onProgress }),
        );
        print(context, options, report, () => formatRestore(report, out));
        for (const warning of report.warnings) err.write(`${plain(warning)}\n`);
        return 0;
      });
    });
}

async function withProgress<T>(
  { stderr }: CliContext,
  work: (onProgress: (progress: UpkeepProgress) => void) => Promise<T>,
): Promise<T> {
  const words = { copy: "copying", check: "checking", store: "storing", restore: "restoring" };
  let step = "";
  let bar = progressBar(stderr, Date.now);
  try {
    return await work((progress) => {
      const next = `${words[progress.step]} ${progress.agentId}`.trim();
      if (next !== step) {
        bar.stop();
        bar = progressBar(stderr, Date.now, next);
        step = next;
      }
      bar.update(progress);
    });
  } finally {
    bar.stop();
  }
}

function formatBackup(report: BackupReport, output: Output): string {
  return [
    paint(output, "bold", plain(report.file)),
    ...report.agents.map(
      ({ agentId, sessions, messages, bytes: size }) => `  ${counts(agentId, sessions, messages, size)}`,
    ),
    ...(report.files.length === 0 ? [] : [`  settings: ${report.files.join(", ")}`]),
    `  ${bytes(report.bytes)} in all, checked`,
  ].join("\n");
}

function formatRestore(report: RestoreReport, output: Output): string {
  const settings = (restored: boolean) =>
    report.files.filter((file) => file.restored === restored).map(({ name }) => name);
  return [
    `${paint(output, "bold", plain(report.home))}, from a backup of ${localTime(report.at)}`,
    ...report.agents.flatMap((agent) => restoredLines(agent)),
    ...(settings(true).length === 0 ? [] : [`  settings: ${settings(true).join(", ")}`]),
    ...(settings(false).length === 0 ? [] : [`  settings that are there stay: ${settings(false).join(", ")}`]),
  ].join("\n");
}

function restoredLines({ agentId, sessions, messages, bytes: size, replaced, deletedAgain }: RestoredAgent): string[] {
  return [
    `  ${counts(agentId, sessions, messages, size)}`,
    ...(replaced === undefined ? [] : [`    the store that was there lies in ${plain(replaced)}`]),
    ...(deletedAgain.sessions + deletedAgain.entries === 0
      ? []
      : [
          `    deleted again, as they were from that store: ${number(deletedAgain.sessions)} sessions, ${number(deletedAgain.entries)} entries`,
        ]),
  ];
}

function counts(agentId: string, sessions: number, messages: number, size: number): string {
  return `${agentId}: ${number(sessions)} sessions, ${number(messages)} messages, ${bytes(size)}`;
}
