/**
 * Function words: what a question is built with and no message is about ("the", "did", "und"). A query leaves them out
 * while anything else remains (SPEC 3.6), and by them the language of a text is told. Folded like every term.
 */
import { type Language, languages, listedFunctionWords, scripts } from "./languages.ts";
import { terms } from "./tokens.ts";

/** What the lists leave out, though questions are full of it. */
const more: Readonly<Partial<Record<Language, string>>> = {
  en: "a also any anything ever every get got happen happened just many much someone something tell thing things upon us whether within without yet",
  de: "wer wem wen wann warum wieso",
  fr: "quand comment pourquoi quoi",
  pt: "onde porque",
  it: "quando cosa",
  nl: "wanneer waar welke waarom",
  da: "hvem hvornår hvordan hvilken hvorfor",
  fi: "milloin miten",
  ru: "почему",
  uk: "хто де який чому",
  el: "τι πότε γιατί",
  ar: "لماذا",
  hi: "क्या कब कहाँ कैसे क्यों",
};

function bitOf(language: Language): number {
  return 1 << languages.indexOf(language);
}

/** Words by their first letters: those of a script are folded when it is first met, as a command's start would feel them all. */
const tables = new Map<"latin" | "other", ReadonlyMap<string, number>>();

function tableFor(term: string): ReadonlyMap<string, number> {
  const which = term.charCodeAt(0) < firstOtherLetter ? "latin" : "other";
  let table = tables.get(which);
  if (table === undefined) {
    table = makeTable(which === "latin");
    tables.set(which, table);
  }
  return table;
}

/** Behind the Latin letters (Unicode blocks up to Latin Extended-B). */
const firstOtherLetter = 0x250;

function makeTable(isLatin: boolean): ReadonlyMap<string, number> {
  const words = new Map<string, number>();
  for (const language of languages) {
    if (latin.includes(language) !== isLatin) continue;
    const bit = bitOf(language);
    for (const word of [...listedFunctionWords(language), ...(more[language]?.split(" ") ?? [])]) {
      const [term, ...rest] = plain.test(word) ? [word] : terms(word);
      if (term !== undefined && rest.length === 0) words.set(term, (words.get(term) ?? 0) | bit);
    }
  }
  return words;
}

const latin = scripts.find(({ languages: written }) => written.includes("en"))?.languages ?? [];
/** Folds to itself. */
const plain = /^[a-z]+$/;

/** Languages that have the term as a function word: one bit each, in the order of `languages`. */
export function functionWordBits(term: string): number {
  return tableFor(term).get(term) ?? 0;
}

export function isFunctionWord(term: string, language: Language): boolean {
  return (functionWordBits(term) & bitOf(language)) !== 0;
}
