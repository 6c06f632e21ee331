/**
 * Claude Code: `<config>/projects/<folder>/<session id>.jsonl`, one file per session and per sub-agent. Files only grow.
 * The parts: what a file is (`file`), which session a record belongs to (`session`), what a record says (`record`,
 * `message`, `entry`), which words were typed (`typed-text`). Known from real files of releases 1.0.0 to 2.1.97.
 */
import { lstat, open, readFile } from "node:fs/promises";
import { posix, win32 } from "node:path";
import { toSourceId } from "../../model/ids.ts";
import { fields, isFields, parseJson, word } from "../fields.ts";
import { readJsonl } from "../jsonl.ts";
import type { Checkpoint, Machine, Source, SourceBatch, SourceFile } from "../source.ts";
import { fileName, recogniseFile, transcriptEnding } from "./file.ts";
import { readRecord } from "./record.ts";
import type { Memory } from "./session.ts";

export const claudeCode: Source = {
  id: toSourceId("claude-code"),
  name: "Claude Code",
  places,
  recognise: recogniseFile,
  read,
};

function places({ home, env, platform }: Machine): string[] {
  const { join } = platform === "win32" ? win32 : posix;
  const config = word(env.CLAUDE_CONFIG_DIR);
  const found = [join(config ?? join(home, ".claude"), "projects"), join(home, ".config", "claude", "projects")];
  // The desktop app keeps a `.claude/projects` folder for each of its sessions somewhere below these.
  const apps = appFolders({ home, env, platform });
  return [...found, ...apps.map((folder) => join(folder, "Claude", "local-agent-mode-sessions"))];
}

function appFolders({ home, env, platform }: Machine): string[] {
  if (platform === "darwin") return [posix.join(home, "Library", "Application Support")];
  if (platform !== "win32") return [word(env.XDG_CONFIG_HOME) ?? posix.join(home, ".config")];
  const local = word(env.LOCALAPPDATA) ?? win32.join(home, "AppData", "Local");
  return [
    word(env.APPDATA) ?? win32.join(home, "AppData", "Roaming"),
    // The same folder as the packaged app sees it; the package's family name is the same on every machine.
    win32.join(local, "Packages", "Claude_pzs8sxrjxfjjc", "LocalCache", "Roaming"),
  ];
}

async function* read(file: SourceFile, from: Checkpoint | null): AsyncGenerator<SourceBatch> {
  const memory = from ? null : await begin(file);
  yield* readJsonl<Memory>(file, from, {
    start: () => memory ?? emptyMemory(file),
    record: readRecord,
  });
}

/** The reader's memory at the start of a file, with what lies beside the file or further down in it. */
async function begin(file: SourceFile): Promise<Memory> {
  const memory = emptyMemory(file);
  if (!memory.subagent) return { ...memory, own: await ownSessionId(file, memory.name) };
  return { ...memory, subagent: { ...memory.subagent, title: await description(file) } };
}

function emptyMemory(file: SourceFile): Memory {
  const name = withoutEnding(fileName(file));
  const agent = name.startsWith("agent-") ? name.slice("agent-".length) : "";
  return {
    name,
    own: null,
    // Any other name than an id may stand in several folders: two `chat.jsonl` stay two sessions.
    fallback: uuid.test(name) ? name : withoutEnding(file.relative),
    subagent: agent === "" ? null : { id: agent, parent: parentFolder(file), title: null },
    main: null,
    side: [],
    sideEntries: [],
    originSeen: false,
    named: false,
    heard: [],
    tasks: [],
  };
}

function withoutEnding(path: string): string {
  return path.replace(transcriptEnding, "");
}

/** The session named by the folder of `<session id>/subagents/…/agent-<id>.jsonl`. */
function parentFolder(file: SourceFile): string | null {
  return /([^/\\]+)[/\\]subagents[/\\]/.exec(file.path)?.[1] ?? null;
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const probeBytes = 64 * 1024;
/** A description of a sub-agent is one sentence. */
const metaBytes = 64 * 1024;

/**
 * The session id of a file whose records have several (a resume of release 1.0 began with a copy of the old records): the
 * one in the file's name when any record has it, else the first. Own records stand at the end, so both ends are looked at.
 */
async function ownSessionId(file: SourceFile, name: string): Promise<string | null> {
  if (uuid.test(name)) return name;
  const id = JSON.stringify(name);
  const handle = await open(file.path);
  try {
    const buffer = Buffer.alloc(Math.min(probeBytes, file.size));
    const at = async (position: number) =>
      buffer.toString("utf8", 0, (await handle.read(buffer, 0, buffer.length, position)).bytesRead);
    const head = await at(0);
    const names = (part: string) => part.includes(`"sessionId":${id}`) || part.includes(`"sessionId": ${id}`);
    if (names(head) || (file.size > probeBytes && names(await at(file.size - buffer.length)))) return name;
    return firstSessionId(head);
  } finally {
    await handle.close();
  }
}

/** The first session id in whole lines of `head`; null leaves it to the first record that has one. */
function firstSessionId(head: string): string | null {
  for (const line of head.split("\n")) {
    if (!line.includes('"sessionId"')) continue;
    // A broken line names no session; reading the file reports it.
    const id = word(fields(parseJson(line))?.sessionId);
    if (id !== undefined) return id;
  }
  return null;
}

/** What the parent wrote that the sub-agent is for, from the `.meta.json` beside its transcript; null without one. */
async function description(file: SourceFile): Promise<string | null> {
  const path = `${withoutEnding(file.path)}.meta.json`;
  try {
    const found = await lstat(path);
    if (!found.isFile() || found.size > metaBytes) return null;
    const meta: unknown = JSON.parse(await readFile(path, "utf8"));
    return isFields(meta) ? (word(meta.description) ?? null) : null;
  } catch {
    // No such file, or no JSON in it: the sub-agent is imported without a title.
    return null;
  }
}
