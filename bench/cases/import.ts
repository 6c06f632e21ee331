/**
 * Import against reading and `JSON.parse`-ing the same bytes, in turns in one process (SPEC 13: at least half the speed).
 * An import opens a new home, reads, stores, indexes, and closes. Transcripts with many tools and transcripts of words
 * alone cost differently, so both are measured; files of real programs where `--files` names a folder with some.
 */

import { once } from "node:events";
import { copyFileSync, createWriteStream, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { builtInSources, open, type Source } from "../../src/index.ts";
import type { BenchCase, CaseInput, Figure } from "../case.ts";
import { writeClaudeFile } from "../claude-file.ts";
import { corpusMessages } from "../corpus.ts";
import { keyOf, messageId } from "../fill.ts";
import { median, type Timing, timed, timedAsync } from "../measure.ts";

const rounds = 9;
const budget = 2;
const claudeFiles = 5;
const claudeBytes = 4 * 1000 * 1000;
const neutralMessages = 20_000;
/** Files taken from a folder of other people's, for each source. */
const largest = 5;

interface Load {
  readonly what: string;
  readonly source: Source;
  readonly folder: string;
  readonly files: readonly string[];
  /** Messages that the index has to hold afterwards, where that is known. */
  readonly spoken?: number;
}

export const bench: BenchCase = {
  title: "import against JSON.parse",
  async run(input) {
    const figures: Figure[] = [];
    for (const load of [claudeLoad(input), await neutralLoad(input), ...foundLoads(input)])
      figures.push(await measure(load, input.scratch));
    return figures;
  },
};

async function measure(load: Load, scratch: string): Promise<Figure> {
  const parses: Timing[] = [];
  const imports: Timing[] = [];
  for (let round = 0; round < rounds; round++) {
    parses.push(timed(() => parseAll(load.files)));
    const home = join(scratch, `home-${round}`);
    imports.push(await timedAsync(() => importAll(load, home)));
    check(load, home);
    rmSync(home, { recursive: true });
  }
  const ratios = (key: keyof Timing) => imports.map((each, at) => each[key] / (parses[at]?.[key] ?? Number.NaN));
  const bytes = load.files.reduce((sum, file) => sum + statSync(file).size, 0);
  const cpu = (timings: readonly Timing[]) => median(timings.map((each) => each.cpu));
  return {
    what: load.what,
    value: median(ratios("cpu")),
    unit: "ratio",
    budget,
    detail: {
      wallRatio: median(ratios("wall")),
      firstRatio: ratios("cpu")[0] ?? Number.NaN,
      parseMs: cpu(parses),
      importMs: cpu(imports),
      bytes,
      mbPerSecond: bytes / 1000 / cpu(imports),
    },
  };
}

/** The floor: what any reader of JSONL has to do. */
function parseAll(files: readonly string[]): void {
  for (const file of files) {
    for (const line of readFileSync(file, "utf8").split("\n")) {
      try {
        JSON.parse(line);
      } catch {
        // An empty or broken line of a real file; an import reads past it too.
      }
    }
  }
}

async function importAll({ source, folder }: Load, home: string): Promise<void> {
  const backscroll = open({ home, durability: "normal" });
  await backscroll.import([{ source, folder }]);
  backscroll.close();
}

function check({ what, spoken }: Load, home: string): void {
  const backscroll = open({ home, durability: "normal" });
  const messages = backscroll.stats().reduce((sum, { stats }) => sum + stats.messages, 0);
  backscroll.close();
  if (messages === 0 || (spoken !== undefined && messages !== spoken)) {
    throw new Error(`${what}: ${messages} messages were indexed, ${spoken ?? "some"} are there`);
  }
}

function claudeLoad({ scratch, seed }: CaseInput): Load {
  const folder = join(scratch, "claude", "projects");
  const written = Array.from({ length: claudeFiles }, (_, at) =>
    writeClaudeFile(
      join(folder, "-home-ines-src-harbour-clock", `0000000${at}-0000-4000-8000-000000000000.jsonl`),
      claudeBytes,
      seed + at,
    ),
  );
  return {
    what: "agent transcripts, mostly tool traffic",
    source: sourceOf("claude-code"),
    folder,
    files: written.map(({ path }) => path),
    spoken: written.reduce((sum, file) => sum + file.spoken, 0),
  };
}

async function neutralLoad({ scratch, seed }: CaseInput): Promise<Load> {
  const folder = join(scratch, "neutral");
  const path = join(folder, "messages.jsonl");
  mkdirSync(folder, { recursive: true });
  const file = createWriteStream(path);
  for (const { no, session, role, timestamp, text } of corpusMessages({
    kind: "mixed",
    messages: neutralMessages,
    seed,
  })) {
    const line = JSON.stringify({
      type: "message",
      sessionKey: keyOf(session),
      id: messageId(no),
      role,
      text,
      timestamp,
    });
    if (!file.write(`${line}\n`)) await once(file, "drain");
  }
  file.end();
  await once(file, "close");
  return {
    what: "words alone, sessions interleaved",
    source: sourceOf("jsonl"),
    folder,
    files: [path],
    spoken: neutralMessages,
  };
}

/** Copies of the largest transcripts below the folders, one load for each source. */
function foundLoads({ files, scratch }: CaseInput): Load[] {
  const found = files
    .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => ({ folder, name })))
    .filter(({ name }) => name.endsWith(".jsonl"))
    .map(({ folder, name }) => ({ folder, name, stats: statSync(join(folder, name)) }))
    .filter(({ stats }) => stats.isFile())
    .sort((a, b) => b.stats.size - a.stats.size);
  const loads: Load[] = [];
  for (const source of builtInSources) {
    const folder = join(scratch, "found", source.id);
    const copies: string[] = [];
    for (const { folder: root, name, stats } of found) {
      if (copies.length === largest) break;
      const path = join(root, name);
      const head = readFileSync(path, "utf8").slice(0, 64 * 1024);
      const file = { path, relative: name, root, size: stats.size, mtimeMs: stats.mtimeMs };
      if (source.recognise(file, head)?.as !== "transcript") continue;
      const copy = join(folder, name);
      mkdirSync(dirname(copy), { recursive: true });
      copyFileSync(path, copy);
      copies.push(copy);
    }
    if (copies.length > 0) loads.push({ what: `largest found, ${source.id}`, source, folder, files: copies });
  }
  return loads;
}

function sourceOf(id: string): Source {
  const source = builtInSources.find((each) => each.id === id);
  if (!source) throw new Error(`no source ${id}`);
  return source;
}
