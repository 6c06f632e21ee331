/** Runs a source over a file made of the given records. For the tests of the JSONL sources. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Problem } from "../../../src/model/problem.ts";
import type { EntryDraft, Part, SessionDraft } from "../../../src/model/transcript.ts";
import type { Checkpoint, Source, SourceFile, SourceItem } from "../../../src/sources/source.ts";

export interface Read {
  readonly items: readonly SourceItem[];
  readonly sessions: readonly SessionDraft[];
  readonly entries: readonly EntryDraft[];
  readonly problems: readonly Problem[];
  /** What was ignored, in order. */
  readonly ignored: readonly string[];
  /** Id to what it stands for. */
  readonly aliases: Readonly<Record<string, string | null>>;
  /** Where reading stopped. */
  readonly at: Checkpoint | null;
}

/** `content` is the file as text or bytes, or its records. `relative` is the file's path below its root. */
export async function itemsOf(
  source: Source,
  relative: string,
  content: string | Uint8Array | readonly unknown[],
  from: Checkpoint | null = null,
): Promise<Read> {
  const root = mkdtempSync(join(tmpdir(), "backscroll-source-"));
  try {
    const path = join(root, relative);
    const bytes = Array.isArray(content)
      ? Buffer.from(content.map((record) => `${JSON.stringify(record)}\n`).join(""))
      : Buffer.from(content as string);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, bytes);
    const file: SourceFile = { path, relative, root, size: bytes.length, mtimeMs: 0 };
    const items: SourceItem[] = [];
    let at: Checkpoint | null = null;
    for await (const batch of source.read(file, from)) {
      items.push(...batch.items);
      at = batch.at;
    }
    return {
      items,
      sessions: items.flatMap((item) => (item.kind === "session" ? [item.session] : [])),
      entries: items.flatMap((item) => (item.kind === "entry" ? [item.entry] : [])),
      problems: items.flatMap((item) => (item.kind === "problem" ? [item.problem] : [])),
      ignored: items.flatMap((item) => (item.kind === "ignored" ? [item.what] : [])),
      aliases: Object.fromEntries(items.flatMap((item) => (item.kind === "alias" ? [[item.id, item.of]] : []))),
      at,
    };
  } finally {
    rmSync(root, { recursive: true });
  }
}

/** A file as `recognise` is asked about it. */
export function fileAt(relative: string, root = "/data"): SourceFile {
  return { path: `${root}/${relative}`, relative, root, size: 1, mtimeMs: 0 };
}

/** What would be searchable of the entries' words, were they all on the active branch. */
export function spoken(entries: readonly EntryDraft[]): string[] {
  return entries
    .filter((entry) => entry.type === "message" && (entry.role === "user" || entry.role === "assistant"))
    .map((entry) => typed(entry.parts))
    .filter((words) => words !== "");
}

function typed(parts: readonly Part[]): string {
  return parts.flatMap((part) => (part.type === "text" && !part.injected ? [part.text] : [])).join("\n");
}
