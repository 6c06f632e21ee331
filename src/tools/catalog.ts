/** The one list of tools that all interfaces iterate. */
import { sessionsHistory } from "./sessions-history.ts";
import { sessionsList } from "./sessions-list.ts";
import { sessionsSearch } from "./sessions-search.ts";

export const catalog = { sessionsSearch, sessionsHistory, sessionsList } as const;
