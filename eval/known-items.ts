/**
 * Queries that need no judge (docs/evaluation.md): a string that stands in few messages is asked for in several forms, and
 * the messages that hold it are the answer. Drawn from whatever transcripts a home has, by a seed.
 */
import { readdirSync } from "node:fs";
import { resolve } from "node:path";
import { seeded } from "../bench/random.ts";
import { type EvalHome, importAny, openEvalHome } from "./eval-home.ts";
import { BadInput, type JudgedQuery } from "./judged-query.ts";
import { type Form, formsOf } from "./known-form.ts";
import { Haystack, holds, type StringKind, shuffled, stringKinds, stringsIn } from "./known-string.ts";
import { readSpoken, type SpokenMessage } from "./spoken.ts";
import { Truth } from "./truth.ts";

export interface KnownItem {
  readonly kind: StringKind;
  readonly form: Form;
  readonly string: string;
  readonly query: JudgedQuery;
}

export interface KnownItems {
  readonly items: readonly KnownItem[];
  /** Strings left out, as redaction masks them. */
  readonly masked: number;
  readonly messages: number;
}

export interface KnownItemOptions {
  /** Strings of a kind. */
  readonly perKind: number;
  readonly seed: number;
}

/** Messages that may hold a string that is known well enough to be looked for. */
const fewMessages = 3;

export interface KnownSet extends KnownItems {
  readonly home: EvalHome;
  readonly truth: Truth;
  close(): void;
}

/** Imports the transcripts below a folder into a home of their own and draws from them. @throws {BadInput} */
export async function openKnownItems(folder: string, options: KnownItemOptions): Promise<KnownSet> {
  let folders: string[];
  try {
    folders = readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() ? [entry.name] : [],
    );
  } catch (error) {
    throw new BadInput(`${folder}: ${error instanceof Error ? error.message : error}`);
  }
  const home = openEvalHome();
  try {
    await importAny(home, resolve(folder), folders);
    const { messages } = readSpoken(home.store);
    if (messages.length === 0) throw new BadInput(`${folder}: holds no transcript that an import reads`);
    return { home, truth: new Truth(messages), ...drawKnownItems(messages, options), close: () => home.close() };
  } catch (error) {
    home.close();
    throw error;
  }
}

export function drawKnownItems(messages: readonly SpokenMessage[], { perKind, seed }: KnownItemOptions): KnownItems {
  const haystack = new Haystack(messages);
  const items: KnownItem[] = [];
  let masked = 0;
  for (const [at, kind] of stringKinds.entries()) {
    let drawn = 0;
    for (const string of shuffled(seeded(seed, at), candidates(messages, kind))) {
      if (drawn >= perKind) break;
      const holders = haystack.holders(string, fewMessages + 1);
      if (holders.length === 0 || holders.length > fewMessages) continue;
      if (!holders.every((holder) => holds(holder.masked.toLowerCase(), string.toLowerCase()))) {
        masked += 1;
        continue;
      }
      drawn += 1;
      items.push(...itemsOf(string, kind, holders, haystack));
    }
  }
  return { items, masked, messages: messages.length };
}

/** Distinct strings that no more messages show than may hold them; sorted, so that the seed alone decides. */
function candidates(messages: readonly SpokenMessage[], kind: StringKind): string[] {
  const counts = new Map<string, number>();
  for (const { text } of messages)
    for (const string of new Set(stringsIn(text, kind))) counts.set(string, (counts.get(string) ?? 0) + 1);
  return [...counts].flatMap(([string, count]) => (count <= fewMessages ? [string] : [])).sort();
}

function itemsOf(string: string, kind: StringKind, holders: readonly SpokenMessage[], haystack: Haystack): KnownItem[] {
  return formsOf(string, kind).flatMap(({ form, query }) => {
    // What is asked may stand elsewhere too, where the string does not: that is an answer as well, unless there are many.
    const others = haystack.holders(query, fewMessages + 1, form === "cut to 60 %");
    if (others.length > fewMessages) return [];
    return [
      {
        kind,
        form,
        string,
        query: {
          id: `${kind}: ${string} (${form})`,
          kind,
          query,
          relevant: [...new Set([...holders, ...others])].map(({ sessionKey, messageId }) => ({
            sessionKey,
            messageId,
            grade: 1,
          })),
        },
      },
    ];
  });
}
