/**
 * Programs over a home. A command names what it works on by number, counted in what is there when its turn comes: whatever
 * is taken away before it, it still means something, so a failing program shrinks far.
 */
import * as fc from "fast-check";
import { type EntryId, type SessionKey, sessionKeyOf, toAgentId, toEntryId } from "../../src/model/ids.ts";
import type { Part, Role } from "../../src/model/transcript.ts";
import type { Operation, PlainEntry } from "./operation.ts";
import { newest, type Oracle, type OracleTranscript } from "./oracle.ts";

export const agent = toAgentId("main");
/** Names that the store's own names of transcripts could be mistaken for. */
export const keys = ["a", "b", "a~2", "c"].map((rest) => sessionKeyOf(agent, rest));
export const words = ["alder", "birch", "cedar", "elder", "hazel"];
const incognitoKey = sessionKeyOf(agent, "incognito");
/** In every message that can be found. */
export const everyWord = "every";

export const kinds = [
  "user",
  "typed",
  "assistant",
  "toolResult",
  "toolCall",
  "injected",
  "mixed",
  "thinking",
  "image",
  "custom",
  "system",
  "reset",
] as const;

export interface EntryPlan {
  /** A new id (null), or that of an entry which was written before. */
  readonly id: number | null;
  /** Not named (undefined), a root (null), or an entry. */
  readonly parent?: number | null | undefined;
  readonly kind: (typeof kinds)[number] | "leaf";
  readonly words: readonly number[];
  readonly time: number;
  readonly attach?: "tree" | "turns" | "side" | undefined;
}

interface On {
  /** Which of the connections does it. */
  readonly on: number;
}
interface OnSession extends On {
  readonly session: number;
}
export type Command =
  | (OnSession & { readonly does: "append"; readonly entries: readonly EntryPlan[] })
  | (On & { readonly does: "incognito"; readonly entries: readonly EntryPlan[] })
  | (OnSession & { readonly does: "setLeaf"; readonly entry: number | null })
  | (OnSession & { readonly does: "upsert"; readonly entry: EntryPlan })
  | (OnSession & { readonly does: "deleteEntry"; readonly entry: number })
  | (OnSession & { readonly does: "compact"; readonly entry: EntryPlan })
  | (OnSession & { readonly does: "reset"; readonly time: number })
  | (OnSession & { readonly does: "deleteSession" })
  | (OnSession & {
      readonly does: "fork";
      readonly to: number;
      readonly time: number;
      readonly entry?: number | undefined;
    })
  | (OnSession & { readonly does: "rename"; readonly to: number })
  | (OnSession & { readonly does: "archive"; readonly archived: boolean })
  | (OnSession & { readonly does: "title"; readonly words: readonly number[] })
  | (On & { readonly does: "deleteAgent" })
  /** Closes the connection and opens one that leaves changes of more entries than this to reconciliation. */
  | (On & { readonly does: "reopen"; readonly inlineEntries: number })
  /** Tool calls and results are indexed from now on, or no more. */
  | (On & { readonly does: "tools"; readonly indexed: boolean })
  /** Work in the background goes on for so many slices. */
  | (On & { readonly does: "reconcile"; readonly slices: number });

export interface Program {
  readonly commands: readonly Command[];
  /** For each of the two connections: a change of more entries than this is left to reconciliation. */
  readonly bounds: readonly [number, number];
  /** Entries in a slice of reconciliation. */
  readonly slice: number;
}

const index = fc.nat({ max: 1000 });
const some = fc.array(fc.nat({ max: words.length - 1 }), { maxLength: 3 });
const bound = fc.constantFrom(4000, 2, 0);
const on = fc.nat({ max: 1 });
/** Few, so that the same words come at the same time. */
const time = fc.nat({ max: 6 });
const session = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 2, arbitrary: fc.nat({ max: 3 }) });
const other = fc.nat({ max: 3 });
const parent = fc.oneof(
  { weight: 6, arbitrary: fc.constant(undefined) },
  { weight: 3, arbitrary: index },
  { weight: 1, arbitrary: fc.constant(null) },
);
const entry: fc.Arbitrary<EntryPlan> = fc.record({
  id: fc.oneof({ weight: 8, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: index }),
  parent,
  kind: fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom("user" as const, "assistant" as const, "typed" as const) },
    { weight: 3, arbitrary: fc.constantFrom(...kinds) },
    { weight: 1, arbitrary: fc.constantFrom("leaf" as const, "reset" as const) },
  ),
  words: some,
  time,
  attach: fc.oneof(
    { weight: 5, arbitrary: fc.constant(undefined) },
    { weight: 3, arbitrary: fc.constantFrom("tree" as const, "turns" as const, "side" as const) },
  ),
});

type Weighted = { weight: number; arbitrary: fc.Arbitrary<Command> };
function command<T extends Command>(weight: number, model: { [K in keyof T]: fc.Arbitrary<T[K]> }): Weighted {
  return { weight, arbitrary: fc.record(model) as unknown as fc.Arbitrary<Command> };
}
const does = <T extends string>(name: T) => fc.constant(name);

/** The operations that write, by name: a store that lacks one leaves it out. */
export const operations: Record<Operation["does"], Weighted> = {
  append: command(14, {
    does: does("append"),
    on,
    session,
    entries: fc.array(entry, { minLength: 1, maxLength: 4 }),
  }),
  incognito: command(1, {
    does: does("incognito"),
    on,
    entries: fc.array(entry, { minLength: 1, maxLength: 3 }),
  }),
  setLeaf: command(5, {
    does: does("setLeaf"),
    on,
    session,
    entry: fc.oneof({ weight: 9, arbitrary: index }, { weight: 1, arbitrary: fc.constant(null) }),
  }),
  upsert: command(4, {
    does: does("upsert"),
    on,
    session,
    // Mostly edits.
    entry: fc
      .tuple(entry, fc.oneof({ weight: 5, arbitrary: index }, { weight: 1, arbitrary: fc.constant(null) }))
      .map(([plan, id]) => ({ ...plan, id })),
  }),
  deleteEntry: command(4, { does: does("deleteEntry"), on, session, entry: index }),
  compact: command(1, { does: does("compact"), on, session, entry }),
  reset: command(2, { does: does("reset"), on, session, time }),
  fork: command(5, { does: does("fork"), on, session, to: other, time, entry: fc.option(index, { nil: undefined }) }),
  rename: command(3, { does: does("rename"), on, session, to: other }),
  archive: command(1, { does: does("archive"), on, session, archived: fc.boolean() }),
  title: command(1, { does: does("title"), on, session, words: some }),
  deleteSession: command(1, { does: does("deleteSession"), on, session }),
  deleteAgent: command(1, { does: does("deleteAgent"), on }),
};

export function programs(maxLength: number): fc.Arbitrary<Program> {
  const upkeep: Weighted[] = [
    command(2, { does: does("reopen"), on, inlineEntries: bound }),
    command(1, { does: does("tools"), on, indexed: fc.boolean() }),
    command(3, { does: does("reconcile"), on, slices: fc.nat({ max: 4 }) }),
  ];
  return fc.record({
    commands: fc.array(fc.oneof(...Object.values(operations), ...upkeep), { maxLength, size: "max" }),
    bounds: fc.tuple(bound, bound),
    slice: fc.constantFrom(1, 1, 2, 256),
  });
}

/** What a command means now, in a home of these sessions; null for one that writes nothing. */
export function meaning(command: Command, oracle: Oracle, among: readonly SessionKey[] = keys): Operation | null {
  if (command.does === "incognito") {
    const ids: EntryId[] = [];
    return { does: "incognito", session: incognitoKey, entries: command.entries.map((plan) => toEntry(plan, ids)) };
  }
  if (!("session" in command)) return command.does === "deleteAgent" ? { does: "deleteAgent" } : null;
  const keyAt = (number: number) => among[number % among.length] as SessionKey;
  const session = keyAt(command.session);
  const known = oracle.sessions.get(session);
  const transcript = known && newest(known);
  const ids = transcript ? idsOf(transcript) : [];
  switch (command.does) {
    case "append":
      return { does: "append", session, entries: command.entries.map((plan) => toEntry(plan, ids)) };
    case "upsert":
      return { does: "upsert", session, entry: toEntry(command.entry, ids) };
    case "setLeaf":
      return { does: "setLeaf", session, entry: command.entry === null ? null : at(ids, command.entry) };
    case "deleteEntry":
      return { does: "deleteEntry", session, entry: at(ids, command.entry) };
    case "compact": {
      const { id, timestamp } = toEntry(command.entry, ids);
      return { does: "compact", session, id, summary: `${everyWord} summary`, timestamp };
    }
    case "fork":
      return {
        does: "fork",
        session,
        to: keyAt(command.to),
        timestamp: timeAt(command.time),
        ...(command.entry !== undefined && { entry: at(ids, command.entry) }),
      };
    case "rename":
      return { does: "rename", session, to: keyAt(command.to) };
    case "archive":
      return { does: "archive", session, archived: command.archived };
    case "title":
      return { does: "title", session, title: ["titled", ...command.words.map(wordAt)].join(" ") };
    case "reset":
      return { does: "reset", session, timestamp: timeAt(command.time) };
    case "deleteSession":
      return { does: "deleteSession", session };
  }
}

function timeAt(number: number): number {
  return 1_760_000_000_000 + number * 1000;
}

function wordAt(number: number): string {
  return words[number % words.length] ?? "";
}

function idsOf(transcript: OracleTranscript): EntryId[] {
  return [...transcript.entries.keys()];
}

/** One time in so many, an id that nothing has. */
function at(ids: readonly EntryId[], number: number): EntryId {
  return ids[number % (ids.length + 1)] ?? toEntryId("nowhere");
}

function freshId(ids: readonly EntryId[]): EntryId {
  for (let number = ids.length; ; number++) {
    const id = toEntryId(`m${number}`);
    if (!ids.includes(id)) return id;
  }
}

function toEntry(plan: EntryPlan, ids: EntryId[]): PlainEntry {
  const fresh = freshId(ids);
  const id = plan.id === null ? fresh : (ids[plan.id % Math.max(1, ids.length)] ?? fresh);
  const { parent } = plan;
  const parentId = parent === undefined || parent === null ? parent : at(ids, parent);
  if (id === fresh) ids.push(id);
  const place = {
    id,
    timestamp: timeAt(plan.time),
    ...(parentId !== undefined && { parentId }),
  };
  const attach = plan.attach === undefined ? {} : { attach: plan.attach };
  if (plan.kind === "leaf") {
    const targetId = parent === null ? null : at(ids, parent ?? plan.time);
    const [word] = plan.words;
    const appendParentId = word === undefined ? {} : { appendParentId: word === 0 ? null : at(ids, word) };
    return { ...place, ...attach, type: "leaf", parts: [], targetId, ...appendParentId };
  }
  return {
    ...place,
    ...said(plan.kind, [everyWord, ...plan.words.map(wordAt)].join(" ")),
    ...attach,
  };
}

function said(
  kind: (typeof kinds)[number],
  text: string,
): { type: string; role?: Role; parts: Part[]; typed?: true; data?: string } {
  const message = (role: Role, ...parts: Part[]) => ({ type: "message", role, parts });
  switch (kind) {
    case "user":
    case "assistant":
    case "system":
      return message(kind, { type: "text", text });
    case "typed":
      return { ...message("user", { type: "text", text }), typed: true };
    case "toolResult":
      return message("toolResult", { type: "toolResult", text });
    case "toolCall":
      return message(
        "assistant",
        { type: "text", text: everyWord },
        { type: "toolCall", name: "bash", arguments: { command: text } },
      );
    case "injected":
      return message("user", { type: "text", text, injected: true });
    case "mixed":
      return message("user", { type: "text", text: "every hidden", injected: true }, { type: "text", text });
    case "thinking":
      return message("assistant", { type: "thinking", text }, { type: "text", text: everyWord });
    case "image":
      return message("user", { type: "image", mime: "image/png", data: "aGF6ZWw=" });
    case "custom":
    case "reset":
      return { type: kind, parts: [], data: text };
  }
}
