/**
 * What the index has to hold, and what was seen in it, message by message: 21 bytes for each position of a transcript
 * that has messages, so that a million fit. Differences of the sums come out as zero where both agree.
 */
import { positions, transcriptOf } from "../entry-no.ts";

/** Bits of a message's state. */
export const message = {
  /** Has to be in the index. */
  expected: 1,
  /** In a dirty range: the index may hold it or not. */
  untrusted: 2,
  /** Is in the row map; in the full-text table. */
  mapped: 4,
  indexed: 8,
  /** Was named as missing or stale. */
  named: 16,
} as const;

interface Slots {
  readonly state: Uint8Array;
  /** Per column: the sum of the terms there should be, less those there are. */
  readonly text: Uint32Array;
  readonly parts: Uint32Array;
  readonly stems: Uint32Array;
  readonly sizes: Uint32Array;
}

export class ExpectedIndex {
  readonly #slots = new Map<number, Slots>();
  #last: { transcript: number; slots: Slots } | null = null;

  /** Makes room for a transcript's entries, the last position included. */
  open(transcript: number, last: number): void {
    const size = last + 1;
    this.#slots.set(transcript, {
      state: new Uint8Array(size),
      text: new Uint32Array(size),
      parts: new Uint32Array(size),
      stems: new Uint32Array(size),
      sizes: new Uint32Array(size),
    });
    this.#last = null;
  }

  has(no: number): boolean {
    return this.#of(no) !== null;
  }

  state(no: number): number {
    return this.#of(no)?.state[no % positions] ?? 0;
  }

  mark(no: number, bit: number): void {
    const slots = this.#of(no);
    if (slots) slots.state[no % positions] = (slots.state[no % positions] ?? 0) | bit;
  }

  /** Adds to the sums (a negative amount takes away); what is not expected is not counted. */
  add(no: number, column: "text" | "parts" | "stems" | "sizes", amount: number): void {
    const slots = this.#of(no);
    if (slots) slots[column][no % positions] = ((slots[column][no % positions] ?? 0) + amount) >>> 0;
  }

  /** Whether all sums came out. */
  agrees(no: number): boolean {
    const slots = this.#of(no);
    const at = no % positions;
    if (!slots) return true;
    return [slots.text, slots.parts, slots.stems, slots.sizes].every((sums) => sums[at] === 0);
  }

  /** Every number with a state. */
  *marked(): Generator<number> {
    for (const [transcript, { state }] of this.#slots) {
      for (let at = 0; at < state.length; at++) if (state[at] !== 0) yield transcript * positions + at;
    }
  }

  #of(no: number): Slots | null {
    const transcript = transcriptOf(no);
    if (this.#last?.transcript !== transcript) {
      const slots = this.#slots.get(transcript);
      if (!slots) return null;
      this.#last = { transcript, slots };
    }
    const { slots } = this.#last;
    return no % positions < slots.state.length ? slots : null;
  }
}

/** One number for the sizes of all columns, as the full-text table keeps them. */
export function sizesOf(text: number, parts: number, stems: number): number {
  return (Math.imul(text, 0x9e3779b1) + Math.imul(parts, 0x85ebca6b) + Math.imul(stems, 0xc2b2ae35)) >>> 0;
}
