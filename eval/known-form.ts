/** How somebody asks for a string that they have seen: as it stood, or as they remember it. Pure. */
import { type StringKind, wordsOf } from "./known-string.ts";

export const forms = [
  "as typed",
  "lower case",
  "other style",
  "as words",
  "cut to 60 %",
  "path tail",
  "file name",
  "5 words, start",
  "5 words, middle",
] as const;
export type Form = (typeof forms)[number];

/** Share of a name that is typed when it is cut. */
const cut = 0.6;
/** What is cut shorter than this could be the start of anything. */
const shortest = 5;
/** What people copy of a hash. */
const shortHash = 7;

/** The forms that make sense for a kind, and differ from the string as it stands. */
export function formsOf(string: string, kind: StringKind): { form: Form; query: string }[] {
  if (kind === "error line") {
    const words = wordsOf(string);
    const middle = Math.max(0, Math.floor((words.length - 5) / 2));
    return [
      { form: "5 words, start", query: words.slice(0, 5).join(" ") },
      { form: "5 words, middle", query: words.slice(middle, middle + 5).join(" ") },
    ];
  }
  const all: { form: Form; query: string | undefined }[] = [
    { form: "as typed", query: string },
    { form: "lower case", query: string.toLowerCase() },
    { form: "other style", query: otherStyle(string, kind) },
    { form: "as words", query: asWords(string, kind) },
    { form: "cut to 60 %", query: cutShort(string, kind) },
    ...(kind === "path"
      ? ([
          { form: "path tail", query: string.split("/").slice(-2).join("/") },
          { form: "file name", query: string.split("/").at(-1) },
        ] as const)
      : []),
  ];
  const seen = new Set<string>();
  return all.flatMap(({ form, query }) => {
    if (query === undefined || seen.has(query)) return [];
    seen.add(query);
    return [{ form, query }];
  });
}

/** The pieces of a name: at a change of case, at digits' ends, at punctuation. */
export function piecesOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .split(/[^A-Za-z0-9]+/)
    .filter((piece) => piece !== "");
}

function otherStyle(string: string, kind: StringKind): string | undefined {
  const pieces = piecesOf(string).map((piece) => piece.toLowerCase());
  if (kind === "camelCase") return pieces.join("_");
  if (kind !== "snake_case") return undefined;
  return pieces.map((piece, at) => (at === 0 ? piece : piece.charAt(0).toUpperCase() + piece.slice(1))).join("");
}

function asWords(string: string, kind: StringKind): string | undefined {
  if (kind === "version" || kind === "hash" || kind === "URL" || kind === "#123") return undefined;
  const pieces = piecesOf(string);
  return pieces.length < 2 ? undefined : pieces.join(" ").toLowerCase();
}

function cutShort(string: string, kind: StringKind): string | undefined {
  if (kind === "hash") return string.length > shortHash ? string.slice(0, shortHash) : undefined;
  if (kind !== "camelCase" && kind !== "snake_case" && kind !== "dotted name") return undefined;
  const short = string.slice(0, Math.ceil(string.length * cut)).replace(/[^A-Za-z0-9]+$/, "");
  return short.length >= shortest ? short : undefined;
}
