/** Asks one query through the public search and judges what comes (SPEC 12.1). */
import { type Caller, type Hit, limits } from "../src/index.ts";
import { askerOf, BadInput, type JudgedQuery } from "./judged-query.ts";
import type { JudgedSet } from "./judged-set.ts";
import { type Measures, measure } from "./measures.ts";

export interface JudgedAnswer {
  readonly id: string;
  readonly kind: string;
  readonly split?: string;
  /** What the query is about is in the store. */
  readonly answerable: boolean;
  /** Null where no label names a message, or nothing is relevant. */
  readonly message: Measures | null;
  readonly session: Measures | null;
  readonly empty: boolean;
  /** Nothing is there, and yet a hit claims all words. */
  readonly falseAnswer: boolean;
  /** Wall clock of the search with its defaults. */
  readonly ms: number;
  /** What was shown without the cap per session, best first, for comparing runs. */
  readonly order: readonly string[];
}

/** Every place that an answer can have, and no cap per session that hides evidence. */
const uncapped = { limit: limits.searchLimit.max, perSession: limits.perSession.max };

/** @throws {BadInput} where the search refuses the query. */
export async function judge(
  { home, truth }: Pick<JudgedSet, "home" | "truth">,
  query: JudgedQuery,
  asker?: Caller,
): Promise<JudgedAnswer> {
  const caller = askerOf(query, asker);
  home.setNow(query.now);
  const ask = async (input: object): Promise<readonly Hit[]> => {
    try {
      return (await home.store.search({ query: query.query, ...input }, caller)).results;
    } catch (error) {
      throw new BadInput(`query ${query.id} was refused: ${error instanceof Error ? error.message : error}`);
    }
  };
  const start = performance.now();
  const plain = await ask({});
  const ms = performance.now() - start;
  const all = await ask(uncapped);

  const messages = truth.messages(query.relevant);
  const sessions = truth.sessions(query.relevant);
  const answerable = sessions.gains.size > 0;
  // A session's place is that of its first hit.
  const sessionOrder = [...new Set(plain.map(({ sessionKey }) => sessions.sameAs.get(sessionKey) ?? sessionKey))];
  return {
    id: query.id,
    kind: query.kind,
    ...(query.split !== undefined && { split: query.split }),
    answerable,
    message:
      messages.size === 0
        ? null
        : measure(
            all.map(({ sessionKey, messageId }) => truth.messageOf(sessionKey, messageId)),
            messages,
          ),
    session: answerable ? measure(sessionOrder, sessions.gains) : null,
    empty: plain.length === 0,
    falseAnswer: !answerable && [...plain, ...all].some(claimsAll),
    ms,
    order: all.map(({ sessionKey, messageId }) => `${sessionKey} ${messageId}`),
  };
}

/** The loosest tier says by its name that words are missing; every other claims them all. */
function claimsAll({ tier }: { readonly tier: string }): boolean {
  return tier !== "some";
}
