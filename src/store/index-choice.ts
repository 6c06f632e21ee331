/**
 * What a home indexes beside messages, for the stores that are still to come: each store keeps its own choice, and a new agent
 * begins with that of the home (SPEC 3.7).
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BackscrollError, toIoError } from "../errors.ts";
import type { IndexOptions } from "./agent-store-options.ts";

const fileName = "index.json";

/** Nothing chosen where there is no such file. @throws {BackscrollError} `bad_input` for a damaged one, `io`. */
export function readIndexChoice(home: string): IndexOptions {
  const path = join(home, fileName);
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return {};
    if (error instanceof SyntaxError) throw damaged(path, error);
    throw toIoError(error, path);
  }
  const tools = typeof value === "object" && value !== null && "tools" in value ? value.tools : undefined;
  if (typeof tools !== "boolean") throw damaged(path, null);
  return { tools };
}

/** Whole or not at all. @throws {BackscrollError} `io`. */
export function writeIndexChoice(home: string, choice: IndexOptions): void {
  const path = join(home, fileName);
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 });
    const next = `${path}.${process.pid}`;
    writeFileSync(next, `${JSON.stringify(choice)}\n`, { mode: 0o600 });
    renameSync(next, path);
  } catch (error) {
    throw toIoError(error, path);
  }
}

function damaged(path: string, cause: unknown): BackscrollError {
  return new BackscrollError(
    "bad_input",
    `${path} does not say what to index`,
    'Mend it ({"tools":true}) or remove it.',
    {
      cause,
    },
  );
}
