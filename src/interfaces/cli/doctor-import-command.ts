/** `doctor import`: takes over a legacy OpenClaw store (SPEC 8.10). */
import { statSync } from "node:fs";
import { type Command, Option } from "commander";
import {
  type Backscroll,
  BackscrollError,
  builtInSources,
  type Legacy,
  type LegacyReport,
  legacyFolders,
  type Source,
} from "../../index.ts";
import { folderNamed, scratchFolder, thisMachine } from "../settings.ts";
import { type CliContext, type Common, command, print, run } from "./command.ts";
import { formatLegacy, isClean } from "./format-legacy.ts";
import { progressBar } from "./progress.ts";
import { plain } from "./terminal.ts";

const modes = ["inspect", "dry-run", "import", "validate", "restore"] as const;

interface Flags extends Common {
  readonly mode: (typeof modes)[number];
  readonly agent?: string;
  readonly run?: string;
}

export function addDoctorImport(doctor: Command, context: CliContext): void {
  command(doctor, "import", "Take over a legacy OpenClaw store: look, try, import and archive, compare, undo.")
    .argument("[folder]", "its state folder; unless given, OpenClaw's own, where there is one")
    .addOption(new Option("--mode <mode>", "inspect and dry-run change nothing").choices(modes).default("inspect"))
    .option("--agent <id>", "one agent only")
    .option("--run <id>", "with validate and restore: the run whose archive is meant")
    .action(async (folder: string | undefined, _options: Flags, self: Command) => {
      // Home and JSON may also stand before the word import.
      await doctorImport(context, folder, self.optsWithGlobals<Flags>());
    });
}

async function doctorImport(context: CliContext, folder: string | undefined, flags: Flags): Promise<void> {
  const { mode } = flags;
  if (flags.run !== undefined && mode !== "validate" && mode !== "restore") {
    throw new BackscrollError("bad_input", `--run says nothing to ${mode}`, "Use it with --mode validate or restore.");
  }
  const source = builtInSources.find(({ id }) => id === "openclaw");
  if (!source) throw new Error("the OpenClaw source is not built in");
  const folders = folder === undefined ? legacyFolders(source, thisMachine()) : [existing(folderNamed(folder))];
  await run(context, flags, async (store) => {
    const reports: LegacyReport[] = [];
    for (const each of folders) reports.push(await runMode(context, legacyOf(store, source, each, flags), flags));
    const text = () => reports.map((report) => formatLegacy(report, context.out)).join("\n\n") || none(source);
    print(context, flags, { mode, stores: reports }, text);
    if (reports.length === 0) return 1;
    return reports.every(isClean) ? 0 : 2;
  });
}

function legacyOf(store: Backscroll, source: Source, folder: string, { agent }: Flags): Legacy {
  return store.legacy({ source, folder, ...(agent !== undefined && { agent }) });
}

async function runMode(context: CliContext, legacy: Legacy, { mode, run: id }: Flags): Promise<LegacyReport> {
  const ofRun = id === undefined ? {} : { run: id };
  if (mode === "inspect") return legacy.inspect();
  if (mode === "validate") return legacy.validate(ofRun);
  if (mode === "restore") return legacy.restore(ofRun);
  const bar = progressBar(context.stderr, Date.now);
  try {
    const onProgress = bar.update.bind(bar);
    return mode === "import"
      ? await legacy.import({ onProgress })
      : await legacy.dryRun({ temporary: scratchFolder(), onProgress });
  } finally {
    bar.stop();
  }
}

function existing(folder: string): string {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return folder;
  throw new BackscrollError("bad_input", `there is no folder ${folder}`, "Name OpenClaw's state folder.");
}

function none(source: Source): string {
  const folders = [...new Set(source.places(thisMachine()))].map((place) => `  ${plain(place)}`);
  return `No ${source.name} store in:\n${folders.join("\n")}\nElsewhere? Name its state folder.`;
}
