/** Runs a function in a process of its own, so that no case sees another's warm code, open files or memory. */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("./apart-child.ts", import.meta.url));

/**
 * Calls the exported function `name` of a module with a JSON value, and gives back its JSON answer. What it prints goes
 * to stderr.
 * @param module URL of the module.
 * @throws {Error} when the process fails; why stands on stderr.
 */
export async function apart<Answer>(module: string, name: string, input: unknown): Promise<Answer> {
  const child = spawn(process.execPath, [program, module, name], { stdio: ["pipe", 2, 2, "pipe"] });
  child.stdin?.end(JSON.stringify(input));
  const answer: Buffer[] = [];
  child.stdio[3]?.on("data", (piece: Buffer) => answer.push(piece));
  const code = await new Promise<number | null>((done, fail) => {
    child.on("error", fail);
    child.on("close", done);
  });
  if (code !== 0) throw new Error(`${name} of ${fileURLToPath(module)} ended with ${code ?? "a signal"}`);
  return JSON.parse(Buffer.concat(answer).toString("utf8")) as Answer;
}
