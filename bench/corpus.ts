/**
 * The corpus that benches search: messages with the lengths and words of real transcripts, all invented. A message is a
 * function of the seed and its number alone, so that queries can be drawn from any message without keeping the corpus.
 * Planted terms stand in a known share of the messages.
 */
import { longTailed, seeded, whole } from "./random.ts";
import { chineseText, englishText } from "./vocabulary.ts";

/**
 * - `mixed`: English with identifiers, 2.75 % of the messages with Chinese in them; sessions of 20 messages on average.
 * - `chinese`: Chinese only.
 * - `long`: as `mixed`, all in one session.
 */
export const corpusKinds = ["mixed", "chinese", "long"] as const;
export type CorpusKind = (typeof corpusKinds)[number];

export interface Corpus {
  readonly kind: CorpusKind;
  readonly messages: number;
  readonly seed: number;
}

export interface CorpusMessage {
  /** Position in time, from 0. */
  readonly no: number;
  readonly session: number;
  readonly role: "user" | "assistant";
  /** Epoch ms; rises with `no`. */
  readonly timestamp: number;
  readonly text: string;
}

/** Words that nothing else in the corpus has, and the share of messages that have them. */
export const planted = {
  thirty: { word: "quillback", share: 0.3 },
  otherThirty: { word: "lanternfish", share: 0.3 },
  five: { word: "saltmarsh", share: 0.05 },
  one: { word: "weatherglass", share: 0.01 },
  tenth: { word: "bollardwright", share: 0.001 },
  chinese: { word: "潮汐", share: 0.002 },
} as const;

/** Stands in exactly this many messages, evenly spread, however many there are. */
export const rare = { word: "zephyrwicket", messages: 9 } as const;

/** Sessions that go on at the same time. */
const active = 40;
const meanSession = 20;
const start = Date.UTC(2026, 0, 1);

/** The text of one message. */
export function messageText({ kind, messages, seed }: Corpus, no: number): string {
  const random = seeded(seed, no);
  // People write less than agents; together 320 bytes on average, as in transcripts of real agents.
  const bytes = isUser(no) ? longTailed(random, 65, 1.2, 16_000) : longTailed(random, 172, 1.25, 64_000);
  const text = [
    kind === "chinese" ? chineseText(random, bytes) : englishText(random, bytes),
    ...(kind !== "chinese" && random() < 0.0275 ? [chineseText(random, 90)] : []),
  ];
  for (const { word, share } of Object.values(planted)) if (random() < share) text.splice(1, 0, word);
  const distance = messages / rare.messages;
  if (Math.floor(no / distance) !== Math.floor((no - 1) / distance)) text.push(rare.word);
  return text.join(" ");
}

/** All messages, oldest first, sessions interleaved in time. */
export function* corpusMessages(corpus: Corpus): Generator<CorpusMessage> {
  const random = seeded(corpus.seed, -1);
  const open: { session: number; left: number }[] = [];
  let sessions = 0;
  let timestamp = start;
  let at = 0;
  for (let no = 0; no < corpus.messages; no++) {
    // A question and its answer stand together, then another session may go on.
    if (isUser(no) || open.length === 0) {
      at = whole(random, active);
      const known = open[at];
      if (known === undefined || known.left <= 0) {
        at = Math.min(at, open.length);
        open[at] = { session: corpus.kind === "long" ? 0 : sessions++, left: longTailed(random, 12, 1, 4000) };
      }
    }
    const turn = open[at];
    if (!turn) throw new RangeError("no session is open");
    turn.left -= 1;
    timestamp += 1 + whole(random, 20_000);
    yield {
      no,
      session: turn.session,
      role: isUser(no) ? "user" : "assistant",
      timestamp,
      text: messageText(corpus, no),
    };
  }
}

/** About how many sessions the corpus has. */
export function sessionsOf({ kind, messages }: Corpus): number {
  return kind === "long" ? 1 : Math.ceil(messages / meanSession);
}

/** A turn is a question and two answers. */
function isUser(no: number): boolean {
  return no % 3 === 0;
}
