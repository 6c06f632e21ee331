/** Fits items into a number of bytes of JSON and says what was left out. */

/** Bytes of a value as JSON in UTF-8. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** The longest beginning of the list whose JSON array stays within `bytes`. */
export function fitFirst<T>(items: readonly T[], bytes: number): readonly T[] {
  let used = 2;
  for (let i = 0; i < items.length; i++) {
    used += jsonBytes(items[i]) + (i > 0 ? 1 : 0);
    if (used > bytes) return items.slice(0, i);
  }
  return items;
}

/**
 * The longest stretch around one item whose JSON array stays within `bytes`, grown from that item to both sides in
 * turn; a side stops at its first item that doesn't fit. The item itself is always in.
 * @returns First index, and the index after the last.
 */
export function fitAround<T>(items: readonly T[], anchor: number, bytes: number): { from: number; to: number } {
  const sizes = items.map(jsonBytes);
  let used = 2 + (sizes[anchor] ?? 0);
  let from = anchor;
  let to = Math.min(anchor + 1, items.length);
  let [older, newer] = [true, true];
  while (older || newer) {
    const before = sizes[from - 1];
    if (older && before !== undefined && used + before + 1 <= bytes) {
      used += before + 1;
      from -= 1;
    } else older = false;
    const after = sizes[to];
    if (newer && after !== undefined && used + after + 1 <= bytes) {
      used += after + 1;
      to += 1;
    } else newer = false;
  }
  return { from, to };
}
