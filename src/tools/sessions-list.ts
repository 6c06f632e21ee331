/** List: visible sessions, newest first, with a title, counts and a preview of the last message (SPEC 7.3). */
import * as z from "zod";
import { BackscrollError } from "../errors.ts";
import { limits } from "../limits.ts";
import type { SessionRow, SessionsAnswer } from "../model/answer.ts";
import { sessionKinds } from "../model/transcript.ts";
import { fitFirst } from "../respond/bound.ts";
import { decodeCursor, encodeCursor } from "../respond/cursor.ts";
import { isTimeZone, parseWhen } from "../search/when.ts";
import type { AgentStore } from "../store/agent-store.ts";
import { countSessions, countSpoken, edgeMessage, type ListedSession, listSessions } from "../store/list-sessions.ts";
import { scopeOf } from "../visibility/scope.ts";
import { incompleteness, prepare } from "./prepare.ts";
import { shortName, shortTitle } from "./short-title.ts";
import { agentName, type Tool, type ToolContext, within, words } from "./tool.ts";

const input = z.strictObject({
  limit: within("listLimit")
    .optional()
    .describe(`Most sessions in the answer; ${limits.listLimit.default} unless given.`),
  cursor: words(8192).optional().describe("cursor of the last answer: the sessions after those."),
  agent: agentName().optional().describe("Agent id."),
  project: words().optional().describe("Folder: its path, its last parts, or a folder above it."),
  source: words(32).optional(),
  kind: z.enum(sessionKinds, `use one of ${sessionKinds.join(", ")}`).optional(),
  branch: words().optional(),
  title: words().optional().describe("Part of the title."),
  after: words(40).optional().describe("Whose newest entry is of this time or later: 2026-03-01, 7d, today."),
  before: words(40).optional().describe("Whose newest entry is older than this time."),
  timeZone: words(64)
    .refine(isTimeZone, "use an IANA name such as Europe/Berlin")
    .optional()
    .describe("IANA time zone in which dates are meant."),
  archived: z.boolean("use true or false").optional(),
});
export type ListInput = z.infer<typeof input>;

/** Bytes kept free for the cursor (a key of 512 units can have 2 KiB in base64) and the flags. */
const cursorRoom = 2560;

export const sessionsList: Tool<ListInput, SessionsAnswer> = {
  name: "sessions_list",
  description:
    "Lists the sessions that you can see, newest first. Read one with sessions_history, passing its sessionKey.",
  input,
  async run(given, context) {
    const scope = scopeOf(context.caller);
    const prepared = await prepare(context, scope, limits.waitMs.default, given.agent);
    const { stores } = prepared;
    const limit = given.limit ?? limits.listLimit.default;
    const { project, source, kind, branch, title, archived } = given;
    const { timeZone } = given;
    const zoned = { ...context, ...(timeZone !== undefined && { timeZone: () => timeZone }) };
    const from = readWhen("after", given.after, zoned);
    const to = readWhen("before", given.before, zoned);
    const request = {
      scope,
      filter: {
        ...(project !== undefined && { project }),
        ...(source !== undefined && { source }),
        ...(kind !== undefined && { kind }),
        ...(branch !== undefined && { branch }),
        ...(title !== undefined && { title }),
        ...(archived !== undefined && { archived }),
      },
      ...(from !== undefined && { from }),
      ...(to !== undefined && { to }),
    };
    const after = given.cursor === undefined ? undefined : readCursor(given.cursor);
    const page = stores
      .flatMap((store) =>
        listSessions(store.db, { ...request, limit: limit + 1, ...(after && { after }) }).map((session) => ({
          store,
          session,
        })),
      )
      .sort((a, b) => b.session.updatedAt - a.session.updatedAt || (a.session.key < b.session.key ? -1 : 1));
    const rows = page.slice(0, limit).map(({ store, session }) => toRow(store, session));
    const sessions = fitFirst(rows, limits.listBytes.default - cursorRoom);
    const last = page[sessions.length - 1]?.session;
    const more = page.length > sessions.length;
    return {
      sessions,
      totalSessions: stores.reduce((sum, store) => sum + countSessions(store.db, request), 0),
      ...(more && { truncated: true as const }),
      ...incompleteness(prepared),
      ...(more && last && { cursor: encodeCursor("list", [last.updatedAt, last.key]) }),
    };
  },
};

function toRow(store: AgentStore, session: ListedSession): SessionRow {
  const { db } = store;
  // A session without a title of its own goes by the first thing a person said in it.
  const title = session.title ?? edgeMessage(db, session.no, "first", "user")?.text;
  const last = edgeMessage(db, session.no, "last");
  return {
    sessionKey: session.key,
    sessionId: session.sessionId,
    agentId: store.agentId,
    kind: session.kind,
    ...(session.source !== null && { source: session.source }),
    ...(title !== undefined && { title: shortTitle(title) }),
    ...(session.project !== null && { project: shortName(session.project) }),
    ...(session.gitBranch !== null && { gitBranch: shortName(session.gitBranch) }),
    ...(session.model !== null && { model: shortName(session.model) }),
    ...(session.createdAt !== null && { createdAt: session.createdAt }),
    ...(session.updatedAt > 0 && { updatedAt: session.updatedAt }),
    ...(session.spawnedBy !== null && { spawnedBy: session.spawnedBy }),
    ...(session.parentKey !== null && { parentSessionKey: session.parentKey }),
    ...(session.archived === 1 && { archived: true as const }),
    messages: countSpoken(db, session.no),
    ...(session.generations > 1 && { generations: session.generations }),
    ...(last && { lastMessage: { role: last.role, text: shortTitle(last.text) } }),
  };
}

function readWhen(name: string, value: string | undefined, context: ToolContext): number | undefined {
  if (value === undefined) return undefined;
  const when = parseWhen(value, context.now(), context.timeZone());
  if (when !== null) return when;
  throw new BackscrollError(
    "bad_input",
    `sessions_list: ${name}: ${JSON.stringify(value)} is not a time`,
    "Use 2026-03-01, 2026-03-01T14:00, 7d, 12h, today or yesterday.",
  );
}

function readCursor(cursor: string): { updatedAt: number; key: string } {
  const [updatedAt, key] = decodeCursor("list", ["number", "string"], cursor);
  return { updatedAt: Number(updatedAt), key: String(key) };
}
