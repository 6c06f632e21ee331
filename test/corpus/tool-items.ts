/**
 * Known items of tool traffic (SPEC 3.7): of each entry one path and one error line that no message says, searched for as they
 * stand. Found is what comes among the first five: the entry itself, or another that shows the same.
 */
import type { Backscroll, Part } from "../../src/index.ts";
import { redact } from "../../src/redaction/redact.ts";
import { decodeBody } from "../../src/store/body.ts";

export interface ToolItems {
  readonly paths: number;
  readonly pathsFound: number;
  readonly errors: number;
  readonly errorsFound: number;
}

/** Entries asked for per agent and kind: spread over all. */
const perAgent = 200;

const pathIn = /(?<![\w/.@~-])~?[\w.@-]*(?:\/[\w.@-]+){2,}\.[a-z]{1,5}\b/g;
/** Told in another way than by the index: by how compilers, shells and test runners begin such a line. */
const errorIn =
  /^(?:\w*error\b|\w+Error: |fatal: |FAIL |npm ERR!|E {3}|.*: command not found|.*No such file|.*panicked at)/i;

export async function checkToolItems(store: Backscroll): Promise<ToolItems> {
  const sum = { paths: 0, pathsFound: 0, errors: 0, errorsFound: 0 };
  for (const agent of store.agents()) {
    const { said, paths, errors } = readItems(store, agent);
    const unsaid = (items: readonly string[]) => items.filter((item) => !said.includes(item));
    const [askedPaths, askedErrors] = [spread(unsaid(paths)), spread(unsaid(errors))];
    sum.paths += askedPaths.length;
    sum.errors += askedErrors.length;
    for (const item of askedPaths) sum.pathsFound += Number(await isFound(store, agent, item));
    for (const item of askedErrors) sum.errorsFound += Number(await isFound(store, agent, item));
  }
  return sum;
}

function readItems(store: Backscroll, agent: string): { said: string; paths: string[]; errors: string[] } {
  const said: string[] = [];
  const paths = new Set<string>();
  const errors = new Set<string>();
  const rows = store.store(agent).db.prepare("SELECT body FROM entries WHERE type = 'message' AND active = 1");
  for (const { body } of rows.iterate()) {
    const { parts } = decodeBody(body);
    for (const part of parts) if (part.type === "text") said.push(part.text);
    const text = parts.map(traffic).join("\n");
    const isNew = (found: Set<string>) => (item: string) => !found.has(item) && redact(item).masks.length === 0;
    const path = (text.match(pathIn) ?? []).find(isNew(paths));
    if (path !== undefined) paths.add(path);
    const lines = text.split("\n").map((line) => line.trim());
    const error = lines
      .filter((line) => line.length >= 20 && line.length <= 160 && errorIn.test(line))
      .find(isNew(errors));
    if (error !== undefined) errors.add(error);
  }
  return { said: said.join("\n"), paths: [...paths], errors: [...errors] };
}

function traffic(part: Part): string {
  if (part.type === "toolResult") return part.text;
  return part.type === "toolCall" ? JSON.stringify(part.arguments) : "";
}

function spread(items: readonly string[]): string[] {
  const step = Math.max(1, items.length / perAgent);
  return items.filter((_, at) => Math.floor(at / step) !== Math.floor((at - 1) / step));
}

async function isFound(store: Backscroll, agent: string, item: string): Promise<boolean> {
  const { results } = await store.search({ query: item, includeTools: true, agent, limit: 5, perSession: 5 });
  const has = (text: string) => text.includes(item);
  for (const { sessionKey, messageId, part, snippet } of results) {
    if (part !== "tool") continue;
    if (has(snippet)) return true;
    const entries = store
      .store(agent)
      .read(sessionKey)
      .filter(({ id }) => id === messageId);
    if (entries.some(({ parts }) => has(parts.map(traffic).join("\n")))) return true;
  }
  return false;
}
