/**
 * Cuts a snippet out of a masked message (SPEC 5.1): at most `limits.snippetLength` units, at word and grapheme borders,
 * around the place where most of the query's clauses stand; a second fragment when one window can't show them all.
 */
import { limits } from "../limits.ts";
import type { Range } from "../model/answer.ts";
import { cutEnd, cutStart } from "../text/cut.ts";

export interface SnippetMatch extends Range {
  /** Which part of the query matched here. */
  readonly clause: number;
}

export interface Snippet {
  readonly text: string;
  readonly highlights: readonly Range[];
}

const gap = " … ";
/** How far a border may be moved to spare a word: at most so many units, and a third of the room. */
const wordReach = 40;

/**
 * @param matches In order of `start`; at least one, or the snippet is the message's beginning.
 * @param longest At least 24, so that there is room for two fragments.
 */
export function cutSnippet(
  text: string,
  matches: readonly SnippetMatch[],
  longest = limits.snippetLength.default,
): Snippet {
  if (text.length <= longest) return { text, highlights: merge(matches, 0) };
  const room = longest - 2;
  const one = windows(matches, room)[0] ?? { start: 0, end: 0, clauses: new Set() };
  // Two fragments share the room, so they are worth it only for clauses that one can't show.
  const half = Math.floor((room - gap.length) / 2);
  const pair = bestPair(windows(matches, half), one.clauses.size);
  const fragments = pair ? pair.map((window) => grow(text, window, half)) : [grow(text, one, room)];
  // What stands between is shown where that takes no more than the gap would.
  return assemble(text, matches, merge(fragments, gap.length + 1));
}

interface Window extends Range {
  readonly clauses: ReadonlySet<number>;
  readonly matches: number;
}

/** Windows that are tried in pairs: for up to seven words every one (2⁷ sets), for longer queries the fullest. */
const mostWindows = 200;

/**
 * For every set of clauses that stands within `room` units, the stretch that shows the most matches and begins earliest;
 * those with the most clauses first. A match longer than that is a window of its own. O(matches × clauses).
 */
function windows(matches: readonly SnippetMatch[], room: number): Window[] {
  const best = new Map<string, Window>();
  const inside = new Map<number, number>();
  let name = "";
  let from = 0;
  matches.forEach((last, at) => {
    const before = inside.size;
    let changed = false;
    inside.set(last.clause, (inside.get(last.clause) ?? 0) + 1);
    for (let first = matches[from]; first && from < at && last.end - first.start > room; first = matches[from]) {
      const left = (inside.get(first.clause) ?? 1) - 1;
      if (left > 0) inside.set(first.clause, left);
      else {
        inside.delete(first.clause);
        changed = true;
      }
      from += 1;
    }
    if (changed || inside.size !== before) name = [...inside.keys()].sort((a, b) => a - b).join(" ");
    const count = at - from + 1;
    if (count > (best.get(name)?.matches ?? 0)) {
      const start = matches[from]?.start ?? last.start;
      best.set(name, { start, end: last.end, clauses: new Set(inside.keys()), matches: count });
    }
  });
  return [...best.values()].sort(
    (a, b) => b.clauses.size - a.clauses.size || b.matches - a.matches || a.start - b.start,
  );
}

/** The two windows that show the most clauses together; null when that is not more than `enough`. */
function bestPair(ordered: readonly Window[], enough: number): [Window, Window] | null {
  const tried = ordered.slice(0, mostWindows);
  let most = enough;
  let best: [Window, Window] | null = null;
  tried.forEach((one, at) => {
    for (const two of tried.slice(at + 1)) {
      // Ordered by size: no later window adds more than this one could.
      if (one.clauses.size + two.clauses.size <= most) break;
      const together = one.clauses.union(two.clauses).size;
      if (together <= most) continue;
      most = together;
      best = [one, two];
    }
  });
  return best;
}

/** Widens a window to `room` units, more of it in front of nothing and behind everything, and to whole words. */
function grow(text: string, window: Range, room: number): Range {
  const spare = Math.max(0, room - (window.end - window.start));
  let start = Math.max(0, window.start - Math.floor(spare / 2));
  const end = Math.min(text.length, start + room);
  start = Math.max(0, end - room);
  // Not past the match itself: half a word beside it is better than the match gone.
  const reach = (spared: number) => Math.min(wordReach, Math.floor(room / 3), Math.max(0, spared));
  return {
    start: start === 0 ? 0 : cutStart(text, start, reach(window.start - start)),
    end: end === text.length ? end : cutEnd(text, end, reach(end - window.end)),
  };
}

function assemble(text: string, matches: readonly Range[], fragments: readonly Range[]): Snippet {
  let out = "";
  const highlights: Range[] = [];
  fragments.forEach((fragment, at) => {
    if (at > 0) out += gap;
    else if (fragment.start > 0) out += "…";
    const shift = out.length - fragment.start;
    out += text.slice(fragment.start, fragment.end);
    for (const { start, end } of matches) {
      const from = Math.max(start, fragment.start);
      const to = Math.min(end, fragment.end);
      if (from < to) highlights.push({ start: from + shift, end: to + shift });
    }
  });
  if ((fragments.at(-1)?.end ?? 0) < text.length) out += "…";
  return { text: out, highlights: merge(highlights, 0) };
}

/** Ranges in order, those with less than `distance` between them as one; at 0 those that overlap. */
function merge(ranges: readonly Range[], distance: number): Range[] {
  const merged: Range[] = [];
  for (const { start, end } of [...ranges].sort((a, b) => a.start - b.start || a.end - b.end)) {
    const last = merged.at(-1);
    if (last && start - last.end < distance)
      merged[merged.length - 1] = { start: last.start, end: Math.max(last.end, end) };
    else merged.push({ start, end });
  }
  return merged;
}
