/**
 * Letters that search takes for another one though Unicode doesn't decompose them: strokes, hooks, ligatures, and the
 * letters for which Arabic, Persian and Urdu keyboards send different code points. One row a target, lower case.
 * Latin: the rows of CLDR's Latin-ASCII transform that a case folded, decomposed letter can still reach. Arabic: the
 * union of Lucene's ArabicNormalizer and PersianNormalizer, with the keyboard variants of kaf and heh.
 */

const latin: Readonly<Record<string, string>> = {
  a: "ⱥᴀᶏ",
  ae: "æᴁ",
  b: "ƀƃɓʙᵬᶀ",
  c: "ƈȼɕᴄꞓ",
  d: "ðđɖɗƌȡᴅᴆᵭᶁᶑꝱꝺ",
  db: "ȸ",
  dz: "ʣʥ",
  e: "ɛɇᴇᶒᶓⱸ",
  f: "ƒᵮᶂꜰꝼ",
  g: "ǥɠɡɢʛᶃꞡ",
  h: "ħɦɧʜⱨ",
  hv: "ƕ",
  i: "ıɨɩɪᶖᵻ",
  j: "ɉȷɟʝᴊ",
  k: "ƙᴋᶄⱪꝁꝃꝅꞣ",
  l: "łƚȴɫɬɭʟᴌᶅⱡꝇꝉꝲ",
  ll: "ỻ",
  m: "ɱᴍᵯᶆꝳ",
  n: "ŋɲƞȵɳɴᵰᶇꝴꞑꞥ",
  o: "øᴏⱺꝋꝍ",
  oe: "œɶ",
  oi: "ƣ",
  p: "ƥᴘᵱᵽᶈꝑꝓꝕ",
  q: "ĸɋʠꝗꝙ",
  qp: "ȹ",
  r: "ɍɼɽɾʀᵲᵳᶉꝵꝶꞧ",
  s: "ȿʂᵴᶊꜱꞩẜẝ",
  t: "ŧƫƭʈȶⱦᴛᵵꝷꞇ",
  th: "þᵺꝥꝧ",
  u: "ʉᴜᵾᶙ",
  v: "ʋᴠᶌⱱⱴꝟỽ",
  w: "ⱳᴡ",
  x: "ᶍ",
  y: "ƴɏʏỿ",
  z: "ƶȥɀʐʑᴢᵶᶎⱬ",
};

const arabic: Readonly<Record<string, string>> = {
  "\u0627": "\u0671", // alef: wasla (hamza and madda are marks, and go with them)
  "\u064A": "\u0649\u06CC\u06D2", // yeh: alef maksura, Farsi yeh, yeh barree
  "\u0643": "\u06A9\u06AA", // kaf: keheh, swash kaf
  "\u0647": "\u0629\u06BE\u06C1\u06C3\u06D5", // heh: teh marbuta, doachashmee, heh goal, teh marbuta goal, ae
};

/** From letter to what stands for it in a term. Keys and values are lower case; no value holds a key. */
export const plainLetters: ReadonlyMap<string, string> = new Map(
  [latin, arabic].flatMap((rows) =>
    Object.entries(rows).flatMap(([plain, letters]) => [...letters].map((letter): [string, string] => [letter, plain])),
  ),
);

/**
 * Letters that write no sound of their own, so that a word is found with and without: Arabic tatweel and high hamza,
 * and the modifier letters that serve as apostrophes, primes and half rings (ʹ ʺ ʻ ʼ ʽ ʾ ʿ ꞌ Ꞌ).
 */
export const silentLetters: ReadonlySet<string> = new Set(
  "\u0640\u0674\u02B9\u02BA\u02BB\u02BC\u02BD\u02BE\u02BF\uA78B\uA78C",
);

/** Marks that are dropped between two letters of a word (don't) and separate anywhere else. */
export const apostrophes: ReadonlySet<string> = new Set("'\u2018\u2019\u201B\u055A\u05F3");
