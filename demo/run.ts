/**
 * `npm run demo`: imports the sample week (demo/sample) into a temporary home with the command line that everybody uses,
 * runs three searches and opens one hit in context. Leaves nothing behind.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { styleText } from "node:util";
import { open } from "../src/index.ts";

const command = join(import.meta.dirname, "../bin/backscroll.js");
const sample = join(import.meta.dirname, "sample");
const home = mkdtempSync(join(tmpdir(), "backscroll-demo-"));

try {
  say("A week of three people's work with four agents, as their programs left it on disk.");
  const roots = ["claude-code", "codex", "openclaw", "pi"].flatMap((source) => [
    "--root",
    `${source}=${join(sample, source)}`,
  ]);
  run(
    "sync",
    ["sync", ...roots],
    "sync --root claude-code=demo/sample/claude-code --root codex=… --root openclaw=… --root pi=…",
  );

  say("What did we decide about the cache? Messages with all words come first; the answer is one of Claude Code's.");
  search("tide table cache");
  say("A Chinese word is found inside longer runs of text, in the sessions of any agent.");
  search("潮汐表");
  say("Somebody pasted a token. It is masked before anything is cut or shown, and can't be searched for.");
  search("token 403");

  say("The first answer again, opened in context:");
  const store = open({ home });
  const { results } = await store.search({ query: "tide table cache" });
  store.close();
  const [hit] = results;
  if (!hit) throw new Error("the sample week holds no message about the tide table cache");
  run(
    "history",
    ["history", "--around", hit.messageId, "--limit", "5", hit.sessionKey],
    `history --around ${hit.messageId} --limit 5 ${hit.sessionKey}`,
  );

  say("Now your own sessions:");
  process.stdout.write(
    "  npm run -s backscroll -- search what you remember of it\n  npm run -s backscroll -- --help\n\n",
  );
} finally {
  rmSync(home, { recursive: true, force: true });
}

function search(query: string): void {
  run("search", ["search", "--no-sync", "--limit", "3", query], `search --limit 3 ${query}`);
}

/** Runs the command as a person would; its output is the demo's. */
function run(name: string, args: readonly string[], shown: string): void {
  process.stdout.write(`${style("dim", `$ backscroll ${shown}`)}\n`);
  const [verb, ...rest] = args;
  const { status } = spawnSync(process.execPath, [command, verb ?? name, "--home", home, ...rest], {
    stdio: "inherit",
  });
  if (status !== 0) throw new Error(`backscroll ${name} ended with ${status}`);
  process.stdout.write("\n");
}

function say(text: string): void {
  process.stdout.write(`${style("bold", text)}\n\n`);
}

function style(format: "bold" | "dim", text: string): string {
  return styleText(format, text, { stream: process.stdout });
}
