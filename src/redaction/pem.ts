/**
 * The body of a PEM private key. The BEGIN and END lines stay and so do the line breaks next to them, real ones or the
 * `\n` of a quoted string; what stands between becomes one `…`:
 *
 *     -----BEGIN PRIVATE KEY-----
 *     …
 *     -----END PRIVATE KEY-----
 *
 * A block whose END line was cut off reaches to the next BEGIN line or to the end of the text: the tail of a key is a leak.
 */
import { isPlaceholder } from "./placeholder.ts";
import type { Finding } from "./rule.ts";

/** The next line of either kind. A body never reaches over a BEGIN line, so bodies are disjoint and the search is linear. */
const nextLine = /-----(?:BEGIN|END) /g;
/** What may stand before the first characters of a body: blanks, `\n`, marks of quotes and diffs, line numbers. */
const lead = /(?:\s|\\{1,7}[nr]|[>+|#*→\d:]){0,64}/y;
/** Key material, or the headers that old encrypted keys and PGP blocks have before it. */
const material = /[A-Za-z0-9+/=]{16}|(?:Proc-Type|DEK-Info|Version|Comment): /y;
const blank = /\s/;
const lineBreak = /[\r\n\\]/;
/** Line breaks behind the BEGIN line. A key has a few; the bound is for texts that are no keys. */
const outside = /(?:\s|\\{1,7}[nr]){1,64}/y;

/** The body that starts at `from`, just behind a BEGIN line; null when what follows is no key. */
export function findPem(text: string, from: number): Finding | null {
  nextLine.lastIndex = from;
  const next = nextLine.exec(text);
  const stop = next?.index ?? text.length;
  const complete = next?.[0].startsWith("-----END") === true;

  outside.lastIndex = from;
  const start = outside.test(text) ? Math.min(outside.lastIndex, stop) : from;
  let end = stop;
  while (end > start) {
    const last = text.charAt(end - 1);
    if (!blank.test(last) && !((last === "n" || last === "r") && text.charAt(end - 2) === "\\")) break;
    end -= 1;
    while (end > start && text.charAt(end - 1) === "\\") end -= 1;
  }
  if (start === end || isPlaceholder(text.slice(start, Math.min(end, start + 64)).replace(/\s|\\+[nr]/g, "")))
    return null;
  // Between both lines whatever has lines to itself is the key. Elsewhere only what looks like one.
  const ownLines = complete && lineBreak.test(text.slice(from, start));
  return ownLines || hasMaterial(text, start) ? { start, end, kind: "pem" } : null;
}

function hasMaterial(text: string, start: number): boolean {
  lead.lastIndex = start;
  material.lastIndex = start;
  if (material.test(text)) return true;
  lead.exec(text);
  material.lastIndex = lead.lastIndex;
  return material.test(text);
}
