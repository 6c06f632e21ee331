/**
 * Reads the value that stands after a secret's name and separator: in quotes, in backticks, in Markdown emphasis, in a
 * code fence, as a YAML block, percent-encoded, or bare. Finds where it starts and ends; judge.ts says whether it is a
 * secret.
 *
 * Time: the places of the next closing quote, the end of a bare run and the next pair are kept, so that no stretch of
 * text is searched twice; everything else looks at a window.
 */
import { type Candidate, isSecret } from "./judge.ts";
import { templateMarker } from "./placeholder.ts";
import type { Range, Strength } from "./rule.ts";
import { shapeOf } from "./shape.ts";

/** The secret that stands after `match`, a name (first group) with its separator; null when there is none. */
export type ReadValue = (match: RegExpExecArray, strength: Strength) => Range | null;

/** ASCII but quotes, angle brackets and spaces; European letters; the ellipsis of a mask. */
const bareRun = /[!#-&(-;=?-_a-~\u00a1-\u052f…]*/y;
const spaces = /[ \t]*/y;
/** At most two line breaks, and the fence of a code block. */
const lineBreaks = /\r?\n[ \t]*(?:\r?\n[ \t]*)?(?:```[\w-]{0,20}[ \t]*\r?\n[ \t]*)?/y;
const yamlBlock = /[|>][-+]?[ \t]*\r?\n[ \t]+/y;
const yamlLine = /\r?\n[ \t]+[^\s]+(?=[ \t]*(?:[\r\n]|$))/y;
/** `"`, `\"`, b"…", `“`, `%22`, Markdown's backticks and `**`. */
const opening = /(?:[bfru@](?=["']))?(\\{0,7})(["']|`{1,3}|“|‘)|%2[27]|\*\*(?!\*)/iy;
const opens = new Set("\"'`“‘\\%*bfruBFRU@");
/** Closing quotes that differ from their opening ones. Emphasis is not closed by a mask's asterisks. */
const closing: Readonly<Record<string, string | RegExp>> = { "“": "”", "‘": "’", "**": /(?<!\*)\*\*(?!\*)/g };
/** The next pair of a query, a connection string or an object: `&user=`, `;Database=`, `,user:`. */
const nextPair = /[,;&](?:amp;)?\s{0,8}["']?[A-Za-z_][\w.-]{0,40}["']?[ \t]{0,8}[=:]/g;
const encodedEnd = /%(?:0[ad]|2[02367c]|3b|5d|7d)/gi;
/** Closing brackets, full stops and emphasis at the end of a bare value belong to the text around it. */
const trailing = "),;:]}.?*\\";
/** About the match: a quoted name, an encoded separator, a separator without spaces, a name not all in capitals. */
const quotesName = /["'%]/;
const encoded = /%3[ad]$/i;
const tightEnd = /[^ \t]=$/;
const small = /[a-z]/;
/** What no quoted value starts with, unless its name is quoted too. */
const notFirst = /[\s,;)\]}+]/;
const lineEnd = /[\r\n]/;
const restOfLine = /^[ \t]*(?:[\r\n]|$)/;
const window = 64;
const backslash = 0x5c;

const isBlank = (code: number): boolean => code === 0x20 || code === 0x09;

/** A reader for one text. Make a new one for each text and rule. */
export function createValueReader(text: string): ReadValue {
  /** The last secret found: names inside it are part of it. */
  let last: Range = { start: 0, end: 0 };
  let run = { start: 0, end: 0, trimmed: 0 };
  const places = new Map<string | RegExp, Range>();

  const at = (pattern: RegExp, position: number): RegExpExecArray | null => {
    pattern.lastIndex = position;
    return pattern.exec(text);
  };
  const past = (pattern: RegExp, position: number): number => {
    pattern.lastIndex = position;
    return pattern.test(text) ? pattern.lastIndex : position;
  };

  /** First place of `what` at or after `from`; the end of the text when there is none. */
  const find = (what: string | RegExp, from: number): number => {
    const known = places.get(what);
    if (known !== undefined && known.start <= from && from <= known.end) return known.end;
    const found = typeof what === "string" ? text.indexOf(what, from) : (at(what, from)?.index ?? -1);
    const end = found < 0 ? text.length : found;
    places.set(what, { start: from, end });
    return end;
  };

  /** End of a quoted value, at its closing quote or at the end of the text. */
  const quotedEnd = (start: number, quote: string, escapes: string): number => {
    if (quote !== '"' && quote !== "'") return find(closing[quote] ?? quote, start);
    for (let end = find(quote, start); ; end = find(quote, end + 1)) {
      let before = end;
      while (before > start && text.charCodeAt(before - 1) === backslash) before -= 1;
      // A string inside another one ends at its first quote; elsewhere `\"` is a quote of the value.
      if (escapes !== "") return before;
      if (end === text.length || (end - before) % 2 === 0) return end;
    }
  };

  /** `end` without what belongs to the text around a bare value. */
  const trim = (start: number, end: number): number => {
    let trimmed = end;
    while (trimmed > start && trailing.includes(text.charAt(trimmed - 1))) trimmed -= 1;
    return trimmed;
  };

  const bareEnd = (start: number, isEncoded: boolean): number => {
    if (start < run.start || start >= run.end) {
      const end = past(bareRun, start);
      run = { start, end, trimmed: trim(start, end) };
    }
    const cut = Math.min(find(nextPair, start), isEncoded ? find(encodedEnd, start) : run.end);
    return cut < run.end ? trim(Math.max(start, cut - window), cut) : Math.max(start, run.trimmed);
  };

  /** Whether nothing else stands on the line behind `end`. */
  const endsLine = (end: number): boolean => restOfLine.test(text.slice(end, end + window));

  const read: ReadValue = (match, strength) => {
    const [whole, word = ""] = match;
    const separatorEnd = match.index + whole.length;
    const name = { start: match.index, end: match.index + word.length };
    let start = isBlank(text.charCodeAt(separatorEnd)) ? past(spaces, separatorEnd) : separatorEnd;
    const tight = start === separatorEnd && tightEnd.test(whole);
    const environment = tight && !small.test(word);

    const judge = (from: number, to: number, form: Candidate["form"]): Range | null => {
      const marker = find(templateMarker, from);
      let end = marker > from ? Math.min(marker, to) : to;
      while (end > from && isBlank(text.charCodeAt(end - 1))) end -= 1;
      const value = { start: from, end };
      return isSecret({ source: text, name, value, form, tight, environment }, strength) ? value : null;
    };

    // Most values start with a letter or a digit: a look at one character spares them four patterns.
    let first = text.charAt(start);
    if ((first === "|" || first === ">") && whole.endsWith(":") && at(yamlBlock, start) !== null) {
      start = yamlBlock.lastIndex;
      const line = past(bareRun, start);
      const secret = judge(start, line, "string");
      if (secret === null || secret.end < line) return secret;
      if (!endsLine(line)) return null;
      let { end } = secret;
      for (let next = at(yamlLine, end); next !== null; next = at(yamlLine, end)) end += next[0].length;
      return { start, end };
    }
    const broken = first === "\n" || first === "\r";
    if (broken) {
      start = past(lineBreaks, start);
      first = text.charAt(start);
    }

    const open = opens.has(first) ? at(opening, start) : null;
    if (open !== null) {
      const quote = open[2] ?? open[0];
      // "Basic " + …: the name's pattern has read the opening quote.
      if (match.groups?.open === quote) return null;
      start = past(spaces, start + open[0].length);
      const end = quotedEnd(start, quote, open[1] ?? "");
      // `"Password:", x`: the quote ends the string that the name stands in.
      if (!quotesName.test(whole) && notFirst.test(text.charAt(start))) return null;
      const secret = end < text.length ? judge(start, end, quote.startsWith("`") ? "code" : "string") : null;
      if (secret !== null) return secret;
      // A quote that closes lines below, or never, was not closed where the value ends.
      if (end < text.length && !lineEnd.test(text.slice(start, Math.min(end, start + window)))) return null;
    }
    const end = bareEnd(start, encoded.test(whole));
    const secret = judge(start, end, "bare");
    if (secret === null || !broken || open !== null) return secret;
    // On a line of its own only what is no word, and has the line to itself.
    return endsLine(end) && !shapeOf(text.slice(start, Math.min(end, start + window))).plain ? secret : null;
  };

  return (match, strength) => {
    const after = match.index + match[0].length;
    if (after > last.start && after < last.end) return null;
    const found = read(match, strength);
    if (found !== null) last = found;
    return found;
  };
}
