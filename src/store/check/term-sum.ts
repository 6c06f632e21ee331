/**
 * A checksum of a list of terms that does not depend on the order in which they come: the index gives its terms in
 * alphabetical order, the text in its own. Each term counts together with its place.
 */

export function termHash(term: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < term.length; i++) hash = Math.imul(hash ^ term.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

/** What one term at one place adds to the sum. */
export function placedTerm(hash: number, place: number): number {
  let mixed = Math.imul(hash ^ Math.imul(place + 1, 0x9e3779b1), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/** The sum of terms joined by single spaces, as an index column holds them, and how many there are. */
export function sumOfTerms(joined: string): { sum: number; count: number } {
  if (joined === "") return { sum: 0, count: 0 };
  let sum = 0;
  const terms = joined.split(" ");
  terms.forEach((term, place) => {
    sum = (sum + placedTerm(termHash(term), place)) >>> 0;
  });
  return { sum, count: terms.length };
}
