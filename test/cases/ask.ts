/** Asks the library one question and gives one observation, however many calls that takes. */
import { type Caller, toEntryId } from "../../src/index.ts";
import { NotRun } from "./not-run.ts";
import { type Observation, observe } from "./observation.ts";
import { type SearchArgs, searchInput } from "./search-input.ts";
import type { World } from "./world.ts";

/** Who asks whom, and how. */
export interface Asking {
  readonly world: World;
  readonly caller: Caller;
  /** Milliseconds for which an answer that says `indexing` is asked for again. */
  readonly patience: number;
  /** The `match` of a search that has none of its own; undefined: the product's default. */
  readonly match: "all" | undefined;
}

export function search(args: SearchArgs, asking: Asking): Promise<Observation> {
  const { world, caller, match } = asking;
  const input = searchInput(args, world.names, match);
  return settle(asking, () =>
    observe("search", `search ${shorten(JSON.stringify(args))}`, () => world.store.search(input, caller)),
  );
}

/** Searches, and opens every hit in history as the same caller. */
export async function searchThenHistory(args: SearchArgs, asking: Asking): Promise<Observation> {
  const { world, caller } = asking;
  const found = await search(args, asking);
  const opened: Observation[] = [];
  for (const { sessionKey, sessionId, messageId } of found.hits) {
    const input = { sessionKey, sessionId, messageId };
    const page = await observe("history", `history ${JSON.stringify(input)}`, () => world.store.history(input, caller));
    const refused = page.failure !== null || page.crash !== null;
    const isThere = page.messages.some((message) => message.messageId === messageId);
    opened.push(refused || isThere ? page : { ...page, crash: `the page opened at ${messageId} does not hold it` });
  }
  return { ...found, tool: "search_then_history", opened };
}

export interface HistoryArgs {
  readonly sessionKey: string;
  readonly limit?: unknown;
  readonly around?: string | undefined;
  /** As many messages before as after it. */
  readonly before?: number | undefined;
  readonly includeTools?: unknown;
  readonly includeThinking?: unknown;
}

export function history(args: HistoryArgs, asking: Asking): Promise<Observation> {
  const { world, caller } = asking;
  const { sessionKey, limit, around, before, includeTools, includeThinking } = args;
  const input = {
    sessionKey: world.names.written(sessionKey) ?? sessionKey,
    ...(limit !== undefined && { limit }),
    ...(around !== undefined && { messageId: around }),
    ...(before !== undefined && { limit: 2 * before + 1 }),
    ...(includeTools !== undefined && { includeTools }),
    ...(includeThinking !== undefined && { includeThinking }),
  };
  return settle(asking, () =>
    observe("history", `history ${JSON.stringify(args)}`, () => world.store.history(input, caller)),
  );
}

export interface PagesArgs {
  readonly sessionKey: string;
  readonly limit?: unknown;
  /** Said by the user in that session, one after each page but the last. */
  readonly appendBetweenPages?: readonly string[] | undefined;
}

/** Most pages read of one session: a cursor that leads nowhere must not keep the runner. */
const mostPages = 2000;

/** From the newest page to the oldest, put together in reading order. */
export async function historyAllPages(args: PagesArgs, asking: Asking): Promise<Observation> {
  const { world, caller } = asking;
  const { sessionKey, limit, appendBetweenPages = [] } = args;
  const key = world.names.written(sessionKey) ?? sessionKey;
  const label = `history_all_pages ${JSON.stringify(args)}`;
  const late = [...appendBetweenPages];
  const pages: Observation[] = [];
  for (let cursor: string | undefined; pages.length < mostPages; ) {
    const input = { sessionKey: key, ...(limit !== undefined && { limit }), ...(cursor !== undefined && { cursor }) };
    const page = await settle(asking, () =>
      observe("history_all_pages", label, () => world.store.history(input, caller)),
    );
    pages.unshift(page);
    const [answer] = page.answers;
    if (answer?.hasOlder !== true) {
      if (pages.length === 1 && late.length > 0) throw new NotRun("appendBetweenPages: there was only one page");
      return join(pages, null);
    }
    if (answer.older === undefined) return join(pages, "an answer with hasOlder names no way to go on");
    cursor = answer.older;
    const text = late.shift();
    if (text !== undefined) appendTo(sessionKey, text, world);
  }
  return join(pages, `still more after ${mostPages} pages`);
}

function join(pages: readonly Observation[], crash: string | null): Observation {
  const [first] = pages;
  if (!first) throw new Error("no page was read");
  return {
    ...first,
    ms: pages.reduce((sum, { ms }) => sum + ms, 0),
    json: pages.flatMap(({ json }) => json),
    failure: pages.find((page) => page.failure !== null)?.failure ?? null,
    crash: crash ?? pages.find((page) => page.crash !== null)?.crash ?? null,
    answers: pages.flatMap(({ answers }) => answers),
    messages: pages.flatMap(({ messages }) => messages),
  };
}

function appendTo(name: string, text: string, world: World): void {
  const key = world.names.of(name);
  const id = toEntryId(world.nextId());
  world
    .agentStore(key)
    .append(key, [{ id, type: "message", role: "user", timestamp: world.tick(), parts: [{ type: "text", text }] }]);
}

/** Asks again while the answer says that indexing is under way, and gives the last one. */
async function settle({ patience }: Asking, ask: () => Promise<Observation>): Promise<Observation> {
  const until = performance.now() + patience;
  for (;;) {
    const seen = await ask();
    const pending = seen.answers.some(({ indexing }) => indexing === true);
    if (!pending || performance.now() >= until) return seen;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function shorten(text: string): string {
  return text.length > 160 ? `${text.slice(0, 160).toWellFormed()}…` : text;
}
