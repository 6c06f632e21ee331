/** A home with two agents and a root, ways to compare homes, and what is left lying about. */
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Backscroll, open, toEntryId } from "../../src/index.ts";
import { assistant, key, user } from "./entries.ts";
import { snapshot } from "./snapshot.ts";
import { temporaryFolder, temporaryHome } from "./temporary.ts";

export function twoAgents(): Backscroll & { readonly folder: string } {
  const home = temporaryHome();
  const main = home.store("main");
  main.append(key("weir"), [user("m1", "the heron stood at the weir"), assistant("m2", "and the lamp was out")]);
  main.append(key("weir"), [user("m3", "told wrong")]);
  main.setLeaf(key("weir"), toEntryId("m2"));
  main.append(key("orchard"), [user("o1", "pears before plums")]);
  home.store("shed").append(key("plank", "shed"), [user("p1", "oak and elm planks")]);
  home.addRoots([{ source: "jsonl", folder: join(home.folder, "talks") }]);
  return home;
}

/** Everything in all stores of a home. */
export function everything(folder: string): Record<string, unknown> {
  const home = open({ home: folder });
  try {
    return Object.fromEntries(home.agents().map((agent) => [agent, snapshot(home.store(agent))]));
  } finally {
    home.close();
  }
}

export function emptyFolder(): string {
  return join(temporaryFolder(), "home");
}

/** Path below the folder → mode, of everything in it. */
export function modes(folder: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .sort()
      .map((name) => {
        const stat = statSync(join(folder, name));
        return [name, `${stat.isDirectory() ? "d" : "f"}${(stat.mode & 0o777).toString(8)}`];
      }),
  );
}

/** Names of unfinished work anywhere below. */
export function leftovers(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.includes("unfinished"));
}
