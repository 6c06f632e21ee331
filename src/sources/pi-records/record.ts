/**
 * Reads the session records that pi (v1 to v3), its forks and OpenClaw share: a header, then entries that form a tree.
 * What differs between the programs (whose session it is, what of a text was typed) comes in as a dialect.
 */
import { type AgentId, type EntryId, hash53, type SessionId, toEntryId, toSessionId } from "../../model/ids.ts";
import type { ProblemCode } from "../../model/problem.ts";
import type { EntryDraft, Json, Part, SessionDraft, TitleRank } from "../../model/transcript.ts";
import { type Fields, fields, isFields, json, list, text, time, word } from "../fields.ts";
import type { JsonlFormat, Place } from "../jsonl.ts";
import type { SourceFile, SourceItem } from "../source.ts";
import { contentParts, injected, shellParts, toolResultParts } from "./content.ts";
import { stateTypes } from "./head.ts";

/** What a program of the family does in its own way. Pure; none of them throws. */
export interface PiDialect {
  agentOf(file: SourceFile): AgentId;
  /** The session id that the file's name gives: used until a header names one. */
  idInName(path: string): string;
  /** What is known of a session beyond the header's plain fields. `header` is empty where the file has none. */
  describe(header: Fields, state: PiState, place: Place): Partial<SessionDraft>;
  /** What a user message says, block by block. */
  userParts(words: string, message: Fields): readonly Part[];
  /** What an answer says, block by block. */
  assistantParts(words: string, message: Fields): readonly Part[];
  /** Whether a record of a type that is not known becomes the leaf, as in pi, or lies at the side, as in OpenClaw. */
  readonly strangers: "tree" | "side";
  /** Told of each user and assistant message before it is handed over; says which only repeat another. May add facts. */
  hear?(entry: EntryDraft, message: Fields, state: PiState, push: Push): "new" | "copy";
}

/** The reader's memory between records. Small plain JSON. */
export interface PiState {
  readonly agentId: AgentId;
  sessionId: SessionId;
  /** Whether facts of the session were handed over. */
  headed: boolean;
  /** Records without an id, so far. */
  unnamed: number;
  /** The entry read last: what a record that is not kept stands for when it names no parent. */
  last: EntryId | null;
  /** A title that stood before the header. */
  title: { readonly text: string; readonly rank: TitleRank } | null;
  /** The dialect's own notes. */
  notes: { begun: boolean; readonly said: number[] };
}

export type Push = (item: SourceItem) => void;

/** How {@link readJsonl} is to read a file of this family. */
export function piFormat(dialect: PiDialect): JsonlFormat<PiState> {
  return {
    start: (file) => ({
      agentId: dialect.agentOf(file),
      sessionId: toSessionId(dialect.idInName(file.path)),
      headed: false,
      unnamed: 0,
      last: null,
      title: null,
      notes: { begun: false, said: [] },
    }),
    record: (record, place, state, push) => new Reading(record, place, state, push, dialect).read(),
  };
}

/** One record on its way to becoming items. */
class Reading {
  private readonly record: Fields;
  private readonly place: Place;
  private readonly state: PiState;
  private readonly push: Push;
  private readonly dialect: PiDialect;

  constructor(record: Fields, place: Place, state: PiState, push: Push, dialect: PiDialect) {
    this.record = record;
    this.place = place;
    this.state = state;
    this.push = push;
    this.dialect = dialect;
  }

  read(): void {
    const { record } = this;
    const type = text(record.type) ?? "";
    switch (type) {
      case "session":
        this.header();
        break;
      case "title":
        // pi's forks keep the current title in a first line of fixed width, before the header.
        this.state.title = titleOf(record);
        if (this.state.headed && this.state.title) this.facts({ title: this.state.title });
        this.push({ kind: "ignored", what: type });
        break;
      case "message":
        this.message();
        break;
      case "compaction":
      case "branch_summary":
        this.add(this.entry(type, injected(text(record.summary) ?? ""), this.rest("summary")));
        break;
      case "custom_message":
        this.add(this.entry(type, contentParts(record.content, injected), this.rest("content")));
        break;
      case "leaf":
        this.leaf();
        break;
      case "credential_pin":
      case "model_usage":
        // A digest of the account that paid, and token counts of calls that say nothing.
        this.ignore(type);
        break;
      case "":
        this.refuse("a record without a type; skipped");
        break;
      default:
        this.stateEntry(type);
    }
  }

  private stateEntry(type: string): void {
    if (stateTypes.has(type)) {
      this.add(this.entry(type, [], this.rest()));
      this.stateFacts(type);
    } else {
      this.problem("unknown-record", `a record of type ${JSON.stringify(type.slice(0, 64))}; kept as it is`);
      const entry = this.entry(type.slice(0, 64), [], json(this.record));
      this.add(this.dialect.strangers === "side" ? { ...entry, attach: "side" } : entry);
    }
  }

  private header(): void {
    const { record, state } = this;
    const id = word(record.id);
    if (id === undefined) this.problem("bad-record", "a session header without an id; the file's name gives it");
    const sessionId = id === undefined ? state.sessionId : toSessionId(id);
    if (sessionId !== state.sessionId) {
      state.sessionId = sessionId;
      state.last = null;
      state.notes = { begun: false, said: [] };
    }
    const project = word(record.cwd);
    const model = word(record.modelId);
    const createdAt = this.when(undefined);
    const title = titleOf(record) ?? state.title;
    this.facts({
      ...(project === undefined ? {} : { project }),
      ...(model === undefined ? {} : { model }),
      ...(createdAt === null ? {} : { createdAt }),
      ...(title === null ? {} : { title }),
      ...this.dialect.describe(record, state, this.place),
    });
  }

  private message(): void {
    const message = fields(this.record.message);
    const role = text(message?.role);
    if (!message) this.refuse("a message record without a message; skipped");
    else if (role === undefined) this.refuse("a message without a role; skipped");
    else if (role === "user" || role === "assistant") this.spoken(role, message);
    else this.add(this.unspoken(role, message));
  }

  private spoken(role: "user" | "assistant", message: Fields): void {
    const { dialect } = this;
    const say = (words: string) =>
      role === "user" ? dialect.userParts(words, message) : dialect.assistantParts(words, message);
    const model = word(message.model);
    const entry: EntryDraft = {
      ...this.entry("message", contentParts(message.content, say), role === "user" ? undefined : failure(message)),
      role,
      ...(model === undefined ? {} : { model }),
    };
    this.begin();
    if (dialect.hear?.(entry, message, this.state, this.push) === "copy") this.ignore("copy");
    else this.add(entry);
  }

  /** The entry of a message that neither the user nor the model said. */
  private unspoken(role: string, message: Fields): EntryDraft {
    const content = message.content;
    switch (role) {
      case "tool":
      case "toolResult":
        return { ...this.entry("message", toolResultParts(message)), role: "toolResult" };
      case "bashExecution":
        return { ...this.entry("message", shellParts(message), others(message, shellFields)), role: "user" };
      case "custom":
      case "hookMessage":
        return this.entry("custom_message", contentParts(content, injected), others(message, spokenFields));
      case "branchSummary":
      case "compactionSummary": {
        const type = role === "branchSummary" ? "branch_summary" : "compaction";
        return this.entry(type, injected(text(message.summary) ?? ""), others(message, summaryFields));
      }
      case "system":
      case "developer":
        return { ...this.entry("message", contentParts(content, injected)), role: "system" };
      default:
        this.problem("unknown-record", `a message of role ${JSON.stringify(role.slice(0, 64))}; kept, not searchable`);
        return { ...this.entry("message", contentParts(content, injected), json(message)), role: "other" };
    }
  }

  private leaf(): void {
    const { targetId: target, appendParentId: at } = this.record;
    const targetId = target === null ? null : idOf(target);
    const appendParentId = at === null ? null : idOf(at);
    if (targetId === undefined) this.refuse("a leaf record without targetId; skipped");
    else if (at !== undefined && appendParentId === undefined)
      this.refuse("a leaf record whose appendParentId is no id; skipped");
    else {
      // Its appendMode tells the program how to go on. Entries that it then appends at the side say so themselves.
      const entry = this.entry("leaf", [], others(this.record, leafFields));
      this.add({ ...entry, attach: "tree", targetId, ...(appendParentId !== undefined && { appendParentId }) });
    }
  }

  /** What a state entry says about the session as a whole. */
  private stateFacts(type: string): void {
    const { record } = this;
    if (type === "session_info") {
      const name = word(record.name);
      if (name !== undefined) this.facts({ title: { text: name, rank: "given" } });
    } else if (type === "title_change") {
      const title = titleOf(record);
      if (title) this.facts({ title });
    } else if (type === "model_change") {
      const model = word(record.modelId) ?? word(record.model);
      if (model !== undefined) this.facts({ model });
    }
  }

  private entry(type: string, parts: readonly Part[], data?: Json): EntryDraft {
    const { record, state } = this;
    const parentId = record.parentId === null ? null : idOf(record.parentId);
    return {
      id: idOf(record.id) ?? unnamedId(record, state),
      ...(parentId === undefined ? {} : { parentId }),
      type,
      timestamp: this.when(fields(record.message)),
      parts,
      attach: record.appendMode === "side" ? "side" : "tree",
      ...(data === undefined ? {} : { data }),
    };
  }

  private add(entry: EntryDraft): void {
    this.begin();
    this.state.last = entry.id;
    this.push({ kind: "entry", agentId: this.state.agentId, sessionId: this.state.sessionId, entry });
  }

  /** A file without a header still says whose session it is: by its name. */
  private begin(): void {
    if (this.state.headed) return;
    this.problem("bad-record", "no session header before the first record; the file's name gives the session id");
    this.facts(this.dialect.describe({}, this.state, this.place));
  }

  private facts(facts: Partial<SessionDraft>): void {
    this.state.headed = true;
    const { agentId, sessionId } = this.state;
    this.push({ kind: "session", session: { agentId, sessionId, ...facts } });
  }

  private ignore(what: string): void {
    this.push({ kind: "ignored", what });
    this.alias();
  }

  private refuse(reason: string): void {
    this.problem("bad-record", reason);
    this.alias();
  }

  /** Records that name this one as their parent mean its parent. */
  private alias(): void {
    const id = idOf(this.record.id);
    if (id === undefined) return;
    const { agentId, sessionId, last } = this.state;
    const parent = this.record.parentId;
    this.push({ kind: "alias", agentId, sessionId, id, of: parent === null ? null : (idOf(parent) ?? last) });
  }

  private problem(code: ProblemCode, reason: string): void {
    const { path, line } = this.place;
    this.push({ kind: "problem", problem: { code, path, line, reason } });
  }

  /** The record's own time, else the message's. */
  private when(message: Fields | undefined): number | null {
    const own = this.record.timestamp;
    const inner = message?.timestamp;
    const ms = time(own) ?? time(inner);
    if (ms === null && ((own ?? null) !== null || (inner ?? null) !== null)) {
      this.problem("bad-time", "the record's timestamp can't be read");
    }
    return ms;
  }

  /** Everything of the record but its envelope and what became a part. */
  private rest(part?: string): Json {
    return others(this.record, part === undefined ? envelope : envelope.concat(part)) ?? {};
  }
}

const envelope = ["type", "id", "parentId", "timestamp", "appendMode"];
const leafFields = ["type", "id", "parentId", "timestamp", "targetId", "appendParentId"];
const spokenFields = ["role", "content", "timestamp"];
const summaryFields = ["role", "summary", "timestamp"];
const shellFields = ["role", "command", "output", "timestamp"];

function others(record: Fields, left: readonly string[]): Json | undefined {
  const kept: [string, Json][] = [];
  for (const name of Object.keys(record)) if (!left.includes(name)) kept.push([name, json(record[name])]);
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

function idOf(value: unknown): EntryId | undefined {
  if (typeof value === "string" && value !== "") return toEntryId(value);
  return typeof value === "number" ? toEntryId(String(value)) : undefined;
}

/**
 * Version 1 has no ids. Place and content make one: the program itself gives ids when it rewrites the file to version 3,
 * and the store must not take those for the same entries.
 */
function unnamedId(record: Fields, state: PiState): EntryId {
  const message = fields(record.message);
  const content = message?.content;
  const first = list(content)[0];
  const block = isFields(first) ? (text(first.text) ?? text(first.thinking) ?? text(first.id)) : undefined;
  const words = (text(content) ?? block ?? text(record.summary) ?? "").slice(0, 1000);
  const seed = `${String(record.type)} ${String(record.timestamp)} ${String(message?.role)} ${words}`;
  const id = toEntryId(`v1-${state.unnamed}-${hash53(seed).toString(36)}`);
  state.unnamed += 1;
  return id;
}

function titleOf(record: Fields): { text: string; rank: TitleRank } | null {
  const title = word(record.title);
  const by = record.titleSource ?? record.source;
  return title === undefined ? null : { text: title, rank: by === "user" ? "given" : "generated" };
}

/** Why an answer ended early. A quarter of OpenClaw's answers are failed attempts without a word. */
function failure(message: Fields): Json | undefined {
  const stopReason = text(message.stopReason);
  if (stopReason === undefined || stopReason === "stop" || stopReason === "toolUse") return undefined;
  const errorMessage = text(message.errorMessage);
  return { stopReason, ...(errorMessage === undefined ? {} : { errorMessage }) };
}
