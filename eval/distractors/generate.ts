/**
 * Distractor sessions from a seed: talks of agents with tool calls, errors, prompts that repeat, answers that were gone back
 * over, and forks, made of templates. The same recipe gives the same bytes on every machine. Nothing in them is anybody's.
 */
import { pick, type Random, seeded, whole } from "../../bench/random.ts";
import { codingTurns, everydayTurns } from "./templates.ts";
import { coding, everyday } from "./words.ts";

export const topics = ["coding", "everyday"] as const;
export type Topic = (typeof topics)[number];

export interface Recipe {
  readonly seed: number;
  readonly sessions: number;
  /** Messages of all roles, about. */
  readonly messages: number;
  readonly topics: readonly Topic[];
}

/** Agent of each topic: that of the hand-written sessions, so that both lie in one store. */
const agentOf: Record<Topic, string> = { coding: "dev", everyday: "home" };
const start = Date.UTC(2025, 9, 1);
const span = 390 * 24 * 3600 * 1000;
const minute = 60_000;

type Line = Readonly<Record<string, unknown>>;

/** Neutral JSONL. */
export function generate({ seed, sessions, messages, topics }: Recipe): string {
  const lines: Line[] = [];
  for (let no = 0; no < sessions; no++) {
    const topic = topics[no % topics.length] ?? "coding";
    lines.push(...sessionLines(seeded(seed, no), topic, no, Math.ceil(messages / sessions)));
  }
  return `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`;
}

function sessionLines(random: Random, topic: Topic, no: number, messages: number): Line[] {
  const sessionKey = `agent:${agentOf[topic]}:distractor-${no}`;
  const draw = drawer(random, topic);
  const { ask, say, heading } = topic === "coding" ? codingTurns : everydayTurns;
  let timestamp = start + whole(random, span);
  let id = 0;
  const out: Line[] = [
    {
      type: "session",
      sessionKey,
      title: draw(pick(random, ask)),
      kind: topic === "coding" && no % 9 === 8 ? "subagent" : "direct",
      ...(topic === "coding" && { project: `/home/mira/src/${pick(random, coding.project)}` }),
      createdAt: timestamp,
    },
  ];
  const message = (role: string, content: unknown): string => {
    timestamp += 1000 + whole(random, 4 * minute);
    id += 1;
    out.push({
      type: "message",
      sessionKey,
      id: `d${id}`,
      role,
      ...(typeof content === "string" ? { text: content } : { content }),
      timestamp,
    });
    return `d${id}`;
  };
  let lastAnswer = "";
  while (id < messages) {
    // A day or a week later the talk goes on.
    if (random() < 0.06) timestamp += whole(random, 7 * 24 * 60) * minute;
    const prompt = draw(pick(random, ask));
    const asked = message("user", random() < 0.3 ? `${prompt} ${draw(pick(random, say))}` : prompt);
    if (topic === "coding") for (let calls = whole(random, 3); calls > 0; calls--) toolCall(random, draw, message);
    lastAnswer = message("assistant", answer(random, draw, say, heading));
    // Gone back: the answer is given anew, the first one is off the active branch.
    if (random() < 0.05) {
      out.push({ type: "leaf", sessionKey, targetId: asked });
      lastAnswer = message("assistant", answer(random, draw, say, heading));
    }
  }
  if (no % 12 === 11) out.push(...fork(out, sessionKey, lastAnswer));
  return out;
}

function toolCall(random: Random, draw: (text: string) => string, message: (role: string, content: unknown) => string) {
  const name = pick(random, ["bash", "read", "edit", "grep"]);
  const command = draw(pick(random, coding.command));
  message("assistant", [{ type: "toolCall", name, arguments: { command, path: pick(random, coding.file) } }]);
  const failed = random() < 0.3;
  const output = failed ? draw(pick(random, coding.error)) : draw(`ok ${pick(random, coding.file)} {m} ms`);
  message("toolResult", [
    { type: "toolResult", name, text: `$ ${command}\n${output}`, ...(failed && { isError: true }) },
  ]);
}

/** A sentence or two, or a long answer with a heading, a list and a last word. */
function answer(
  random: Random,
  draw: (text: string) => string,
  say: readonly string[],
  heading: readonly string[],
): string {
  const sentence = () => capital(draw(pick(random, say)));
  const opening = Array.from({ length: 1 + whole(random, 3) }, sentence).join(" ");
  if (random() < 0.6) return opening;
  const points = Array.from({ length: 3 + whole(random, 6) }, () => `- ${sentence()}`);
  return [opening, `## ${pick(random, heading)}`, points.join("\n"), sentence()].join("\n\n");
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A session that begins as a copy of the active branch up to that answer. */
function fork(lines: readonly Line[], sessionKey: string, upTo: string): Line[] {
  const at = lines.findIndex(({ id }) => id === upTo);
  const [session, ...rest] = lines.slice(0, Math.min(at + 1, 13)).filter(({ type }) => type !== "leaf");
  return [
    { ...session, sessionKey: `${sessionKey}-fork`, forkedFrom: sessionKey },
    ...rest.map((line) => ({ ...line, sessionKey: `${sessionKey}-fork` })),
  ];
}

/** Fills braces; what is drawn may have braces of its own. */
function drawer(random: Random, topic: Topic): (text: string) => string {
  const words: Readonly<Record<string, readonly string[]>> = topic === "coding" ? coding : everyday;
  const made: Readonly<Record<string, () => string>> = {
    n: () => String(2 + whole(random, 58)),
    m: () => String(60 + whole(random, 2940)),
    port: () => pick(random, ["3000", "5432", "6379", "8080", "9090", "4173"]),
    version: () => `${1 + whole(random, 17)}.${whole(random, 12)}.${whole(random, 9)}`,
    hash: () => Array.from({ length: 7 }, () => whole(random, 16).toString(16)).join(""),
    branch: () => `${pick(random, ["fix", "feat", "chore"])}/${pick(random, coding.name)}`,
  };
  const draw = (text: string): string =>
    text.replace(/\{(\w+)\}/g, (_, name: string) => {
      const list = words[name];
      return list === undefined ? (made[name]?.() ?? name) : draw(pick(random, list));
    });
  return draw;
}
