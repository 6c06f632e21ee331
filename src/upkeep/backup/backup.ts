/**
 * An online backup: every agent's database as it was at one moment, and the home's settings, in one file. Others go on
 * writing meanwhile. Everything is made in a private folder beside the file, checked, and renamed into place when it is
 * whole; whatever happens before, no file of that name appears (SPEC 2.13).
 */
import { existsSync, rmSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { BackscrollError } from "../../errors.ts";
import { type AgentId, parseAgentId } from "../../model/ids.ts";
import { noteBackup } from "../../store/audit.ts";
import { BackupReader } from "../../store/backup/backup-reader.ts";
import { BackupWriter } from "../../store/backup/backup-writer.ts";
import { type CopyFacts, copyDatabase, examineCopy } from "../../store/backup/copy-database.ts";
import { WorkFolder } from "../../store/backup/work-folder.ts";
import { databaseName } from "../../store/database-file.ts";
import { databaseFile, type Home } from "../../store/home.ts";
import { makePrivateFolder, nameTaken, placeNew, renameInto, syncFile } from "../../store/private-files.ts";
import { homeFiles } from "./home-files.ts";

export interface BackupOptions {
  /** One agent only. */
  readonly agent?: string;
  /** Take the place of a backup that has that name. Any other file stays. */
  readonly force?: boolean;
  readonly onProgress?: (progress: UpkeepProgress) => void;
}

export interface UpkeepProgress {
  /** Empty where no single agent is meant. */
  readonly agentId: string;
  readonly step: "copy" | "check" | "store" | "restore";
  readonly bytesDone: number;
  readonly bytesTotal: number;
}

export interface BackupReport {
  /** Absolute. */
  readonly file: string;
  /** Of the whole file. */
  readonly bytes: number;
  readonly agents: readonly ({ readonly agentId: AgentId; readonly bytes: number } & CopyFacts)[];
  /** Settings of the home that are in it. */
  readonly files: readonly string[];
  /** What is not as one would think. */
  readonly warnings: readonly string[];
}

/** Epoch ms as a name: `20260301T140500.123Z`. */
export function timeName(at: number): string {
  return new Date(at).toISOString().replace(/[-:]/g, "");
}

/**
 * @param file The backup's name; one with the time in the home's folder `backups` unless given.
 * @throws {BackscrollError} `bad_input`, `io`, `busy`, `bad_store`; then there is no new file.
 */
export async function backUp(
  home: Home,
  file: string | undefined,
  now: number,
  options: BackupOptions = {},
): Promise<BackupReport> {
  const agents = chosenAgents(home, options.agent);
  const target = targetFile(home, file, now, options.force ?? false);
  const warnings = agents.flatMap((agentId) => note(home, agentId, now, target));
  const work = new WorkFolder(dirname(target));
  try {
    const made = work.file("backup");
    const { written, files, tooLarge } = await write(home, agents, made, work, now, options);
    warnings.push(...tooLarge.map((name) => `${name} is too large for a file of settings and was left out`));
    await checkBackup(made, options);
    syncFile(made);
    const { size } = statSync(made);
    if (options.force) renameInto(made, target);
    else placeNew(made, target);
    return { file: target, bytes: size, agents: written, files, warnings };
  } finally {
    work.remove();
  }
}

async function write(
  home: Home,
  agents: readonly AgentId[],
  made: string,
  work: WorkFolder,
  now: number,
  { onProgress }: BackupOptions,
) {
  const writer = new BackupWriter(made, { at: now, home: home.path });
  try {
    const written: BackupReport["agents"][number][] = [];
    for (const agentId of agents) {
      const copy = work.file("copy.sqlite");
      await copyDatabase(databaseFile(home.path, agentId), copy, (bytesDone, bytesTotal) =>
        onProgress?.({ agentId, step: "copy", bytesDone, bytesTotal }),
      );
      const facts = examineCopy(copy, `the store of ${agentId}`);
      const bytesTotal = statSync(copy).size;
      const { size } = await writer.add(copy, { agent: agentId, name: databaseName, at: now, ...facts }, (bytesDone) =>
        onProgress?.({ agentId, step: "store", bytesDone, bytesTotal }),
      );
      rmSync(copy);
      written.push({ agentId, bytes: size, ...facts });
    }
    const { kept, tooLarge } = homeFiles(home.path);
    for (const name of kept) {
      await writer.add(join(home.path, name), {
        agent: null,
        name,
        at: now,
        schema: null,
        sessions: null,
        messages: null,
      });
    }
    writer.finish();
    return { written, files: kept, tooLarge };
  } finally {
    writer.abandon();
  }
}

/** What was written reads back as it was meant. */
export async function checkBackup(path: string, { onProgress }: Pick<BackupOptions, "onProgress"> = {}): Promise<void> {
  const reader = new BackupReader(path);
  try {
    const bytesTotal = reader.entries.reduce((sum, { size }) => sum + size, 0);
    let bytesDone = 0;
    await reader.verify((bytes) => {
      bytesDone += bytes;
      onProgress?.({ agentId: "", step: "check", bytesDone, bytesTotal });
    });
  } finally {
    reader.close();
  }
}

function chosenAgents(home: Home, agent: string | undefined): AgentId[] {
  const agents = home.agents();
  if (agent === undefined) {
    if (agents.length > 0) return agents;
    throw new BackscrollError("bad_input", `${home.path} holds no store`, "Name the home that is meant with --home.");
  }
  const agentId = parseAgentId(agent);
  if (agentId !== null && agents.includes(agentId)) return [agentId];
  throw new BackscrollError(
    "bad_input",
    `no agent ${JSON.stringify(agent)} in ${home.path}`,
    agents.length === 0 ? "The home holds no store." : `Agents are ${agents.join(", ")}.`,
  );
}

function targetFile(home: Home, file: string | undefined, now: number, force: boolean): string {
  if (file === undefined) {
    const folder = join(home.path, "backups");
    makePrivateFolder(folder);
    return join(folder, `${timeName(now)}.backscroll`);
  }
  const target = resolve(file);
  if (!existsSync(target)) return target;
  if (!force) throw nameTaken(target);
  // Reading it is what tells: anything else of that name is not ours to replace.
  new BackupReader(target).close();
  return target;
}

/**
 * A line in the store's audit table, before there is anything that it speaks of: whoever deletes later has to know of every
 * copy, also of one whose making was cut short. A store that can't be written gets none.
 */
function note(home: Home, agentId: AgentId, now: number, target: string): string[] {
  try {
    noteBackup(home.store(agentId).db, now, target);
    return [];
  } catch (error) {
    if (!(error instanceof BackscrollError) || error.code !== "io") throw error;
    return [`the store of ${agentId} can't be written, so it does not know of this backup: ${error.message}`];
  }
}
