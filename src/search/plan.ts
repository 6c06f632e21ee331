/**
 * Query → what is looked up in the index: for each clause its expressions, and the units by which messages are scored.
 * Pure; one plan a store, as word forms go by the languages that a store has.
 */
import { isFunctionWord } from "../text/function-words.ts";
import { languageOf, languagesOfQuery } from "../text/language.ts";
import type { Language } from "../text/languages.ts";
import { formsOf, stemOf } from "../text/stems.ts";
import { anyOf, formExpression } from "./match-expression.ts";
import type { Clause, Query, Term } from "./query.ts";

/** Something that a message has or has not, with its own rarity. */
export interface Unit {
  /** Number of the clause that it belongs to. */
  readonly clause: number;
  /** FTS5 expression: the words as they are, or their parts. */
  readonly exact: string;
  /** The same, or another form of the word; equal to `exact` where there is none. */
  readonly forms: string;
  /** Single index terms that count as said, and as another form; null where a phrase or a beginning is among them. */
  readonly single: SingleTerms | null;
}

export interface SingleTerms {
  readonly exact: readonly string[];
  readonly forms: readonly string[];
  /** Whether a word as typed stands under none of `forms`, and counts beside them. */
  readonly isBeside: boolean;
}

export interface PlannedClause {
  readonly exact: string;
  readonly forms: string;
  /** Its last word as a beginning; null where that makes no sense. */
  readonly beginning: string | null;
  /** Has to match in every tier: it was quoted. */
  readonly isRequired: boolean;
  /** A function word, and others remain: not wanted where only some of the words are. */
  readonly isIgnorable: boolean;
}

export interface Plan {
  readonly clauses: readonly PlannedClause[];
  /** Of what is not ignorable. */
  readonly units: readonly Unit[];
  /** All words side by side as typed; null for a single word. */
  readonly phrase: string | null;
  /** None may match; null when there are none. */
  readonly without: string | null;
  /** A question, or four and more content words: ranked over all tiers at once (SPEC 3.6). */
  readonly isQuestion: boolean;
}

const questionFrom = 4;
/** Letters that a beginning has at least. */
const shortestBeginning = 3;

/**
 * @param languages Those that the store has messages in.
 * @param isAll Whether function words have to match like any other.
 */
export function planQuery(query: Query, languages: readonly Language[], isAll = false): Plan {
  const own = query.clauses.flatMap((clause) => clause.flatMap((term) => term.forms[0] ?? []));
  const spoken = languagesOfQuery(own, languages);
  const language = languageOf(own);
  const functions = query.clauses.map((clause) => language !== null && isFunctionClause(clause, language));
  const words = functions.filter((isFunction) => !isFunction).length;
  const isQuestion = words >= questionFrom || (words > 1 && query.isQuestion);
  // Of three words none holds a sentence together: each was typed to be found ("don't reseed").
  const isSentence = words > 0 && (isQuestion || query.clauses.length >= questionFrom);
  const clauses = query.clauses.map((clause, at): PlannedClause => {
    const exact = anyOf(clause.map((term) => formExpression(term.forms, term.prefix)));
    const stems = clause.flatMap((term) => stemsOf(term, spoken));
    return {
      exact,
      forms: anyOf([exact, ...stems.map((stem) => `"${stem}"`)]),
      beginning: beginningOf(clause),
      isRequired: clause.some(({ quoted }) => quoted),
      isIgnorable: !isAll && isSentence && functions[at] === true,
    };
  });
  const units = query.clauses.flatMap((clause, at) =>
    clauses[at]?.isIgnorable ? [] : unitsOf(clause, at, clauses[at], spoken),
  );
  return {
    clauses,
    units,
    phrase: phraseOf(query),
    without: query.without.length === 0 ? null : anyOf(query.without.map((t) => formExpression(t.forms, t.prefix))),
    isQuestion,
  };
}

/** By the query's own language, whatever the store holds: what others said must not change an answer. */
function isFunctionClause(clause: Clause, language: Language): boolean {
  return clause.every(({ quoted, prefix, forms }) => {
    const [form] = forms;
    return !quoted && !prefix && form?.length === 1 && isFunctionWord(form[0] ?? "", language);
  });
}

function stemsOf({ text, forms, quoted, prefix }: Term, spoken: readonly Language[]): string[] {
  const [own = []] = forms;
  const [term] = own;
  // A name has parts, and no forms.
  if (quoted || prefix || forms.length > 1 || own.length !== 1 || term === undefined) return [];
  return [...new Set(spoken.flatMap((language) => formsOf(language, term, bare(text))))];
}

/** A word as a stemmer wants it: without the punctuation around it. */
export function bare(text: string): string {
  return text
    .toLowerCase()
    .normalize("NFC")
    .replace(/^[^\p{L}\p{M}\p{N}]+|[^\p{L}\p{M}\p{N}]+$/gu, "");
}

/**
 * A name that was cut off in a piece of one or two letters (`max_retry_co`) is looked for without that piece: nearly every
 * word begins so, and the index would read them all. Whoever shows the hit sees whether it goes on as typed.
 */
function beginningOf(clause: Clause): string | null {
  const beginnings = clause.flatMap(({ quoted, prefix, forms }) => {
    if (quoted || prefix) return [];
    return forms.flatMap((form) => {
      if ((form.at(-1)?.length ?? 0) >= shortestBeginning) return [formExpression([form], true)];
      return form.length > 1 ? [formExpression([form.slice(0, -1)], false)] : [];
    });
  });
  return beginnings.length === 0 ? null : anyOf(beginnings);
}

/**
 * A clause is one unit; but a run of a script without spaces is a sentence as likely as a word, so it is scored by each
 * two characters of it.
 */
function unitsOf(clause: Clause, at: number, planned: PlannedClause | undefined, spoken: readonly Language[]): Unit[] {
  if (!planned) return [];
  const [term] = clause;
  const own = term?.forms[0] ?? [];
  if (clause.length === 1 && term && isWritten(term)) {
    return pairsOf(own).map((pair) => {
      const expression = formExpression([pair], false);
      return { clause: at, exact: expression, forms: expression, single: null };
    });
  }
  const isSingle = clause.every(({ forms, prefix }) => !prefix && forms.every((form) => form.length === 1));
  return [
    {
      clause: at,
      exact: planned.exact,
      forms: planned.forms,
      single: isSingle ? singleTerms(clause, spoken) : null,
    },
  ];
}

function singleTerms(clause: Clause, spoken: readonly Language[]): SingleTerms {
  const exact = clause.flatMap(({ forms }) => forms.flat());
  const forms = clause.flatMap((each) => stemsOf(each, spoken));
  // An English word that is its own stem is indexed once, as itself.
  const isBeside = forms.length === 0 || exact.some((term) => stemOf("en", term) === term);
  return { exact, forms, isBeside };
}

function isOneCharacter(term: string): boolean {
  return [...term].length === 1 && !/[a-z0-9]/.test(term);
}

/** Whether a term is written without spaces, and long enough to be more than a word. */
export function isWritten({ quoted, prefix, forms: [own = []] }: Term): boolean {
  return !quoted && !prefix && own.length > 2 && own.some(isOneCharacter);
}

/** Each two neighbours; those with a character that only holds a sentence together are left out while others remain. */
export function pairsOf(own: readonly string[]): [string, string][] {
  const pairs = new Map<string, [string, string]>();
  for (let at = 0; at + 1 < own.length; at++) {
    const [one = "", two = ""] = [own[at], own[at + 1]];
    pairs.set(`${one} ${two}`, [one, two]);
  }
  const telling = [...pairs.values()].filter((pair) => !pair.some(isParticle));
  return telling.length > 0 ? telling : [...pairs.values()];
}

/** Chinese and Japanese characters that stand in nearly every sentence, and seldom in a word that is searched for. */
const particles = new Set(
  "的了是我你您他她它们這这那吗嗎呢吧啊么麼很在和就也都哪谁誰の は が を に で と も".replace(/ /g, ""),
);

function isParticle(term: string): boolean {
  return particles.has(term);
}

function phraseOf({ clauses }: Query): string | null {
  const tokens: string[] = [];
  for (const clause of clauses) {
    const [term, ...others] = clause;
    if (!term || others.length > 0 || term.prefix) return null;
    tokens.push(...(term.forms[0] ?? []));
  }
  return clauses.length > 1 ? `"${tokens.join(" ")}"` : null;
}
