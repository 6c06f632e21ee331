/**
 * Cases that fail today, each with the topic of the issue that will mend it. One that passes has to leave the list: the
 * run says so and fails. A case that is not here and fails is a regression.
 */

export const topics = [
  "query language and ranking",
  "index life cycle",
  "visibility, redaction and tools",
  "web",
] as const;
export type Topic = (typeof topics)[number];

export const knownFailures: ReadonlyMap<string, Topic> = new Map<string, Topic>();
