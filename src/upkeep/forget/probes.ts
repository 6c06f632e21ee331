/**
 * What to look for after a deletion: the words that were said and the terms they are indexed as, and longer stretches of
 * bytes, which tell a forgotten copy from the same word said elsewhere. Pure.
 */
import type { Json } from "../../model/transcript.ts";
import { terms } from "../../text/tokens.ts";
import { shortestProbe } from "./byte-scan.ts";

/** Bytes of a stretch, and how far apart stretches are taken. */
const stretch = 32;
const stride = 256;

/** UTF-16 units. */
const longestWord = 48;

/** Most of each kind: with all of both, the scan's tables stay below 20 MB. What is over is not looked for, and counted. */
const mostWords = 40_000;
const mostStretches = 20_000;

export class Probes {
  readonly words = new Set<string>();
  readonly stretches = new Map<string, Uint8Array>();
  /** Words and stretches over the limit. */
  skipped = 0;

  /** A text that is stored as it is. */
  addText(text: string): void {
    for (const word of text.match(/[\p{L}\p{N}_]+/gu) ?? []) this.#addWord(word);
    for (const term of terms(text)) this.#addWord(term);
  }

  /** Every text inside a stored value. */
  addJson(value: Json): void {
    if (typeof value === "string") this.addText(value);
    else if (Array.isArray(value)) for (const each of value) this.addJson(each);
    else if (typeof value === "object" && value !== null) {
      for (const [name, each] of Object.entries(value)) if (name !== "type") this.addJson(each);
    }
  }

  /** Bytes as they lie in the file. @param from Where they begin to be its own: every JSON body begins alike. */
  addBytes(bytes: Uint8Array, from = 0): void {
    for (let at = from; at + stretch <= bytes.length; at += stride) {
      const piece = bytes.slice(at, at + stretch);
      const name = Buffer.from(piece).toString("latin1");
      if (this.stretches.has(name)) continue;
      if (this.stretches.size < mostStretches) this.stretches.set(name, piece);
      else this.skipped += 1;
    }
  }

  /** Words first, then stretches. */
  all(): Uint8Array[] {
    return [...[...this.words].map((word) => Buffer.from(word)), ...this.stretches.values()];
  }

  #addWord(whole: string): void {
    // A long one is as certainly found by its beginning.
    const word = whole.length > longestWord ? whole.slice(0, longestWord).toWellFormed() : whole;
    if (this.words.has(word) || Buffer.byteLength(word) < shortestProbe) return;
    if (this.words.size < mostWords) this.words.add(word);
    else this.skipped += 1;
  }
}
