/** Copies of OpenClaw state folders to take over, and what lies in a folder. */
import { createHash } from "node:crypto";
import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { type Backscroll, builtInSources, type Legacy, type Source } from "../../src/index.ts";
import { Home } from "../../src/store/home.ts";
import { Legacy as LegacyOf } from "../../src/upkeep/legacy/legacy.ts";
import { type FileOperations, fileOperations } from "../../src/upkeep/legacy/legacy-move.ts";
import { temporaryFolder } from "./temporary.ts";

export const fixtures = resolve(import.meta.dirname, "../fixtures/sources/openclaw");

export const openclaw: Source = (() => {
  const source = builtInSources.find(({ id }) => id === "openclaw");
  if (!source) throw new Error("no OpenClaw source");
  return source;
})();

/** A copy of a fixture's state folder. */
export function stateFolder(fixture?: string): string {
  const folder = join(temporaryFolder(), "state");
  mkdirSync(folder);
  if (fixture !== undefined) cpSync(join(fixtures, fixture, "root"), folder, { recursive: true });
  return folder;
}

export function line(id: string, text: string, more: Record<string, unknown> = {}): string {
  const message = { role: "user", content: [{ type: "text", text }] };
  return `${JSON.stringify({ type: "message", id, timestamp: "2026-03-02T08:00:14.000Z", message, ...more })}\n`;
}

/** Writes a transcript of that session id; returns its path. */
export function transcript(
  folder: string,
  agent: string,
  id: string,
  lines: readonly string[],
  name = `${id}.jsonl`,
): string {
  const head = `${JSON.stringify({ type: "session", version: 3, id, timestamp: "2026-03-02T08:00:07.000Z", cwd: "/srv/desk" })}\n`;
  const path = join(folder, "agents", agent, "sessions", name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, head + lines.join(""), { mode: 0o600 });
  chmodSync(path, 0o600);
  return path;
}

export function sessionList(folder: string, agent: string, keys: Readonly<Record<string, string>>): string {
  const path = join(folder, "agents", agent, "sessions", "sessions.json");
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(
    path,
    JSON.stringify(Object.fromEntries(Object.entries(keys).map(([key, sessionId]) => [key, { sessionId }]))),
  );
  return path;
}

/** Name below the folder → what it is: hash, mode and time of a file, target of a link. Links are not followed. */
export function tree(folder: string, below = ""): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of readdirSync(join(folder, below), { withFileTypes: true })) {
    const name = below === "" ? entry.name : `${below}/${entry.name}`;
    const path = join(folder, name);
    if (entry.isDirectory()) Object.assign(found, tree(folder, name));
    else if (entry.isSymbolicLink()) found[name] = `→ ${readlinkSync(path)}`;
    else {
      const { mode, mtimeMs } = lstatSync(path);
      const hash = createHash("sha256").update(readFileSync(path)).digest("hex");
      found[name] = `${hash} ${(mode & 0o777).toString(8)} ${Math.round(mtimeMs)}`;
    }
  }
  return found;
}

export function legacyOf(home: Backscroll, folder: string, agent?: string): Legacy {
  return home.legacy({ source: openclaw, folder, ...(agent !== undefined && { agent }) });
}

/** One on a home folder, with other operations than the file system's. The home has to be closed. */
export function legacyWith(
  home: string,
  folder: string,
  operations: Partial<FileOperations>,
): { legacy: Legacy; home: Home } {
  const opened = new Home(home, { durability: "normal" });
  const context = { home: opened, now: Date.now, operations: { ...fileOperations, ...operations } };
  return { legacy: new LegacyOf({ source: openclaw, folder }, context), home: opened };
}

/** As a second device would answer where the archive is involved. */
export function otherDevice(): Partial<FileOperations> {
  const isArchived = (path: string) => path.includes("backscroll-archive");
  const guard = (work: (from: string, to: string) => void) => (from: string, to: string) => {
    if (isArchived(from) !== isArchived(to)) {
      throw Object.assign(new Error("EXDEV: cross-device link not permitted"), { code: "EXDEV", syscall: "rename" });
    }
    work(from, to);
  };
  return { link: guard(fileOperations.link), rename: guard(fileOperations.rename) };
}

/** Calls `before` ahead of each change to the file system, with its number from 1. */
export function counted(operations: FileOperations, before: (count: number, name: string) => void): FileOperations {
  let count = 0;
  const step = (name: string) => {
    count += 1;
    before(count, name);
  };
  return {
    link: (from, to) => {
      step("link");
      operations.link(from, to);
    },
    rename: (from, to) => {
      step("rename");
      operations.rename(from, to);
    },
    copy: (from, to) => {
      step("copy");
      operations.copy(from, to);
    },
    unlink: (path) => {
      step("unlink");
      operations.unlink(path);
    },
    makeFolder: (path) => {
      step("makeFolder");
      operations.makeFolder(path);
    },
  };
}
