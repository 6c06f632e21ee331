/**
 * A message whose pieces are still coming in: the parts so far, kept in memory, so that a streamed answer of twenty
 * pieces is written once and not twenty times (a rewrite cost 60 µs, most of it in the index).
 */
import type { Part } from "../model/transcript.ts";
import { toJson } from "./body.ts";
import type { Content } from "./entry-row.ts";

export class OpenMessage {
  readonly no: number;
  /** As it is stored. */
  readonly stored: Content;
  #parts: readonly Part[];
  #seen: Set<string> | null = null;

  constructor(no: number, stored: Content) {
    this.no = no;
    this.stored = stored;
    this.#parts = stored.body.parts;
  }

  /** Adds a piece's parts, exact repeats left out. Returns whether there were new ones. */
  add(parts: readonly Part[]): boolean {
    this.#seen ??= new Set(this.#parts.map(toJson));
    const before = this.#parts.length;
    for (const part of parts) {
      const json = toJson(part);
      if (this.#seen.has(json)) continue;
      this.#seen.add(json);
      this.#parts = [...this.#parts, part];
    }
    return this.#parts.length > before;
  }

  /** The content with all pieces; null when nothing came since it was stored. */
  get changed(): Content | null {
    return this.#parts === this.stored.body.parts
      ? null
      : { ...this.stored, body: { ...this.stored.body, parts: this.#parts } };
  }
}
