/**
 * Peak memory of importing one large file, and files with one record just under the longest that is read
 * (`limits.importLine`): a tool's result, a person's words (SPEC 13: within 300 MiB). What search needs is measured by
 * the search case.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { builtInSources, open } from "../../src/index.ts";
import { limits } from "../../src/limits.ts";
import { apart } from "../apart.ts";
import type { BenchCase, Figure } from "../case.ts";
import { writeClaudeFile } from "../claude-file.ts";
import { peakMemory } from "../measure.ts";

const budget = 300;
const fileBytes = 200 * 1000 * 1000;
/** Of content as JSON; leaves room for the rest of the record. */
const contentBytes = limits.importLine.default - 4096;
const name = "00000000-0000-4000-8000-000000000000";

export const bench: BenchCase = {
  title: "memory of an import",
  async run({ scratch, seed }) {
    const at = (folder: string) => ({
      file: join(scratch, folder, "-home-ines-src-harbour-clock", `${name}.jsonl`),
      job: { folder: join(scratch, folder), home: join(scratch, `home-${folder}`) },
    });
    const [large, result, text] = [at("large"), at("result"), at("text")];
    writeClaudeFile(large.file, fileBytes, seed);
    const content = linesOf(contentBytes);
    writeRecord(result.file, [{ tool_use_id: "toolu_1", type: "tool_result", content }]);
    writeRecord(text.file, content);
    return [
      await figure("file of 200 MB", large.job),
      await figure("record of 16 MiB, a tool's result", result.job),
      await figure("record of 16 MiB, a person's words", text.job),
    ];
  },
};

interface Job {
  readonly folder: string;
  readonly home: string;
}

interface Imported {
  readonly peakMemory: number;
  readonly ms: number;
  readonly bytes: number;
  readonly entries: number;
}

async function figure(what: string, job: Job): Promise<Figure> {
  const { peakMemory: value, ms, bytes, entries } = await apart<Imported>(import.meta.url, "importFolder", job);
  return { what, value, unit: "MiB", budget, detail: { ms, bytes, entries } };
}

/** Runs in a process of its own. */
export async function importFolder({ folder, home }: Job): Promise<Imported> {
  const source = builtInSources.find(({ id }) => id === "claude-code");
  if (!source) throw new Error("no source claude-code");
  const backscroll = open({ home, durability: "normal" });
  const { ms, bytes, entries, files } = await backscroll.import([{ source, folder }]);
  backscroll.close();
  // A record over the limit is skipped and costs next to nothing: its figure would say that all is well.
  if (files.imported !== 1 || entries.added < 2) throw new Error(`the file in ${folder} was not imported whole`);
  return { peakMemory: peakMemory(), ms, bytes, entries: entries.added };
}

/** Text of at most that many bytes as JSON. */
function linesOf(bytes: number): string {
  const line = "the tide table, line by line\n";
  return line.repeat(Math.floor(bytes / JSON.stringify(line).slice(1, -1).length));
}

/** A session of one short question and a record with that content. */
function writeRecord(path: string, content: unknown): void {
  mkdirSync(dirname(path), { recursive: true });
  const envelope = { isSidechain: false, sessionId: name, cwd: "/home/ines/src/harbour-clock", version: "2.1.40" };
  const question = "10000000-0000-4000-8000-000000000000";
  const records = [
    { parentUuid: null, uuid: question, message: { role: "user", content: "print the whole tide table" } },
    { parentUuid: question, uuid: "20000000-0000-4000-8000-000000000000", message: { role: "user", content } },
  ];
  const lines = records.map((record) =>
    JSON.stringify({ ...envelope, type: "user", timestamp: "2026-02-02T08:00:00.000Z", ...record }),
  );
  writeFileSync(path, `${lines.join("\n")}\n`);
}
