/** Asks through the command, in a process of its own: once for programs (`--json`), once as at a terminal. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import { type Observation, read } from "./observation.ts";
import type { World } from "./world.ts";

export const cliSearchArgs = z.strictObject({
  query: z.string(),
  limit: z.int().optional(),
  sessionKey: z.string().optional(),
  project: z.string().optional(),
});
export type CliSearchArgs = z.infer<typeof cliSearchArgs>;

const command = fileURLToPath(new URL("../../bin/backscroll.js", import.meta.url));

export async function cliSearch(args: CliSearchArgs, world: World): Promise<Observation> {
  const { query, limit, sessionKey, project } = args;
  const flags = [
    ...(limit === undefined ? [] : [`--limit=${limit}`]),
    ...(sessionKey === undefined ? [] : [`--session=${world.names.written(sessionKey) ?? sessionKey}`]),
    ...(project === undefined ? [] : [`--project=${project}`]),
  ];
  // Transcripts of the machine that runs the cases stay out: nothing is synced.
  const common = ["search", "--home", world.home, "--no-sync", ...flags];
  const start = performance.now();
  const json = await run([...common, "--json", "--", query]);
  const ms = performance.now() - start;
  const text = await run([...common, "--", query]);
  const terminal = [json.stdout + json.stderr, text.stdout + text.stderr];
  const seen = {
    tool: "cli_search" as const,
    label: `cli_search ${JSON.stringify(args)}`,
    ms,
    opened: [],
    terminal,
    ...read("cli_search", json.stdout),
  };
  // Exit codes as grep's: an answer and its code have to say the same (SPEC 9.2).
  const code = seen.failure !== null ? 2 : seen.hits.length > 0 ? 0 : 1;
  if (json.code === code && text.code === code) return seen;
  return {
    ...seen,
    crash:
      seen.crash ??
      `exit codes ${json.code} and ${text.code} where ${code} is right: ${terminal.join("\n").slice(0, 400)}`,
  };
}

interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function run(args: readonly string[]): Promise<Finished> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [command, ...args],
      { timeout: 30_000, maxBuffer: 16 * 1024 * 1024 },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === "number" ? error.code : null;
        resolve({ code, stdout, stderr });
      },
    );
  });
}
