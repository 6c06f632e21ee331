/**
 * `npm run corpus -- DIR [--update]`: runs the importers over real transcript files where they lie, checks what must hold
 * for any files, and compares counts and hashes with the golden figures kept for that set of files. Holds no text of
 * theirs. DIR has a folder per program: claude, codex, openclaw, pi.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { builtInSources, type ImportRoot, open } from "../../src/index.ts";
import { figuresOf, type SourceFigures } from "./figures.ts";
import { checkInvariants } from "./invariants.ts";
import { checkToolItems } from "./tool-items.ts";
import { checkUnspoken } from "./unspoken.ts";

const folders: Record<string, string> = {
  claude: "claude-code",
  codex: "codex",
  openclaw: "openclaw",
  pi: "pi",
  jsonl: "jsonl",
};
const golden = join(import.meta.dirname, "golden.json");

const args = process.argv.slice(2);
const update = args.includes("--update");
const [given] = args.filter((arg) => !arg.startsWith("--"));
if (given === undefined || !existsSync(given)) {
  process.stderr.write(
    "usage: npm run corpus -- DIR [--update]; DIR has a folder per program: claude, codex, openclaw, pi\n",
  );
  process.exit(2);
}
const root = resolve(given);

const failures: string[] = [];
const figures: Record<string, SourceFigures> = {};
/** Phrases of tool results and thinking that were searched for and not found. */
let checked = 0;
/** Paths and error lines that only tool traffic has. */
const items = { paths: 0, pathsFound: 0, errors: 0, errorsFound: 0 };
/** Share of them that has to come among the first five (SPEC 3.7). */
const wantedShare = 0.9;
for (const [folder, id] of Object.entries(folders)) {
  const source = builtInSources.find((each) => each.id === id);
  if (!source || !existsSync(join(root, folder))) continue;
  const roots: ImportRoot[] = [{ source, folder: join(root, folder) }];
  const home = mkdtempSync(join(tmpdir(), "backscroll-corpus-"));
  const store = open({ home, durability: "normal", timeZone: "UTC" });
  try {
    const report = await store.import(roots);
    figures[folder] = figuresOf(store, report);
    failures.push(...(await checkInvariants(store, roots, report)).map((failure) => `${folder}: ${failure}`));
    const unspoken = await checkUnspoken(store, join(root, folder));
    failures.push(...unspoken.failures.map((failure) => `${folder}: ${failure}`));
    checked += unspoken.checked;
    store.indexTools(true);
    await store.settle();
    const found = await checkToolItems(store);
    for (const name of Object.keys(items) as (keyof typeof items)[]) items[name] += found[name];
    const { files, sessions, messages, entries } = figures[folder];
    process.stdout.write(
      `${folder}: ${files.found} files, ${sessions} sessions, ${messages} messages, ${entries} entries, ${Object.values(figures[folder].problems).reduce((a, b) => a + b, 0)} problems\n`,
    );
  } finally {
    store.close();
    rmSync(home, { recursive: true, force: true });
  }
}

// The figures belong to one set of files; another set is checked for what holds of any.
const set = existsSync(join(root, "manifest.tsv"))
  ? createHash("sha256")
      .update(readFileSync(join(root, "manifest.tsv")))
      .digest("hex")
      .slice(0, 16)
  : "none";
const kept = existsSync(golden)
  ? (JSON.parse(readFileSync(golden, "utf8")) as { set: string; figures: typeof figures })
  : null;
let compared = false;
if (update) writeFileSync(golden, `${JSON.stringify({ set, figures }, null, 2)}\n`);
else if (kept && kept.set === set) {
  compared = true;
  for (const folder of new Set([...Object.keys(kept.figures), ...Object.keys(figures)])) {
    const [want, have] = [kept.figures[folder], figures[folder]];
    for (const name of Object.keys(want ?? have ?? {}) as (keyof SourceFigures)[]) {
      const [a, b] = [JSON.stringify(want?.[name]), JSON.stringify(have?.[name])];
      if (a !== b) failures.push(`${folder}: ${name} was ${a}, is ${b}`);
    }
  }
}

for (const [what, found, all] of [
  ["paths", items.pathsFound, items.paths],
  ["error lines", items.errorsFound, items.errors],
] as const) {
  if (found < all * wantedShare) failures.push(`${found} of ${all} ${what} of tool traffic among the first five`);
}

for (const failure of failures) process.stdout.write(`FAILED ${failure}\n`);
const total = (of: (each: SourceFigures) => number) => Object.values(figures).reduce((sum, each) => sum + of(each), 0);
process.stdout.write(
  `${JSON.stringify({ corpus: { sources: Object.keys(figures).length, files: total((each) => each.files.found), sessions: total((each) => each.sessions), messages: total((each) => each.messages), unspoken: checked, tools: items, compared, failures: failures.length } })}\n`,
);
process.exitCode = failures.length > 0 || Object.keys(figures).length === 0 ? 1 : 0;
