/**
 * Collapses copies into one hit (SPEC 4.3). The same words by the same role are a copy when they are the same record
 * (id), were said at the same moment, stand in sessions forked from one another, or are repeated within one session.
 * The same words said anew in another conversation are a hit of their own.
 */

export interface Copyable {
  /** Hash of role and text. */
  readonly copy: number;
  readonly messageId: string;
  readonly timestamp: number;
  readonly sessionKey: string;
  /** Session key at the root of its chain of forks; its own key when it was not forked. */
  readonly family: string;
  /** Copies that were told apart before and are not in the list. */
  readonly repeats?: number;
}

/** Keeps the first of each group of copies, in the given order, with the group's size. Copies of a copy are copies. */
export function collapse<T extends Copyable>(sorted: readonly T[]): { hit: T; copies: number }[] {
  // Union-find: each place leads to an earlier one of its group, the first to itself.
  const lead = sorted.map((_, at) => at);
  const first = (at: number): number => {
    let place = at;
    for (let next = lead[place]; next !== undefined && next !== place; next = lead[place]) {
      lead[place] = lead[next] ?? next;
      place = next;
    }
    return place;
  };
  const places = new Map<string, number>();
  sorted.forEach(({ copy, messageId, timestamp, family }, at) => {
    for (const reason of [`i${messageId}`, `t${timestamp}`, `f${family}`]) {
      const name = `${copy} ${reason}`;
      const other = places.get(name);
      if (other === undefined) places.set(name, at);
      else {
        const [one, two] = [first(at), first(other)];
        lead[Math.max(one, two)] = Math.min(one, two);
      }
    }
  });
  const groups = new Map<number, { hit: T; copies: number }>();
  sorted.forEach((hit, at) => {
    const group = groups.get(first(at));
    const copies = 1 + (hit.repeats ?? 0);
    if (group) group.copies += copies;
    else groups.set(at, { hit, copies });
  });
  return [...groups.values()];
}
