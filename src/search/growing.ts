/**
 * Lists of numbers that grow, outside of the JavaScript heap: a search of common words fills ten of them with tens of
 * thousands, and as arrays they made the heap four times as large between two collections.
 */

const first = 1024;

/** Whole numbers of 32 bits. */
export class GrowingInts {
  #values = new Int32Array(first);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Returns its place. */
  push(value: number): number {
    if (this.#length === this.#values.length) {
      const larger = new Int32Array(this.#length * 2);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.#length] = value;
    this.#length += 1;
    return this.#length - 1;
  }

  /** 0 beyond the end. */
  at(place: number): number {
    return this.#values[place] ?? 0;
  }

  set(place: number, value: number): void {
    this.#values[place] = value;
  }

  count(holds: (value: number) => boolean): number {
    let count = 0;
    for (let at = 0; at < this.#length; at++) if (holds(this.#values[at] ?? 0)) count += 1;
    return count;
  }
}

/** Numbers with fractions, and whole ones beyond 32 bits. */
export class GrowingFloats {
  #values = new Float64Array(first);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Returns its place. */
  push(value: number): number {
    if (this.#length === this.#values.length) {
      const larger = new Float64Array(this.#length * 2);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.#length] = value;
    this.#length += 1;
    return this.#length - 1;
  }

  /** 0 beyond the end. */
  at(place: number): number {
    return this.#values[place] ?? 0;
  }

  add(place: number, value: number): void {
    this.#values[place] = (this.#values[place] ?? 0) + value;
  }
}
