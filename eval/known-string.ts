/** Strings that somebody may look for exactly as they stood: eleven kinds, found in texts by rule. Pure. */
import { type Random, whole } from "../bench/random.ts";
import type { SpokenMessage } from "./spoken.ts";

export const stringKinds = [
  "camelCase",
  "snake_case",
  "path",
  "file name",
  "version",
  "hash",
  "URL",
  "flag",
  "error line",
  "#123",
  "dotted name",
] as const;
export type StringKind = (typeof stringKinds)[number];

const extensions =
  "ts|tsx|js|jsx|mjs|py|rs|go|java|rb|c|h|cpp|cs|sh|sql|css|html|json|jsonl|md|ya?ml|toml|txt|lock|tf|conf";

/** None has a quantifier in a quantifier over the same characters: texts are other people's. */
const patterns: Record<StringKind, RegExp> = {
  camelCase: /(?<![\w./@-])[A-Za-z][a-z0-9]*(?:[A-Z][a-z0-9]+)+(?![\w./@-])/g,
  snake_case: /(?<![\w./@-])[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+(?![\w/@-])/g,
  path: /(?<![\w:/.@~-])(?:~?\/|\.{1,2}\/)?(?:[\w@.-]+\/)+[\w@-]+\.[A-Za-z]\w{0,7}(?![\w/-])/g,
  "file name": new RegExp(`(?<![\\w./@-])[A-Za-z][\\w-]*\\.(?:${extensions})(?![\\w/.-])`, "g"),
  version: /(?<![\w.-])v?\d{1,3}\.\d{1,3}\.\d{1,4}(?![\w.-])/g,
  hash: /(?<![\w./-])(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{7,40}(?![\w./-])/g,
  URL: /https?:\/\/[^\s<>()[\]"'`|\\]+/g,
  flag: /(?<![\w-])--[a-z][a-z0-9-]{2,}(?![\w=])/g,
  "error line": /^.*(?:\b[A-Za-z]*(?:Error|Exception)\b|\berror(?:\[\w+\])?:|\b(?:FATAL|ERR!|panicked|failed)\b).*$/gm,
  "#123": /(?<![\w&/#])#\d{2,6}(?![\w-])/g,
  "dotted name": /(?<![\w./@-])[A-Za-z_]\w+(?:\.[A-Za-z_]\w+)+(?![\w/@-])/g,
};

const isFileName = new RegExp(`\\.(?:${extensions})$`);

/** The strings of one kind in a text. */
export function stringsIn(text: string, kind: StringKind): string[] {
  const found = (text.match(patterns[kind]) ?? []).map((string) =>
    kind === "URL" ? string.replace(/[.,;:!?*]+$/, "") : string.trim(),
  );
  return found.filter((string) => {
    if (kind === "error line") return string.length <= 300 && wordsOf(string).length >= 8;
    if (kind === "dotted name") return !isFileName.test(string) && string.length >= 8;
    return string.length >= 4 && string.length <= 200;
  });
}

/** Blank-separated words that hold a letter or digit. */
export function wordsOf(text: string): string[] {
  return text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word));
}

/** Texts that can be asked which of them hold a string, whatever its case, as a whole and not as part of a longer word. */
export class Haystack {
  readonly messages: readonly SpokenMessage[];
  readonly #texts: readonly string[];

  constructor(messages: readonly SpokenMessage[]) {
    this.messages = messages;
    this.#texts = messages.map(({ text }) => text.toLowerCase());
  }

  /** Messages that hold the string, up to that many; with `open`, also where a longer word begins with it. */
  holders(string: string, most: number, open = false): SpokenMessage[] {
    const lower = string.toLowerCase();
    const found: SpokenMessage[] = [];
    for (const [at, message] of this.messages.entries()) {
      if (!holds(this.#texts[at] ?? "", lower, open)) continue;
      found.push(message);
      if (found.length >= most) break;
    }
    return found;
  }
}

const wordCharacter = /[\p{L}\p{N}_]/u;

/** Both in lower case. */
export function holds(text: string, string: string, open = false): boolean {
  for (let at = text.indexOf(string); at >= 0; at = text.indexOf(string, at + 1)) {
    const [before = "", after = ""] = [text[at - 1], text[at + string.length]];
    const joined = (outside: string, inside = "") => wordCharacter.test(outside) && wordCharacter.test(inside);
    if (!joined(before, string[0]) && (open || !joined(after, string.at(-1)))) return true;
  }
  return false;
}

/** A copy in random order. */
export function shuffled<T>(random: Random, all: readonly T[]): T[] {
  const copy = [...all];
  for (let at = copy.length - 1; at > 0; at--) {
    const other = whole(random, at + 1);
    const [one, two] = [copy[at], copy[other]];
    if (one !== undefined && two !== undefined) [copy[at], copy[other]] = [two, one];
  }
  return copy;
}
