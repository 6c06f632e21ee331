/** The small files of a home that a backup keeps beside the databases: settings, not caches. */
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { limits } from "../limits.ts";

/** They are made anew from what there is. */
const caches = ["seen-files.json"];

/** Names of the files to keep, and of those that are too large to be settings. */
export function homeFiles(home: string): { readonly kept: string[]; readonly tooLarge: string[] } {
  const names = readdirSync(home, { withFileTypes: true })
    .filter((entry) => entry.isFile() && /^[\w-][\w.-]*\.json$/.test(entry.name) && !caches.includes(entry.name))
    .map(({ name }) => name)
    .sort();
  const small = (name: string) => statSync(join(home, name)).size <= limits.backupChunk.default;
  return { kept: names.filter(small), tooLarge: names.filter((name) => !small(name)) };
}
