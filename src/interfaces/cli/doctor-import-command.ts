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
  open,
  type Source,
} from "../../index.ts";
import { folderNamed, homeFolder, scratchFolder, thisMachine } from "../settings.ts";
import { formatLegacy, isClean } from "./format-legacy.ts";
import { progressBar } from "./progress.ts";
import { type Output, plain, safeJson } from "./terminal.ts";

const modes = ["inspect", "dry-run", "import", "validate", "restore"] as const;

interface Context {
  readonly out: Output;
  readonly stderr: NodeJS.WriteStream;
  exitCode: number;
}

interface Flags {
  readonly home?: string;
  readonly json?: boolean;
  readonly mode: (typeof modes)[number];
  readonly agent?: string;
  readonly run?: string;
}

export function addDoctorImport(doctor: Command, context: Context): void {
  doctor
    .command("import")
    .description("Take over a legacy OpenClaw store: look, try, import and archive, compare, undo.")
    .argument("[folder]", "its state folder; unless given, OpenClaw's own, where there is one")
    .addOption(new Option("--mode <mode>", "inspect and dry-run change nothing").choices(modes).default("inspect"))
    .option("--agent <id>", "one agent only")
    .option("--run <id>", "with validate and restore: the run whose archive is meant")
    .option(
      "--home <folder>",
      "where Backscroll keeps its databases (BACKSCROLL_HOME, else the data folder of this user)",
    )
    .option("--json", "one JSON answer, for programs")
    .action(async (folder: string | undefined, _options: Flags, command: Command) => {
      // Home and JSON may also stand before the word import.
      await doctorImport(context, folder, command.optsWithGlobals<Flags>());
    });
}

async function doctorImport(context: Context, folder: string | undefined, flags: Flags): Promise<void> {
  const { mode, run } = flags;
  if (run !== undefined && mode !== "validate" && mode !== "restore") {
    throw new BackscrollError("bad_input", `--run says nothing to ${mode}`, "Use it with --mode validate or restore.");
  }
  const source = builtInSources.find(({ id }) => id === "openclaw");
  if (!source) throw new Error("the OpenClaw source is not built in");
  const folders = folder === undefined ? legacyFolders(source, thisMachine()) : [existing(folderNamed(folder))];
  const store = open({ home: homeFolder(flags.home), durability: "normal" });
  try {
    const reports: LegacyReport[] = [];
    for (const each of folders) reports.push(await runMode(context, legacyOf(store, source, each, flags), flags));
    if (flags.json) context.out.write(`${safeJson(JSON.stringify({ mode, stores: reports }))}\n`);
    else
      context.out.write(`${reports.map((report) => formatLegacy(report, context.out)).join("\n\n") || none(source)}\n`);
    context.exitCode = reports.length === 0 ? 1 : reports.every(isClean) ? 0 : 2;
  } finally {
    store.close();
  }
}

function legacyOf(store: Backscroll, source: Source, folder: string, { agent }: Flags): Legacy {
  return store.legacy({ source, folder, ...(agent !== undefined && { agent }) });
}

async function runMode(context: Context, legacy: Legacy, { mode, run }: Flags): Promise<LegacyReport> {
  const ofRun = run === undefined ? {} : { run };
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
