/**
 * How far each source file was read. The rows lie in the database that the file feeds and change in the transaction
 * that stores what was read, so an import killed at any moment goes on exactly where it was (SPEC 8.8).
 */
import { createHash } from "node:crypto";
import type { AgentId, SourceId } from "../model/ids.ts";
import type { Json } from "../model/transcript.ts";
import type { Database } from "./driver.ts";

export interface SourceFileRow {
  /** Absolute. */
  readonly path: string;
  readonly source: SourceId;
  readonly device: number;
  readonly inode: number;
  /** Bytes and epoch microseconds, when it was last read. */
  readonly size: number;
  readonly mtime: number;
  /** `whole`: read to its end. `first`, `again`: in the middle of the first, or a later, reading from the start. */
  readonly stage: "whole" | "first" | "again";
  /** Byte offset of the next unread record, and the lines before it. */
  readonly position: number;
  readonly line: number;
  /** Hashes of the file's first bytes and of those before `position`. */
  readonly head: string;
  readonly tail: string;
  readonly state: Json;
  /** Agents that the file feeds, as far as it was read: where one has no row, its part is missing. */
  readonly agents: readonly AgentId[];
}

export function sourceFiles(db: Database): SourceFileRow[] {
  return db
    .prepare("SELECT * FROM source_files ORDER BY path")
    .all()
    .map((row) => ({
      ...(row as unknown as SourceFileRow),
      state: JSON.parse(String(row.state)) as Json,
      agents: JSON.parse(String(row.agents)) as AgentId[],
    }));
}

export function saveSourceFile(db: Database, row: SourceFileRow): void {
  db.prepare(`
    INSERT INTO source_files (path, source, device, inode, size, mtime, stage, position, line, head, tail, state, agents)
    VALUES (:path, :source, :device, :inode, :size, :mtime, :stage, :position, :line, :head, :tail, :state, :agents)
    ON CONFLICT DO UPDATE SET source = :source, device = :device, inode = :inode, size = :size, mtime = :mtime, stage = :stage,
      position = :position, line = :line, head = :head, tail = :tail, state = :state, agents = :agents
  `).run({ ...row, state: JSON.stringify(row.state), agents: JSON.stringify(row.agents) });
}

/** The same file under a new name: its row goes along. */
export function moveSourceFile(db: Database, from: string, to: string): void {
  db.prepare("DELETE FROM source_files WHERE path = :to").run({ to });
  db.prepare("UPDATE source_files SET path = :to WHERE path = :from").run({ from, to });
}

/** `fingerprint` of no bytes at all. */
const nothingRead = createHash("sha256").update("").digest("base64url").slice(0, 22);

/**
 * A row without what the reader remembers of the file, which can hold a title: the file is read from its start when it
 * changes. For files that say something which was deleted here.
 */
export function withoutMemory(row: SourceFileRow): SourceFileRow {
  return { ...row, state: null, position: 0, line: 0, head: nothingRead, tail: nothingRead };
}

/** Does that for every file whose reader remembers a transcript. O(files). */
export function forgetReaders(db: Database, sessionId: string): number {
  return db
    .prepare(`
      UPDATE source_files SET state = 'null', position = 0, line = 0, head = :nothing, tail = :nothing
      WHERE instr(state, :quoted) > 0
    `)
    .run({ nothing: nothingRead, quoted: JSON.stringify(sessionId).slice(1, -1) });
}

/** Paths of source files that are named after a transcript, or that hold several. */
export function sourcePathsOf(db: Database, sessionId: string): string[] {
  return db
    .prepare("SELECT path FROM source_files WHERE instr(path, :sessionId) > 0 ORDER BY path")
    .all({ sessionId })
    .map(({ path }) => String(path));
}
