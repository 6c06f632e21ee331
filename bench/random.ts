/** Seeded randomness: the same seed gives the same corpus on every machine and in every release. */

/** Numbers in [0, 1), evenly spread. */
export type Random = () => number;

/** sfc32 (Chris Doty-Humphrey), seeded by any list of whole numbers. Not for secrets. */
export function seeded(...seed: readonly number[]): Random {
  let [a, b, c, count] = [0x9e3779b9, 0x243f6a88, 0xb7e15162, 1];
  const next = (): number => {
    const sum = (a + b + count) | 0;
    count = (count + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return (sum >>> 0) / 2 ** 32;
  };
  for (const number of seed) {
    a ^= number | 0;
    b ^= Math.floor(number / 2 ** 32);
    for (let i = 0; i < 12; i++) next();
  }
  return next;
}

/** A whole number in [0, below). */
export function whole(random: Random, below: number): number {
  return Math.floor(random() * below);
}

export function pick<T>(random: Random, from: readonly T[]): T {
  const found = from[whole(random, from.length)];
  if (found === undefined) throw new RangeError("nothing to pick from");
  return found;
}

/** A rank in [0, ranks) with probability falling as 1 / (rank + 1): Zipf's law, by its inverse, in constant time. */
export function zipf(random: Random, ranks: number): number {
  return Math.min(ranks - 1, Math.floor((ranks + 1) ** random()) - 1);
}

/** Lengths as people and programs make them: most short, a long tail. Log-normal with this median, up to `most`. */
export function longTailed(random: Random, median: number, sigma: number, most: number): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return Math.min(most, Math.ceil(median * Math.exp(sigma * normal)));
}
