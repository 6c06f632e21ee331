/** Every byte below a folder: what a deletion has to have left. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export function bytesOf(folder: string): Buffer {
  return Buffer.concat(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name))),
  );
}
