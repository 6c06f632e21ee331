/** The small files of a home that a backup keeps beside the databases: settings and manifests, not caches. */
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { limits } from "../../limits.ts";

/** They are made anew from what there is. */
const caches = ["seen-files.json"];

/** Folders of a home with such files: without its manifest, a move from a legacy store can't be undone. */
const folders = ["", "legacy"];

/** Names of the files to keep, with `/` in them, and of those that are too large to be settings. */
export function homeFiles(home: string): { readonly kept: string[]; readonly tooLarge: string[] } {
  const names = folders
    .filter((folder) => existsSync(join(home, folder)))
    .flatMap((folder) =>
      readdirSync(join(home, folder), { withFileTypes: true })
        .filter((entry) => entry.isFile() && /^[\w-][\w.-]*\.json$/.test(entry.name) && !caches.includes(entry.name))
        .map(({ name }) => (folder === "" ? name : `${folder}/${name}`)),
    )
    .sort();
  const small = (name: string) => statSync(join(home, name)).size <= limits.backupChunk.default;
  return { kept: names.filter(small), tooLarge: names.filter((name) => !small(name)) };
}
