/** The write-ahead log beside a file, before anything opens it: opening applies it, whatever is in it. */
import { existsSync, statSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { type AgentId, parseSessionKey } from "../../model/ids.ts";
import { sessionKinds } from "../../model/transcript.ts";
import type { SqlValue } from "../driver.ts";
import { readBtreePage } from "../repair/btree-page.ts";
import { PageFile, pageSizeOf } from "../repair/page-file.ts";
import { readWal } from "../repair/wal-file.ts";
import type { Findings } from "./findings.ts";

/** How often a log that looks damaged is looked at: somebody may be writing to the place that is being read. */
const looks = 3;

/** Returns whether it holds anything that the file may not have yet. */
export async function checkLog(path: string, agentId: AgentId, findings: Findings): Promise<boolean> {
  const log = `${path}-wal`;
  if (!existsSync(log)) return false;
  let { state, frames, pages } = readWal(log, pageSizeOf(path));
  for (let look = 1; state === "damaged" && look < looks; look++) {
    await setTimeout(20);
    if (!existsSync(log)) return false;
    ({ state, frames, pages } = readWal(log, pageSizeOf(path)));
  }
  if (frames > 0 && statSync(path).size === 0) findings.add("wal-damaged", `${path} is empty, and its log is not`);
  if (state === "damaged") findings.add("wal-damaged", log);
  else if (state === "foreign" || isOfAnother(path, agentId)) findings.add("wal-foreign", log);
  else if (state === "unfinished") findings.add("wal-unfinished", log);
  return pages.size > 0;
}

/**
 * Whether it is the log of another agent's store: nothing in a log names its file, but every session's key names the agent.
 * Told only where the file itself has sessions of this agent, and the log has none but others'.
 */
function isOfAnother(path: string, agentId: AgentId): boolean {
  const file = new PageFile(path);
  try {
    const inLog = new Set<string>();
    for (const no of file.wal?.pages.keys() ?? []) for (const id of agentsOn(file, file.read(no), no)) inLog.add(id);
    if (inLog.size === 0 || inLog.has(agentId)) return false;
    for (let no = 1; no <= file.pageCount; no++) {
      if (agentsOn(file, file.main(no), no).includes(agentId)) return true;
    }
    return false;
  } finally {
    file.close();
  }
}

/** The agents of the sessions whose rows lie on a page. */
function agentsOn(file: PageFile, page: Buffer, no: number): AgentId[] {
  const { kind, rows } = readBtreePage(file, page, no);
  if (kind !== "table") return [];
  return rows.flatMap(({ values: [number, key, sessionKind] }) => {
    if (number !== null || !(sessionKinds as readonly SqlValue[]).includes(sessionKind ?? null)) return [];
    return parseSessionKey(String(key))?.agentId ?? [];
  });
}
