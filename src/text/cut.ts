/**
 * Cuts text to a length without cutting a character: no half surrogate pair, no half grapheme cluster (UAX #29), and
 * for snippets no half word where a border is near. The cost depends on the distance looked at, never on the text.
 */
import { type CharacterClass, characterOf } from "./fold.ts";

/**
 * UTF-16 units looked at on either side of a cut. A cluster longer than this, which no language writes, is cut between
 * two code points; a row of flags longer than this may be cut inside a flag.
 */
const reachOfCluster = 128;

let graphemes: Intl.Segmenter | undefined; // made at first use: it costs 7 ms of a process's start
const encoder = new TextEncoder();

/** The longest beginning of at most `maxUnits` UTF-16 units that ends between characters; empty if the first is longer. */
export function cutText(text: string, maxUnits: number): string {
  return text.length <= maxUnits ? text : text.slice(0, graphemeStart(text, maxUnits));
}

/** The longest beginning of at most `maxBytes` bytes of UTF-8 that ends between characters. */
export function cutBytes(text: string, maxBytes: number): string {
  if (maxBytes <= 0) return "";
  // No unit takes less than a byte, so the rest need not be encoded to know that it doesn't fit.
  const { read } = encoder.encodeInto(text.slice(0, maxBytes), new Uint8Array(maxBytes));
  return cutText(text, read);
}

/** The last border between characters at or before the offset. Offsets outside the text are moved to its ends. */
export function graphemeStart(text: string, offset: number): number {
  return characterAround(text, offset).start;
}

/** The first border between characters at or after the offset. Offsets outside the text are moved to its ends. */
export function graphemeEnd(text: string, offset: number): number {
  return characterAround(text, offset).end;
}

/**
 * Where a window that should begin at `offset` begins without half a word: the nearest place from there to `reach`
 * units further on. The start of a word after white space, or any character of a script without spaces; else any
 * border between tokens; else the next border between characters.
 */
export function cutStart(text: string, offset: number, reach: number): number {
  const last = Math.min(text.length, offset + reach);
  let second: number | null = null;
  for (let at = Math.max(0, offset); at <= last; at++) {
    const border = borderAt(text, at, "start");
    if (border === "none") continue;
    if (border === "clean") return at;
    second ??= at;
  }
  return second ?? graphemeEnd(text, offset);
}

/** The same for the end of a window: the nearest place from `offset` to `reach` units back. */
export function cutEnd(text: string, offset: number, reach: number): number {
  const last = Math.max(0, offset - reach);
  let second: number | null = null;
  for (let at = Math.min(text.length, offset); at >= last; at--) {
    const border = borderAt(text, at, "end");
    if (border === "none") continue;
    if (border === "clean") return at;
    second ??= at;
  }
  return second ?? graphemeStart(text, offset);
}

/** `clean`: nothing is torn. `token`: what belongs together visually (a path, a number with its unit) may be. */
function borderAt(text: string, at: number, side: "start" | "end"): "clean" | "token" | "none" {
  if (at <= 0 || at >= text.length) return "clean";
  const before = codePointBefore(text, at);
  const after = text.codePointAt(at) ?? 0;
  const outer = side === "start" ? before : after;
  const inner = side === "start" ? after : before;
  if (isSpace(inner)) return "none";
  const classBefore = characterOf(before).folded[0].class;
  const classAfter = characterOf(after).folded[0].class;
  if (isInWord(classBefore) && isInWord(classAfter)) return "none";
  if (graphemeStart(text, at) !== at) return "none";
  return isSpace(outer) || classBefore === "single" || classAfter === "single" ? "clean" : "token";
}

function isInWord(of: CharacterClass): boolean {
  return of === "word" || of === "mark" || of === "ignored" || of === "apostrophe";
}

function isSpace(codePoint: number): boolean {
  return codePoint < 0x80 ? codePoint <= 0x20 : /^\p{White_Space}$/u.test(String.fromCodePoint(codePoint));
}

function codePointBefore(text: string, at: number): number {
  return text.codePointAt(codePointStart(text, at - 1)) ?? 0;
}

/** The offset itself, or one less if it stands inside a surrogate pair. */
function codePointStart(text: string, offset: number): number {
  return offset > 0 && (text.codePointAt(offset - 1) ?? 0) > 0xffff ? offset - 1 : offset;
}

/** Between two ASCII characters there is a border, but for CR LF (UAX #29 GB3 to GB5, GB999). */
function isPlainBorder(text: string, offset: number): boolean {
  const before = text.charCodeAt(offset - 1);
  return before < 0x80 && text.charCodeAt(offset) < 0x80 && before !== 0x0d;
}

/** The character that the offset lies inside; empty when it lies on a border. */
function characterAround(text: string, offset: number): { start: number; end: number } {
  const at = Math.min(Math.max(0, offset), text.length);
  if (at === 0 || at === text.length || isPlainBorder(text, at)) return { start: at, end: at };
  graphemes ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  const from = Math.max(0, at - reachOfCluster);
  const window = text.slice(from, at + reachOfCluster);
  const cluster = graphemes.segment(window).containing(at - from);
  const start = from + (cluster?.index ?? 0);
  if (start === at) return { start, end: start };
  const end = start + (cluster?.segment.length ?? 0);
  const reachesOut = (start === from && from > 0) || (end === from + window.length && end < text.length);
  if (!reachesOut) return { start, end };
  const whole = codePointStart(text, at);
  return { start: whole, end: whole === at ? at : at + 1 };
}
