/**
 * Real searches, drawn from the store itself: each message of a sample is searched for by its own words, through the tool
 * that everybody uses, and has to be found, or a copy of it. Every other check can pass where this fails.
 */
import { BackscrollError } from "../../errors.ts";
import { limits } from "../../limits.ts";
import type { SearchAnswer } from "../../model/answer.ts";
import { owner } from "../../model/caller.ts";
import { redact } from "../../redaction/redact.ts";
import type { AgentStore } from "../../store/agent-store.ts";
import type { Findings } from "../../store/check/findings.ts";
import { copyOf, sampleMessages } from "../../store/check/sample-messages.ts";
import type { MessageRow } from "../../store/match.ts";
import { cutMasks } from "../../store/without-secrets.ts";
import { terms } from "../../text/tokens.ts";
import { sessionsSearch } from "../../tools/sessions-search.ts";
import type { ToolContext } from "../../tools/tool.ts";

/** Messages searched for, per agent. */
const sampleSize = 25;
/** Words of a first query, and of the one after it where too many messages have those. */
const fewWords = 6;
const manyWords = 40;

/** Returns how many searches were made. The same store gives the same sample. */
export async function realSearches(
  store: AgentStore,
  context: Omit<ToolContext, "caller">,
  findings: Findings,
): Promise<number> {
  let made = 0;
  for (const message of sampleMessages(store.db, sampleSize, drawer(0x5eed))) {
    try {
      const outcome = await searchFor(message, store, context);
      if (outcome === null) continue;
      made += 1;
      if (!outcome) findings.add("not-found", `${message.sessionKey}: entry ${message.messageId}`);
    } catch (error) {
      if (error instanceof BackscrollError && (error.code === "busy" || error.code === "io")) throw error;
      findings.add("search-failed", `${message.sessionKey}: ${error instanceof Error ? error.message : error}`);
    }
  }
  return made;
}

/** Whether it is found; null where there is nothing to search for, or no telling. */
async function searchFor(
  message: MessageRow,
  store: AgentStore,
  context: Omit<ToolContext, "caller">,
): Promise<boolean | null> {
  const words = terms(cutMasks(redact(message.text)));
  const ask = (query: string, more: object = {}) =>
    sessionsSearch.run(
      {
        query,
        sessionKey: message.sessionKey,
        agent: store.agentId,
        limit: limits.searchLimit.max,
        perSession: limits.perSession.max,
        waitMs: limits.waitMs.max,
        ...more,
      },
      { ...context, caller: owner },
    );
  const first = phrase(words, fewWords);
  if (first === null) return null;
  const answer = await ask(first);
  if (isIn(answer, message, store)) return true;
  if (answer.indexing) return null;
  if (!answer.truncated) return false;
  // A time that can't be written as a filter.
  if (message.timestamp < 0 || message.timestamp > 8e12) return null;
  const minute = Math.floor(message.timestamp / 60_000) * 60_000;
  const narrow = await ask(phrase(words, manyWords) ?? first, {
    after: `${new Date(minute).toISOString().slice(0, 16)}Z`,
    before: `${new Date(minute + 60_000).toISOString().slice(0, 16)}Z`,
  });
  return isIn(narrow, message, store) ? true : narrow.truncated || narrow.indexing ? null : false;
}

function isIn({ results }: SearchAnswer, message: MessageRow, store: AgentStore): boolean {
  return results.some(
    (hit) => hit.messageId === message.messageId || copyOf(store.db, hit.sessionId, hit.messageId) === message.copy,
  );
}

/** Words from the middle of the message, side by side; null when there are none that would be read as they stand. */
function phrase(words: readonly string[], most: number): string | null {
  const from = Math.max(0, Math.floor((words.length - most) / 2));
  const chosen: string[] = [];
  let length = 2;
  for (const word of words.slice(from, from + most)) {
    length += word.length + 1;
    if (length > limits.queryLength.default) break;
    chosen.push(word);
  }
  const text = chosen.join(" ");
  return chosen.length > 0 && terms(text).join(" ") === text ? `"${text}"` : null;
}

/** A small generator of numbers (mulberry32): the sample of a store is the same each time. */
function drawer(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
