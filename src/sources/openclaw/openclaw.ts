/**
 * OpenClaw's file store (releases up to 2026.7.1): transcripts of the pi family under `agents/<id>/sessions`, beside a
 * `sessions.json` that knows their keys. Deleted and reset transcripts stay as files; most of an agent's work is in them.
 */
import { type AgentId, hash53, toAgentId, toSourceId } from "../../model/ids.ts";
import type { EntryDraft } from "../../model/transcript.ts";
import { type Fields, fields, text } from "../fields.ts";
import { readJsonl } from "../jsonl.ts";
import { injected } from "../pi-records/content.ts";
import { isSessionHead } from "../pi-records/head.ts";
import { type PiDialect, piFormat } from "../pi-records/record.ts";
import type { Machine, Recognition, Source, SourceFile } from "../source.ts";
import { assistantParts, openingKind, userParts } from "./envelopes.ts";
import { readSessionMap } from "./sessions-file.ts";

const dialect: PiDialect = {
  agentOf,
  idInName: (path) => nameOf(path).replace(transcriptName, ""),
  describe: (_header, _state, place) => (/\.jsonl\.deleted\./.test(nameOf(place.path)) ? { archived: true } : {}),
  userParts(words, message) {
    const kind = text(fields(message.provenance)?.kind);
    return kind === "inter_session" || kind === "internal_system" ? injected(words) : userParts(words);
  },
  // What the gateway writes in the model's name are its own notices.
  assistantParts: (words, message) => (message.model === "gateway-injected" ? injected(words) : assistantParts(words)),
  strangers: "side",
  hear(entry, message, state, push) {
    if (entry.role === "user") {
      if (!state.notes.begun) {
        const kind = openingKind(textOf(entry));
        const { agentId, sessionId } = state;
        if (kind !== null) push({ kind: "session", session: { agentId, sessionId, kind } });
      }
      state.notes.begun = true;
      return "new";
    }
    return isMirror(message) ? repeats(entry, state.notes.said) : remember(entry, state.notes.said);
  },
};

const format = piFormat(dialect);

export const openclaw: Source = {
  id: toSourceId("openclaw"),
  name: "OpenClaw",
  places,
  recognise(file, head) {
    const name = nameOf(file.path);
    const skipped = skips.find(([pattern]) => pattern.test(name));
    if (skipped) return { as: "skip", reason: skipped[1] };
    if (name === "sessions.json") return { as: "facts", appendOnly: false };
    return transcriptName.test(name) ? transcript(name, head) : null;
  },
  read: (file, from) =>
    nameOf(file.path) === "sessions.json" ? readSessionMap(file, from, agentOf(file)) : readJsonl(file, from, format),
  ownerOf(file) {
    const folder = /[/\\]agents[/\\]([^/\\]+)[/\\]agent[/\\][^/\\]*$/.exec(file.path)?.[1];
    return folder === undefined ? agentOf(file) : toAgentId(folder);
  },
};

/**
 * The folders of a state directory that hold sessions: not the whole of it, since the agents' workspaces lie there too,
 * with whatever people work on. Before there were several agents, sessions lay in the state directory itself.
 */
function places({ home, env }: Machine): string[] {
  const base = env.OPENCLAW_HOME || home;
  const states = [
    ...(env.OPENCLAW_STATE_DIR ? [env.OPENCLAW_STATE_DIR] : [`${base}/.openclaw`]),
    ...[".clawdbot", ".moltbot", ".moldbot"].map((folder) => `${base}/${folder}`),
  ];
  return states.flatMap((state) => [`${state}/agents`, `${state}/sessions`]);
}

/** What follows the session id in a transcript's name. `.imported` files were moved aside by the move to SQLite. */
const transcriptName = /\.jsonl(?:\.(?:reset|deleted)\.[\w.:-]+?|\.imported-\d+)?(?:\.zst)?$/;

/** Files of the program that hold no transcript of their own. */
const skips: readonly (readonly [RegExp, string])[] = [
  [/\.trajectory(?:\.jsonl|-path\.json)/, "debug recording of prompts, not a transcript"],
  [/\.checkpoint\.[0-9a-f-]{36}\.jsonl/i, "full copy of a transcript from before a compaction"],
  [/\.bak(?:[-.].*)?$/, "full copy left by a repair"],
  [/\.lock$/, "lock file"],
  [/\.tmp$/, "file not written to its end"],
  [/^\..*cache.*\.json$/, "cache"],
  [/^openclaw-agent\.sqlite/, "OpenClaw's SQLite store, which is not read yet"],
];

function transcript(name: string, head: string): Recognition {
  // Nothing of a compressed file can be seen in its first bytes. It is never appended to.
  if (name.endsWith(".zst")) return { as: "transcript", appendOnly: false };
  return isSessionHead(head) ? { as: "transcript", appendOnly: true } : null;
}

/** The agent whose folder the file is in, else OpenClaw's default agent. */
function agentOf(file: SourceFile): AgentId {
  const folder = /^.*[/\\]agents[/\\]([^/\\]+)[/\\](?:sessions|session-sqlite-import-archive)[/\\]/s.exec(
    file.path,
  )?.[1];
  return toAgentId(folder ?? "main");
}

function nameOf(path: string): string {
  return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
}

/** Written by the gateway beside what the model said: texts that went out to a channel, and notices. */
function isMirror(message: Fields): boolean {
  return (
    message.provider === "openclaw" && (message.model === "delivery-mirror" || message.model === "gateway-injected")
  );
}

/** Answers that a mirror is compared with. */
const remembered = 8;

/** Takes note of what an answer said. Only a hash is kept: the notes are saved with every checkpoint. */
function remember(entry: EntryDraft, said: number[]): "new" {
  const words = textOf(entry);
  if (words === "") return "new";
  said.push(hash53(words));
  if (said.length > remembered) said.shift();
  return "new";
}

/** A mirror repeats an answer, or is the only record of what was sent: then it is kept. */
function repeats(entry: EntryDraft, said: readonly number[]): "copy" | "new" {
  return said.includes(hash53(textOf(entry))) ? "copy" : "new";
}

/** What an entry says, white space aside; what the program put there only where there is nothing else. */
function textOf(entry: EntryDraft): string {
  const texts = entry.parts.filter((part) => part.type === "text");
  const plain = texts.filter((part) => !part.injected);
  return (plain.length > 0 ? plain : texts)
    .map((part) => part.text)
    .join(" ")
    .replace(/\s+/g, " ")
    .trim();
}
