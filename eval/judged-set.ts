/** A judged set in a home of its own: `sessions.jsonl` imported, distractors beside it, `queries.jsonl` checked against both. */
import { existsSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import * as z from "zod";
import type { ImportReport } from "../src/index.ts";
import { generate, type Recipe } from "./distractors/generate.ts";
import { type EvalHome, importJsonl, openEvalHome } from "./eval-home.ts";
import { BadInput, type JudgedQuery, readQueries } from "./judged-query.ts";
import { nameOf, readSpoken, type Spoken } from "./spoken.ts";
import { Truth } from "./truth.ts";

export interface JudgedSet {
  readonly name: string;
  readonly home: EvalHome;
  readonly queries: readonly JudgedQuery[];
  readonly truth: Truth;
  /** What is odd about the set and does not stop it. */
  readonly remarks: readonly string[];
  close(): void;
}

/** Beside the files of a set: how the sessions are made that only stand in the way. */
const recipe = z.strictObject({
  seed: z.number().int(),
  sessions: z.number().int().positive(),
  messages: z.number().int().positive(),
  topics: z.array(z.enum(["coding", "everyday"])).min(1),
});

/** @throws {BadInput} for files that are missing or malformed, and for labels of what is not there. */
export async function openSet(folder: string): Promise<JudgedSet> {
  const path = (name: string) => join(resolve(folder), name);
  for (const name of ["sessions.jsonl", "queries.jsonl"])
    if (!existsSync(path(name))) throw new BadInput(`${folder}: there is no ${name}`);
  const queries = readQueries(readFileSync(path("queries.jsonl"), "utf8"), path("queries.jsonl"));
  const distractors = readRecipe(path("distractors.json"));
  const home = openEvalHome();
  try {
    const report = await importJsonl(home, path("sessions.jsonl"), distractors ? [generate(distractors)] : []);
    if (report.messages === 0)
      throw new BadInput(`${path("sessions.jsonl")}: holds no searchable message${firstProblem(report)}`);
    const spoken = readSpoken(home.store);
    checkLabels(queries, spoken, path("queries.jsonl"));
    return {
      name: basename(resolve(folder)),
      home,
      queries,
      truth: new Truth(spoken.messages),
      remarks: [...problemsOf(report), ...unsearchable(queries, spoken)],
      close: () => home.close(),
    };
  } catch (error) {
    home.close();
    throw error;
  }
}

function readRecipe(path: string): Recipe | null {
  if (!existsSync(path)) return null;
  const parsed = recipe.safeParse(JSON.parse(readFileSync(path, "utf8")));
  if (parsed.success) return parsed.data;
  throw new BadInput(`${path}: ${parsed.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`)}`);
}

function checkLabels(queries: readonly JudgedQuery[], { sessions, stored }: Spoken, file: string): void {
  const missing = queries.flatMap(({ id, relevant }) =>
    relevant.flatMap(({ sessionKey, messageId }) => {
      if (!sessions.has(sessionKey)) return [`query ${id}: no session ${sessionKey}`];
      if (messageId === undefined || stored.has(nameOf(sessionKey, messageId))) return [];
      return [`query ${id}: no message ${messageId} in ${sessionKey}`];
    }),
  );
  if (missing.length === 0) return;
  const shown = missing.slice(0, 10);
  const more = missing.length > shown.length ? [`and ${missing.length - shown.length} more`] : [];
  throw new BadInput(`${file}: labels of what sessions.jsonl does not have:\n  ${[...shown, ...more].join("\n  ")}`);
}

/** Labels that no search can find; they stay, and count as not found. */
function unsearchable(queries: readonly JudgedQuery[], { messages }: Spoken): string[] {
  const searchable = new Set(messages.map(({ sessionKey, messageId }) => nameOf(sessionKey, messageId)));
  return queries.flatMap(({ id, relevant }) =>
    relevant.flatMap(({ sessionKey, messageId }) =>
      messageId === undefined || searchable.has(nameOf(sessionKey, messageId))
        ? []
        : [`query ${id}: ${messageId} in ${sessionKey} is not searchable text of the active branch`],
    ),
  );
}

function problemsOf(report: ImportReport): string[] {
  return report.problems.map(({ path, line, reason }) => `${basename(path)}${line ? `, line ${line}` : ""}: ${reason}`);
}

function firstProblem(report: ImportReport): string {
  const [first] = problemsOf(report);
  return first === undefined ? "" : ` (${first})`;
}
