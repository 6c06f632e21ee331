/** What a query tells of when a message was said and by whom, beyond its words (SPEC 4.1). Boosts, never filters. */
import type { Period } from "./named-date.ts";
import { signals } from "./signals.ts";

// Not "my": what is mine is told by either.
const self = /\bi(?:'m|'ve|'d|'ll)?\b/iu;
const asked =
  /\b(?:you|your|yours)\b.{0,40}\b(?:say|said|tell|told|suggest|recommend|advise|explain|mention|give|gave|write|wrote|show|list|propose|provide|answer|call|find|found)|\b(?:suggested|recommended|told|advised|explained|given|said)\b.{0,20}\bby you\b/iu;

/** Whose words a question asks for; null where it does not tell. */
export function speakerOf(query: string): "user" | "assistant" | null {
  if (asked.test(query)) return "assistant";
  return self.test(query) ? "user" : null;
}

export interface Boostable {
  readonly timestamp: number;
  readonly isUser: boolean;
}

/** What a message's score is multiplied by. */
export type Boost = (message: Boostable) => number;

export function boostOf(speaker: "user" | "assistant" | null, periods: readonly Period[]): Boost {
  return ({ timestamp, isUser }) => {
    const isThen = periods.some(({ from, to }) => timestamp >= from && timestamp < to);
    const isTheirs = speaker !== null && isUser === (speaker === "user");
    return (isThen ? signals.date.value : 1) * (isTheirs ? signals.speaker.value : 1);
  };
}
