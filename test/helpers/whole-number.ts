/** A flag of a script that has to be a whole number, and what it is when it is not given. */
export function wholeNumber(name: string, given: string | undefined, otherwise: number): number {
  if (given === undefined) return otherwise;
  if (/^\d{1,10}$/.test(given)) return Number(given);
  throw new RangeError(`--${name}: ${JSON.stringify(given)} is not a whole number`);
}
