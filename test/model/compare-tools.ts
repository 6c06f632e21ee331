/** Tool calls and results against the oracle: what a search of them finds, and what stands in their index (SPEC 3.7). */
import assert from "node:assert/strict";
import type { Backscroll } from "../../src/index.ts";
import { limits } from "../../src/limits.ts";
import { decodeBody } from "../../src/store/body.ts";
import type { Database } from "../../src/store/driver.ts";
import { entrySql } from "../../src/store/index-row.ts";
import type { PlainEntry } from "./operation.ts";
import { type Oracle, pathOf, says, searchable } from "./oracle.ts";
import { everyWord } from "./program.ts";

/** What a tool was told and what it gave, as lines; null for an entry without. */
export function traffic({ type, parts }: Pick<PlainEntry, "type" | "parts">): string | null {
  if (type !== "message") return null;
  const lines = parts.flatMap((part) => {
    if (part.type === "toolResult") return [part.text];
    return part.type === "toolCall" ? [part.name, ...strings(part.arguments)] : [];
  });
  return lines.length === 0 ? null : lines.join("\n");
}

function strings(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(strings) : [];
}

/** Every hit is right, and where nothing is pending and every agent has the index, none is missing. */
export async function compareToolSearch(home: Backscroll, oracle: Oracle, query: string): Promise<void> {
  const { max } = limits.searchLimit;
  const answer = await home.search({
    query,
    includeTools: true,
    limit: max,
    perSession: max,
    match: "all",
    waitMs: 0,
  });
  const active = [...oracle.sessions.values()].flatMap((session) =>
    session.transcripts.flatMap(pathOf).map((entry) => ({ session, entry })),
  );
  const isOn = Object.values(home.toolIndexes().agents).every(Boolean);
  const found = new Set<string>();
  for (const hit of answer.results) {
    // A generation may have the id of another.
    const own = active.filter(({ session, entry }) => session.key === hit.sessionKey && entry.id === hit.messageId);
    const texts = own.map(({ entry }) => (hit.part === "tool" ? traffic(entry) : searchable(entry)));
    assert(
      texts.some((text) => text !== null && says(text, query)),
      `${query}: ${JSON.stringify(hit)} is not said on an active branch`,
    );
    assert(hit.part !== "tool" || isOn, `${query}: a hit in tools that are not indexed`);
    for (const { entry } of own)
      for (const said of [traffic(entry), searchable(entry)]) if (said !== null) found.add(said);
  }
  if (!isOn) assert.match(answer.warning ?? "", /not indexed here/);
  if (answer.indexing || answer.truncated || !isOn) return;
  const missing = active.filter(({ entry }) => {
    const text = traffic(entry);
    return text !== null && says(text, query) && !found.has(text);
  });
  assert.deepEqual(missing, [], `${query}: not found in tools`);
}

/** Every entry with tool traffic on an active branch has its rows, and nothing else; none at all where it is off. */
export function compareToolIndex(db: Database): void {
  db.exec("INSERT INTO tool_index (tool_index, rank) VALUES ('integrity-check', 1)");
  const rows = (sql: string) =>
    db
      .prepare(sql)
      .all()
      .map((row) => ({ ...row }));
  const isOn = rows("SELECT 1 FROM index_state WHERE name = 'tools'").length > 0;
  const wanted = rows("SELECT no, type, timestamp, body FROM entries WHERE active = 1 ORDER BY no").filter(
    ({ type, body }) => isOn && traffic({ type: String(type), parts: decodeBody(body).parts }) !== null,
  );
  assert.deepEqual(
    rows("SELECT no, timestamp FROM tool_messages ORDER BY no"),
    wanted.map(({ no, timestamp }) => ({ no, timestamp })),
    "row map of tools",
  );
  const numbers = wanted.map(({ no }) => ({ no }));
  assert.deepEqual(rows(`SELECT ${entrySql("rowid")} AS no FROM tool_index ORDER BY no`), numbers, "index of tools");
  assert.deepEqual(
    rows(`SELECT ${entrySql("rowid")} AS no FROM tool_index WHERE tool_index MATCH '${everyWord}' ORDER BY no`),
    numbers,
    "index of tools, by its words",
  );
  assert.deepEqual(
    rows("SELECT transcript, messages, tokens FROM tool_totals WHERE messages > 0 ORDER BY 1"),
    rows(
      "SELECT no >> 24 AS transcript, count(*) AS messages, sum(length) AS tokens FROM tool_messages GROUP BY 1 ORDER BY 1",
    ),
    "counters of tools",
  );
}
