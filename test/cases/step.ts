/**
 * Setup steps: one says something in a session, or does something to sessions, files or the store. Parsing names what
 * is not supported; running goes through the library's public surface.
 */
import * as z from "zod";
import { type EntryDraft, type Part, parseSessionKey, toEntryId } from "../../src/index.ts";
import { vacuum } from "./inspect-store.ts";
import { expandLines, expandMacros, expandStep } from "./macros.ts";
import { NotRun, parsePiece } from "./not-run.ts";
import type { World } from "./world.ts";

const name = z.string().min(1);

const block = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("text"), text: z.string() }),
  z.strictObject({ type: z.literal("thinking"), thinking: z.string() }),
  z.strictObject({ type: z.literal("tool_use"), id: name.optional(), name, input: z.json() }),
  z.strictObject({ type: z.literal("image"), data: z.string(), mime: z.string().optional() }),
]);

const message = z
  .strictObject({
    session: name,
    role: z.enum(["user", "assistant", "toolResult"]),
    text: z.string().optional(),
    content: z.array(block).optional(),
    id: name.optional(),
    time: z.string().optional(),
    agent: name.optional(),
    /** The session that started this one. */
    parent: name.optional(),
    project: name.optional(),
    upsert: z.boolean().optional(),
    incognito: z.boolean().optional(),
  })
  .refine(
    ({ text, content }) => (text === undefined) !== (content === undefined),
    "has to have text or content, not both",
  );
type MessageStep = z.infer<typeof message>;

const session = name;
const ops = z.discriminatedUnion("op", [
  z.strictObject({ op: z.literal("rewind"), session, to: name.nullable() }),
  z.strictObject({ op: z.literal("set_leaf"), session, id: name }),
  z.strictObject({ op: z.literal("reset_session"), session }),
  z.strictObject({ op: z.literal("fork"), session, from: session, at: name }),
  z.strictObject({
    op: z.literal("compact"),
    session,
    upTo: name.optional(),
    summary: z.string(),
    keepTail: z.union([z.boolean(), z.number()]).optional(),
  }),
  z.strictObject({ op: z.literal("delete_message"), session, id: name }),
  z.strictObject({ op: z.literal("edit_message"), session, id: name, text: z.string() }),
  z.strictObject({ op: z.literal("delete_session"), session }),
  z.strictObject({ op: z.literal("set_title"), session, title: z.string() }),
  z
    .strictObject({
      op: z.literal("import"),
      format: name,
      path: name,
      lines: z.array(z.unknown()).optional(),
      raw: z.string().optional(),
      mtime: z.iso.datetime().optional(),
    })
    .refine(({ lines, raw }) => (lines === undefined) !== (raw === undefined), "has to have lines or raw, not both"),
  z.strictObject({ op: z.literal("remove_file"), path: name }),
  z.strictObject({ op: z.literal("refresh") }),
  z.strictObject({ op: z.literal("reopen") }),
  z.strictObject({ op: z.literal("close") }),
  z.strictObject({ op: z.literal("vacuum") }),
]);
type Op = z.infer<typeof ops>;

export type Step = MessageStep | Op;

const opNames: ReadonlySet<unknown> = new Set(ops.options.flatMap((option) => [...option.shape.op.values]));

/** Reads a step as often as it says. @throws {NotRun} */
export function parseSteps(raw: unknown, where: string): Step[] {
  return expandStep(raw).map((each) => parseStep(expandMacros(each), where));
}

function parseStep(raw: unknown, where: string): Step {
  const op = typeof raw === "object" && raw !== null && "op" in raw ? raw.op : undefined;
  if (op === undefined) return parsePiece(message, raw, where);
  if (typeof op !== "string" || !opNames.has(op)) throw new NotRun(`${where}: the step ${op}`);
  return parsePiece(ops, raw, where);
}

/** @throws what the library throws, and {Error} for a step that speaks of something that is not there. */
export async function runStep(step: Step, world: World): Promise<void> {
  if ("op" in step) await runOp(step, world);
  else say(step, world);
}

function say(step: MessageStep, world: World): void {
  const key = world.names.add(step.session, step.agent);
  const draft: EntryDraft = {
    id: toEntryId(step.id ?? world.nextId()),
    type: "message",
    role: step.role,
    timestamp: world.tick(step.time),
    parts: partsOf(step),
  };
  const facts = {
    ...(step.project !== undefined && { project: step.project }),
    ...(step.parent !== undefined && { kind: "subagent" as const, spawnedBy: world.names.of(step.parent) }),
    ...(step.incognito === true && { incognito: true }),
  };
  const store = world.agentStore(key);
  if (step.upsert === true) {
    if (Object.keys(facts).length > 0) store.append(key, [], facts);
    store.upsert(key, draft);
  } else store.append(key, [draft], facts);
  world.remember(key, draft);
}

function partsOf({ role, text, content }: MessageStep): Part[] {
  if (text !== undefined) return [textPart(role, text)];
  return (content ?? []).map((part) => toPart(role, part));
}

function textPart(role: MessageStep["role"], text: string): Part {
  return { type: role === "toolResult" ? "toolResult" : "text", text };
}

function toPart(role: MessageStep["role"], part: z.infer<typeof block>): Part {
  switch (part.type) {
    case "text":
      return textPart(role, part.text);
    case "thinking":
      return { type: "thinking", text: part.thinking };
    case "tool_use": {
      const { id, name, input } = part;
      return { type: "toolCall", ...(id !== undefined && { id }), name, arguments: input };
    }
    case "image":
      return { type: "image", data: part.data, ...(part.mime !== undefined && { mime: part.mime }) };
  }
}

async function runOp(step: Op, world: World): Promise<void> {
  switch (step.op) {
    case "rewind": {
      const key = await world.keyOf(step.session);
      return world.agentStore(key).setLeaf(key, step.to === null ? null : toEntryId(step.to));
    }
    case "set_leaf": {
      const key = await world.keyOf(step.session);
      return world.agentStore(key).setLeaf(key, toEntryId(step.id));
    }
    case "reset_session": {
      const key = await world.keyOf(step.session);
      world.agentStore(key).reset(key, world.time);
      return;
    }
    case "fork": {
      const key = await world.keyOf(step.from);
      const fork = world.names.add(step.session, agentOfKey(key));
      world.agentStore(key).fork(key, fork, toEntryId(step.at), world.time);
      return;
    }
    case "compact": {
      // What is kept of the branch for the model's context changes nothing for who searches or reads.
      const key = await world.keyOf(step.session);
      world
        .agentStore(key)
        .compact(key, { id: toEntryId(world.nextId()), summary: step.summary, timestamp: world.tick() });
      return;
    }
    case "delete_message": {
      const key = await world.keyOf(step.session);
      world.agentStore(key).deleteEntry(key, toEntryId(step.id));
      return;
    }
    case "edit_message": {
      const key = await world.keyOf(step.session);
      const draft = world.remembered(key, step.id);
      if (!draft) throw new NotRun(`the edit of ${step.id}, which no step wrote`);
      const edited: EntryDraft = { ...draft, parts: [{ type: "text", text: step.text }] };
      world.agentStore(key).upsert(key, edited);
      return world.remember(key, edited);
    }
    case "delete_session": {
      const key = await world.keyOf(step.session);
      if (!world.agentStore(key).deleteSession(key)) throw new Error(`there was no session ${key} to delete`);
      return;
    }
    case "set_title": {
      const key = await world.keyOf(step.session);
      world.agentStore(key).append(key, [], { title: { text: step.title, rank: "given" } });
      return;
    }
    case "import": {
      const content =
        step.raw ??
        expandLines(step.lines ?? [])
          .map((line) => `${JSON.stringify(line)}\n`)
          .join("");
      world.writeFile(step.format, step.path, content, step.mtime);
      return world.import();
    }
    case "remove_file":
      return world.removeFile(step.path);
    case "refresh":
      return world.import();
    case "reopen":
      return world.reopen();
    case "close":
      return world.store.close();
    case "vacuum":
      return vacuum(world.home);
  }
}

function agentOfKey(key: string): string | undefined {
  return parseSessionKey(key)?.agentId;
}
