/**
 * What a value looks like, found in one pass over its characters: words, or something no one would write as words.
 * Everything that tells a secret from prose and code by its looks is here; what it says is in judge.ts.
 */

export interface Shape {
  readonly hasLetter: boolean;
  readonly hasSpace: boolean;
  readonly digits: number;
  /** Letters and what joins words and identifiers, in runs that could be words. `my-password`, `config.token`, `пароль`. */
  readonly plain: boolean;
  /** Words, short numbers, versions and names with a number (`sha256`, `v2`), joined by any punctuation. */
  readonly wordy: boolean;
}

/** Longest run of letters of one case that is taken for a word. */
const longestWord = 18;
/** Longest name without punctuation: `handleSubscriptionUpdate`. Scripts without spaces write whole sentences in one piece. */
const longestName = 24;
/** Longest number beside letters, and by itself, that words are written with. */
const longestSuffix = 3;
const longestNumber = 4;

/** Kinds of characters. From `lower` up they are letters; `letter` are those beyond ASCII, with or without case. */
const other = 0;
const joiner = 1;
const space = 2;
const digit = 3;
const lower = 4;
const upper = 5;
const letter = 6;

const asciiKinds = new Uint8Array(128);
for (let code = 0; code < 128; code += 1) {
  const character = String.fromCharCode(code);
  if (/[a-z]/.test(character)) asciiKinds[code] = lower;
  else if (/[A-Z]/.test(character)) asciiKinds[code] = upper;
  else if (/[0-9]/.test(character)) asciiKinds[code] = digit;
  else if (/[ \t]/.test(character)) asciiKinds[code] = space;
  else if (/[_.:/&|'$-]/.test(character)) asciiKinds[code] = joiner;
}
const apostrophe = 0x2019;
const dollar = 0x24;
const underscore = 0x5f;

export function shapeOf(text: string): Shape {
  let plain = true;
  let wordy = true;
  let readable = true;
  let hasSpace = false;
  let letters = 0;
  let digits = 0;
  let turns = 0;
  let sameCase = 0;
  let before = other;
  // The current piece, between punctuation: digits, letters (of them Latin), digits.
  let leading = 0;
  let middle = 0;
  let latin = 0;
  let trailing = 0;

  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const kind = kindOf(code);
    if (kind >= lower) {
      letters += 1;
      middle += 1;
      if (trailing > 0) wordy = false;
      if (kind !== letter) latin += 1;
      // A name has a capital here and there; one after every second or third small letter is chance.
      if (before === lower && kind === upper) turns += 1;
      sameCase = kind === before && kind !== letter ? sameCase + 1 : 1;
      if (sameCase > longestWord) readable = false;
    } else if (kind === digit) {
      digits += 1;
      plain = false;
      if (middle > 0) trailing += 1;
      else leading += 1;
    } else {
      if (kind !== joiner || (at === 0 && code !== underscore && code !== dollar)) plain = false;
      if (kind === space) hasSpace = true;
      if (!couldBeWord(leading, middle, latin, trailing)) wordy = false;
      leading = 0;
      middle = 0;
      latin = 0;
      trailing = 0;
    }
    before = kind;
  }
  if (!couldBeWord(leading, middle, latin, trailing)) wordy = false;
  if (turns > letters / 4) readable = false;
  return {
    hasLetter: letters > 0,
    hasSpace,
    digits,
    plain: plain && readable && letters > 0,
    wordy: wordy && readable,
  };
}

/** Whether a text is made of words: see {@link Shape.wordy}. */
export function isWordy(text: string): boolean {
  return shapeOf(text).wordy;
}

function couldBeWord(leading: number, middle: number, latin: number, trailing: number): boolean {
  if (middle === 0) return leading <= longestNumber;
  return leading <= longestSuffix && trailing <= longestSuffix && latin <= longestName;
}

function kindOf(code: number): number {
  if (code < 128) return asciiKinds[code] ?? other;
  if (code === apostrophe) return joiner;
  // Letters, marks and halves of surrogate pairs; the blocks of punctuation and symbols are none.
  if (code < 0xc0 || code === 0xd7 || code === 0xf7)
    return code === 0xaa || code === 0xb5 || code === 0xba ? letter : other;
  if ((code >= 0x2000 && code <= 0x2bff) || (code >= 0x3000 && code <= 0x303f) || (code >= 0xff00 && code <= 0xff0f))
    return other;
  return letter;
}
