/** Does an operation to a real store. */
import { type Backscroll, BackscrollError } from "../../src/index.ts";
import type { AgentId } from "../../src/model/ids.ts";
import type { Operation, Result } from "./operation.ts";

export function perform(home: Backscroll, agent: AgentId, operation: Operation): Result {
  try {
    return { returned: does(home, agent, operation) };
  } catch (error) {
    if (error instanceof BackscrollError) return { threw: error.code };
    throw error;
  }
}

function does(home: Backscroll, agent: AgentId, operation: Operation): unknown {
  const store = home.store(agent);
  switch (operation.does) {
    case "append":
      return store.append(operation.session, operation.entries);
    case "incognito":
      return store.append(operation.session, operation.entries, { incognito: true }).length;
    case "upsert":
      return store.upsert(operation.session, operation.entry);
    case "setLeaf":
      return store.setLeaf(operation.session, operation.entry);
    case "reset":
      store.reset(operation.session, operation.timestamp);
      return undefined;
    case "title": {
      store.append(operation.session, [], { title: { text: operation.title, rank: "given" } });
      return undefined;
    }
    case "deleteSession":
      return store.deleteSession(operation.session);
    case "deleteEntry":
      return store.deleteEntry(operation.session, operation.entry).entries;
    case "compact":
      return store.compact(operation.session, operation);
    case "fork":
      store.fork(operation.session, operation.to, operation.entry, operation.timestamp);
      return undefined;
    case "rename":
      return store.rename(operation.session, operation.to);
    case "archive":
      return store.archive(operation.session, operation.archived);
    case "deleteAgent":
      return home.deleteAgent(agent).sessions;
  }
}
