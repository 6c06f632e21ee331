/** Entry numbers: `transcript << 24 | position` (see migration 1). Plain arithmetic, as JavaScript shifts only 32 bits. */

export const positions = 2 ** 24;

export function entryNo(transcript: number, position: number): number {
  return transcript * positions + position;
}

export function transcriptOf(no: number): number {
  return Math.floor(no / positions);
}

/** First number of a transcript. */
export function firstNo(transcript: number): number {
  return transcript * positions;
}

/** Last number that a transcript can have. */
export function lastNo(transcript: number): number {
  return transcript * positions + positions - 1;
}
