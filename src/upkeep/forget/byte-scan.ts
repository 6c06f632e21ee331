/**
 * Looks for many byte sequences at once in large files: one pass, whatever their number, about 200 MB a second. Pure.
 * A sequence is known by a hash of its first four bytes in a table of 2^20 bits; what has one is compared in full.
 */

/** Shortest sequence that can be looked for: a shorter one stands by chance in any file. */
export const shortestProbe = 6;

const tableBits = 20;

export class ByteScan {
  readonly #probes: readonly Uint8Array[];
  readonly #table = new Uint8Array(2 ** tableBits);
  readonly #byStart = new Map<number, number[]>();
  readonly longest: number;

  /** @param probes Each of at least {@link shortestProbe} bytes. */
  constructor(probes: readonly Uint8Array[]) {
    this.#probes = probes;
    this.longest = probes.reduce((most, { length }) => Math.max(most, length), 0);
    probes.forEach((probe, at) => {
      const start = word(probe, 0);
      this.#table[slot(start)] = 1;
      const list = this.#byStart.get(start);
      if (list) list.push(at);
      else this.#byStart.set(start, [at]);
    });
  }

  /** Adds the indexes of the probes that stand in the bytes to `found`. */
  scan(bytes: Uint8Array, found: Set<number>): void {
    if (bytes.length < shortestProbe) return;
    let start = word(bytes, 0) >>> 8;
    for (let at = 3; at < bytes.length; at++) {
      start = ((start << 8) | (bytes[at] ?? 0)) >>> 0;
      if (this.#table[slot(start)] !== 1) continue;
      for (const index of this.#byStart.get(start) ?? []) {
        if (!found.has(index) && this.#standsAt(bytes, at - 3, index)) found.add(index);
      }
    }
  }

  #standsAt(bytes: Uint8Array, from: number, index: number): boolean {
    const probe = this.#probes[index];
    if (!probe || from + probe.length > bytes.length) return false;
    for (let at = 4; at < probe.length; at++) if (bytes[from + at] !== probe[at]) return false;
    return true;
  }
}

function word(bytes: Uint8Array, at: number): number {
  let value = 0;
  for (let k = 0; k < 4; k++) value = ((value << 8) | (bytes[at + k] ?? 0)) >>> 0;
  return value;
}

function slot(start: number): number {
  return Math.imul(start, 0x9e3779b1) >>> (32 - tableBits);
}
