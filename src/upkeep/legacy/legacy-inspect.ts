/** What a legacy store holds, and what of it was imported. Reads only; the session lists whole, of transcripts the first bytes. */
import type { AgentId } from "../../model/ids.ts";
import type { Home } from "../../store/home.ts";
import { type SourceFileRow, sourceFiles } from "../../store/source-files.ts";
import { LegacyArchive } from "./legacy-archive.ts";
import { Manifests } from "./legacy-manifest.ts";
import type { FileOperations } from "./legacy-move.ts";
import type { LegacyAgent, LegacyInspectReport, LegacyRun } from "./legacy-report.ts";
import { isToRead, type LegacyFile, type LegacyStore, scanLegacy } from "./legacy-store.ts";

export async function inspectLegacy(
  home: Home,
  store: LegacyStore,
  operations: FileOperations,
): Promise<LegacyInspectReport> {
  const scan = scanLegacy(store);
  const problems = [...scan.problems];
  const agents = new Map<AgentId, LegacyAgent>();
  const known = knownFiles(home);
  for (const file of scan.files) {
    const agent = agents.get(file.agentId) ?? emptyAgent(file.agentId);
    agents.set(file.agentId, agent);
    const { recognition, found } = file;
    if (recognition === null) agent.foreign += 1;
    else if (recognition.as === "skip") {
      agent.skipped[recognition.reason] = (agent.skipped[recognition.reason] ?? 0) + 1;
    } else {
      if (recognition.as === "facts") {
        agent.lists += 1;
        agent.listed += await countListed(store, file);
      } else {
        agent.transcripts += 1;
        agent.bytes += found.size;
      }
    }
    if (isToRead(file) && isImported(known.get(found.path) ?? [], file)) agent.imported += 1;
  }
  const archive = new LegacyArchive(store.folder, home, operations);
  const runs: LegacyRun[] = new Manifests(home.path, store)
    .all((error) => problems.push({ code: "unreadable", path: home.path, reason: error.message }))
    .map(({ run, at, status, files }) => ({
      run,
      at,
      status,
      archived: files.filter((file) => archive.holds(file)).length,
    }));
  return {
    mode: "inspect",
    folder: store.folder,
    agents: [...agents.values()].sort((a, b) => (a.agentId < b.agentId ? -1 : 1)),
    runs,
    problems,
  };
}

function emptyAgent(agentId: AgentId): LegacyAgent {
  const skipped = Object.create(null) as Record<string, number>;
  return { agentId, transcripts: 0, bytes: 0, lists: 0, listed: 0, imported: 0, skipped, foreign: 0 };
}

async function countListed({ source }: LegacyStore, { found }: LegacyFile): Promise<number> {
  const keys = new Set<string>();
  for await (const { items } of source.read(found, null)) {
    for (const item of items) if (item.kind === "session") keys.add(item.session.sessionKey ?? item.session.sessionId);
  }
  return keys.size;
}

function knownFiles(home: Home): Map<string, SourceFileRow[]> {
  const known = new Map<string, SourceFileRow[]>();
  for (const agentId of home.agents()) {
    for (const row of sourceFiles(home.store(agentId).db)) known.set(row.path, [...(known.get(row.path) ?? []), row]);
  }
  return known;
}

function isImported(rows: readonly SourceFileRow[], { found }: LegacyFile): boolean {
  return (
    rows.length > 0 &&
    rows.every((row) => row.stage === "whole" && row.size === found.size && row.mtime === found.mtimeUs)
  );
}
