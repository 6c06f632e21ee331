/** A home folder: one database per agent at `<home>/agents/<agentId>/transcripts.sqlite` (SPEC 1.1), opened when needed. */
import { type Dirent, lstatSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { BackscrollError, toIoError } from "../errors.ts";
import { type AgentId, parseAgentId } from "../model/ids.ts";
import { AgentStore } from "./agent-store.ts";
import type { StoreOptions } from "./agent-store-options.ts";
import { databaseName, refuseLink } from "./database-file.ts";
import { readIndexChoice } from "./index-choice.ts";

export class Home {
  /** Absolute. */
  readonly path: string;
  readonly #options: StoreOptions;
  readonly #stores = new Map<AgentId, AgentStore>();
  /** The store before, where the file is another one by now: whoever is in the middle of reading it may finish. */
  readonly #replaced = new Map<AgentId, AgentStore>();

  /** Touches nothing yet. */
  constructor(path: string, options: StoreOptions = {}) {
    this.path = path;
    this.#options = options;
  }

  /**
   * Agents that have a database, in order of their ids.
   * @throws {BackscrollError} `io` when a folder can't be read, `bad_store` when something else than folders is there.
   */
  agents(): AgentId[] {
    const folder = join(this.path, "agents");
    return list(folder)
      .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
      .map((entry) => parseAgentId(entry.name))
      .filter((id) => id !== null)
      .filter((id) => this.#has(id))
      .sort();
  }

  /** The agent's store, made if it is new. @throws {BackscrollError} as {@link AgentStore}. */
  store(agentId: AgentId): AgentStore {
    const open = this.#stores.get(agentId);
    if (open && !open.db.stale) return open;
    if (open) this.#retire(open);
    refuseLink(dirname(this.file(agentId)));
    // One that is there keeps its own choice.
    const index = this.#options.index ?? (this.#has(agentId) ? {} : readIndexChoice(this.path));
    const store = new AgentStore(this.file(agentId), agentId, { ...this.#options, index });
    this.#stores.set(agentId, store);
    return store;
  }

  /** The agent's store, or null when it has none. */
  existing(agentId: AgentId): AgentStore | null {
    return this.#has(agentId) ? this.store(agentId) : null;
  }

  /**
   * Reads again when a store that is read without locks was written meanwhile: what was read may be half of the old and
   * half of the new. Costs nothing where stores can be written.
   * @throws {BackscrollError} `busy` when that happens three times in a row.
   */
  async undisturbed<T>(read: () => Promise<T>): Promise<T> {
    for (let tries = 0; tries < 3; tries++) {
      const [outcome] = await Promise.allSettled([read()]);
      const disturbed = [...this.#stores.values()].filter(({ db }) => db.readOnly && db.stale);
      for (const store of disturbed) this.#retire(store);
      if (disturbed.length > 0) continue;
      if (outcome.status === "fulfilled") return outcome.value;
      throw outcome.reason;
    }
    throw new BackscrollError("busy", `${this.path} is written all the time`, "Try again in a moment.");
  }

  /** Idempotent. */
  close(): void {
    for (const store of [...this.#stores.values(), ...this.#replaced.values()]) store.close();
    this.#stores.clear();
    this.#replaced.clear();
  }

  #retire(store: AgentStore): void {
    this.#replaced.get(store.agentId)?.close();
    this.#replaced.set(store.agentId, store);
    this.#stores.delete(store.agentId);
  }

  #has(agentId: AgentId): boolean {
    const file = this.file(agentId);
    refuseLink(dirname(file));
    try {
      // Not existsSync: a folder that can't be entered, or a link to nothing, is no proof that there is nothing.
      return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
    } catch (error) {
      throw toIoError(error, file);
    }
  }

  /** Closes one agent's store; the next use opens it anew. Idempotent. */
  release(agentId: AgentId): void {
    this.#stores.get(agentId)?.close();
    this.#stores.delete(agentId);
  }

  /** Where an agent's database lies, whether there is one or not. */
  file(agentId: AgentId): string {
    return databaseFile(this.path, agentId);
  }
}

/** What lies in a folder; nothing when it is not there. */
function list(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw toIoError(error, folder);
  }
}

export function databaseFile(home: string, agentId: AgentId): string {
  return join(home, "agents", agentId, databaseName);
}
