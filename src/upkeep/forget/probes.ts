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

/** More different words than any session says; they are looked for in several passes. What is over is not, and counted. */
const mostWords = 1_000_000;
/** Stretches are samples: of a long session, fewer are taken of each part. */
const mostStretches = 20_000;

export class Probes {
  readonly words = new Set<string>();
  readonly stretches = new Map<string, Uint8Array>();
  /** Words over the limit. */
  skipped = 0;
  /** Every how manieth stretch is taken, and how many were seen. */
  #every = 1;
  #seen = 0;

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
      if (this.#seen++ % this.#every !== 0) continue;
      const piece = bytes.slice(at, at + stretch);
      const name = Buffer.from(piece).toString("latin1");
      if (this.stretches.has(name)) continue;
      if (this.stretches.size >= mostStretches) this.#thinOut();
      this.stretches.set(name, piece);
    }
  }

  #thinOut(): void {
    [...this.stretches.keys()].forEach((name, at) => {
      if (at % 2 === 1) this.stretches.delete(name);
    });
    this.#every *= 2;
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
