/** A home folder: one database per agent at `<home>/agents/<agentId>/transcripts.sqlite` (SPEC 1.1), opened when needed. */
import { type Dirent, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { toIoError } from "../errors.ts";
import { type AgentId, parseAgentId } from "../model/ids.ts";
import { AgentStore, type StoreOptions } from "./agent-store.ts";

export class Home {
  /** Absolute. */
  readonly path: string;
  readonly #options: StoreOptions;
  readonly #stores = new Map<AgentId, AgentStore>();

  /** Touches nothing yet. */
  constructor(path: string, options: StoreOptions = {}) {
    this.path = path;
    this.#options = options;
  }

  /** Agents that have a database, in order of their ids. */
  agents(): AgentId[] {
    const folder = join(this.path, "agents");
    if (!existsSync(folder)) return [];
    return this.#list(folder)
      .filter((entry) => entry.isDirectory())
      .map((entry) => parseAgentId(entry.name))
      .filter((id) => id !== null)
      .filter((id) => existsSync(this.#file(id)))
      .sort();
  }

  #list(folder: string): Dirent[] {
    try {
      return readdirSync(folder, { withFileTypes: true });
    } catch (error) {
      throw toIoError(error, folder);
    }
  }

  /** The agent's store, made if it is new. @throws {BackscrollError} as {@link AgentStore}. */
  store(agentId: AgentId): AgentStore {
    let store = this.#stores.get(agentId);
    if (!store) {
      store = new AgentStore(this.#file(agentId), agentId, this.#options);
      this.#stores.set(agentId, store);
    }
    return store;
  }

  /** The agent's store, or null when it has none. */
  existing(agentId: AgentId): AgentStore | null {
    return this.#stores.has(agentId) || existsSync(this.#file(agentId)) ? this.store(agentId) : null;
  }

  /** Idempotent. */
  close(): void {
    for (const store of this.#stores.values()) store.close();
    this.#stores.clear();
  }

  #file(agentId: AgentId): string {
    return databaseFile(this.path, agentId);
  }
}

export const databaseName = "transcripts.sqlite";

export function databaseFile(home: string, agentId: AgentId): string {
  return join(home, "agents", agentId, databaseName);
}
