/** Temporary folders and opened stores that go away when the test ends. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type Backscroll, type OpenOptions, open } from "../../src/index.ts";
import { toAgentId } from "../../src/model/ids.ts";
import { AgentStore } from "../../src/store/agent-store.ts";

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "backscroll-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** An opened home in a folder of its own; closed when the test ends. */
export function temporaryHome(options: Omit<OpenOptions, "home"> = {}): Backscroll & { readonly folder: string } {
  const folder = temporaryFolder();
  const store = open({ home: folder, durability: "normal", timeZone: "UTC", ...options });
  onTestFinished(() => store.close());
  return Object.assign(store, { folder });
}

/** The store of one agent, in memory. */
export function memoryStore(agent = "main"): AgentStore {
  const store = new AgentStore(":memory:", toAgentId(agent));
  onTestFinished(() => store.close());
  return store;
}
