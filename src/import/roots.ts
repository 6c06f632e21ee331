/**
 * Which folders a home imports from. A home that was given roots remembers and uses those; one that was never given any
 * uses each program's default places.
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, join, normalize } from "node:path";
import { BackscrollError, toIoError } from "../errors.ts";
import type { Machine, Source } from "../sources/source.ts";
import type { ImportRoot } from "./plan.ts";

export class Roots {
  readonly #path: string;
  readonly #sources: readonly Source[];

  /** @param home Absolute folder; need not exist. */
  constructor(home: string, sources: readonly Source[]) {
    this.#path = join(home, "roots.json");
    this.#sources = sources;
  }

  /** The remembered roots, else every default place. @throws {BackscrollError} `bad_input` for a damaged file. */
  all(machine: Machine): ImportRoot[] {
    const remembered = this.remembered();
    if (remembered.length > 0) return remembered;
    return this.#sources.flatMap((source) => source.places(machine).map((folder) => ({ source, folder })));
  }

  remembered(): ImportRoot[] {
    let text: string;
    try {
      text = readFileSync(this.#path, "utf8");
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
      throw toIoError(error, this.#path);
    }
    return this.#parse(text);
  }

  /** Adds roots to those remembered. @throws {BackscrollError} `bad_input` for an unknown source or a relative folder. */
  add(roots: readonly { readonly source: string; readonly folder: string }[]): void {
    const known = this.remembered();
    const fresh = roots
      .map(({ source, folder }) => this.#root(source, folder))
      .filter((root) => !known.some((other) => other.source === root.source && other.folder === root.folder));
    if (fresh.length === 0) return;
    const all = [...known, ...fresh].map(({ source, folder }) => ({ source: source.id, folder }));
    try {
      mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
      const next = `${this.#path}.${process.pid}`;
      writeFileSync(next, `${JSON.stringify({ roots: all }, null, 2)}\n`, { mode: 0o600 });
      renameSync(next, this.#path);
    } catch (error) {
      throw toIoError(error, this.#path);
    }
  }

  #parse(text: string): ImportRoot[] {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (error) {
      throw this.#damaged(error);
    }
    const list = typeof value === "object" && value !== null && "roots" in value ? value.roots : null;
    if (!Array.isArray(list)) throw this.#damaged(null);
    return list.map((root: unknown) => {
      const { source, folder } = (root ?? {}) as { source?: unknown; folder?: unknown };
      if (typeof source !== "string" || typeof folder !== "string") throw this.#damaged(null);
      return this.#root(source, folder);
    });
  }

  #root(source: string, folder: string): ImportRoot {
    const found = this.#sources.find(({ id }) => id === source);
    if (!found) {
      throw new BackscrollError(
        "bad_input",
        `no source ${JSON.stringify(source)}`,
        `Sources are ${this.#sources.map(({ id }) => id).join(", ")}.`,
      );
    }
    if (!isAbsolute(folder))
      throw new BackscrollError(
        "bad_input",
        `the root ${JSON.stringify(folder)} is not an absolute folder`,
        "Give the whole path.",
      );
    return { source: found, folder: normalize(folder).replace(/(?<=.)[\\/]+$/, "") };
  }

  #damaged(cause: unknown): BackscrollError {
    return new BackscrollError(
      "bad_input",
      `${this.#path} is not a list of roots`,
      "Mend it, or remove it and give the roots anew.",
      { cause },
    );
  }
}
