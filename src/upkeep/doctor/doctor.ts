/**
 * The doctor: checks every agent's store, repairs it when asked to, and checks again. One agent's broken database does not
 * keep the others from being looked at, and nothing is called healthy that was not looked at.
 */
import { lstatSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { BackscrollError, toIoError } from "../../errors.ts";
import type { ImportReport } from "../../import/report.ts";
import type { Finding, FindingCode } from "../../model/finding.ts";
import { type AgentId, parseAgentId } from "../../model/ids.ts";
import { checkHomeFiles, closeModes, homePaths } from "../../store/check/check-files.ts";
import { Findings } from "../../store/check/findings.ts";
import { Home } from "../../store/home.ts";
import { undoHalfMoved } from "../../store/repair/repair-file.ts";
import type { ToolContext } from "../../tools/tool.ts";
import { type AgentCheck, checkAgent } from "./check-agent.ts";
import type { AgentHealth, DoctorProgress, DoctorReport, Repair } from "./doctor-report.ts";
import { realSearches } from "./real-searches.ts";
import { repairAgent } from "./repair-agent.ts";

export interface DoctorOptions {
  /** Repair what is found. */
  readonly fix?: boolean;
  /** One agent only. */
  readonly agent?: AgentId;
  readonly onProgress?: (progress: DoctorProgress) => void;
  /** Reads the sources anew, for what a repair could not bring back. Without it that is left to the next import. */
  readonly importAgain?: () => Promise<ImportReport>;
}

export interface DoctorContext extends Omit<ToolContext, "caller"> {
  /** Closes the handle that the program itself has on an agent's file: a damaged one is replaced. */
  readonly release: (agentId: AgentId) => void;
}

/** Repairs can bring to light what damage hid; more rounds than this never helped. */
const mostRounds = 4;

export async function runDoctor(options: DoctorOptions, context: DoctorContext): Promise<DoctorReport> {
  const { home } = context;
  const agents = agentsOf(home, options.fix === true).filter(
    (id) => options.agent === undefined || id === options.agent,
  );
  if (options.agent !== undefined && agents.length === 0) {
    throw new BackscrollError(
      "bad_input",
      `there is no agent ${options.agent} in ${home.path}`,
      "backscroll stats names the agents.",
    );
  }
  const before: Finding[] = [];
  const repairs: Repair[] = [];
  const health = new Map<AgentId, AgentHealth>();
  const remaining = new Map<AgentId, readonly Finding[]>();
  let waiting = false;
  const note = (agentId: AgentId, { check, findings }: Looked, failed: BackscrollError | undefined) => {
    remaining.set(agentId, findings);
    const { checked } = check;
    health.set(agentId, { agentId, checked, ...(failed && { failed: `${failed.message}. ${failed.hint}` }) });
  };

  const homeBefore = checkHome(home.path);
  if (options.fix) {
    const closed = closeModes(homePaths(home.path));
    if (closed > 0) repairs.push({ what: "folders and files closed to others", count: closed });
  }
  for (const agentId of agents) {
    const path = home.file(agentId);
    let result = await look(path, agentId, options, context);
    before.push(...result.findings);
    let failed = result.check.failed;
    try {
      for (let round = 0; options.fix && !failed && round < mostRounds && isRepairable(result); round++) {
        const repaired = await repairAgent(path, agentId, result.check, {
          at: context.now() + round,
          release: () => context.release(agentId),
          tick: ticker(agentId, "repair", options),
        });
        repairs.push(...repaired.repairs);
        waiting ||= repaired.sourcesWaiting;
        const found = shown(result);
        // Looked at again even so: opening it may have closed the file's mode already.
        result = await look(path, agentId, options, context);
        failed = result.check.failed;
        // Letting go of the file can change it, too: a log is taken in then.
        if (repaired.repairs.length === 0 && shown(result) === found) break;
      }
    } catch (error) {
      if (!(error instanceof BackscrollError)) throw error;
      failed = error;
    }
    note(agentId, result, failed);
  }
  let imported: ImportReport | undefined;
  if (waiting && options.importAgain) {
    imported = await options.importAgain();
    for (const agentId of agents) {
      if (health.get(agentId)?.failed !== undefined) continue;
      const result = await look(home.file(agentId), agentId, options, context);
      note(agentId, result, result.check.failed);
    }
  }
  const findings = [...(options.fix ? checkHome(home.path) : homeBefore), ...[...remaining.values()].flat()];
  const done = [...health.values()];
  return {
    home: home.path,
    healthy:
      findings.every(({ severity }) => severity === "notice") && done.every(({ failed }) => failed === undefined),
    agents: done,
    findings,
    ...(options.fix && { before: [...homeBefore, ...before], repairs }),
    ...(waiting && !imported && { sourcesWaiting: true as const }),
    ...(imported && { imported }),
  };
}

interface Looked {
  readonly check: AgentCheck;
  readonly findings: readonly Finding[];
}

/** All checks, and real searches where the file may be opened. */
async function look(path: string, agentId: AgentId, options: DoctorOptions, context: DoctorContext): Promise<Looked> {
  let check = await checkAgent(path, agentId, ticker(agentId, "check", options));
  const { findings } = check;
  if (check.isOurs && check.mayOpen && !findings.has("wrong-version")) {
    options.onProgress?.({ agentId, step: "search", entries: 0 });
    try {
      const searches = await search(agentId, context, findings);
      check = { ...check, checked: { ...check.checked, searches } };
    } catch (failed) {
      if (!(failed instanceof BackscrollError)) throw failed;
      check = { ...check, failed };
    }
  }
  return { check, findings: findings.list() };
}

/** Through a home of its own: what the program itself has open stays as it is. @throws {BackscrollError} `busy`, `io`. */
async function search(agentId: AgentId, context: DoctorContext, findings: Findings): Promise<number> {
  const home = new Home(context.home.path, { durability: "normal" });
  try {
    return await realSearches(home.store(agentId), { ...context, home }, findings);
  } catch (error) {
    if (error instanceof BackscrollError && (error.code === "busy" || error.code === "io")) throw error;
    findings.add("search-failed", error instanceof Error ? error.message : String(error));
    return 0;
  } finally {
    home.close();
  }
}

const shown = ({ findings }: Looked): string => JSON.stringify(findings);

/** Notices that a repair sees to as well. */
const alsoMended: readonly FindingCode[] = [
  "no-checksum",
  "empty-session",
  "pending",
  "unpurged",
  "wal-unfinished",
  "mirror-behind",
  "mirror-damaged",
];

function isRepairable({ check, findings }: Looked): boolean {
  const isWrong = findings.some(({ code, severity }) => severity === "fault" || alsoMended.includes(code));
  return isWrong && (check.isOurs || check.findings.has("open-mode"));
}

function checkHome(path: string): Finding[] {
  const findings = new Findings();
  checkHomeFiles(path, findings);
  return findings.list();
}

/**
 * Agents that have a database, or something in its place; for a repair also those where one that was killed left it in
 * another place.
 * @throws {BackscrollError} `io` when there is no telling.
 */
function agentsOf(home: Home, fix: boolean): AgentId[] {
  const folder = join(home.path, "agents");
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw toIoError(error, folder);
  }
  return names
    .map(parseAgentId)
    .filter((id) => id !== null)
    .filter((id) => {
      const path = home.file(id);
      if (fix && !isLink(dirname(path))) undoHalfMoved(path);
      return isLink(dirname(path)) || isAnything(path) || isAnything(`${path}-wal`);
    })
    .sort();
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

/** Not existsSync: a link to nothing, or a folder that can't be entered, is no proof that there is nothing. */
function isAnything(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}

function ticker(agentId: AgentId, step: "check" | "repair", { onProgress }: DoctorOptions) {
  let entries = 0;
  return async (rows: number): Promise<void> => {
    entries += rows;
    onProgress?.({ agentId, step, entries });
    await setImmediate();
  };
}
