/**
 * Names below a legacy store's folder, made safe to act on: a manifest is a file that anyone may have written, and a folder
 * may have become a link since it was looked at. Nothing outside the folder is ever moved (SPEC 8.10).
 */
import { lstatSync } from "node:fs";
import { join, sep } from "node:path";
import { BackscrollError } from "../../errors.ts";

/** Whether the text is a plain relative path with `/`, which leads nowhere but down. */
export function isNameBelow(name: string): boolean {
  if (name.includes("\0") || (sep === "\\" && /[\\:]/.test(name))) return false;
  return name.split("/").every((segment) => segment !== "" && segment !== "." && segment !== "..");
}

/**
 * The absolute path of a name. Folders on the way need not exist.
 * @throws {BackscrollError} `bad_input` when the name leads out of the folder: by its form, or through a link on the way.
 */
export function pathBelow(folder: string, name: string): string {
  if (!isNameBelow(name)) throw leadsOut(JSON.stringify(name), folder);
  const segments = name.split("/");
  let path = folder;
  for (const segment of segments.slice(0, -1)) {
    path = join(path, segment);
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (!stats) break;
    if (!stats.isDirectory()) throw leadsOut(path, folder);
  }
  return join(folder, ...segments);
}

function leadsOut(what: string, folder: string): BackscrollError {
  return new BackscrollError(
    "bad_input",
    `${what} leads out of ${folder}, or is no folder`,
    "Links below the folder are not followed. Put a folder in the link's place, or leave the file where it is.",
  );
}
