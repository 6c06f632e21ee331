/** A temporary home, filled by the real import, with a clock that each query may set. */
import { constants, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Backscroll, builtInSources, type ImportReport, type ImportRoot, open } from "../src/index.ts";

export interface EvalHome {
  readonly store: Backscroll;
  readonly folder: string;
  /** What the store takes for the present: epoch ms. */
  setNow(now: number | undefined): void;
  close(): void;
}

export function openEvalHome(): EvalHome {
  const folder = mkdtempSync(join(tmpdir(), "backscroll-eval-"));
  let now: number | undefined;
  // Figures that depend on a host's zone or on the day of the run can't be compared.
  const store = open({
    home: join(folder, "home"),
    durability: "normal",
    timeZone: "UTC",
    now: () => now ?? Date.now(),
  });
  return {
    folder,
    store,
    setNow: (time) => {
      now = time;
    },
    close: () => {
      store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const neutral = builtInSources.filter(({ id }) => id === "jsonl");

/** Imports neutral JSONL: a file where it lies, and generated text beside it in the same stores. */
export async function importJsonl({ store, folder }: EvalHome, file: string, texts: readonly string[] = []) {
  const into = join(folder, "transcripts");
  mkdirSync(into);
  // A copy, so that what lies beside the file is no transcript.
  copyFileSync(file, join(into, "sessions.jsonl"), constants.COPYFILE_FICLONE);
  texts.forEach((text, at) => {
    writeFileSync(join(into, `generated-${at}.jsonl`), text);
  });
  const report = await store.import(neutral.map((source) => ({ source, folder: into })));
  await store.settle();
  return report;
}

/**
 * Imports whatever the built-in sources recognise below a folder. A folder that is named after a program holds that
 * program's files; any other is offered to every source.
 */
export async function importAny(
  { store }: EvalHome,
  folder: string,
  folders: readonly string[],
): Promise<ImportReport> {
  const programs = new Map(builtInSources.flatMap((source) => [[source.id, source] as const, ...aliasOf(source)]));
  const named = folders.filter((name) => programs.has(name));
  const roots: ImportRoot[] = named.flatMap((name) => {
    const source = programs.get(name);
    return source ? [{ source, folder: join(folder, name) }] : [];
  });
  const report = await store.import(roots.length > 0 ? roots : builtInSources.map((source) => ({ source, folder })));
  await store.settle();
  return report;
}

/** `claude` for `claude-code`. */
function aliasOf<S extends { readonly id: string }>(source: S): (readonly [string, S])[] {
  const [first = ""] = source.id.split("-");
  return first === source.id ? [] : [[first, source]];
}
