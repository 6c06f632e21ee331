/**
 * Which language a text is in, by its function words: good enough to choose a stemmer, cheap enough for every message. A
 * wrong guess costs word forms, never a word as it was said. Pure, and the same for index and query.
 */
import { functionWordBits } from "./function-words.ts";
import { type Language, languages, scripts } from "./languages.ts";

/** Terms that vote: of a long message the first ones. */
const voters = 160;
/** Votes by which another language has to be ahead of English, as lists share short words. */
const lead = 2;

/** Null where no language with word forms is likely: no letters, or a script without spaces. */
export function languageOf(terms: readonly string[]): Language | null {
  const votes = count(terms.slice(0, voters));
  const english = votes[0] ?? 0;
  let best = 0;
  votes.forEach((n, at) => {
    if (n > (votes[best] ?? 0)) best = at;
  });
  const most = votes[best] ?? 0;
  if (most > 0 && (best === 0 || most >= english + lead)) return languages[best] ?? null;
  return english > 0 ? "en" : (byScript(terms)[0] ?? null);
}

/**
 * Languages that a query may be in: those with the most votes, and English beside them, as agents write it everywhere;
 * all where nothing tells. The query alone decides which, so that nobody learns from an answer what others' messages are
 * in; of the given ones, as forms of a language that no message is in find nothing.
 */
export function languagesOfQuery(terms: readonly string[], among: readonly Language[]): readonly Language[] {
  const told = languagesTold(terms);
  const likely = told.length > 0 ? told : byScript(terms);
  return languages.filter((language) =>
    language === "en" ? byScript(terms).includes("en") : likely.includes(language) && among.includes(language),
  );
}

/** Languages that have most of the function words among the terms; none where there are none. */
export function languagesTold(terms: readonly string[]): readonly Language[] {
  const votes = count(terms);
  const votesFor = (language: Language) => votes[languages.indexOf(language)] ?? 0;
  const written = byScript(terms);
  const most = Math.max(0, ...written.map(votesFor));
  return most === 0 ? [] : written.filter((language) => votesFor(language) === most);
}

function count(terms: readonly string[]): number[] {
  const votes = languages.map(() => 0);
  for (const term of terms) {
    for (let bits = functionWordBits(term); bits !== 0; bits &= bits - 1) {
      const at = 31 - Math.clz32(bits & -bits);
      votes[at] = (votes[at] ?? 0) + 1;
    }
  }
  return votes;
}

/** Languages written in the letters of the first term that has any. */
function byScript(terms: readonly string[]): readonly Language[] {
  for (const term of terms.slice(0, voters)) {
    for (const { letters, languages: written } of scripts) if (letters.test(term)) return written;
  }
  return [];
}
