/**
 * What counts as the same evidence. Search shows copies of a text (forks, resumes, repeated prompts) as one hit (SPEC 4.3),
 * so copies are one piece of evidence: whichever of them is shown, it was found.
 */
import type { Relevant } from "./judged-query.ts";
import { nameOf, type SpokenMessage } from "./spoken.ts";

/** A piece of evidence by name, and what it is worth. */
export type Gains = ReadonlyMap<string, number>;

export class Truth {
  /** Message → the first message with the same words by the same role. */
  readonly #first = new Map<string, string>();

  constructor(messages: readonly Pick<SpokenMessage, "sessionKey" | "messageId" | "role" | "text">[]) {
    const texts = new Map<string, string>();
    for (const { sessionKey, messageId, role, text } of messages) {
      const words = `${role} ${text.replace(/\s+/g, " ").trim()}`;
      const name = nameOf(sessionKey, messageId);
      this.#first.set(name, texts.get(words) ?? name);
      if (!texts.has(words)) texts.set(words, name);
    }
  }

  /** The message that stands for this one and its copies. */
  messageOf(sessionKey: string, messageId: string): string {
    const name = nameOf(sessionKey, messageId);
    return this.#first.get(name) ?? name;
  }

  /** Messages that answer, with the highest grade that one of their copies has. Grade 0 answers nothing. */
  messages(relevant: readonly Relevant[]): Gains {
    const gains = new Map<string, number>();
    for (const { sessionKey, messageId, grade } of relevant) {
      if (messageId === undefined || grade === 0) continue;
      raise(gains, this.messageOf(sessionKey, messageId), grade);
    }
    return gains;
  }

  /** Sessions that answer, and for each key the session that stands for it: those that share a relevant copy are one. */
  sessions(relevant: readonly Relevant[]): { readonly gains: Gains; readonly sameAs: ReadonlyMap<string, string> } {
    const answering = relevant.filter(({ grade }) => grade > 0);
    const sameAs = new Map<string, string>();
    const find = (key: string): string => {
      const other = sameAs.get(key);
      return other === undefined || other === key ? key : find(other);
    };
    const holder = new Map<string, string>();
    for (const { sessionKey, messageId } of answering) {
      if (!sameAs.has(sessionKey)) sameAs.set(sessionKey, sessionKey);
      if (messageId === undefined) continue;
      const message = this.messageOf(sessionKey, messageId);
      const before = holder.get(message);
      if (before === undefined) holder.set(message, sessionKey);
      else sameAs.set(find(sessionKey), find(before));
    }
    const gains = new Map<string, number>();
    for (const { sessionKey, grade } of answering) raise(gains, find(sessionKey), grade);
    return { gains, sameAs: new Map([...sameAs.keys()].map((key) => [key, find(key)])) };
  }
}

function raise(gains: Map<string, number>, name: string, grade: number): void {
  gains.set(name, Math.max(gains.get(name) ?? 0, grade));
}
