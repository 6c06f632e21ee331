/** What stands in the place of a secret (SPEC 5.5), and how a mask is recognised so that it is never masked again. */

const shortest = 18;
const head = 6;
const tail = 4;
const ellipsis = "…";

/** Mask of the body of a PEM block. The BEGIN and END lines and the line breaks next to them stay outside the mask. */
export const pemMask = ellipsis;

/**
 * Characters that would end or escape the quotes around a mask. A secret with one of them among its first six or last
 * four becomes `***` whatever its length: half an escape sequence (`\"` cut in two) would change what the text around it means.
 */
const breaksQuotes = /["'`\\\r\n]/;

/** `***` for fewer than 18 characters (code points), else the first 6, `…` and the last 4. Never splits a character. */
export function maskOf(secret: string): string {
  const start = forward(secret, head);
  const end = backward(secret, tail);
  if (forward(secret, shortest - 1) >= secret.length) return "***";
  const first = secret.slice(0, start);
  const last = secret.slice(end);
  if (breaksQuotes.test(first) || breaksQuotes.test(last)) return "***";
  return first + ellipsis + last;
}

const mask = /^(?:\*+|.{6}….{4})$/su;

/** Whether a value is a mask already: asterisks only, or six characters, `…` and four. */
export function isMask(value: string): boolean {
  return mask.test(value);
}

/** Offset after `count` code points. */
function forward(text: string, count: number): number {
  let at = 0;
  for (let i = 0; i < count && at < text.length; i += 1) at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  return at;
}

/** Offset before the last `count` code points. */
function backward(text: string, count: number): number {
  let at = text.length;
  for (let i = 0; i < count && at > 0; i += 1) at -= at > 1 && (text.codePointAt(at - 2) ?? 0) > 0xffff ? 2 : 1;
  return at;
}
