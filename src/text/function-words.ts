/**
 * Function words: what a question is built with and no message is about ("the", "did", "und"). A query leaves them out
 * while anything else remains (SPEC 3.6), and by them the language of a text is told. Folded like every term.
 */
import { type Language, languages, listedFunctionWords } from "./languages.ts";
import { terms } from "./tokens.ts";

/** Term → one bit a language that has it as a function word. Made at first use: 6,400 words, 10 ms. */
let table: ReadonlyMap<string, number> | undefined;

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

function wordTable(): ReadonlyMap<string, number> {
  if (table) return table;
  const words = new Map<string, number>();
  const add = (word: string, language: Language) => {
    const [term, ...rest] = terms(word);
    if (term !== undefined && rest.length === 0) words.set(term, (words.get(term) ?? 0) | bitOf(language));
  };
  for (const language of languages) for (const word of listedFunctionWords(language)) add(word, language);
  for (const language of languages) for (const word of more[language]?.split(" ") ?? []) add(word, language);
  table = words;
  return words;
}

/** Languages that have the term as a function word: one bit each, in the order of `languages`. */
export function functionWordBits(term: string): number {
  return wordTable().get(term) ?? 0;
}

export function isFunctionWord(term: string, language: Language): boolean {
  return (functionWordBits(term) & bitOf(language)) !== 0;
}
