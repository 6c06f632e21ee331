/**
 * Languages whose word forms search knows (SPEC 3.11): those for which both a stemmer and a list of function words are
 * kept. English by Porter2, the others by the Snowball stemmers of one package. Each is loaded when it is first met: a
 * stemmer takes half a millisecond, all lists of function words together ten.
 */
import { createRequire } from "node:module";
import { stem as stemEnglish } from "porter2";

/** Code → the name under which the packages export it. ISO 639-1. */
const packaged = {
  en: "english",
  de: "german",
  fr: "french",
  es: "spanish",
  pt: "portuguese",
  it: "italian",
  nl: "dutch",
  sv: "swedish",
  no: "norwegian",
  da: "danish",
  fi: "finnish",
  tr: "turkish",
  ro: "romanian",
  hu: "hungarian",
  id: "indonesian",
  ru: "russian",
  uk: "ukrainian",
  bg: "bulgarian",
  sr: "serbian",
  el: "greek",
  ar: "arabic",
  hy: "armenian",
  hi: "indian",
  ta: "tamil",
} as const;

export type Language = keyof typeof packaged;

/** In the order in which ties are decided. */
export const languages = Object.keys(packaged) as readonly Language[];

/** Languages by their letters; where no function word tells, the first is meant. The rest is Latin. */
export const scripts: readonly { readonly letters: RegExp; readonly languages: readonly Language[] }[] = [
  { letters: /\p{sc=Cyrl}/u, languages: ["ru", "uk", "bg", "sr"] },
  { letters: /\p{sc=Grek}/u, languages: ["el"] },
  { letters: /\p{sc=Arab}/u, languages: ["ar"] },
  { letters: /\p{sc=Armn}/u, languages: ["hy"] },
  { letters: /\p{sc=Deva}/u, languages: ["hi"] },
  { letters: /\p{sc=Taml}/u, languages: ["ta"] },
  {
    letters: /\p{sc=Latn}/u,
    languages: ["en", "de", "fr", "es", "pt", "it", "nl", "sv", "no", "da", "fi", "tr", "ro", "hu", "id"],
  },
];

type Stemmer = (word: string) => string;

const load = createRequire(import.meta.url);
const stemmers = new Map<Language, Stemmer>([["en", stemEnglish]]);

/** Takes a lower-case word with its accents. */
export function stemmerOf(language: Language): Stemmer {
  let stemmer = stemmers.get(language);
  if (stemmer === undefined) {
    stemmer = (load(`@orama/stemmers/${packaged[language]}`) as { stemmer: Stemmer }).stemmer;
    stemmers.set(language, stemmer);
  }
  return stemmer;
}

/** Lower case, with accents, as its package lists them. */
export function listedFunctionWords(language: Language): readonly string[] {
  return (load(`@orama/stopwords/${packaged[language]}`) as { stopwords: readonly string[] }).stopwords;
}
