/** `doctor`: what keeps a store right. */
import type { Command } from "commander";
import type { Backscroll } from "../../index.ts";
import { thisMachine } from "../settings.ts";
import { type CliContext, type Common, command, print, run } from "./command.ts";
import { addDoctorImport } from "./doctor-import-command.ts";
import { formatDoctor } from "./format-doctor.ts";
import { progressLine } from "./progress.ts";

interface DoctorFlags {
  readonly fix?: boolean;
  readonly agent?: string;
}

export function addDoctor(program: Command, context: CliContext): void {
  const doctor = command(
    program,
    "doctor",
    "Check every store: files, transcripts, index, real searches; repair it with --fix.",
  )
    .option("--fix", "repair what is found, from the transcripts and their sources, and check again")
    .option("--agent <id>", "one agent only")
    .action((options: Common & DoctorFlags) => run(context, options, (store) => check(context, store, options)));
  addDoctorImport(doctor, context);
}

/** Exit codes: 0 healthy, or repaired; 1 faults are found, or left; 2 something could not be checked. */
async function check(context: CliContext, store: Backscroll, options: Common & DoctorFlags): Promise<number> {
  const { fix, agent } = options;
  const progress = progressLine(context.stderr);
  try {
    const report = await store.doctor({
      ...(fix && { fix, roots: store.roots(thisMachine()) }),
      ...(agent !== undefined && { agent }),
      onProgress: ({ agentId, step, entries }) => progress.show(`${agentId}: ${step}, ${entries} entries`),
    });
    progress.stop();
    print(context, options, report, () => formatDoctor(report, context.out));
    if (report.findings.some(({ severity }) => severity === "fault")) return 1;
    return report.healthy ? 0 : 2;
  } finally {
    progress.stop();
  }
}
