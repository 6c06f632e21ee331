/**
 * Knows which session a record of a Claude Code file belongs to, and what has been said of that session so far. A file
 * holds one main session, or one sub-agent; files of releases 1.0.53 to 2.0.24 also hold their sub-agents inline.
 * Everything here is plain JSON: it is the reader's memory between two imports.
 */
import {
  type EntryId,
  type SessionId,
  type SessionKey,
  sessionKeyOf,
  toAgentId,
  toEntryId,
  toSessionId,
} from "../../model/ids.ts";
import { type SessionDraft, type TitleRank, titleRanks } from "../../model/transcript.ts";
import { type Fields, fields, word } from "../fields.ts";
import type { SourceItem } from "../source.ts";

export const agentId = toAgentId("claude-code");

/** What is said of a session beyond its name. */
export type Facts = Pick<SessionDraft, "title" | "project" | "gitBranch" | "model" | "forkedFrom">;

/** One session that records of the file belong to. */
export interface Lane {
  /** Tells sub-agents of one file apart; empty for the file's own session. */
  readonly name: string;
  readonly id: SessionId;
  readonly key: SessionKey;
  readonly kind: "direct" | "subagent";
  /** The session whose agent started this one; null for one that a person started, or when nothing names it. */
  readonly spawnedBy: SessionKey | null;
  /** Whether the session was handed over. Until its first entry comes, facts and aliases wait here. */
  open: boolean;
  facts: Facts;
  held: SourceItem[];
  project: boolean;
  branch: string;
  model: string;
}

/** A spoken text that may come again on another way; see `record.ts`. */
export interface Heard {
  readonly hash: number;
  readonly id: EntryId;
  ways: number;
}

export interface Memory {
  /** The file's name without its ending. */
  readonly name: string;
  /** The file's own session id, or a sub-agent's parent; null until a record names it. */
  own: string | null;
  /** For files without any session id. */
  readonly fallback: string;
  /** Set for the file of a sub-agent. */
  readonly subagent: { readonly id: string; readonly parent: string | null; readonly title: string | null } | null;
  main: Lane | null;
  /** Inline sub-agents, the one used last at the end. */
  side: Lane[];
  /** Which inline sub-agent has the entry: `[uuid, lane name]`, latest last. */
  sideEntries: [string, string][];
  /** Whether an entry told which session the file was forked from, or that it was not. */
  originSeen: boolean;
  /** Whether `agent-name` named the session; it goes before `ai-title`. */
  named: boolean;
  heard: Heard[];
  /** What the latest sub-agents were asked to do, by a hash of their prompt. Names those that have no `.meta.json`. */
  tasks: { readonly hash: number; readonly title: string }[];
}

/** Inline sub-agents remembered at a time. One that is forgotten and comes again is only announced again. */
const sideLanes = 16;
/** Entries of inline sub-agents remembered. Measured: a parent stands at most 16 such records before its child. */
const sideEntries = 64;
/** Items held for a session that has no entry yet; a start of a session writes about twenty. */
const heldItems = 200;

/** The session that a record belongs to. Records without `isSidechain` belong to the file's own. */
export function laneOf(memory: Memory, record: Fields): Lane {
  if (record.isSidechain === true && memory.subagent === null) return sideLane(memory, record);
  return mainLane(memory, record);
}

/** The file's own session. `record` names it when nothing else did. */
export function mainLane(memory: Memory, record: Fields): Lane {
  if (memory.main) return memory.main;
  memory.main = memory.subagent ? subagentLane(memory, memory.subagent, record) : ownLane(memory, record);
  return memory.main;
}

function ownLane(memory: Memory, record: Fields): Lane {
  const own = memory.own ?? word(record.sessionId) ?? memory.fallback;
  memory.own = own;
  return lane("", "direct", toSessionId(own), keyOf(own), null);
}

function subagentLane(memory: Memory, subagent: NonNullable<Memory["subagent"]>, record: Fields): Lane {
  const id = word(record.agentId) ?? subagent.id;
  const said = word(record.sessionId);
  // Some programs write the sub-agent's own name where Claude Code writes the parent's session id.
  const parent = said === undefined || said === id || said === `agent-${id}` ? subagent.parent : said;
  memory.own = parent;
  const name = `agent-${id}`;
  const made =
    parent === null ? lane("", "subagent", toSessionId(name), keyOf(name), null) : under(parent, "", id, name);
  if (subagent.title !== null) made.facts = { title: { text: subagent.title, rank: "generated" } };
  return made;
}

function sideLane(memory: Memory, record: Fields): Lane {
  mainLane(memory, record);
  const own = memory.own ?? memory.fallback;
  // As ids, so that a hostile file can't blow up the memory.
  const uuid = idOf(record.uuid);
  const agent = idOf(record.agentId);
  const name = agent !== undefined ? `agent-${agent}` : sideName(memory, record, uuid);
  if (uuid !== undefined) {
    memory.sideEntries.push([uuid, name]);
    if (memory.sideEntries.length > sideEntries) memory.sideEntries.shift();
  }
  const at = memory.side.findLastIndex((known) => known.name === name);
  const [known] = at < 0 ? [] : memory.side.splice(at, 1);
  const used = known ?? under(own, name, agent ?? name.slice("sidechain-".length), name);
  memory.side.push(used);
  if (memory.side.length > sideLanes) memory.side.shift();
  return used;
}

/** A record without agent id belongs where its parent does; a root starts a sub-agent, a stray goes to the latest. */
function sideName(memory: Memory, record: Fields, uuid: string | undefined): string {
  const parent = idOf(record.parentUuid);
  if (parent !== undefined) {
    const entry = memory.sideEntries.findLast(([id]) => id === parent) ?? memory.sideEntries.at(-1);
    if (entry) return entry[1];
  }
  return `sidechain-${uuid ?? memory.sideEntries.length}`;
}

function idOf(value: unknown): string | undefined {
  const id = word(value);
  return id === undefined ? undefined : toEntryId(id);
}

/** The session of a sub-agent: its ids hold the parent's, since many sub-agents of different sessions share a name. */
function under(parent: string, name: string, id: string, suffix: string): Lane {
  return lane(name, "subagent", toSessionId(`${parent}/${suffix}`), keyOf(`${parent}:subagent:${id}`), keyOf(parent));
}

function lane(name: string, kind: Lane["kind"], id: SessionId, key: SessionKey, spawnedBy: SessionKey | null): Lane {
  return { name, kind, id, key, spawnedBy, open: false, facts: {}, held: [], project: false, branch: "", model: "" };
}

function keyOf(sessionId: string): SessionKey {
  return sessionKeyOf(agentId, sessionId);
}

/** Hands over an item of the session. Its first entry opens it: a file of titles and state alone makes no session. */
export function give(to: Lane, item: SourceItem, push: (item: SourceItem) => void): void {
  if (to.open) {
    push(item);
    return;
  }
  if (item.kind !== "entry" && to.held.length < heldItems) {
    to.held.push(item);
    return;
  }
  const createdAt = item.kind === "entry" ? item.entry.timestamp : null;
  push({
    kind: "session",
    session: {
      agentId,
      sessionId: to.id,
      sessionKey: to.key,
      kind: to.kind,
      ...(to.spawnedBy !== null && { spawnedBy: to.spawnedBy, parentSessionKey: to.spawnedBy }),
      ...(createdAt !== null && { createdAt }),
      ...to.facts,
    },
  });
  for (const held of to.held) push(held);
  push(item);
  to.open = true;
  to.facts = {};
  to.held = [];
}

/** Says something of the session, now or with its first entry. */
export function tell(of: Lane, facts: Facts, push: (item: SourceItem) => void): void {
  if (of.open) {
    push({ kind: "session", session: { agentId, sessionId: of.id, ...facts } });
    return;
  }
  const { title, ...rest } = facts;
  of.facts = { ...of.facts, ...rest };
  if (title && rankOf(title.rank) >= rankOf(of.facts.title?.rank)) of.facts = { ...of.facts, title };
}

function rankOf(rank: TitleRank | undefined): number {
  return rank === undefined ? -1 : titleRanks.indexOf(rank);
}

/**
 * Takes what a record's envelope says of its session: project, git branch, and the session it was forked from. The
 * project is the first folder, since a session that changes it was still started there. The branch is the latest: work
 * moves from `main` to the branch that it is for.
 */
export function noteEnvelope(memory: Memory, of: Lane, record: Fields, push: (item: SourceItem) => void): void {
  if (!of.project) {
    const project = word(record.cwd);
    if (project !== undefined) {
      of.project = true;
      tell(of, { project }, push);
    }
  }
  const branch = record.gitBranch;
  if (branch !== of.branch && branch !== "HEAD") {
    const gitBranch = word(branch);
    if (gitBranch !== undefined) {
      of.branch = gitBranch;
      tell(of, { gitBranch }, push);
    }
  }
  if (!memory.originSeen && of === memory.main && of.kind === "direct") noteFork(memory, of, record, push);
}

/**
 * A fork begins with records copied from another session: newer ones name it in `forkedFrom`, older ones still carry its
 * session id. The first record with a session id decides; a stranger's id further down is no fork.
 */
function noteFork(memory: Memory, of: Lane, record: Fields, push: (item: SourceItem) => void): void {
  const own = word(record.sessionId);
  if (own === undefined) return;
  memory.originSeen = true;
  const from = word(fields(record.forkedFrom)?.sessionId) ?? own;
  if (from !== memory.own) tell(of, { forkedFrom: keyOf(from) }, push);
}
